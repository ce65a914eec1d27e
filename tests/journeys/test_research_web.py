"""The research page in the browser: asked, watched, checked against its sources, and kept."""

import os
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Locator, Page, expect

from sanbo.api.web_page import BUILT
from tests.journeys import test_research as workbench_page
from tests.journeys.conftest import OpenPage
from tests.journeys.slow_research import ENDLESS, SLOW
from tests.journeys.workbench_server import WorkbenchServer

COLLECTION = "社内の決まり"
DOCUMENTS = {
    "旅費規程.md": """# 旅費規程

## 第1章 宿泊費

第1条 東京都区部への出張の宿泊費は、1泊につき12,000円を上限として実費を支給します。

第2条 前条の額を超える宿泊は、所属長が事前に承認した場合に限り認めます。

## 第2章 精算

第3条 旅費の精算は、出張から戻った日の翌月10日までに、領収書を添えて経理部に申請します。

第4条 期限を過ぎた申請には、<img src=x onerror='window.acted = true'>理由書を添えてください。
""",
    "休暇規程.md": """# 休暇規程

第1条 年次有給休暇は、入社から6か月後に10日を付与します。

第2条 夏季休暇は、7月から9月までの間に3日を取得できます。

第3条 忌引休暇を取得するときは、総務部に届け出てください。
""",
    "情報機器の手引き.md": """# 情報機器の手引き

パソコンを社外へ持ち出すときは、情報システム課の許可を受けてください。

紛失したときは、ただちに情報システム課へ電話で連絡してください。

画面の鍵は、席を離れるたびに掛けてください。
""",
    "会議室の使い方.md": """# 会議室の使い方

会議室は、1週間前から予約できます。使わなくなった予約は、前日までに取り消してください。

大会議室の定員は40名です。飲食はできません。
""",
}
QUESTION = "旅費の精算はいつまでですか"
QUOTE = "翌月10日までに"
OTHER = "有給休暇は何日付与されますか"
NO_SIDEWAYS_SCROLLING = "document.documentElement.scrollWidth <= window.innerWidth"

Open = Callable[..., Page]


@pytest.fixture(scope="module", autouse=True)
def built() -> None:
    if not (BUILT / "index.html").is_file():
        reason = "the research page is not built here: make web"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)


@pytest.fixture(scope="module", autouse=True)
def collections(server: WorkbenchServer) -> None:
    # The slow ones are shared with the journeys of the workbench's own page, so their document is
    # the same.
    slow = {"出張の手引き.md": workbench_page.RULES}
    for name, documents in ((COLLECTION, DOCUMENTS), (SLOW, slow), (ENDLESS, slow)):
        _index(server, name, documents)


def _index(server: WorkbenchServer, name: str, documents: dict[str, str]) -> None:
    api = f"{server.url}/api/v1"
    kept = [
        httpx.post(f"{api}/files", files={"file": (file, text.encode())}).json()
        for file, text in documents.items()
    ]
    answer = httpx.post(f"{api}/collections/{name}/documents", json={"files": kept}, timeout=60)
    assert answer.status_code == 200, answer.text


@pytest.fixture
def research(server: WorkbenchServer, open_page: OpenPage) -> Open:
    def opened(query: str = "", **screen: int) -> Page:
        page = open_page(f"{server.url}/research{query}", **screen)
        expect(page.locator("main h1")).to_be_visible()
        return page

    return opened


def _question(page: Page) -> Locator:
    return page.locator("main textarea")


def _asks(page: Page, question: str, collection: str = COLLECTION) -> None:
    _question(page).fill(question)
    page.locator("main select").select_option(collection)
    _question(page).press("Control+Enter")
    expect(page.locator("main h1")).to_have_text(question)


def _alert(page: Page) -> Locator:
    return page.locator("[role=alert]:not(#__next-route-announcer__)")


def _is_done(page: Page) -> None:
    expect(page.locator(".run-facts .status")).to_have_attribute("data-status", "succeeded")


def _marks(page: Page) -> Locator:
    return page.locator(".report-text button.mark")


def test_an_answer_is_asked_for_checked_against_its_source_and_taken_along(
    research: Open, tmp_path: Path
) -> None:
    page = research()
    _asks(page, QUESTION)
    _is_done(page)
    assert "run=" in page.url

    # How it was found.
    page.locator(".steps > summary").click()
    expect(page.get_by_role("heading", name="検索の回（1回目）")).to_be_visible()
    expect(page.locator(".queries li").first).to_contain_text("件")
    expect(page.locator(".passages li").first).to_contain_text("関連度")
    expect(page.locator(".decision").first).to_contain_text("ルールによる判断")

    # The source of a sentence, with its very words marked, and back to the sentence.
    report = page.get_by_role("article", name="調査報告")
    expect(report).to_contain_text(QUOTE)
    _marks(page).first.click()
    panel = page.get_by_role("dialog")
    expect(panel).to_contain_text("旅費規程.md")
    expect(panel).to_contain_text("原文で確認済み")
    expect(panel.locator("mark")).to_contain_text(QUOTE)
    expect(panel).to_contain_text("理由書")
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(_marks(page).first).to_be_focused()
    assert page.evaluate("window.acted") is None

    # The report as a file.
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdownをダウンロード").click()
    download.value.save_as(tmp_path / "report.md")
    assert download.value.suggested_filename == "調査報告.md"
    assert QUOTE in (tmp_path / "report.md").read_text("utf-8")


@pytest.mark.thorough
def test_a_report_is_seen_growing_is_still_there_after_a_reload_and_can_be_stopped(
    research: Open,
) -> None:
    page = research()
    _asks(page, workbench_page.QUESTION, ENDLESS)
    growing = page.locator(".report-text[data-writing]")
    expect(growing).to_contain_text("12,000円")
    expect(page.locator(".run-facts .status")).to_have_text("実行中")

    page.reload()
    expect(page.locator("main h1")).to_have_text(workbench_page.QUESTION)
    expect(growing).to_contain_text("12,000円")  # what was written before it came, too
    expect(page.locator(".cycle").first).to_contain_text("検索の回（1回目）")

    page.get_by_role("button", name="中止する").click()
    expect(page.locator(".run-facts .status")).to_have_text("中止")
    expect(page.get_by_text("この調査は中止しました。")).to_be_visible()
    expect(page.get_by_role("button", name="中止する")).to_have_count(0)


@pytest.mark.thorough
def test_a_report_that_was_left_in_the_middle_is_found_at_its_end(research: Open) -> None:
    page = research()
    _asks(page, workbench_page.QUESTION, SLOW)
    expect(page.locator(".report-text")).to_be_visible()
    page.reload()
    _is_done(page)
    expect(page.locator(".report-text")).to_contain_text("調査の経過")
    expect(_marks(page).first).to_be_visible()


@pytest.mark.thorough
def test_a_follow_up_belongs_to_the_session_whose_notes_go_at_once(research: Open) -> None:
    page = research()
    _asks(page, QUESTION)
    _is_done(page)
    first = page.url
    _asks(page, OTHER)
    _is_done(page)
    session = page.get_by_role("navigation", name="この調査の質問")
    expect(session.get_by_role("button")).to_have_text([QUESTION, OTHER])

    page.locator(".notes > summary").click()
    expect(page.locator(".note-question")).to_have_text([QUESTION, OTHER])
    page.get_by_role("button", name="記録を削除する").click()
    expect(page.get_by_role("alertdialog").get_by_role("button", name="やめる")).to_be_focused()
    page.get_by_role("alertdialog").get_by_role("button", name="記録を削除する").click()
    expect(page.get_by_text("件の記録を削除しました。")).to_be_visible()
    expect(page.locator(".timeline")).to_have_count(0)

    page.go_back()  # the address leads back to the first question
    expect(page.locator("main h1")).to_have_text(QUESTION)
    assert page.url == first
    history = page.get_by_role("navigation", name="これまでの調査")
    history.get_by_role("link", name=OTHER).first.click()
    expect(page.locator("main h1")).to_have_text(OTHER)


@pytest.mark.thorough
def test_everything_is_done_with_the_keyboard_alone(research: Open) -> None:
    page = research()
    expect(page.locator("main select")).to_be_enabled()
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="本文へ移動")).to_be_focused()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    expect(_question(page)).to_be_focused()
    page.keyboard.press("Control+Enter")
    expect(_alert(page)).to_have_text("質問を入力してください。")
    page.keyboard.type(QUESTION)
    page.keyboard.press("Tab")
    choice = page.locator("main select")
    expect(choice).to_be_focused()
    page.keyboard.press("Home")
    while choice.input_value() != COLLECTION:  # others may be there before it
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="調べる")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_have_text("調査報告ができました。")
    expect(page.locator("main h1")).to_be_focused()
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('.mark')"):
            break
    expect(_marks(page).first).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text(QUOTE)
    expect(page.get_by_role("heading", name="出典1")).to_be_focused()
    page.keyboard.press("Escape")
    expect(_marks(page).first).to_be_focused()


def test_on_a_phone_in_english_and_in_the_dark_nothing_is_cut_off(research: Open) -> None:
    page = research("?lang=en", width=390, height=844)
    expect(page.locator("html")).to_have_attribute("lang", "en")
    page.get_by_role("button", name="Switch to dark").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    _asks(page, QUESTION)
    _is_done(page)
    page.locator(".steps > summary").click()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    expect(page.get_by_role("heading", name="Search cycle 1")).to_be_visible()
    _marks(page).first.click()
    panel = page.get_by_role("dialog")
    expect(panel.locator("mark")).to_contain_text(QUOTE)
    box = panel.bounding_box()
    assert box is not None
    assert (box["x"], box["width"]) == (0, 390)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open history").click()
    drawer = page.get_by_role("dialog", name="Earlier research")
    expect(drawer.get_by_role("link", name=QUESTION).first).to_be_visible()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    drawer.get_by_role("button", name="New research").click()
    expect(page.get_by_role("heading", name="What would you like to know?")).to_be_visible()
    page.reload()  # both are remembered
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("button", name="Switch to light")).to_be_visible()


@pytest.mark.thorough
def test_what_goes_wrong_is_said_with_what_to_do(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(f"{server.url}/research?run=run_unknown", quiet=False)
    expect(_alert(page)).to_contain_text("run_unknown")
    page.route("**/api/v1/collections", lambda route: route.fulfill(json={"collections": []}))
    page.goto(f"{server.url}/research")
    expect(page.get_by_role("link", name="コレクションを作る")).to_have_attribute(
        "href", "/collections?lang=ja"
    )
    page.route("**/api/v1/collections", lambda route: route.abort())
    page.reload()
    expect(_alert(page)).to_contain_text("サーバーにつながりません。")
