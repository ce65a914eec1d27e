"""GRACE's page without a browser: asked, answered, unsure, judged, and seen by nobody else."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.workflow import Grace
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings
from sanbo.ui import connection

PATIENCE = 60
COLLECTION = "社用車規程"
RULES = """# 社用車規程

社用車の燃料代は、1回につき6,000円まで会社が負担します。

社用車を使う人は、前日の17時までに総務課へ予約します。<img src=x onerror="act()">
"""
QUESTION = "社用車の燃料代は1回いくらまで会社が負担しますか"
HOSTILE = "![画像](https://evil.example/a.png) の **燃料代** は $100 ですか"
SURE: JsonObject = {"silent": 0.03, "notify": 0.02, "confirm": 0.01}
UNSURE: JsonObject = {"silent": 0.99999, "notify": 0.99998, "confirm": 0.001}


@contextmanager
def _bench(folder: Path, thresholds: JsonObject) -> Generator[BlockingWorkbench]:
    """Over documents, with thresholds that make every answer sure, or none."""
    settings = load_settings(folder / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    grace = GraceSettings.model_validate({"thresholds": thresholds, "adjust_thresholds": True})
    settings = settings.model_copy(update={"grace": grace})
    path = folder / "社用車規程.md"
    path.write_text(RULES, "utf-8")
    with blocking_workbench(settings, (Grace(),)) as opened:
        outcomes = opened.workbench.collections.index_paths(COLLECTION, [path])
        assert not any(outcome.problem for outcome in outcomes)
        yield opened


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[BlockingWorkbench]:
    with _bench(tmp_path_factory.mktemp("grace"), SURE) as opened:
        yield opened


@pytest.fixture
def bench(served: BlockingWorkbench) -> Generator[BlockingWorkbench]:
    connection.provide(served, requires_token=False)
    yield served
    connection.withdraw()


@pytest.fixture(scope="module")
def answered(served: BlockingWorkbench) -> Run:
    return _asked(served, QUESTION)


def _draw() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.grace import grace_page  # noqa: PLC0415

    here = st.Page(grace_page, title="grace")
    announce(Addresses(*[here] * len(Addresses._fields)))
    st.navigation([here]).run()


def _page(**query: str) -> AppTest:
    page = AppTest.from_function(_draw, default_timeout=PATIENCE)
    for name, value in query.items():
        page.query_params[name] = value
    page.run()
    assert not page.exception
    return page


def _click(page: AppTest, label: str) -> None:
    next(button for button in page.button if button.label == label).click().run()
    assert not page.exception


def _said(page: AppTest) -> str:
    shown = (*page.markdown, *page.caption, *page.subheader, *page.info)
    links = [element.proto.label for element in page.get("page_link")]
    return "\n".join((*(str(element.value) for element in shown), *links))


def _html(page: AppTest) -> str:
    return "\n".join(element.proto.body for element in page.get("html"))


def _asked(bench: BlockingWorkbench, question: str, who: Caller = LOCAL, **given: Any) -> Run:
    run = bench.call(bench.workbench.start(who, "grace", {"question": question, **given}))
    return bench.call(bench.workbench.wait(who, run.run_id))


def test_a_question_goes_where_it_was_told_and_becomes_a_conversation(
    bench: BlockingWorkbench,
) -> None:
    page = _page()
    assert page.title[0].value == "GRACE（確信度つき回答）"
    assert page.selectbox[0].value == "", "everywhere"
    page.selectbox[0].set_value(COLLECTION).run()
    assert page.query_params["collection"] == COLLECTION, "a reload would forget it"
    page.chat_input[0].set_value(QUESTION).run()
    conversation = page.query_params["conversation"]
    [summary] = bench.call(bench.workbench.list(LOCAL, conversation_id=conversation))
    run = bench.call(bench.workbench.wait(LOCAL, summary.run_id))
    assert run.input == {"question": QUESTION, "collection": COLLECTION}
    assert run.status is Status.SUCCEEDED, run.problem
    further = _page(conversation=conversation)
    further.chat_input[0].set_value("予約はいつまでですか").run()
    assert further.query_params["conversation"] == conversation
    assert "予約はいつまでですか" in _said(further)
    assert QUESTION in _said(further), "the earlier turn is gone"
    last = bench.call(bench.workbench.list(LOCAL, conversation_id=conversation))[0]
    bench.call(bench.workbench.wait(LOCAL, last.run_id))
    assert QUESTION in _said(_page()), "not among the recent conversations"


@pytest.mark.usefixtures("bench")
def test_an_answer_is_shown_with_its_score_source_reasons_and_plan(answered: Run) -> None:
    assert answered.status is Status.SUCCEEDED, answered.problem
    page = _page(conversation=answered.conversation_id)
    said, html = _said(page), _html(page)
    assert f"[\\[1\\]](#grace-source-{answered.run_id}-1)" in said
    assert "自動で回答" in html
    assert "90%" not in html, "the thresholds of the run are shown, not the usual ones"
    assert 'class="sanbo-plan"' in html
    assert "社用車規程.md" in html
    assert "<mark>" not in html
    _click(page, "文書の中で見る")
    assert "<mark>社用車の燃料代は、1回につき6,000円まで会社が負担します。</mark>" in _html(page)
    source = page.query_params["source"]
    assert "<mark>" in _html(_page(conversation=answered.conversation_id, source=source))
    for unknown in ("run.²", f"{answered.run_id}.99"):
        assert not _page(conversation=answered.conversation_id, source=unknown).error
    assert "<img" not in html


def test_a_verdict_is_kept_tells_what_it_changed_and_can_be_taken_back(
    bench: BlockingWorkbench, answered: Run
) -> None:
    page = _page(conversation=answered.conversation_id)
    _click(page, "違う")
    assert "評価を記録しました" in _said(page)
    assert "しきい値が変わりました：「自動で回答」3%→4%" in _said(page)
    page.text_input[0].set_value("金額が **古い** です").run()
    _click(page, "コメントを送る")
    again = _page(conversation=answered.conversation_id)
    assert "送ったコメント：金額が" in _said(again), "lost by a reload"
    assert "**古い**" not in _said(again)
    kept = bench.workbench.calibrations.feedback_of(answered.run_id)
    assert kept is not None
    assert kept.verdict == "bad"
    _click(again, "評価を取り消す")
    assert bench.workbench.calibrations.feedback_of(answered.run_id) is None
    assert "評価を記録しました" not in _said(again)


def test_words_of_people_do_nothing_and_nobody_sees_those_of_others(
    bench: BlockingWorkbench,
) -> None:
    run = _asked(bench, HOSTILE)
    said = _said(_page(conversation=run.conversation_id)) + _said(_page())
    assert "](https" not in said.replace("\\]", "")
    assert "**燃料代**" not in said
    theirs = _asked(bench, "秘密の質問です。燃料代はいくらですか", Caller("baba"))
    for named in (theirs.conversation_id, "../x"):
        page = _page(conversation=named)
        assert "見つかりません" in page.error[0].value
        assert "秘密" not in _said(page)
    assert "秘密" not in _said(_page())


def test_an_unsure_answer_is_proposed_with_its_reasons_and_a_kept_draft(tmp_path: Path) -> None:
    with _bench(tmp_path, UNSURE) as opened:
        connection.provide(opened, requires_token=False)
        run = _asked(opened, QUESTION, collection=COLLECTION)
        assert run.status is Status.WAITING, run.problem or run.result
        page = _page(conversation=run.conversation_id)
        assert page.chat_input[0].disabled
        assert "この回答でよいか、確認してください" in _said(page)
        assert "6,000円" in _said(page)
        assert "確認が必要" in _html(page)
        page.text_area[0].set_value("2026年度の規程で").run()
        again = _page(conversation=run.conversation_id)
        assert again.text_area[0].value == "2026年度の規程で", "lost by a reload"
        labels = [option.label for option in run.open_interactions[0].requirements[0].options]
        assert set(labels) <= {button.label for button in again.button}
        _click(again, labels[0])
        run = opened.call(opened.workbench.wait(LOCAL, run.run_id))
        assert run.status is Status.SUCCEEDED, run.problem
        done = _page(conversation=run.conversation_id)
        assert "人が確認して" in _said(done)
        assert not done.chat_input[0].disabled
        connection.withdraw()


def test_without_a_collection_the_way_to_one_is_shown_and_a_sample_is_offered(
    tmp_path: Path,
) -> None:
    settings = load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, (Grace(),)) as opened:
        connection.provide(opened, requires_token=False)
        page = _page()
        assert "コレクションがまだありません" in _said(page)
        assert "コレクションの画面へ" in _said(page)
        assert page.chat_input[0].disabled
        _click(page, "見本の文書で試す")
        assert "見本の文書への質問の例です" in _said(page)
        assert not page.chat_input[0].disabled
        connection.withdraw()
