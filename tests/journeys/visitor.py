"""What a visitor does and sees, in the words of the page."""

from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from tests.journeys.conftest import WAIT_MS
from tests.journeys.workbench_server import WorkbenchServer

expect.set_options(timeout=WAIT_MS)


def begin(server: WorkbenchServer, workflow: str, token: str = "", **given: Any) -> str:
    """Starts a run through the API; returns the address of its page."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    body = {"workflow": workflow, "input": given}
    answer = httpx.post(f"{server.url}/api/v1/runs", json=body, headers=headers)
    assert answer.status_code == 201, answer.text
    return f"{server.url}/run?run={answer.json()['run_id']}"


def sees_status(page: Page, word: str) -> None:
    expect(page.locator(".stMarkdownBadge").first).to_contain_text(word)


def sees(page: Page, text: str) -> None:
    expect(page.get_by_text(text).first).to_be_visible()


def types(page: Page, label: str, text: str) -> None:
    field = page.get_by_label(label).first
    field.fill(text)
    expect(field).to_have_value(text)


def has_typed(page: Page, label: str, text: str) -> None:
    expect(page.get_by_label(label).first).to_have_value(text)


def clicks(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()


def chooses(page: Page, label: str, option: str) -> None:
    page.get_by_label(label).first.click()
    page.get_by_role("option", name=option).click()


def attaches(page: Page, label: str, *files: Path) -> None:
    """Into the field of this label; waits until the last file is listed as stored."""
    before = page.get_by_role("button", name="外す").count()
    uploader = page.locator(".stFileUploader:visible").filter(has_text=label)
    uploader.locator("input").set_input_files(list(files))
    expect(page.get_by_role("button", name="外す")).to_have_count(before + len(files))


def is_saved(page: Page) -> None:
    """Waits until what was typed has been sent: a pause, and the script that follows it."""
    page.wait_for_timeout(700)
    expect(page.get_by_test_id("stStatusWidget")).to_have_count(0)
