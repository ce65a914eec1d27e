"""The comparison page without a browser: what was given is kept, and nobody else's is seen."""

from collections.abc import Generator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.agents.comparison.workflow import Comparison
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings
from sanbo.ui import connection
from tests.examples import spread

PATIENCE = 60
OLD = "第1条 甲は乙に委託する。\n\n第2条 委託料は月額10万円とする。\n"
NEW = "第1条 甲は乙に委託する。\n\n第2条 委託料は月額12万円とする。\n"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[BlockingWorkbench]:
    folder = tmp_path_factory.mktemp("comparison")
    settings = load_settings(folder / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, (Comparison(),)) as opened:
        yield opened


@pytest.fixture
def bench(served: BlockingWorkbench) -> Generator[BlockingWorkbench]:
    connection.provide(served, requires_token=False)
    yield served
    connection.withdraw()
    served.workbench.drafts.reset(LOCAL.owner, "comparison:start::form")


def _draw() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.comparison import comparison_page  # noqa: PLC0415

    here = st.Page(comparison_page, title="comparison")
    announce(Addresses(*[here] * len(Addresses._fields)))
    st.navigation([here]).run()


def _page(**query: str) -> AppTest:
    page = AppTest.from_function(_draw, default_timeout=PATIENCE)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def _button(page: AppTest, label: str) -> object:
    return next(button for button in page.button if button.label == label)


def _said(page: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*page.markdown, *page.caption))


def _compared(bench: BlockingWorkbench, caller: Caller, **given: str) -> Run:
    fields: JsonObject = dict(given)
    run = bench.call(bench.workbench.start(caller, "comparison", fields))
    return bench.call(bench.workbench.wait(caller, run.run_id))


@pytest.mark.usefixtures("bench")
def test_the_button_waits_for_both_sides_and_says_for_what() -> None:
    page = _page()
    assert page.title[0].value == "文書の比較"
    assert _button(page, "比較する").disabled  # type: ignore[attr-defined]
    assert "旧と新のファイルを選んでください" in _said(page)
    assert not any("モデル" in box.label for box in page.checkbox), "there is no model to ask"


def test_with_a_model_every_paragraph_may_be_put_to_it(tmp_path: Path) -> None:
    environment = {"SANBO_LLM__PROVIDER": "openai", "SANBO_LLM__MODEL": "m", "OPENAI_API_KEY": "k"}
    settings = load_settings(tmp_path / "workspace", environment)
    with blocking_workbench(settings, (Comparison(),)) as opened:
        connection.provide(opened, requires_token=False)
        boxes = [box.label for box in _page().checkbox]
        connection.withdraw()
    assert boxes == ["番号の変更をまとめてたたむ", "すべての段落をモデルに確認させる"]


@pytest.mark.usefixtures("bench")
def test_columns_of_a_table_are_offered_by_their_headings_and_kept() -> None:
    page = _page()
    for position, name in enumerate(("旧.csv", "新.csv")):
        data = "番号,本文\n1,目的\n".encode()
        page.file_uploader[position].set_value((name, data, "text/csv")).run()
        assert not page.exception
    chosen = next(box for box in page.selectbox if box.label.startswith("行を見分ける列"))
    assert chosen.options == ["番号", "本文"]
    chosen.set_value("番号").run()
    again = next(box for box in _page().selectbox if box.label.startswith("行を見分ける列"))
    assert again.value == "番号"
    assert not _button(_page(), "比較する").disabled  # type: ignore[attr-defined]


def test_a_comparison_tells_its_outcome_and_offers_every_file(bench: BlockingWorkbench) -> None:
    run = _compared(bench, LOCAL, old_text=OLD, new_text=NEW)
    assert run.status is Status.SUCCEEDED, run.problem
    page = _page(run=run.run_id)
    assert "-badge[変更 1]" in _said(page)
    labels = {element.proto.label for element in page.get("download_button")}
    kinds = ("Word", "Excel", "HTML", "Markdown", "JSON")
    assert len(labels) == len(kinds)
    assert all(any(kind in label for label in labels) for kind in kinds)
    assert "-badge[変更 1]" in _said(_page()), "not among the recent ones"


def test_showing_a_comparison_makes_no_file_and_what_can_not_be_made_is_not_offered(
    bench: BlockingWorkbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = _compared(bench, LOCAL, old_text=f"{OLD}以上", new_text=f"{NEW}以上")

    async def never(*_: object) -> bytes:
        raise AssertionError("nobody has asked for it")

    monkeypatch.setattr(Comparison, "make_file", never)
    files = _page(run=run.run_id).get("download_button")
    assert len(files) == 5
    material = next(each for each in run.artifacts if each.name == "alignment.json")
    _, stored = bench.call(bench.workbench.artifact(LOCAL, run.run_id, material.artifact_id))
    assert isinstance(stored, Path)
    stored.unlink()
    page = _page(run=run.run_id)
    left = page.get("download_button")
    assert len(left) == 4, "the page side by side needs both documents"
    assert page.warning


def test_the_same_text_twice_is_said_to_be_the_same(bench: BlockingWorkbench) -> None:
    run = _compared(bench, LOCAL, old_text=OLD, new_text=OLD)
    page = _page(run=run.run_id)
    assert "違いはありません" in page.success[0].value


def test_a_failed_comparison_shows_its_problem_and_what_was_given(
    bench: BlockingWorkbench,
) -> None:
    broken = bench.call(bench.workbench.upload(LOCAL, b"%PDF-1.7\nbroken", "壊れた.pdf", ""))
    given: JsonObject = {"old": [broken.model_dump(mode="json")], "new_text": NEW}
    run = bench.call(bench.workbench.start(LOCAL, "comparison", given))
    run = bench.call(bench.workbench.wait(LOCAL, run.run_id))
    assert run.status is Status.FAILED
    page = _page(run=run.run_id)
    assert "壊れた.pdf" in page.error[0].value
    assert page.info, "no hint"
    assert "壊れた.pdf" in _said(page)


def test_nobody_sees_a_comparison_of_somebody_else(bench: BlockingWorkbench) -> None:
    run = _compared(bench, Caller("baba"), old_text="秘密の文章", new_text="秘密の文章2")
    for parameter in ("run", "again"):
        page = _page(**{parameter: run.run_id})
        assert "見つかりません" in page.error[0].value
        assert "秘密" not in _said(page)


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize("named", spread(["run_0", "x" * 500, "../../etc/passwd"], 2))
def test_an_address_of_no_comparison_is_a_problem_with_a_hint(named: str) -> None:
    page = _page(run=named)
    assert "見つかりません" in page.error[0].value
