"""Where people look from: another language, a phone, the API's documentation, behind a token."""

from collections.abc import Generator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from sanbo.service.access import Access
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from tests.journeys.conftest import OpenPage
from tests.journeys.visitor import begin, clicks, sees, sees_status, settled
from tests.journeys.workbench_server import WorkbenchServer

NO_SIDEWAYS_SCROLLING = (
    "[document.documentElement, document.querySelector('.stMain')]"
    ".every(e => e.scrollWidth <= window.innerWidth)"
)


def test_language_is_switched_and_a_reload_keeps_it(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(begin(server, "expenses", title="Trip"))
    sees_status(page, "回答待ち")
    page.get_by_role("radio", name="English").click()
    sees_status(page, "Waiting for you")
    sees(page, "Your answer is needed")
    page.reload()
    sees_status(page, "Waiting for you")
    assert page.evaluate("document.documentElement.lang") == "en"
    page.wait_for_timeout(2500)  # the parts that draw themselves again speak English too
    expect(page.get_by_text("回答待ち")).to_have_count(0)
    clicks(page, "Approve")
    sees_status(page, "Succeeded")
    page.get_by_role("link", name="Runs").click()
    sees(page, "New run")


def test_phone_shows_every_page_without_scrolling_sideways(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(begin(server, "intake"), width=390, height=844)
    expect(page.get_by_label("担当者への連絡")).to_be_visible()
    assert page.evaluate(NO_SIDEWAYS_SCROLLING)
    for path in ("/", "/new?workflow=intake", "/status"):
        page.goto(f"{server.url}/streamlit{path}")
        expect(page.locator("h1")).to_be_visible()
        settled(page)
        assert page.evaluate(NO_SIDEWAYS_SCROLLING), path


@pytest.mark.thorough
def test_status_page_tells_what_this_is(server: WorkbenchServer, open_page: OpenPage) -> None:
    page = open_page(f"{server.url}/streamlit/status")
    sees(page, "ルール（モデルなし）")
    sees(page, "sanbo.db")
    sees(page, "このコンピューターの利用者")


@pytest.mark.thorough
def test_documentation_of_the_api_is_on_the_same_port(
    server: WorkbenchServer, open_page: OpenPage
) -> None:
    page = open_page(f"{server.url}/api/docs")
    sees(page, "/v1/runs")


# ---- behind a token ----


@pytest.fixture
def tokens(tmp_path: Path) -> dict[str, str]:
    settings = load_settings(tmp_path / "workspace", {})
    database = open_database(settings)
    try:
        return {name: Access(database).create_token(name) for name in ("tanaka", "suzuki")}
    finally:
        database.close()


@pytest.fixture
def guarded_server(tmp_path: Path, tokens: dict[str, str]) -> Generator[WorkbenchServer]:
    """Listens on all addresses, so that everybody needs a token; visited over loopback."""
    server = WorkbenchServer(tmp_path / "workspace", host="0.0.0.0")
    server.start()
    yield server
    server.stop()


def _log_in(page: Page, token: str) -> None:
    page.locator("input[name=token]").fill(token)
    page.locator("button").click()


def test_token_is_asked_for_and_runs_of_others_stay_theirs(
    guarded_server: WorkbenchServer, tokens: dict[str, str], open_page: OpenPage
) -> None:
    theirs = begin(guarded_server, "expenses", token=tokens["suzuki"], title="鈴木の旅費")
    begin(guarded_server, "approval", token=tokens["tanaka"], topic="田中の備品")
    page = open_page(f"{guarded_server.url}/streamlit/", quiet=False)
    page.wait_for_url("**/login**")
    _log_in(page, "sanbo_wrong")
    sees(page, "トークン")
    assert "/login" in page.url
    _log_in(page, tokens["tanaka"])
    sees(page, "実行一覧")
    sees(page, "稟議書の案")
    expect(page.get_by_text("経費の集計")).to_have_count(0)
    page.goto(theirs)
    sees(page, "見つかりません")
