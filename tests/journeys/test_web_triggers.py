"""The page of triggers in Chromium: added, refused, called, paused, changed, removed."""

import re

import httpx
from playwright.sync_api import expect

from tests.journeys.conftest import OpenPage, put_plan
from tests.journeys.web_visitor import fits, is_accessible
from tests.journeys.workbench_server import WorkbenchServer

PLAN = """\
apiVersion: v1
id: order
version: 1.0.0
title: 受注の記録
vars: { given: null, limit: 10 }
graph:
  - id: note
    block: ui.placeholder
    in: { message: 済, value: "${vars.given}" }
    out: { value: note }
"""


def test_triggers_are_added_called_paused_changed_and_removed(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    put_plan(server, "order", PLAN)
    # What is refused is told by the browser, too.
    page = open_page(f"{server.url}/triggers", quiet=False)
    expect(page.get_by_text("自動実行はまだありません。")).to_be_visible()
    page.get_by_role("button", name="自動実行を追加").click()
    form = page.get_by_role("form", name="自動実行の追加")
    form.get_by_label("プラン", exact=True).select_option("order")
    form.get_by_label("繰り返し").select_option("weekly")
    form.get_by_label("曜日").select_option("金曜日")
    form.get_by_label("時刻", exact=True).fill("17:30")
    form.get_by_label("休日に当たるとき").select_option("previous")
    form.get_by_label("タイムゾーン").fill("Asia/Tokio")
    form.get_by_role("button", name="保存する").click()
    expect(form.get_by_role("alert")).to_contain_text("Asia/Tokyo")
    form.get_by_label("タイムゾーン").fill("Asia/Tokyo")
    is_accessible(page)
    form.get_by_role("button", name="保存する").click()
    line = page.locator(".trigger")
    expect(line).to_contain_text("毎週金曜日 17:30 · 前営業日に実行する")
    expect(line).to_contain_text("次回")
    line.get_by_role("button", name="停止する").click()
    expect(line).to_contain_text("停止中")
    expect(line).not_to_contain_text("次回")
    # Changed into a webhook: its secret is shown this once.
    line.get_by_role("button", name="変更").click()
    form = page.get_by_role("form", name="自動実行の変更")
    expect(form.get_by_label("時刻", exact=True)).to_have_value("17:30")
    form.get_by_label("きっかけ", exact=True).select_option("webhook")
    form.get_by_label("きっかけの内容を入れる変数").select_option("given")
    form.get_by_role("button", name="保存する").click()
    token = page.locator(".trigger-token").inner_text()
    line.get_by_role("button", name="再開する").click()
    expect(line).not_to_contain_text("停止中")
    address = line.locator("code").inner_text()
    called = httpx.post(
        server.url + address, json={"n": 7}, headers={"Authorization": f"Bearer {token}"}
    )
    assert called.status_code == 202
    page.reload()
    expect(page.locator(".trigger-token")).to_have_count(0)
    assert token not in page.content()
    line.get_by_text("履歴").click()
    line.get_by_role("link", name="実行を見る").first.click()
    expect(page).to_have_url(re.compile(called.json()["run_id"]))
    expect(page.locator(".parts")).to_contain_text("7")
    phone = open_page(f"{server.url}/triggers", width=390, height=844, locale="en-US")
    expect(phone.locator(".trigger")).to_contain_text("webhook")
    phone.get_by_role("button", name="Change").click()
    fits(phone)
    is_accessible(phone)
    phone.get_by_role("button", name="Cancel").click()
    phone.on("dialog", lambda dialog: dialog.accept())
    phone.get_by_role("button", name=re.compile("Remove the trigger")).click()
    expect(phone.get_by_text("There are no triggers yet.")).to_be_visible()
