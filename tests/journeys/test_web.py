"""The web application as people use it: samples, their own files, what goes wrong on the way."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from docx import Document
from openpyxl import Workbook, load_workbook
from playwright.sync_api import Page, expect

from sanbo.service.catalog import SAMPLES
from tests.journeys.conftest import LIMIT_MB, WAIT_MS, Guarded, OpenPage, logged_in
from tests.journeys.slow_research import SLOW
from tests.journeys.web_visitor import WATCH, index, is_accessible, is_calm
from tests.journeys.workbench_server import WorkbenchServer

expect.set_options(timeout=WAIT_MS)


# ---- samples -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "seen"),
    [
        ("質問に答える", "週3日まで"),
        # These have a journey with one's own files.
        pytest.param("表の分析", "504,870円", marks=pytest.mark.thorough),
        pytest.param("リサーチ", "調査結果", marks=pytest.mark.thorough),
        pytest.param("文書の比較", "36万円", marks=pytest.mark.thorough),
    ],
)
def test_a_newcomer_tries_a_sample_from_the_first_page(visit: Any, card: str, seen: str) -> None:
    page: Page = visit("/")
    is_accessible(page)
    chosen = page.locator(".home-card").filter(has=page.get_by_role("heading", name=card))
    chosen.get_by_role("button", name="見本で試す").click()
    expect(page.get_by_text(seen).first).to_be_visible(timeout=3 * WAIT_MS)
    expect(page.locator("[data-status=succeeded]").first).to_be_visible()
    is_calm(page)
    is_accessible(page)
    expect(page).to_have_title(re.compile(r".+ · Sanbo$"))
    with page.expect_download() as taken:
        page.locator(".run-reports").get_by_role("link", name="Word").first.click()
    assert taken.value.suggested_filename.endswith(".docx")
    address = page.url
    page.goto("about:blank")
    page.goto(address)  # as from a bookmark
    expect(page.get_by_text(seen).first).to_be_visible()


# ---- tables of one's own -------------------------------------------------------------------


def _cp932(folder: Path) -> Path:
    path = folder / "売上.csv"
    path.write_bytes("店舗,売上\n新宿,1200\n大阪,34500\n福岡,800\n".encode("cp932"))
    return path


def _merged(folder: Path) -> Path:
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(["店舗", "2025年度", None])
    sheet.append([None, "上期", "下期"])
    for row in (["新宿", 100, 200], ["大阪", 300, 400], ["福岡", 50, 60]):
        sheet.append(row)
    sheet.merge_cells("A1:A2")
    sheet.merge_cells("B1:C1")
    path = folder / "半期.xlsx"
    book.save(path)
    return path


def test_a_table_of_an_old_encoding_is_asked_and_asked_on(visit: Any, tmp_path: Path) -> None:
    page: Page = visit("/analysis")
    page.get_by_label("表のファイル").set_input_files(_cp932(tmp_path))
    expect(page.get_by_text("3行 × 2列")).to_be_visible()
    page.get_by_role("button", name="質問する").click()
    expect(page.get_by_text("質問を入力してください。")).to_be_visible()
    page.get_by_label("質問", exact=True).fill("店舗別の売上合計を多い順に")
    page.keyboard.press("Control+Enter")
    expect(page.get_by_role("cell", name="34,500")).to_be_visible()
    # The reading is changed by a form, and computed anew.
    page.get_by_role("button", name="何を 売上の合計").click()
    page.get_by_label("集計のしかた").select_option(label="平均")
    page.get_by_role("button", name="この読み方で計算し直す").click()
    expect(page.locator(".turn")).to_have_count(2)
    expect(page.locator(".turn").last.get_by_role("button", name="売上の平均")).to_be_visible()
    is_calm(page)
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)


@pytest.mark.thorough
def test_a_table_with_merged_headings_is_read_and_taken_along(visit: Any, tmp_path: Path) -> None:
    page: Page = visit("/analysis")
    page.get_by_label("表のファイル").set_input_files(_merged(tmp_path))
    columns = page.get_by_role("list", name="列")
    expect(columns).to_contain_text("上期")
    expect(columns).to_contain_text("下期")
    page.locator(".suggestions .chip").first.click()
    expect(page.locator("[data-part=table]").first).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Excelをダウンロード").first.click()
    assert download.value.suggested_filename.endswith(".xlsx")
    sheet = load_workbook(BytesIO(Path(download.value.path()).read_bytes())).active
    assert sheet is not None
    assert sheet.max_row > 1


def test_what_cant_be_used_is_refused_before_it_is_sent(visit: Any, tmp_path: Path) -> None:
    page: Page = visit("/analysis")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    wrong, large = tmp_path / "写真.png", tmp_path / "大きい.csv"
    wrong.write_bytes(b"x")
    large.write_bytes(b"a,b\n" * 600_000)
    for path, reason in (
        (wrong, "使えない形式です"),
        (large, f"大きすぎます（上限{LIMIT_MB} MB）"),
    ):
        page.get_by_label("表のファイル").set_input_files(path)
        expect(page.locator(".field-problem")).to_contain_text(reason)
    assert not [url for url in sent if "/files" in url]
    is_accessible(page)


# ---- documents of one's own ----------------------------------------------------------------


def _contract(folder: Path, name: str, *articles: str) -> Path:
    document = Document()
    for article in articles:
        document.add_paragraph(article)
    path = folder / name
    document.save(str(path))
    return path


def test_two_contracts_are_compared_and_checked(visit: Any, tmp_path: Path) -> None:
    fixed = "第2条（期間）　契約の期間は1年とする。"
    old = _contract(tmp_path, "旧契約.docx", "第1条（料金）　料金は月額30万円とする。", fixed)
    new = _contract(tmp_path, "新契約.docx", "第1条（料金）　料金は月額45万円とする。", fixed)
    page: Page = visit("/compare")
    page.get_by_role("button", name="比較する").click()
    expect(page.locator(".problem")).to_contain_text("旧と新の両方")
    page.get_by_label("旧（変更前）").set_input_files(old)
    page.get_by_label("新（変更後）").set_input_files(new)
    expect(page.locator(".picked li")).to_have_count(2)
    expect(page.locator(".picked progress")).to_have_count(0)  # both have arrived
    page.get_by_role("button", name="比較する").click()
    change = page.locator(".change").first
    expect(change.locator("del")).to_contain_text("30万円")
    expect(change.locator("ins")).to_contain_text("45万円")
    change.get_by_role("button", name="確認済みにする").click()
    change.get_by_role("button", name="コメント").click()
    change.get_by_role("textbox").fill("経理に確認する")
    change.get_by_role("button", name="保存").click()
    expect(page.get_by_text("確認済み 1 / 1")).to_be_visible()
    is_calm(page)
    is_accessible(page)
    page.reload()
    expect(page.get_by_text("経理に確認する")).to_be_visible()
    expect(page.get_by_text("確認済み 1 / 1")).to_be_visible()


def test_files_that_are_dropped_are_offered_what_fits(visit: Any, tmp_path: Path) -> None:
    page: Page = visit("/")
    page.locator(".home-drop input").set_input_files(_cp932(tmp_path))
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("button", name="表として分析する")).to_be_visible()
    expect(dialog.get_by_role("button", name="コレクションに入れる")).to_be_visible()
    dialog.get_by_role("button", name="表として分析する").click()
    expect(page.get_by_text("3行 × 2列")).to_be_visible()


# ---- while a run works ---------------------------------------------------------------------


def test_a_reload_and_a_second_tab_see_the_same_run_grow(
    server: WorkbenchServer, visit: Any
) -> None:
    index(server, SLOW, *sorted((SAMPLES / "office_rules").iterdir()))
    page: Page = visit(f"/research?collection={SLOW}")
    page.get_by_label("調べる文書").select_option(SLOW)
    page.get_by_label("質問", exact=True).fill("宿泊費の上限はいくらで、精算はいつまでですか。")
    page.get_by_role("button", name="調べる").click()
    expect(page.locator(".progress .dot[data-status=running]").first).to_be_visible()
    page.reload()
    second = page.context.new_page()
    second.add_init_script(WATCH)
    second.goto(page.url)
    for tab in (page, second):
        expect(tab.get_by_role("heading", name="調査結果")).to_be_visible(timeout=3 * WAIT_MS)
        expect(tab.locator("[data-status=succeeded]").first).to_be_visible(timeout=3 * WAIT_MS)
        assert tab.evaluate("window.flickered") == []
    page.locator(".source-chip").first.hover()
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.locator(".source-chip").first.click()
    expect(page.locator(".panel mark")).to_be_visible()
    is_accessible(page)
    page.keyboard.press("Escape")
    expect(page.locator(".panel")).to_have_count(0)
    page.get_by_text("調査の記録", exact=True).click()
    expect(page.locator(".step-title", has_text="検索").last).to_be_visible()


def test_a_server_that_was_killed_is_found_again(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    body = {"workflow": "intake"}
    run = httpx.post(f"{server.url}/api/v1/runs", json=body).json()
    page = open_page(f"{server.url}/run?run={run['run_id']}", quiet=False)
    page.get_by_label("購入の理由").fill("研修で使うため")
    expect(page.get_by_text("下書きを保存しました")).to_be_visible()
    server.kill()
    try:
        expect(page.get_by_text("つなぎ直しています")).to_be_visible()
        expect(page.get_by_label("購入の理由")).to_have_value("研修で使うため")
    finally:
        server.start()  # others visit it, too
    expect(page.get_by_text("つなぎ直しています")).to_have_count(0)
    page.reload()
    expect(page.get_by_label("購入の理由")).to_have_value("研修で使うため")


# ---- the form ------------------------------------------------------------------------------


def test_every_kind_of_question_is_answered(
    server: WorkbenchServer, visit: Any, tmp_path: Path
) -> None:
    body = {"workflow": "intake", "input": {"title": "研修用PC"}}
    run = httpx.post(f"{server.url}/api/v1/runs", json=body).json()
    page: Page = visit(f"/run?run={run['run_id']}", quiet=False)  # one answer is refused
    page.get_by_role("button", name="送信する").click()
    expect(page.get_by_text("「見積書」のファイルを選んでください。")).to_be_visible()
    quote = tmp_path / "見積.csv"
    quote.write_text("品名,金額\nPC,120000\n", "utf-8")
    wrong = tmp_path / "見積.exe"
    wrong.write_bytes(b"x")
    page.get_by_label("見積書").set_input_files(wrong)
    expect(page.get_by_text("この欄では使えない形式です")).to_be_visible()
    page.get_by_label("見積書").set_input_files(quote)
    page.get_by_label("購入の理由").fill("短い")
    page.get_by_label("新規").check()
    page.get_by_label("至急").check()
    page.get_by_label("数量").fill("１，０００")
    expect(page.get_by_text("下書きを保存しました")).to_be_visible()
    page.reload()
    expect(page.get_by_label("数量")).to_have_value("１，０００")
    expect(page.get_by_text("見積.csv")).to_be_visible()
    page.get_by_role("button", name="送信する").click()
    expect(page.locator("[data-field=reason] .field-problem")).to_be_visible()  # the server's word
    is_accessible(page)
    page.get_by_label("購入の理由").fill("研修で使うため")
    page.get_by_role("button", name="送信する").click()
    expect(page.get_by_role("cell", name="120,000")).to_be_visible()
    page.get_by_role("button", name="承認する").click()
    page.get_by_role("textbox", name="回答").fill("月末までに")
    page.get_by_role("button", name="送信する").click()
    page.get_by_label("カード").check()
    page.get_by_role("button", name="判断せずに送信").click()
    expect(page.locator("[data-status=succeeded]").first).to_be_visible()


# ---- every page ----------------------------------------------------------------------------


def test_a_phones_menu_leads_on_and_closes(visit: Any) -> None:
    page: Page = visit("/", width=390, height=844)
    page.get_by_role("button", name="メニュー", exact=True).click()
    page.get_by_role("dialog").get_by_role("link", name="文書の比較").click()
    expect(page.locator("dialog[open]")).to_have_count(0)
    expect(page.locator("h1")).to_have_text("どの文書を比べますか")


def test_language_is_the_browsers_until_another_is_chosen(visit: Any) -> None:
    page: Page = visit("/", locale="en-US", quiet=False)  # one address is not there
    expect(page.locator("h1")).to_have_text("What shall be done today?")
    page.get_by_role("button", name="日本語に切り替える").click()
    expect(page.locator("h1")).to_have_text("今日は何をしますか")
    page.reload()
    expect(page.locator("h1")).to_have_text("今日は何をしますか")
    page.goto(f"{page.url}nowhere")
    expect(page.locator("h1")).to_have_text("このページはありません")


def test_a_token_is_asked_for_and_leads_back(guarded: Guarded, open_page: OpenPage) -> None:
    page = logged_in(open_page(f"{guarded.server.url}/compare", quiet=False), guarded.aoki)
    expect(page.locator("h1")).to_have_text("どの文書を比べますか")
