"""What a visitor of the Streamlit app does and sees, in the words of the page."""

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Locator, Page, expect

from tests.journeys.conftest import WAIT_MS
from tests.journeys.workbench_server import WorkbenchServer

expect.set_options(timeout=WAIT_MS)


def begin(server: WorkbenchServer, workflow: str, token: str = "", **given: Any) -> str:
    """Starts a run through the API; returns the address of its page."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    body = {"workflow": workflow, "input": given}
    answer = httpx.post(f"{server.url}/api/v1/runs", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return f"{server.url}/streamlit/?run={answer.json()['run_id']}"


def sees_status(page: Page, word: str) -> None:
    expect(page.locator(".st-key-run-status").first).to_contain_text(word)


def sees(page: Page, text: str) -> None:
    expect(page.get_by_text(text).first).to_be_visible()


def field(page: Page, label: str) -> Locator:
    # Streamlit keeps an element that was replaced in the page for a while, hidden.
    return page.get_by_label(label).locator("visible=true").first


def types(page: Page, label: str, text: str) -> None:
    typed = field(page, label)
    typed.fill(text)
    expect(typed).to_have_value(text)


def has_typed(page: Page, label: str, text: str) -> None:
    expect(field(page, label)).to_have_value(text)


def settled(page: Page) -> None:
    """Waits until the page is put together: before that, a click may be lost."""
    app = page.get_by_test_id("stApp")
    # Long: a page may wait for a run's first steps, and two cores are shared.
    expect(app).to_have_attribute("data-test-script-state", "notRunning", timeout=3 * WAIT_MS)


def clicks(page: Page, name: str) -> None:
    button = page.get_by_role("button", name=name).first
    expect(button).to_be_visible()
    settled(page)
    button.click()


def chooses(page: Page, label: str, option: str) -> None:
    # First into view: a list that is open closes when the page scrolls.
    field(page, label).scroll_into_view_if_needed()
    page.wait_for_timeout(300)
    field(page, label).click()
    page.get_by_role("option", name=option).click()
    expect(field(page, label)).to_have_value(option)


def attaches(page: Page, label: str, *files: Path) -> None:
    """Into the field of this label; waits until the last file is listed as stored."""
    before = page.get_by_role("button", name="外す").count()
    uploader = page.locator(".stFileUploader:visible").filter(has_text=label)
    uploader.locator("input").set_input_files(list(files))
    expect(page.get_by_role("button", name="外す")).to_have_count(before + len(files))


def is_saved(server: WorkbenchServer, page: Page, text: str) -> None:
    """Waits until the draft on the server holds what was typed, and the page says so."""
    deadline = time.monotonic() + WAIT_MS / 1000
    with closing(sqlite3.connect(server.workspace / "sanbo.db")) as database:
        while not any(text in row[0] for row in database.execute("SELECT content FROM drafts")):
            assert time.monotonic() < deadline, f"{text} was not saved"
            page.wait_for_timeout(100)
    sees(page, "下書きを保存しました")
