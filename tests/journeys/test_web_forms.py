"""Forms in Chromium: a date by its era, a table that is pasted, help with a picture, approvers."""

import io
from typing import Any

import httpx
from PIL import Image
from playwright.sync_api import Page, expect

from tests.journeys.conftest import Guarded, OpenPage, logged_in, put_plan
from tests.journeys.web_visitor import is_accessible
from tests.patience import PATIENCE_SECONDS

PLAN = """\
apiVersion: v1
id: payment
version: 1.0.0
title: 支払の申請
graph:
  - id: ask
    block: ui.interactive_input
    in:
      message: 支払の内容を入力してください。
      assignee: aoki
      due: 2026-01-31
      requirements:
        - id: on
          type: date
          label: 支払日
          help: {text: 請求書の右上の日付です。, picture: 見本.png}
        - id: lines
          type: table
          label: 明細
          columns:
            - {id: item, type: text, label: 品名}
            - {id: amount, type: number, label: 金額}
            - {id: due, type: date, label: 期日, required: false}
  - id: approve
    block: ui.interactive_input
    in:
      mode: confirm
      message: この支払を承認しますか。
      approvers: [aoki, {role: 部長}]
      context: {明細: "${ask.collected_data.lines}"}
exports:
  - {from: ask.collected_data, as: data}
  - {from: approve.metadata.approvals, as: approvals}
"""
PASTE = """(element, text) => {
  const data = new DataTransfer();
  data.setData("text/plain", text);
  const told = { clipboardData: data, bubbles: true, cancelable: true };
  element.dispatchEvent(new ClipboardEvent("paste", told));
}"""


def _png() -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (120, 60), "white").save(made, "PNG")
    return made.getvalue()


def test_a_form_is_filled_in_and_approved_by_two(guarded: Guarded, open_page: OpenPage) -> None:
    server = guarded.server
    put_plan(server, "payment", PLAN)
    (server.workspace / "designs/見本.png").write_bytes(_png())
    bearer = {"Authorization": f"Bearer {guarded.aoki}"}
    begun = httpx.post(
        f"{server.url}/api/v1/runs",
        json={"workflow": "plan", "input": {"plan_id": "payment"}},
        headers=bearer,
        timeout=PATIENCE_SECONDS,
    ).json()
    run = begun["run_id"]
    page = logged_in(open_page(f"{server.url}/inbox", quiet=False), guarded.aoki)
    _fill_in(page)
    page.get_by_role("button", name="承認する").click()
    expect(page.get_by_text("「支払の申請」に回答しました。")).to_be_visible()
    page.reload()
    page.get_by_role("button", name="内容を見る").click()
    expect(page.get_by_text("この質問には部長さんが回答します。")).to_be_visible()
    other = logged_in(open_page(f"{server.url}/inbox", quiet=False), guarded.mori)
    expect(other.get_by_text("これまでの承認")).to_be_visible()
    other.get_by_role("button", name="承認する").click()
    expect(other.get_by_text("「支払の申請」に回答しました。")).to_be_visible()
    ended: Any = None
    for _ in range(100):
        ended = httpx.get(f"{server.url}/api/v1/runs/{run}", headers=bearer).json()
        if ended["status"] == "succeeded":
            break
        other.wait_for_timeout(100)
    exports = ended["result"]["exports"]
    assert exports["data"] == {
        "on": "2026-11-17",
        "lines": [
            {"item": "紙", "amount": 1200, "due": "2026-11-30"},
            {"item": "封筒", "amount": 300, "due": None},
        ],
    }
    assert [each["by"] for each in exports["approvals"]] == ["aoki", "mori"]


def _fill_in(page: Page) -> None:
    expect(page.get_by_text("期限超過").first).to_be_visible()
    expect(page.locator(".count[data-late]").first).to_be_visible()
    page.get_by_text("説明を見る").click()
    picture = page.get_by_role("img", name="請求書の右上の日付です。")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth)") == 120
    page.get_by_label("支払日", exact=False).first.fill("令和8年11月17日")
    expect(page.get_by_text("2026年11月17日(火)")).to_be_visible()
    first = page.get_by_label("1行目 品名")
    first.evaluate(PASTE, "品名\t金額\t期日\r\n紙\t1,200\tR8.11.30\r\n封筒\t未定\t\r\n")
    expect(page.get_by_label("2行目 金額")).to_have_value("未定")
    expect(page.get_by_text("下書きを保存しました")).to_be_visible()
    page.reload()
    expect(page.get_by_label("1行目 金額")).to_have_value("1,200")
    is_accessible(page)
    page.get_by_role("button", name="送信する").click()
    wrong = page.get_by_label("2行目 金額")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(wrong).to_be_focused()
    expect(page.get_by_text("「金額」には数を入力してください。")).to_be_visible()
    wrong.fill("３００")
    page.get_by_role("button", name="送信する").click()
    expect(page.get_by_text("「支払の申請」に回答しました。")).to_be_visible()
    page.reload()  # what is asked next is looked for now and then
    expect(page.get_by_text("この支払を承認しますか。")).to_be_visible()
