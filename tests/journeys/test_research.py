"""A question in the browser: asked, watched, read with its sources; and all there again."""

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.journeys.conftest import OpenPage
from tests.journeys.slow_research import ENDLESS
from tests.journeys.test_places import NO_SIDEWAYS_SCROLLING
from tests.journeys.visitor import clicks, has_typed, sees, settled, types
from tests.journeys.workbench_server import WorkbenchServer

RULES = """# 出張の手引き

東京への出張では、宿泊費は1泊12,000円を上限とします。

旅費の精算は、出張から戻った日の翌月10日までに申請します。<img src=x onerror='window.acted = true'>
"""
COLLECTION = "出張規程"
QUESTION = "東京への出張の宿泊費の上限はいくらですか"
LONG_MS = 90_000  # two cores are shared


def _index(server: WorkbenchServer, collection: str) -> None:
    api = f"{server.url}/api/v1"
    file = httpx.post(f"{api}/files", files={"file": ("出張の手引き.md", RULES.encode())}).json()
    address = f"{api}/collections/{collection}/documents"
    assert httpx.post(address, json={"files": [file]}, timeout=60).status_code == 200


def _asks(page: Page, question: str) -> None:
    types(page, "調べたいこと", question)
    page.wait_for_timeout(600)  # typed text is sent after a pause
    settled(page)
    page.get_by_role("button", name="調べる", exact=True).click()


def test_a_question_is_answered_read_with_its_source_and_downloaded(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    """That no request leaves, and no script of a document runs, is checked by `open_page`."""
    _index(server, COLLECTION)
    page = open_page(f"{server.url}/streamlit/deep-research?collection={COLLECTION}")
    expect(page.locator("h1")).to_have_text("リサーチ")
    _asks(page, QUESTION)
    report = page.locator(".st-key-research-report")
    expect(report).to_contain_text("12,000円を上限とします。[1]", timeout=LONG_MS)
    expect(page.get_by_role("button", name="中止する")).to_have_count(0)
    settled(page)
    clicks(page, "文書の中で見る")
    expect(page.locator("mark").first).to_contain_text("宿泊費は1泊12,000円")
    page.reload()
    expect(page.locator("mark").first).to_be_visible()
    report.get_by_role("link", name="[1]").first.click()
    expect(page.locator("#research-source-1")).to_be_in_viewport()
    with page.expect_download() as download:
        page.get_by_role("button", name="調査報告をダウンロード").click()
    assert download.value.suggested_filename == "調査報告.md"
    assert "12,000円" in download.value.path().read_text("utf-8")
    assert page.evaluate("window.acted") is None


@pytest.mark.thorough
def test_a_research_is_watched_reloaded_and_stopped_in_the_middle_on_a_phone(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    _index(server, ENDLESS)
    page = open_page(
        f"{server.url}/streamlit/deep-research?collection={ENDLESS}", width=390, height=844
    )
    expect(page.locator("h1")).to_have_text("リサーチ")
    _asks(page, QUESTION)
    live = page.locator(".st-key-research-report-live")
    expect(live).to_contain_text("12,000円", timeout=LONG_MS)
    page.reload()
    expect(live).to_contain_text("12,000円", timeout=LONG_MS)  # also what was said before it came
    sees(page, "検索 1回目")
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    settled(page)
    page.get_by_role("button", name="中止する").click()
    sees(page, "このリサーチは中止しました")
    has_typed(page, "続けて質問する", QUESTION)
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    page.get_by_role("button", name="新しいリサーチ").click()
    link = page.get_by_role("link", name=QUESTION).first
    expect(link).to_be_visible()
