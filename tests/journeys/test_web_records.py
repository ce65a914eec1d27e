"""Plans, inbox, collections, runs, calibration, settings and the palette, as people use them."""

import re
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.examples import spread
from tests.journeys.conftest import WAIT_MS
from tests.journeys.web_visitor import fits, is_accessible, is_calm
from tests.journeys.workbench_server import WorkbenchServer
from tests.patience import PATIENCE_SECONDS

expect.set_options(timeout=WAIT_MS)
PAGES = (
    *("/", "/analysis", "/research", "/ask", "/compare"),
    *("/plans", "/inbox", "/collections", "/runs", "/calibration", "/settings"),
)
INK = "getComputedStyle(document.body).color"
BROKEN = """\
apiVersion: v1
id: 誤りのあるプラン
version: 1.0.0
title: {ja: 誤りのあるプラン, en: Broken}
graph:
  - id: keep
    block: transforms.nowhere
    in: {items: "${vars.none}"}
"""


@pytest.fixture(scope="module")
def waiting(server: WorkbenchServer) -> str:
    """A run that asks for an approval."""
    body = {"workflow": "expenses", "input": {"title": "大阪への出張"}}
    answer = httpx.post(f"{server.url}/api/v1/runs", json=body, timeout=PATIENCE_SECONDS)
    return answer.json()["run_id"]


def test_a_plan_is_looked_at_tried_and_its_questions_answered(visit: Any) -> None:
    page: Page = visit("/plans")
    page.get_by_role("link", name=re.compile("月次の経費締め")).click()
    expect(page.locator(".react-flow__node").first).to_be_visible()
    expect(page.get_by_text("誤りも注意もありません。")).to_be_visible()
    is_accessible(page)
    page.get_by_role("button", name="見本で試す").click()
    page.wait_for_url(re.compile("run="))
    page.get_by_role("textbox", name="回答").fill("月末に出張が重なったため")
    expect(page.get_by_text("下書きを保存しました")).to_be_visible()
    page.reload()  # in mid-run
    expect(page.get_by_role("textbox", name="回答")).to_have_value("月末に出張が重なったため")
    page.get_by_role("button", name="送信する").click()
    page.get_by_role("button", name="承認する").click()
    expect(page.locator("[data-run][data-status=succeeded]")).to_be_visible()
    # A node of the graph tells what it got and gave, and leads to a run from there.
    node = page.locator(".react-flow__node", has_text="明細の確認").first
    node.click()
    panel = page.locator(".node-panel")
    expect(panel.get_by_text("出力")).to_be_visible()
    expect(panel.get_by_text("入力：").first).to_be_visible()
    before = page.url
    panel.get_by_role("button", name="ここからやり直す").click()
    page.wait_for_url(lambda url: url != before)
    is_accessible(page)


def test_a_plan_of_ones_own_with_faults_says_what_and_where(visit: Any, tmp_path: Path) -> None:
    file = tmp_path / "plan.yaml"
    file.write_text(BROKEN, "utf-8")
    page: Page = visit("/plans")
    page.get_by_label("YAML・ZIPを追加").last.set_input_files(file)
    expect(page.get_by_role("heading", name="誤りのあるプラン")).to_be_visible()
    expect(page.locator(".findings .problem").first).to_contain_text("誤り")
    expect(page.locator(".findings")).to_contain_text("行目")
    expect(page.get_by_role("button", name="実行する")).to_have_count(0)


FAILING = """\
apiVersion: v1
id: 直すプラン
version: 1.0.0
title: {ja: 直すプラン, en: To be corrected}
graph:
  - {id: first, block: transforms.pick, in: {source: 5}, out: {value: five}}
  - {id: check, block: flow.assert, in: {condition: false}, after: [first]}
exports: [{from: first.five, as: five}]
"""


def test_a_run_goes_on_with_a_corrected_plan(
    visit: Any, server: WorkbenchServer, tmp_path: Path
) -> None:
    source = {"plan": {"text": FAILING}}
    body = {"workflow": "plan", "input": {"source": source}}
    begun = httpx.post(f"{server.url}/api/v1/runs", json=body, timeout=PATIENCE_SECONDS).json()
    page: Page = visit(f"/plans?run={begun['run_id']}")
    expect(page.locator("[data-run][data-status=failed]")).to_be_visible()
    page.get_by_text("直したプランで続ける").click()
    expect(page.get_by_text("この実行を始めたときと同じです")).to_be_visible()
    is_accessible(page)
    file = tmp_path / "直した.yaml"
    chooser = page.get_by_label("YAMLファイルを選んで続ける").last
    file.write_text(FAILING.replace("condition: false", "condition: true"), "utf-8")
    before = page.url
    chooser.set_input_files(file)
    page.wait_for_url(lambda url: url != before)
    expect(page.locator("[data-run][data-status=succeeded]")).to_be_visible()


def test_plans_in_a_zip_file_are_added_and_one_without_any_says_so(
    visit: Any, tmp_path: Path
) -> None:
    packed, empty = tmp_path / "plans.zip", tmp_path / "empty.zip"
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        archive.writestr("プラン/一つ目.yaml", BROKEN.replace("誤りのあるプラン", "一つ目のプラン"))
        archive.writestr("読んでください.txt", "説明")
    with ZipFile(empty, "w") as archive:
        archive.writestr("読んでください.txt", "説明")
    page: Page = visit("/plans")
    chooser = page.get_by_label("YAML・ZIPを追加").last
    chooser.set_input_files(empty)
    expect(page.get_by_text("プラン（YAML）が見つかりませんでした")).to_be_visible()
    chooser.set_input_files(packed)
    expect(page.get_by_role("heading", name="一つ目のプラン")).to_be_visible()


def test_the_inbox_counts_what_waits_and_takes_the_answer(
    visit: Any, server: WorkbenchServer, waiting: str
) -> None:
    page: Page = visit("/inbox")
    card = page.locator(f".waiting[data-run={waiting}]")
    expect(card.get_by_text("承認しますか。").first).to_be_visible()
    expect(page.locator(".sidebar .count")).to_be_visible()
    expect(page).to_have_title(re.compile(r"^\(\d+\) 受信箱"))
    is_accessible(page)
    other: Page = visit(f"/run?run={waiting}")  # a second tab
    expect(other.get_by_text("承認しますか。").first).to_be_visible()
    if card.get_by_role("button", name="回答する").count():
        card.get_by_role("button", name="回答する").click()
    card.get_by_role("textbox").first.fill("規程のとおりです")
    card.get_by_role("button", name="承認する").click()
    expect(page.get_by_text("に回答しました。")).to_be_visible()
    expect(other.locator("[data-run][data-status=succeeded]")).to_be_visible()
    # The record says who answered what.
    page.goto(f"{server.url}/runs?run={waiting}")
    page.get_by_role("button", name="人", exact=True).click()
    expect(page.get_by_text("回答がありました（このコンピューターの利用者）")).to_be_visible()
    expect(page.locator(".audit").get_by_text("規程のとおりです")).to_be_visible()
    is_accessible(page)


@pytest.mark.thorough
def test_a_reading_that_broke_off_is_told_after_a_reload(visit: Any, tmp_path: Path) -> None:
    rules = tmp_path / "慶弔規程.md"
    rules.write_text("# 慶弔\n\n結婚祝金は3万円です。\n", "utf-8")
    page: Page = visit("/collections", quiet=False)
    page.route("**/collections/*/documents", lambda route: route.abort())
    page.get_by_label("コレクション名").fill("慶弔")
    page.get_by_label("ファイル").set_input_files([rules])
    expect(page.locator(".picked")).to_contain_text("慶弔規程.md")
    page.get_by_role("button", name="作成して読み込む").click()
    expect(page.get_by_role("alert").first).to_be_visible()
    page.unroute("**/collections/*/documents")
    page.reload()
    expect(page.locator(".field-problem")).to_contain_text(
        "「慶弔」への読み込みは、終わる前に途切れました"
    )
    page.get_by_label("コレクション名").fill("慶弔")
    page.get_by_role("button", name="作成して読み込む").click()
    expect(page.get_by_role("heading", name="慶弔")).to_be_visible()


def test_documents_are_read_searched_and_deleted(visit: Any, tmp_path: Path) -> None:
    rules = tmp_path / "旅費規程.md"
    rules.write_text("# 旅費\n\n宿泊費の上限は1泊10,000円です。\n", "utf-8")
    wrong = tmp_path / "写真.heic"
    wrong.write_bytes(b"x")
    page: Page = visit("/collections")
    page.get_by_role("button", name="作成して読み込む").click()
    expect(page.get_by_text("コレクション名を入力してください。")).to_be_visible()
    page.get_by_label("コレクション名").fill("規程集")
    page.get_by_label("ファイル").set_input_files([rules, wrong])
    expect(page.locator(".field-problem")).to_contain_text("写真.heic")
    expect(page.locator(".picked")).to_contain_text("旅費規程.md")
    page.get_by_role("button", name="作成して読み込む").click()
    expect(page.get_by_role("heading", name="規程集")).to_be_visible()
    page.get_by_role("searchbox").fill("宿泊費")
    page.keyboard.press("Enter")
    expect(page.locator(".hit mark").first).to_have_text(re.compile("宿泊"))
    is_accessible(page)
    page.reload()  # what was asked is in the address
    expect(page.locator(".hit mark").first).to_be_visible()
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="文書", exact=True).click()
    page.get_by_role("button", name="旅費規程.mdを削除").click()
    expect(page.get_by_text("文書はありません。")).to_be_visible()
    page.get_by_role("button", name="コレクションを削除").click()
    expect(page.get_by_role("heading", name="規程集")).to_have_count(0)


def test_a_table_among_a_plans_conditions_is_changed_cell_by_cell(visit: Any) -> None:
    page: Page = visit("/plans?plan=monthly_closing")
    page.get_by_text("条件を変える").click()
    expect(page.get_by_label("1行目 部門")).to_have_value("営業部")
    page.get_by_label("1行目 予算").fill("320,000")
    is_accessible(page)


def test_runs_are_found_compared_and_deleted(visit: Any, server: WorkbenchServer) -> None:
    for _ in range(2):
        httpx.post(f"{server.url}/api/v1/plans/budget_check/sample", timeout=PATIENCE_SECONDS)
        httpx.post(f"{server.url}/api/v1/plans/monthly_closing/sample", timeout=PATIENCE_SECONDS)
    page: Page = visit("/runs")
    page.get_by_role("searchbox").fill("月次")
    expect(page.locator(".record").filter(has_not_text="月次")).to_have_count(0)
    found = page.locator(".record")
    expect(found.nth(1)).to_be_visible()
    is_accessible(page)
    for at in (0, 1):
        found.nth(at).get_by_role("checkbox").check()
    page.get_by_role("button", name="並べて比べる").click()
    expect(page.get_by_role("heading", name="違いのある項目")).to_be_visible()
    is_accessible(page)
    page.go_back()
    expect(page.get_by_role("searchbox")).to_have_value("月次")
    page.on("dialog", lambda dialog: dialog.accept())
    expect(found.nth(1)).to_be_visible()
    count = found.count()
    found.first.get_by_role("checkbox").check()
    page.get_by_role("button", name="削除").click()
    expect(page.get_by_text("1件を削除しました。")).to_be_visible()
    expect(found).to_have_count(count - 1)
    box = found.first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile("/plans.*run="))  # the whole line leads there


def test_the_palette_leads_anywhere_by_keyboard_and_by_thumb(visit: Any) -> None:
    page: Page = visit("/settings")
    expect(page.get_by_role("heading", name="設定", exact=True)).to_be_visible()
    page.keyboard.press("Control+k")
    page.locator(".palette input").fill("月次の経費")
    expect(page.locator(".palette-list li").first).to_contain_text("月次の経費締め")
    is_accessible(page)
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("plan"))
    expect(page.get_by_role("heading", name="月次の経費締め").first).to_be_visible()
    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_role("button", name="検索と移動").click()
    page.locator(".palette input").fill("設定")
    page.locator(".palette-list li").first.click()
    expect(page.get_by_role("heading", name="設定", exact=True)).to_be_visible()


def test_a_model_is_tried_and_refused_with_its_reason(visit: Any) -> None:
    page: Page = visit("/settings")
    page.get_by_label("提供元").select_option("openai")
    page.get_by_label("モデル名").fill("none")
    page.get_by_label("接続先のアドレス").fill("http://127.0.0.1:9/v1")
    page.get_by_label("APIキー").fill("typed-in-the-browser-0815")
    page.get_by_role("button", name="つながるか試す").click()
    expect(page.locator("form .problem")).to_be_visible()
    page.get_by_label("提供元").select_option("rules")
    page.get_by_role("button", name="この設定を使う").click()
    expect(page.get_by_text("次の実行から、この設定を使います。")).to_be_visible()
    expect(page.get_by_text("分析のサンドボックス")).to_be_visible()


def test_every_page_fits_a_phone_and_is_accessible_in_both_appearances(
    visit: Any, server: WorkbenchServer
) -> None:
    page: Page = visit(PAGES[0], width=390)
    for path in spread(PAGES, 4):
        page.emulate_media(color_scheme="light")
        page.goto(server.url + path)
        expect(page.locator("h1")).to_be_visible()
        page.wait_for_load_state("networkidle")
        fits(page)
        is_accessible(page)
        is_calm(page)
        light = page.evaluate(INK)
        # At once: no colour is on its way while it is looked at.
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        assert page.evaluate(INK) != light
        is_accessible(page)


@pytest.mark.parametrize("theme", ["dark", pytest.param("light", marks=pytest.mark.thorough)])
def test_an_appearance_that_was_chosen_is_kept_whatever_the_device_prefers(
    visit: Any, theme: str
) -> None:
    page: Page = visit("/settings", width=390)
    page.emulate_media(color_scheme="dark" if theme == "light" else "light")
    page.evaluate(f"localStorage.setItem('sanbo.theme', '{theme}')")
    page.reload()
    expect(page.locator("html")).to_have_css("color-scheme", theme)
    is_accessible(page)
