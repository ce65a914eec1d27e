"""Plans in the browser: a sample to its workbook, what is wrong with one, again from a node.

That no request leaves, and no script of a plan runs, is checked by `open_page`.
"""

from io import BytesIO
from pathlib import Path

import httpx
import pytest
from openpyxl import load_workbook
from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.test_places import NO_SIDEWAYS_SCROLLING
from tests.journeys.visitor import (
    clicks,
    field,
    has_typed,
    is_saved,
    leaves_by,
    sees,
    sees_status,
    settled,
    types,
)
from tests.journeys.workbench_server import WorkbenchServer

LONG_MS = 90_000  # two cores are shared
BROKEN = """apiVersion: v1
id: stock_check
version: 1.0.0
title: {ja: "在庫の確認 <img src=x onerror='window.acted = true'>"}
graph:
  - id: ask
    block: ui.interactive_inputs
    in: {mode: inquire, message: "在庫を確認しましたか。"}
exports:
  - {from: ask.response, as: answer}
"""
LIMIT = """apiVersion: v1
id: limit_check
version: 1.0.0
title: {ja: "限度額の確認"}
graph:
  - id: ask
    title: {ja: "限度額の入力"}
    block: ui.interactive_input
    in:
      mode: collect
      message: "限度額を入力してください。"
      requirements: [{id: limit, type: number, label: "限度額"}]
  - id: check
    title: {ja: "限度額の照合"}
    block: flow.assert
    in:
      assertions:
        - name: "限度額"
          value: "${ask.collected_data.limit}"
          op: gt
          expected: 100
          message: "限度額が小さすぎます"
exports:
  - {from: ask.collected_data, as: collected}
"""
TWO_FORMS = """apiVersion: v1
id: two_people
version: 1.0.0
title: {ja: "2人への確認"}
graph:
  - id: sales
    title: {ja: "営業への確認"}
    block: ui.interactive_input
    in:
      mode: collect
      message: "見込み客の名前を入力してください。"
      requirements: [{id: customer, type: text, label: "見込み客"}]
  - id: accounts
    title: {ja: "経理への確認"}
    block: ui.interactive_input
    in:
      mode: collect
      message: "会計システムに接続します。"
      requirements:
        - {id: period, type: text, label: "会計期間"}
        - {id: key, type: text, label: "接続キー", secret: true}
exports:
  - {from: sales.collected_data, as: sales}
  - {from: accounts.collected_data, as: accounts}
"""


def _save(server: WorkbenchServer, text: str) -> None:
    saved = httpx.post(f"{server.url}/api/v1/plans", json={"text": text, "replace": True})
    assert saved.status_code == 201, saved.text


def _picture_says(page: Page, states: str) -> None:
    expect(page.locator(".sanbo-graph img").first).to_have_attribute(
        "alt", f"実行の図。{states}", timeout=LONG_MS
    )


def _opens_node(page: Page, title: str) -> None:
    settled(page)
    page.locator(".st-key-plan-nodes summary").filter(has_text=title).click()


def test_a_sample_goes_from_a_click_over_its_confirmation_to_the_workbook(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(f"{server.url}/streamlit/plans")
    page.get_by_role("link", name="請求書と入金の照合").click()
    expect(page.locator(".sanbo-graph img")).to_be_visible()
    settled(page)
    page.wait_for_url("**/plans?plan=invoice_reconciliation")  # a link within the page has its own
    clicks(page, "見本で試す")
    approve = page.get_by_role("button", name="承認する")
    expect(approve).to_be_visible(timeout=LONG_MS)
    sees(page, "振込手数料の差引き")
    _picture_says(page, "成功 5、待ち 1、未着手 1")
    settled(page)
    approve.click()
    download = page.get_by_role("button", name="ダウンロード").first
    expect(download).to_be_visible(timeout=LONG_MS)
    sees_status(page, "完了")
    _picture_says(page, "成功 7")
    settled(page)
    with page.expect_download() as taken:
        download.click()
    assert taken.value.suggested_filename == "workbook.xlsx"
    sheets = load_workbook(BytesIO(Path(taken.value.path()).read_bytes()))
    assert sheets["差異一覧"].max_row > 1


@pytest.mark.thorough
def test_a_broken_plan_shows_its_line_and_is_replaced_by_a_corrected_one(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    file = tmp_path / "stock_check.yaml"
    file.write_text(BROKEN, "utf-8")
    page = open_page(f"{server.url}/streamlit/plans", width=390, height=844)
    _uploads(page, file)
    expect(page.locator(".sanbo-findings")).to_contain_text("unknown_block")
    expect(page.locator(".sanbo-findings a")).to_have_text("7行 5桁")
    expect(page.locator(".sanbo-marked-error")).to_contain_text("block: ui.interactive_inputs")
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    settled(page)
    page.get_by_role("tab", name="実行", exact=True).click()
    expect(page.get_by_role("button", name="実行する")).to_be_disabled()
    sees(page, "誤りが1件あるため、実行できません。")
    leaves_by(page, "プラン一覧")
    file.write_text(BROKEN.replace("inputs\n", "input\n"), "utf-8")
    _uploads(page, file)
    sees(page, "プラン「stock_check」はすでにあります。")
    settled(page)
    clicks(page, "置き換える")
    expect(page.get_by_role("button", name="実行する")).to_be_enabled()
    assert page.evaluate("window.acted") is None


def _uploads(page: Page, file: Path) -> None:
    # By its name: Streamlit may keep the heading of the page before for a while.
    expect(page.get_by_role("heading", name="プラン（業務手順）")).to_be_visible()
    settled(page)
    page.get_by_text("YAMLファイルを追加する", exact=True).click()
    page.locator(".stFileUploader input").set_input_files(file)


@pytest.mark.thorough
def test_a_failed_node_is_told_and_the_plan_is_run_again_from_the_form_before_it(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    _save(server, LIMIT)
    page = open_page(f"{server.url}/streamlit/plans?plan=limit_check")
    expect(page.get_by_role("button", name="実行する")).to_be_visible()
    settled(page)
    clicks(page, "実行する")
    sees(page, "限度額を入力してください。")
    types(page, "限度額", "50")
    settled(page)
    clicks(page, "送信する")
    sees(page, "手順「限度額の照合」で止まりました")
    sees(page, "限度額が小さすぎます")
    expect(page.get_by_role("button", name="続きから再実行")).to_be_visible()
    expect(page.get_by_role("button", name="「限度額の照合」からやり直す")).to_be_visible()
    _picture_says(page, "成功 1、失敗 1")
    _opens_node(page, "限度額の入力")
    leaves_by(page, "この手順からやり直す")
    sees(page, "限度額を入力してください。")
    settled(page)
    types(page, "限度額", "500")
    settled(page)
    clicks(page, "送信する")
    sees_status(page, "完了")
    _picture_says(page, "成功 2")


@pytest.mark.thorough
def test_two_forms_are_open_at_once_and_answered_in_any_order_with_a_reload_between(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    _save(server, TWO_FORMS)
    page = open_page(f"{server.url}/streamlit/plans?plan=two_people")
    expect(page.get_by_role("button", name="実行する")).to_be_visible()
    settled(page)
    clicks(page, "実行する")
    questions = page.locator("[class*='st-key-question-']")
    expect(questions).to_have_count(2)
    settled(page)
    types(page, "見込み客", "青葉商店")
    is_saved(server, page, "青葉商店")
    accounts = questions.filter(has_text="経理への確認")
    types(page, "会計期間", "2026年5月")
    expect(field(page, "接続キー")).to_have_attribute("type", "password")
    types(page, "接続キー", "himitsu-kagi-5521")
    is_saved(server, page, "2026年5月")
    page.wait_for_timeout(800)
    settled(page)
    accounts.get_by_role("button", name="送信する").click()
    expect(questions).to_have_count(1)
    page.reload()
    has_typed(page, "見込み客", "青葉商店")
    _picture_says(page, "待ち 1、成功 1")
    settled(page)
    clicks(page, "送信する")
    sees_status(page, "完了")
    assert "himitsu-kagi" not in page.content()
    for file in server.workspace.rglob("*"):
        assert not file.is_file() or b"himitsu-kagi" not in file.read_bytes(), file
