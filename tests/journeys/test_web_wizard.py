"""A plan's forms as a wizard in Chromium: on, back, changed; and its answers for the next time."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage, put_plan
from tests.journeys.web_visitor import fits, is_accessible
from tests.journeys.workbench_server import WorkbenchServer

PLAN = """\
apiVersion: v1
id: closing
version: 1.0.0
title: { ja: 月次の締め, en: Monthly closing }
graph:
  - id: period
    title: { ja: 対象の入力, en: Period }
    block: ui.interactive_input
    in:
      message: 対象の月と書類を入力してください。
      requirements:
        - { id: month, type: text, label: 対象月 }
        - { id: paper, type: file, label: 書類, required: false }
  - id: limits
    title: { ja: 条件の入力, en: Limits }
    block: ui.interactive_input
    in:
      message: "${period.collected_data.month}分の上限を入力してください。"
      requirements: [{ id: limit, type: number, label: 上限 }]
  - id: approve
    title: { ja: 確認, en: Confirmation }
    block: ui.interactive_input
    in: { mode: confirm, message: "上限は${limits.collected_data.limit}円です。" }
exports:
  - { from: period.collected_data.month, as: month }
  - { from: limits.collected_data.limit, as: limit }
"""


def _step(page: Page, words: str) -> None:
    expect(page.locator(".wizard-head")).to_contain_text(words)


def _field(page: Page, label: str) -> str:
    return page.locator(".question").get_by_label(label).input_value()


@pytest.mark.thorough
def test_forms_go_on_and_back_and_their_answers_are_kept_for_the_next_time(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    put_plan(server, "closing", PLAN)
    (tmp_path / "紙.txt").write_text("x", "utf-8")
    page = open_page(f"{server.url}/plans?plan=closing")
    page.get_by_role("button", name="実行する").click()
    _step(page, "ステップ 1 / 3：対象の入力")
    page.get_by_label("対象月").fill("9月")
    page.locator(".question input[type=file]").set_input_files(tmp_path / "紙.txt")
    expect(page.get_by_role("button", name="紙.txtを外す")).to_be_visible()
    page.get_by_role("button", name="送信する").click()
    _step(page, "ステップ 2 / 3：条件の入力")
    expect(page.get_by_text("9月分の上限を入力してください。")).to_be_visible()
    page.get_by_label("上限").fill("5000")
    page.get_by_role("button", name="送信する").click()
    _step(page, "ステップ 3 / 3：確認")
    is_accessible(page)
    # Back to the first: it shows what was answered, and what follows is asked again.
    first = page.url
    page.get_by_role("button", name="「対象の入力」を開く").click()
    _step(page, "ステップ 1 / 3：対象の入力")
    assert page.url != first
    expect(page.locator(".question")).to_contain_text("紙.txt")
    assert _field(page, "対象月") == "9月"
    page.get_by_label("対象月").fill("10月")
    page.get_by_role("button", name="送信する").click()
    expect(page.get_by_text("10月分の上限を入力してください。")).to_be_visible()
    assert _field(page, "上限") == "5000"
    page.get_by_role("button", name="送信する").click()
    _step(page, "ステップ 3 / 3：確認")
    page.get_by_role("button", name="前に戻る").click()
    _step(page, "ステップ 2 / 3：条件の入力")
    page.get_by_label("上限").fill("800")
    page.get_by_role("button", name="送信する").click()
    page.get_by_role("button", name="承認する").click()
    expect(page.get_by_text("上限は800円です。")).to_have_count(0)
    expect(page.locator(".parts")).to_contain_text("10月")
    page.get_by_text("この回答を次回も使う").click()
    page.get_by_label("名前").fill("東京支店")
    page.get_by_role("button", name="保存する").click()
    expect(page.get_by_text("「東京支店」を保存しました。")).to_be_visible()
    expect(page.get_by_text("ファイルは含めていません：period.paper")).to_be_visible()
    page.get_by_role("link", name="このプランを開く").click()
    page.get_by_label("入力プリセット").select_option("東京支店")
    page.get_by_role("button", name="実行する").click()
    expect(page).to_have_url(re.compile(r"run="))
    _step(page, "ステップ 1 / 3")
    assert _field(page, "対象月") == "10月"
    phone = open_page(page.url, width=390, height=844, locale="en-US")
    _step(phone, "Step 1 of 3: Period")
    phone.get_by_role("button", name="Open the menu").click()
    phone.get_by_role("button", name="Dark appearance").click()
    phone.get_by_role("button", name="Close the menu").click()
    fits(phone)
    is_accessible(phone)
