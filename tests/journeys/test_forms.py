"""The one form: all fields, all modes, and nothing typed is ever lost."""

import re
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


@pytest.fixture
def asked(server: WorkbenchServer, open_page: OpenPage) -> Page:
    """The page of a run that asks with all eight types of fields."""
    page = open_page(begin(server, "intake"))
    sees(page, "ご回答をお願いします")
    expect(page.get_by_label("担当者への連絡")).to_be_visible()
    return page


def test_all_fields_and_all_modes_lead_to_the_result(
    asked: Page, quote: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "資料"
    folder.mkdir()
    (folder / "仕様.txt").write_text("仕様", "utf-8")
    memo = tmp_path / "memo.txt"
    memo.write_text("メモ", "utf-8")
    attaches(asked, "見積書", quote)
    attaches(asked, "添付資料", memo)
    asked.locator(".stFileUploader:visible").filter(has_text="資料フォルダー").locator(
        "input"
    ).set_input_files(folder)
    sees(asked, "仕様.txt")
    types(asked, "購入の理由", "来月の研修で使うため")
    chooses(asked, "区分", "更新")
    asked.get_by_text("至急").click()
    types(asked, "数量", "2")
    types(asked, "担当者への連絡", "よろしくお願いします")
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
    sees(asked, "renewal")


@pytest.mark.thorough
def test_wrong_input_is_shown_at_the_field_and_everything_typed_stays(
    asked: Page, quote: Path
) -> None:
    attaches(asked, "見積書", quote)
    types(asked, "購入の理由", "研修")
    types(asked, "数量", "0")
    clicks(asked, "送信する")
    sees(asked, "回答を受け付けられません")
    expect(asked.get_by_text("「購入の理由」は5文字以上にしてください。")).to_have_count(2)
    expect(asked.get_by_text(re.compile("「数量」は1(.0)?以上にしてください。"))).to_have_count(2)
    has_typed(asked, "購入の理由", "研修")
    has_typed(asked, "数量", "0")
    sees(asked, "見積書.csv")
    types(asked, "購入の理由", "来月の研修で使うため")
    expect(asked.get_by_text("「購入の理由」は5文字以上にしてください。")).to_have_count(1)


@pytest.mark.thorough
def test_half_a_form_survives_a_reload_and_reset_clears_it(
    server: WorkbenchServer, asked: Page, quote: Path
) -> None:
    attaches(asked, "見積書", quote)
    chooses(asked, "区分", "新規")
    asked.get_by_text("至急").click()
    types(asked, "数量", "3")
    types(asked, "購入の理由", "期末の棚卸しで")  # the field is not left before the reload
    is_saved(server, asked, "期末の棚卸しで")
    asked.reload()
    has_typed(asked, "購入の理由", "期末の棚卸しで")
    has_typed(asked, "数量", "3")
    sees(asked, "見積書.csv")
    has_typed(asked, "区分", "新規")
    expect(field(asked, "至急")).to_be_checked()
    clicks(asked, "リセット")
    clicks(asked, "入力を消す")
    has_typed(asked, "購入の理由", "")
    has_typed(asked, "数量", "")
    expect(asked.get_by_role("button", name="外す")).to_have_count(0)
    expect(field(asked, "至急")).not_to_be_checked()
    asked.reload()
    has_typed(asked, "購入の理由", "")


@pytest.mark.thorough
def test_typing_is_not_disturbed_by_the_live_view(asked: Page) -> None:
    """The head of the page is drawn again every second meanwhile."""
    reason = asked.get_by_label("購入の理由")
    reason.click()
    asked.keyboard.type("研修の準備のために早めに必要です", delay=150)
    expect(reason).to_have_value("研修の準備のために早めに必要です")
    expect(reason).to_be_focused()


@pytest.mark.thorough
def test_attached_file_can_be_taken_out_again(asked: Page, quote: Path) -> None:
    attaches(asked, "見積書", quote)
    clicks(asked, "外す")
    expect(asked.get_by_role("button", name="外す")).to_have_count(0)
