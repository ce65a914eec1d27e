"""The Streamlit app in a browser: the one form, a killed server, a form that has changed."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.visitor import (
    attaches,
    begin,
    chooses,
    clicks,
    field,
    has_typed,
    is_saved,
    sees,
    sees_status,
    types,
)
from tests.journeys.workbench_server import WorkbenchServer


@pytest.fixture
def quote(tmp_path: Path) -> Path:
    file = tmp_path / "見積書.csv"
    file.write_text("品名,金額\nノートPC,120000\n", "utf-8")
    return file


def test_a_question_is_answered_and_leads_to_the_result(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(begin(server, "expenses", title="出張"))
    sees(page, "承認しますか。")
    types(page, "理由", "規程のとおりです")
    clicks(page, "承認する")
    sees_status(page, "完了")


@pytest.mark.thorough
def test_all_fields_and_all_modes_lead_to_the_result(
    server: WorkbenchServer, open_page: OpenPage, quote: Path, tmp_path: Path
) -> None:
    asked: Page = open_page(begin(server, "intake"))
    sees(asked, "ご回答をお願いします")
    folder = tmp_path / "資料"
    folder.mkdir()
    (folder / "仕様.txt").write_text("仕様", "utf-8")
    attaches(asked, "見積書", quote)
    asked.locator(".stFileUploader:visible").filter(has_text="資料フォルダー").locator(
        "input"
    ).set_input_files(folder)
    sees(asked, "仕様.txt")
    types(asked, "購入の理由", "来月の研修で使うため")
    chooses(asked, "区分", "更新")
    asked.get_by_text("至急").click()
    types(asked, "数量", "2")
    types(asked, "担当者への連絡", "よろしくお願いします")
    is_saved(server, asked, "よろしくお願いします")
    asked.reload()
    has_typed(asked, "購入の理由", "来月の研修で使うため")
    has_typed(asked, "数量", "2")
    expect(field(asked, "至急")).to_be_checked()
    sees(asked, "見積書.csv")
    clicks(asked, "送信する")
    sees(asked, "この内容で申請してよろしいですか。")
    sees(asked, "128,000")
    clicks(asked, "承認する")
    sees(asked, "研修の日付を教えてください。")
    types(asked, "回答", "12月1日です")
    clicks(asked, "送信する")
    sees(asked, "支払方法を選び")
    chooses(asked, "支払方法", "カード")
    clicks(asked, "判断せずに送信")
    sees_status(asked, "完了")
    assert '"GET /' not in server.said()  # Streamlit would have every request printed


@pytest.mark.thorough
def test_question_and_draft_survive_a_killed_server(
    own_server: WorkbenchServer, open_page: OpenPage
) -> None:
    own_server.start()
    page = open_page(begin(own_server, "expenses", title="停電"), quiet=False)
    sees(page, "承認しますか。")
    types(page, "理由", "書きかけの")
    is_saved(own_server, page, "書きかけの")
    own_server.kill()
    own_server.start()
    page.reload()
    sees(page, "承認しますか。")
    has_typed(page, "理由", "書きかけの")
    clicks(page, "承認する")
    sees_status(page, "完了")


@pytest.mark.thorough
def test_form_that_has_changed_is_merged_with_a_warning(
    own_server: WorkbenchServer, open_page: OpenPage
) -> None:
    own_server.start()
    page = open_page(f"{own_server.url}/streamlit/?workflow=purchase", quiet=False)
    types(page, "案件名", "机の買い替え")
    types(page, "予算", "五万円")
    types(page, "備考", "急ぎません")
    is_saved(own_server, page, "急ぎません")
    own_server.kill()
    own_server.start(JOURNEY_FORM="changed")
    page.reload()
    sees(page, "項目「案件名」はなくなったため、入力を破棄しました。")
    sees(page, "項目「予算」の種類が変わったため、入力を破棄しました。")
    has_typed(page, "備考", "急ぎません")
