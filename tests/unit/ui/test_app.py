"""The Streamlit app without a browser: a form, a run with its question, parts of every kind."""

from collections.abc import Generator
from pathlib import Path
from typing import get_args

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.runs.model import Run
from sanbo.runs.parts import Part
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings
from sanbo.ui import page_context
from sanbo.ui.page_setup import SCRIPT
from sanbo.ui.session_state import start_key
from tests.patience import PATIENCE_SECONDS
from tests.workflows import WORKFLOWS


@pytest.fixture
def bench(tmp_path: Path) -> Generator[BlockingWorkbench]:
    settings = load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, WORKFLOWS) as opened:
        page_context.provide(opened, requires_token=False)
        yield opened
        page_context.withdraw()


def _app(**address: str) -> AppTest:
    app = AppTest.from_file(str(SCRIPT), default_timeout=PATIENCE_SECONDS)
    for name, value in address.items():
        app.query_params[name] = value
    return app.run()


def _press(app: AppTest, label: str) -> AppTest:
    return next(button for button in app.button if button.label == label).click().run()


def _waiting(bench: BlockingWorkbench) -> Run:
    work = bench.workbench
    run = bench.call(work.start(LOCAL, "expenses", {"title": "出張"}))
    return bench.call(work.wait(LOCAL, run.run_id))


def test_every_workflow_is_offered_and_its_form_keeps_what_is_typed(
    bench: BlockingWorkbench,
) -> None:
    app = _app()
    assert not app.exception
    assert len(app.selectbox[0].options) == len(WORKFLOWS)
    app = _app(workflow="expenses")
    app.text_area[0].set_value("10月の出張費").run()
    key = start_key("expenses")
    assert app.session_state[key].values["title"] == "10月の出張費"
    draft = bench.workbench.drafts.load(LOCAL.owner, key)
    assert draft is not None
    assert draft["values"] == app.session_state[key].values
    assert _app(workflow="expenses").text_area[0].value == "10月の出張費"  # a new session


def test_wrong_input_names_the_field_in_the_readers_language(bench: BlockingWorkbench) -> None:
    app = _press(_app(workflow="expenses"), "実行する")
    assert not app.exception
    assert "「件名」を入力してください。" in app.error[0].value


def test_a_question_keeps_what_is_typed_through_reruns_and_leads_to_the_result(
    bench: BlockingWorkbench,
) -> None:
    run = _waiting(bench)
    asked = run.open_interactions[0]
    app = _app(run=run.run_id)
    assert not app.exception
    app.text_area[0].set_value("確認しました").run()
    app = app.run().run()
    assert app.text_area[0].value == "確認しました"
    assert asked.state_key in app.session_state
    app = _press(app, "承認する")
    done = bench.call(bench.workbench.wait(LOCAL, run.run_id))
    assert done.status == "succeeded"
    app = _app(run=run.run_id)
    assert not app.exception
    assert not app.text_area
    assert any("完了" in each.value for each in app.markdown)


def test_a_run_of_nobody_is_a_problem_and_no_traceback(bench: BlockingWorkbench) -> None:
    app = _app(run="run_nowhere")
    assert not app.exception
    assert app.error


def _all_parts() -> None:
    from sanbo.kernel.problems import NotFound  # noqa: PLC0415
    from sanbo.runs import parts  # noqa: PLC0415
    from sanbo.runs.model import Artifact  # noqa: PLC0415
    from sanbo.ui.parts_view import draw_part  # noqa: PLC0415

    file = Artifact(artifact_id="a" * 64, name="表.csv", media_type="text/csv", size=10)
    shown: tuple[parts.Part, ...] = (
        parts.Text(id="text", title="本文", markdown="**太字** [リンク](x)", document=file),
        parts.Table(
            id="table",
            columns=(parts.Column(name="店"), parts.Column(name="額", kind="number", unit="円")),
            rows=(("東京", 1200), ("大阪", None)),
            total_rows=9,
            file=file,
        ),
        parts.Sources(
            id="sources",
            items=(parts.SourceItem(mark="1", document="規程.md", quote="引用", is_verified=True),),
        ),
        parts.Score(id="score", value=0.9, level="高い", tone="good", explanation=("理由",)),
        parts.Changes(
            id="changes",
            old_name="旧",
            new_name="新",
            total_items=1,
            items=(
                parts.ChangeItem(
                    id="1",
                    change="changed",
                    label="変更",
                    old=parts.Side(place="第1条", text="30日"),
                    new=parts.Side(place="第1条", text="60日"),
                    diff=(
                        parts.Segment(op="deleted", text="30日"),
                        parts.Segment(op="added", text="60日"),
                    ),
                ),
            ),
        ),
        parts.Graph(
            id="graph",
            nodes=(parts.GraphNode(id="a", title="甲"), parts.GraphNode(id="b", title="乙")),
            edges=(parts.GraphEdge(source="a", target="b"),),
        ),
        parts.Files(id="files", items=(file.model_copy(update={"name": "別.csv"}),)),
        parts.Facts(id="facts", items=(parts.Fact(label="件数", value=3),)),
        parts.Trouble(
            id="problem", problem=NotFound("run_not_found", run_id="x").problem, is_warning=True
        ),
        parts.Progress(
            id="progress",
            steps=(parts.ProgressStep(id="s", title="手順", status="pending", done=1, of=2),),
        ),
    )
    for part in shown:
        draw_part("run_x", part)


def test_parts_of_every_kind_are_drawn(bench: BlockingWorkbench) -> None:
    kinds = {each.model_fields["kind"].default for each in get_args(get_args(Part)[0])}
    app = AppTest.from_function(_all_parts, default_timeout=PATIENCE_SECONDS).run()
    assert not app.exception, app.exception
    told = " ".join(each.value for each in (*app.markdown, *app.caption, *app.warning))
    for word in ("太字", "規程.md", "90%", "第1条", "60日", "甲", "件数", "手順", "1/2"):
        assert word in told, word
    assert kinds - {"figure"} == {  # a figure is bytes of a run: journeys see one
        "text", "table", "sources", "score", "changes", "graph", "files", "facts", "problem",
        "progress",
    }  # fmt: skip


def _broken() -> None:
    from sanbo.ui.page_context import guarded  # noqa: PLC0415

    @guarded
    def draw() -> None:
        raise ZeroDivisionError("sk-0123456789abcdef0123456789abcdef")

    draw()


@pytest.mark.usefixtures("bench")
def test_defect_is_shown_as_a_problem_and_never_as_a_traceback() -> None:
    app = AppTest.from_function(_broken, default_timeout=PATIENCE_SECONDS).run()
    assert not app.exception
    assert "ZeroDivisionError" in app.error[0].value
    assert "sk-" not in "".join(element.value for element in (*app.error, *app.info))
