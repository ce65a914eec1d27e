"""The research page without a browser: what is asked, shown, kept, and seen by nobody else."""

from collections.abc import Generator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.agents.research.workflow import Research
from sanbo.evidence.model import Citation
from sanbo.runs.model import JsonObject, Run, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.service.citation_places import CitationPlace
from sanbo.service.collections import Collections
from sanbo.settings import load_settings
from sanbo.ui import connection
from sanbo.ui.research.report_view import parts_of
from sanbo.ui.source_card import card, linked
from tests.workflows import WORKFLOWS

PATIENCE = 60
COLLECTION = "出張規程"
RULES = """# 出張の手引き

東京への出張では、宿泊費は1泊12,000円を上限とします。

旅費の精算は、出張から戻った日の翌月10日までに申請します。

<img src=x onerror="act()"> $100 と $200 の ![画像](https://evil.example/a.png) は使いません。
"""
QUESTION = "東京への出張の宿泊費の上限はいくらですか"
HOSTILE = "![画像](https://evil.example/a.png) と $100 は **使いますか**"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[BlockingWorkbench]:
    folder = tmp_path_factory.mktemp("research")
    settings = load_settings(folder / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, (*WORKFLOWS, Research())) as opened:
        _index(opened.workbench.collections, folder, COLLECTION)
        yield opened


@pytest.fixture
def bench(served: BlockingWorkbench) -> Generator[BlockingWorkbench]:
    connection.provide(served, requires_token=False)
    yield served
    connection.withdraw()
    served.workbench.drafts.reset(LOCAL.owner, "research:start::form")


@pytest.fixture(scope="module")
def answered(served: BlockingWorkbench) -> Run:
    """A research to look at."""
    return _researched(served)


def _index(collections: Collections, folder: Path, name: str) -> None:
    path = folder / "出張の手引き.md"
    path.write_text(RULES, "utf-8")
    assert not any(outcome.problem for outcome in collections.index_paths(name, [path]))


def _draw() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.research import research_page  # noqa: PLC0415

    here = st.Page(research_page, title="research")
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
    shown = (*page.markdown, *page.caption, *page.subheader)
    links = [element.proto.label for element in page.get("page_link")]
    return "\n".join((*(str(element.value) for element in shown), *links))


def _html(page: AppTest) -> str:
    return "\n".join(element.proto.body for element in page.get("html"))


def _researched(bench: BlockingWorkbench, question: str = QUESTION, who: Caller = LOCAL) -> Run:
    given: JsonObject = {"question": question, "collection": COLLECTION}
    run = bench.call(bench.workbench.start(who, "research", given))
    return bench.call(bench.workbench.wait(who, run.run_id))


def test_a_question_is_asked_once_kept_while_typed_and_answered(bench: BlockingWorkbench) -> None:
    page = _page()
    assert page.title[0].value == "リサーチ"
    _click(page, "調べる")
    assert "調べたいことを入力してください" in _said(page)
    page.text_area[0].set_value(QUESTION).run()
    again = _page()
    assert again.text_area[0].value == QUESTION, "lost by a reload"
    assert again.selectbox[0].value == COLLECTION, "the only one there is"
    _click(again, "調べる")
    run_id = again.query_params["run"]
    run = bench.call(bench.workbench.wait(LOCAL, run_id))
    assert run.status is Status.SUCCEEDED, run.problem
    assert run.input == {"question": QUESTION, "collection": COLLECTION}
    assert _page().text_area[0].value == "", "still there although it was asked"


@pytest.mark.usefixtures("bench")
def test_a_report_is_shown_with_its_sources_its_steps_and_a_download(answered: Run) -> None:
    assert answered.status is Status.SUCCEEDED, answered.problem
    page = _page(run=answered.run_id)
    said = _said(page)
    assert "12,000円を上限とします。[\\[1\\]](#research-source-1)" in said
    assert "検索 1回目" in said
    assert "**判断**" in said
    assert "出張の手引き.md" in _html(page)
    labels = [element.proto.label for element in page.get("download_button")]
    assert labels == ["調査報告をダウンロード"]
    assert QUESTION in _said(_page()), "not among the recent ones"


@pytest.mark.usefixtures("bench")
def test_a_source_opens_in_place_with_its_quote_marked_and_closes_again(answered: Run) -> None:
    page = _page(run=answered.run_id)
    assert "<mark>" not in _html(page)
    _click(page, "文書の中で見る")
    assert page.query_params["source"] == "1"
    assert "<mark>東京への出張では、宿泊費は1泊12,000円を上限とします。</mark>" in _html(page)
    assert "翌月10日までに" in _html(page), "what follows it"
    assert "<mark>" in _html(_page(run=answered.run_id, source="1")), "a reload closed it"
    _click(page, "閉じる")
    assert "<mark>" not in _html(page)
    for unknown in ("99", "²"):
        assert not _page(run=answered.run_id, source=unknown).error


def test_a_further_question_goes_on_in_the_session(bench: BlockingWorkbench, answered: Run) -> None:
    page = _page(run=answered.run_id)
    page.text_area[0].set_value("旅費の精算はいつまでですか").run()
    _click(page, "調べる")
    further = bench.call(bench.workbench.wait(LOCAL, page.query_params["run"]))
    assert further.run_id != answered.run_id
    assert further.conversation_id == answered.conversation_id
    later = _page(run=further.run_id)
    assert "同じセッションの質問 1件" in [expander.label for expander in later.expander]
    assert QUESTION in _said(later)


def test_the_notes_of_the_session_are_shown_and_deleted(bench: BlockingWorkbench) -> None:
    run = _researched(bench)
    page = _page(run=run.run_id)
    notes = next(one for one in page.expander if one.label == "セッションの経過")
    assert any("検索 1回目" in line.value for line in notes.markdown)
    assert any(run.conversation_id in line.value for line in notes.caption)
    _click(page, "削除する")
    assert "記録はありません" in _said(page)
    assert "12,000円" in _said(page), "the report stays"


def test_words_of_documents_and_people_do_nothing_on_the_page(bench: BlockingWorkbench) -> None:
    run = _researched(bench, HOSTILE)
    for page in (_page(run=run.run_id, source="1"), _page()):
        assert "<img" not in _html(page)
        assert "](https" not in _said(page).replace("\\]", "")
        assert "**使いますか**" not in _said(page)


def test_a_cancelled_research_keeps_its_question_for_another_try(bench: BlockingWorkbench) -> None:
    given: JsonObject = {"question": QUESTION, "collection": COLLECTION}
    run = bench.call(bench.workbench.start(LOCAL, "research", given))
    bench.call(bench.workbench.cancel(LOCAL, run.run_id))
    run = bench.call(bench.workbench.wait(LOCAL, run.run_id))
    assert run.status is Status.CANCELLED
    page = _page(run=run.run_id)
    assert "中止しました" in page.info[0].value
    assert page.text_area[0].value == QUESTION


def test_nobody_sees_a_research_of_somebody_else(bench: BlockingWorkbench) -> None:
    run = _researched(bench, "秘密の質問です。宿泊費はいくらですか", Caller("baba"))
    page = _page(run=run.run_id)
    assert "見つかりません" in page.error[0].value
    assert "秘密" not in _said(page) + _said(_page())


def test_an_address_of_no_research_is_a_problem_with_a_hint(bench: BlockingWorkbench) -> None:
    other = bench.call(bench.workbench.start(LOCAL, "expenses", {"title": "出張", "amounts": "1"}))
    for named in (other.run_id, "../../etc/passwd"):
        page = _page(run=named)
        assert "見つかりません" in page.error[0].value
        assert page.info


@pytest.mark.usefixtures("bench")
def test_a_link_to_a_collection_chooses_it_and_a_wrong_one_names_the_nearest() -> None:
    assert _page(collection=COLLECTION).selectbox[0].value == COLLECTION
    assert "「出張規程」ではありませんか" in _page(collection="出張規定").error[0].value


def test_without_a_collection_the_way_to_one_is_shown_and_a_sample_is_offered(
    tmp_path: Path,
) -> None:
    settings = load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
    with blocking_workbench(settings, (Research(),)) as opened:
        connection.provide(opened, requires_token=False)
        page = _page()
        assert "コレクションがまだありません" in page.info[0].value
        assert not page.text_area
        _click(page, "見本の文書で試す")
        assert "東京に出張" in str(page.text_area[0].value)
        assert page.selectbox[0].value == "社内規程の見本"
        connection.withdraw()


# ---- parts ----


def test_a_report_is_parted_before_its_sources_and_its_marks_lead_to_them() -> None:
    report = "# 質問\n\n## 要約\n\n- 上限です。[1][3]\n\n## 出典\n\n- [1] 規程.md\n"
    body, tail = parts_of(report, "ja")
    assert body == "## 要約\n\n- 上限です。[1][3]\n"
    assert tail.startswith("## 出典\n")
    assert linked(body, {1}, "s") == "## 要約\n\n- 上限です。[\\[1\\]](#s-1)[3]\n"
    assert linked("\\[1] [1](x) ![1] [1]: y", {1}, "s") == "\\[1] [1](x) ![1] [1]: y"
    assert parts_of("見出しのない報告", "ja") == ("見出しのない報告", "")


def test_a_source_that_is_gone_or_not_verified_says_so_and_escapes_all() -> None:
    citation = Citation(
        id=2,
        document="<b>規程</b>.pdf",
        document_id="d",
        format="pdf",
        page=4,
        chunk_id="d.0",
        quote="<script>引用</script>",
        start=0,
        end=3,
        headings=("第1章 <i>総則</i>",),
        score=0.8,
        verified=False,
    )
    shown = card(citation, anchor="s")
    assert "4ページ" in shown
    assert "確認できませんでした" in shown
    around = CitationPlace(citation=citation, position=None, text=citation.quote, start=0, end=8)
    for html in (shown, card(citation, around, anchor="s")):
        for tag in ("<script", "<b>", "<i>"):
            assert tag not in html
