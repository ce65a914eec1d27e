"""A browser, a server, and pages that report what no journey may ever cause."""

import os
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

from sanbo.service.access import Access
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from tests.journeys.web_visitor import WATCH
from tests.journeys.workbench_server import WorkbenchServer

ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
"""The first that is there: without its windows, a visit takes half the time."""
WAIT_MS = 60_000  # two cores, shared with other tests
LIMIT_MB = 2
"""No larger file is taken by the server that all share."""

# GRACE answers without asking, whatever the numbers are that Sanbo ships.
ALWAYS_SURE = {
    "GRACE_THRESHOLDS__SILENT": "0.03",
    "GRACE_THRESHOLDS__NOTIFY": "0.02",
    "GRACE_THRESHOLDS__CONFIRM": "0.01",
}

OpenPage = Callable[..., Page]


@pytest.fixture(scope="package")
def browser() -> Generator[Browser]:
    # Not for the session: Playwright keeps an event loop running in this thread, and other tests
    # that the same worker takes have loops of their own.
    chromium = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if chromium is None:
        reason = "no chromium on this machine: python tests/journeys/install_browser.py"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Generator[WorkbenchServer]:
    """One for all journeys that leave it standing."""
    limits = {"SANBO_SERVER__MAX_UPLOAD_MB": str(LIMIT_MB)}
    workspace = tmp_path_factory.mktemp("journey") / "workspace"
    started = WorkbenchServer(workspace, **ALWAYS_SURE, **limits)
    started.start()
    yield started
    started.stop()


class Guarded(NamedTuple):
    """A server that others can reach, and two people who know it."""

    server: WorkbenchServer
    aoki: str
    mori: str


@pytest.fixture(scope="package")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Generator[Guarded]:
    """One for all journeys of people with tokens; mori is head of a department."""
    workspace = tmp_path_factory.mktemp("guarded") / "workspace"
    workspace.mkdir()
    database = open_database(load_settings(workspace, {}))
    access = Access(database)
    aoki, mori = access.create_token("aoki"), access.create_token("mori", ["部長"])
    database.close()
    started = WorkbenchServer(workspace, host="0.0.0.0", SANBO_PLANS__FOUR_EYES="true")
    started.start()
    yield Guarded(started, aoki, mori)
    started.stop()


@pytest.fixture
def own_server(tmp_path: Path) -> Generator[WorkbenchServer]:
    """For journeys that kill it or start it in another way; not yet started."""
    prepared = WorkbenchServer(tmp_path / "workspace")
    yield prepared
    if prepared.process is not None:
        prepared.stop()


@pytest.fixture
def open_page(browser: Browser) -> Generator[OpenPage]:
    """Opens pages of a new visitor, and fails when one complains or calls out."""
    complaints: list[str] = []
    contexts: list[object] = []

    def opened(
        url: str,
        *,
        width: int = 1280,
        height: int = 900,
        quiet: bool = True,
        locale: str = "ja-JP",
        host: str = "",
    ) -> Page:
        """`quiet=False`: the server is killed on the way, and the browser may say so. `host`: the
        one that may be asked, where `url` is none yet."""
        context = browser.new_context(
            viewport={"width": width, "height": height},
            locale=locale,
            timezone_id="Asia/Tokyo",
        )
        contexts.append(context)
        context.set_default_timeout(WAIT_MS)
        page = context.new_page()
        own = urlsplit(host or url).netloc

        def on_console(message: ConsoleMessage) -> None:
            if message.type == "error" and quiet:
                complaints.append(f"console: {message.text}")

        def on_request(request: Request) -> None:
            place = urlsplit(request.url)
            if place.scheme not in ("data", "blob") and place.netloc not in (own, ""):
                complaints.append(f"request to {request.url}")

        page.on("console", on_console)
        page.on("pageerror", lambda error: complaints.append(f"page: {error}"))
        page.on("request", on_request)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()  # type: ignore[attr-defined]
    assert complaints == []


@pytest.fixture
def visit(server: WorkbenchServer, open_page: OpenPage) -> Any:
    """Opens a page of the server that all share, and watches how calm it is."""

    def opened(path: str, **options: Any) -> Page:
        page = open_page("about:blank", host=server.url, **options)
        page.add_init_script(WATCH)
        page.goto(server.url + path)
        return page

    return opened


def logged_in(page: Page, token: str) -> Page:
    page.get_by_label("トークン").fill(token)
    page.keyboard.press("Enter")
    return page


def put_plan(server: WorkbenchServer, name: str, text: str) -> None:
    designs = server.workspace / "designs"
    designs.mkdir(parents=True, exist_ok=True)
    (designs / f"{name}.yaml").write_text(text, "utf-8")
