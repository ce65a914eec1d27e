"""The analysis page without a browser: tables in, questions asked once, nobody else's seen."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.blocking import BlockingWorkbench, blocking_workbench
from sanbo.settings import load_settings
from sanbo.ui import connection
from tests.examples import spread
from tests.unit.agents.analysis.conversation import AnotherAnalysis

SALES = "日付,店舗,売上\n2025-01-05,新宿店,1200\n2025-01-09,渋谷店,800\n2025-02-03,新宿店,\n"
STAFF = "氏名,部署\n青木,営業\n馬場,経理\n"
RULES = {"SANBO_LLM__PROVIDER": "rules"}
PATIENCE = 120


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Generator[BlockingWorkbench]:
    """One for the module: its sandbox takes seconds to start."""
    settings = load_settings(tmp_path_factory.mktemp("analysis") / "workspace", RULES)
    with blocking_workbench(settings, (AnotherAnalysis(),)) as opened:
        yield opened


@pytest.fixture
def bench(served: BlockingWorkbench) -> Generator[BlockingWorkbench]:
    connection.provide(served, requires_token=False)
    yield served
    connection.withdraw()


def _draw() -> None:
    import streamlit as st  # noqa: PLC0415

    from sanbo.ui.addresses import Addresses, announce  # noqa: PLC0415
    from sanbo.ui.views.analysis import analysis_page  # noqa: PLC0415

    here = st.Page(analysis_page, title="analysis")
    announce(Addresses(*[here] * len(Addresses._fields)))
    st.navigation([here]).run()


def _page(**query: str) -> AppTest:
    page = AppTest.from_function(_draw, default_timeout=PATIENCE)
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


def _give(page: AppTest, name: str, content: str | bytes) -> AppTest:
    data = content.encode() if isinstance(content, str) else content
    page.file_uploader[0].set_value((name, data, "text/csv")).run()
    assert not page.exception
    return page


def _in_address(page: AppTest, name: str) -> str:
    value = page.query_params[name]
    return value if isinstance(value, str) else value[0]


def _buttons(page: AppTest) -> list[str]:
    return [button.label for button in page.button]


def _said(page: AppTest) -> str:
    return "\n".join(str(element.value) for element in (*page.markdown, *page.caption))


def _answered(bench: BlockingWorkbench, conversation_id: str) -> list[Any]:
    listed = bench.call(bench.workbench.list(LOCAL, conversation_id=conversation_id))
    return [bench.call(bench.workbench.wait(LOCAL, run.run_id)) for run in listed]


@pytest.mark.usefixtures("bench")
def test_the_page_says_beforehand_how_large_and_where_a_file_is_kept() -> None:
    page = _page()
    assert page.title[0].value == "表の分析"
    assert "200 MBまで" in _said(page)
    assert "メモリ上だけで扱います" in _said(page)
    assert page.chat_input[0].disabled


def test_an_operator_who_keeps_files_has_the_page_say_that_instead(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "workspace", {**RULES, "SANBO_ANALYSIS__PERSIST": "true"})
    with blocking_workbench(settings, (AnotherAnalysis(),)) as opened:
        connection.provide(opened, requires_token=False)
        said = _said(_page())
        connection.withdraw()
    assert "ワークスペースに保存されます" in said
    assert "メモリ上だけ" not in said


@pytest.mark.usefixtures("bench")
def test_a_table_is_shown_with_its_columns_and_questions_to_ask() -> None:
    page = _give(_page(), "売上.csv", SALES)
    assert "売上.csv" in _said(page)
    assert "3行 × 3列" in _said(page)
    rows, columns = (element.value for element in page.dataframe)
    assert list(rows.columns) == ["日付", "店舗", "売上"]
    assert list(columns["列"]) == ["日付", "店舗", "売上"]
    assert columns["欠損"][2] == "1（33.3%）"
    assert any("売上" in label for label in _buttons(page))
    assert not page.chat_input[0].disabled


@pytest.mark.usefixtures("bench")
def test_a_file_that_is_no_table_is_explained_and_the_table_before_it_stays() -> None:
    page = _give(_page(), "売上.csv", SALES)
    _give(page, "壊れた.xlsx", b"PK\x03\x04 broken off")
    assert page.error
    assert any(info.value for info in page.info), "no hint"
    assert "売上.csv" in _said(page)
    assert not page.chat_input[0].disabled
    _give(page, "社員.csv", STAFF)
    assert not page.error
    assert "社員.csv" in _said(page)


@pytest.mark.usefixtures("bench")
def test_a_reload_before_the_first_question_still_has_the_table() -> None:
    page = _give(_page(), "売上.csv", SALES)
    again = _page(begun=_in_address(page, "begun"))
    assert "3行 × 3列" in _said(again)


def test_a_suggested_question_is_asked_by_one_click_and_answered(bench: BlockingWorkbench) -> None:
    page = _give(_page(), "売上.csv", SALES)
    click = next(button for button in page.button if str(button.key).startswith("suggestion:"))
    question = click.label
    click.click().run()
    (run,) = _answered(bench, _in_address(page, "conversation"))
    assert run.input["question"] == question
    assert run.input["file"]["name"] == "売上.csv"
    page.run()
    assert [message.name for message in page.chat_message] == ["user", "assistant"]
    assert question in _said(page)
    assert not page.error
    assert not page.exception


def test_a_conversation_is_shown_again_from_its_address(bench: BlockingWorkbench) -> None:
    page = _give(_page(), "売上.csv", SALES)
    page.chat_input[0].set_value("店舗別の売上合計を多い順に").run()
    conversation_id = _in_address(page, "conversation")
    (run,) = _answered(bench, conversation_id)
    assert run.status is Status.SUCCEEDED, run.problem
    again = _page(conversation=conversation_id)
    assert "店舗別の売上合計を多い順に" in _said(again)
    shown = [element.value for element in again.dataframe]
    assert any("新宿店" in frame.to_string() and "1200" in frame.to_string() for frame in shown)
    assert "report.md" in {artifact.name for artifact in run.artifacts}
    assert again.get("download_button")


def test_nobody_sees_a_conversation_of_somebody_else(bench: BlockingWorkbench) -> None:
    other = Caller("baba")
    file = bench.call(bench.workbench.upload(other, STAFF.encode(), "社員.csv", "text/csv"))
    given: JsonObject = {"question": "部署別の件数", "file": file.model_dump(mode="json")}
    run = bench.call(bench.workbench.start(other, "analysis", given))
    bench.call(bench.workbench.wait(other, run.run_id))
    page = _page(conversation=run.conversation_id)
    assert "見つかりません" in page.error[0].value
    assert "部署別" not in _said(page)
    assert "部署別の件数" not in _said(_page())


@pytest.mark.usefixtures("bench")
@pytest.mark.parametrize("named", spread(["conv_0", "' OR 1=1", "x" * 500, "../../etc/passwd"], 2))
def test_an_address_of_no_conversation_is_a_problem_with_a_hint(named: str) -> None:
    page = _page(conversation=named)
    assert "見つかりません" in page.error[0].value
    assert not page.exception


def test_after_a_restart_questions_remain_and_the_table_is_asked_for_again(tmp_path: Path) -> None:
    settings = load_settings(tmp_path / "workspace", RULES)
    with blocking_workbench(settings, (AnotherAnalysis(),)) as first:
        file = first.call(first.workbench.upload(LOCAL, SALES.encode(), "売上.csv", "text/csv"))
        given: JsonObject = {"question": "店舗別の売上合計", "file": file.model_dump(mode="json")}
        run = first.call(first.workbench.start(LOCAL, "analysis", given))
        run = first.call(first.workbench.wait(LOCAL, run.run_id))
        assert run.status is Status.SUCCEEDED, run.problem
    with blocking_workbench(settings, (AnotherAnalysis(),)) as second:
        connection.provide(second, requires_token=False)
        page = _page(conversation=run.conversation_id)
        connection.withdraw()
    assert "もうサーバーのメモリにありません" in page.warning[0].value
    assert page.file_uploader
    assert page.chat_input[0].disabled
    assert not any("新宿店" in element.value.to_string() for element in page.dataframe)
    assert "店舗別の売上合計" in _said(page)
    assert "保存していません" in _said(page)
