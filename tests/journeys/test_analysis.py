"""A table in the browser: brought, looked at, asked, answered; and all of it there again."""

import io
from pathlib import Path

import httpx
import pytest
from openpyxl import Workbook
from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.test_places import NO_SIDEWAYS_SCROLLING
from tests.journeys.visitor import clicks, sees, settled
from tests.journeys.workbench_server import WorkbenchServer

LONG_MS = 90_000  # the sandbox starts once, and two cores are shared
SALES = "日付,店舗,カテゴリ,売上\n" + "".join(
    f"2025-{month:02d}-10,{store},{kind},{1000 * month + 100 * len(kind) + bonus}\n"
    for month in range(1, 7)
    for store, bonus in (("新宿店", 500), ("渋谷店", 0))
    for kind in ("家電", "日用品")
)
HOSTILE = "![x](https://evil.example/a.png),**太字**,金額\n<script>window.acted=true</script>,:red[赤],1\n"


def _brings(page: Page, path: Path) -> None:
    page.locator(".stFileUploader:visible input").first.set_input_files(path)


def _asks(page: Page, question: str) -> None:
    field = page.get_by_test_id("stChatInput").locator("textarea")
    expect(field).to_be_enabled(timeout=LONG_MS)
    field.fill(question)
    field.press("Enter")


def _answers(page: Page, count: int) -> Locator:
    """Waits for the last of so many answers; gives its message."""
    messages = page.get_by_test_id("stChatMessage")
    expect(messages).to_have_count(2 * count, timeout=LONG_MS)
    expect(messages.last.get_by_text("ルール（モデルなし）")).to_be_visible(timeout=LONG_MS)
    return messages.last


def _cells(within: Locator) -> list[str]:
    """Of the first grid: it is drawn as a picture, with a table for those who can't see it."""
    grid = within.get_by_test_id("stDataFrame").locator("visible=true").first
    expect(grid).to_be_visible(timeout=LONG_MS)
    cells = grid.locator("[role=gridcell]")
    expect(cells.first).to_be_attached()
    return [text.strip() for text in cells.all_text_contents()]


def _sales(folder: Path) -> Path:
    path = folder / "売上データ.csv"
    path.write_text(SALES, "utf-8")
    return path


def test_a_table_is_brought_a_suggestion_clicked_and_all_is_there_after_a_reload(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server.url}/streamlit/")
    page.get_by_role("link", name="表の分析").click()
    expect(page.locator("h1")).to_have_text("表の分析")
    sees(page, "メモリ上だけで扱います")
    _brings(page, _sales(tmp_path))
    expect(page.get_by_text("24行 × 4列")).to_be_visible(timeout=LONG_MS)
    assert "新宿店" in _cells(page.locator(".stMain"))

    settled(page)
    suggestion = page.locator('[class*="st-key-analysis-suggestions-"] button').first
    question = suggestion.inner_text()
    suggestion.dblclick()
    answer = _answers(page, 1)
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text(question)
    assert _cells(answer)
    assert "conversation=conv_" in page.url
    with page.expect_download() as download:
        answer.get_by_role("button", name="レポート（.md）").click()
    assert download.value.suggested_filename == "report.md"
    conversation_id = page.url.partition("conversation=")[2].partition("&")[0]
    runs = httpx.get(f"{server.url}/api/v1/runs", params={"conversation_id": conversation_id})
    assert len(runs.json()["runs"]) == 1, "a double click asked twice"

    page.reload()
    answer = _answers(page, 1)
    assert _cells(answer)
    settled(page)
    answer.get_by_text("処理の内容（spec）とレポート").click()
    expect(answer.get_by_text("result_id").first).to_be_visible()
    clicks(page, "新しい分析")
    expect(page.get_by_role("link", name=question).first).to_be_visible()


@pytest.mark.thorough
def test_a_chart_is_drawn_where_one_is_asked_for_and_the_next_turn_goes_on(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server.url}/streamlit/analysis")
    _brings(page, _sales(tmp_path))
    expect(page.get_by_text("24行 × 4列")).to_be_visible(timeout=LONG_MS)
    _asks(page, "月別の売上推移を折れ線で")
    answer = _answers(page, 1)
    picture = answer.get_by_test_id("stImage").locator("img")
    expect(picture).to_be_visible(timeout=LONG_MS)
    assert picture.get_attribute("alt")
    with page.expect_download() as download:
        answer.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename.endswith(".png")

    _asks(page, "よろしくお願いします")
    asked_back = _answers(page, 2)
    expect(asked_back).to_contain_text("「店舗」")
    _asks(page, "店舗別の売上合計を多い順に")
    cells = _cells(_answers(page, 3))
    assert cells.index("新宿店") < cells.index("渋谷店")
    assert cells[cells.index("新宿店") + 1] == "51000"
    _asks(page, "来年の売上を予測して")
    expect(_answers(page, 4)).to_contain_text("予測は行いません")


@pytest.mark.thorough
def test_a_bad_file_is_explained_and_what_was_there_stays(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    broken = tmp_path / "壊れた.xlsx"
    broken.write_bytes(b"PK\x03\x04 broken off")
    book = Workbook()
    first = book.active
    assert first is not None
    first.title = "上期"
    for row in (["支店", "件数"], ["東京", 3], ["大阪", 5]):
        first.append(row)
    second = book.create_sheet("下期")
    for row in (["支店", "件数"], ["札幌", 7]):
        second.append(row)
    data = io.BytesIO()
    book.save(data)
    sheets = tmp_path / "件数.xlsx"
    sheets.write_bytes(data.getvalue())

    page = open_page(f"{server.url}/streamlit/analysis")
    _brings(page, sheets)
    expect(page.get_by_text("2行 × 2列")).to_be_visible(timeout=LONG_MS)
    settled(page)
    clicks(page, "別の表を使う")
    page.get_by_test_id("stPopoverBody").locator("input[type=file]").set_input_files(broken)
    expect(page.locator(".stAlert").first).to_be_visible(timeout=LONG_MS)
    sees(page, "2行 × 2列")
    settled(page)
    page.get_by_label("シート").locator("visible=true").first.click()
    page.get_by_role("option", name="下期").click()
    expect(page.get_by_text("1行 × 2列")).to_be_visible(timeout=LONG_MS)
    expect(page.locator(".stAlert")).to_have_count(0)
    # The grid is drawn a moment after the words around it.
    expect(page.locator("[role=gridcell]", has_text="札幌").first).to_be_attached()


@pytest.mark.thorough
def test_words_of_a_table_are_shown_and_never_act(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    """That no request leaves, and no script runs, is checked by `open_page`."""
    path = tmp_path / "**強調** ![x](y).csv"
    path.write_text(HOSTILE, "utf-8")
    page = open_page(f"{server.url}/streamlit/analysis")
    _brings(page, path)
    expect(page.get_by_text("1行 × 3列")).to_be_visible(timeout=LONG_MS)
    sees(page, "**強調** ![x](y).csv")
    _asks(page, "![x](https://evil.example/b.png) <img src=x onerror='window.acted=true'> の平均")
    message = _answers(page, 1)
    expect(page.get_by_test_id("stChatMessage").first).to_contain_text("<img src=x")
    assert message.locator("img[src*=evil]").count() == 0
    assert page.evaluate("window.acted") is None


@pytest.mark.thorough
def test_phone_shows_the_whole_conversation_without_scrolling_sideways(
    server: WorkbenchServer, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(f"{server.url}/streamlit/analysis", width=390, height=844)
    _brings(page, _sales(tmp_path))
    expect(page.get_by_text("24行 × 4列")).to_be_visible(timeout=LONG_MS)
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    _asks(page, "店舗別の売上合計を棒グラフで")
    answer = _answers(page, 1)
    expect(answer.get_by_test_id("stImage").locator("img")).to_be_visible(timeout=LONG_MS)
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    field = page.get_by_test_id("stChatInput")
    expect(field).to_be_in_viewport()
    expect(page.get_by_test_id("stChatMessage").first).to_be_in_viewport()
