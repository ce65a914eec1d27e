"""Pictures of every page for the guides: `python -m tests.journeys.screens [FOLDER]`.

In Japanese and English, light and dark, on a wide screen and on a phone; each sample is run once in
each language, and its result is one of the pages. Needs the built application (`make web`).
"""

import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.journeys.conftest import ARGUMENTS, CHROMIUM
from tests.journeys.workbench_server import ROOT, WorkbenchServer

SAMPLES = ("analysis", "research", "ask", "comparison", "plan")
"""In the order of the cards on the first page; a plan's sample asks before it runs."""
PAGES = (
    *("", "plans", "studio", "triggers", "inbox", "collections", "runs"),
    *("calibration", "settings", "streamlit"),
)
SLOW = ("studio", "streamlit")
SLOW_MS = 6000
TRY = {"ja": "見本で試す", "en": "Try the sample"}
LOCALES = {"ja": "ja-JP", "en": "en-US"}
WIDTHS = {1280: 900, 390: 844}
COLOURS = 128
SETTLED_MS = 1200
RESULT_MS = 60_000


class _Shipped(WorkbenchServer):
    """As people have it."""

    # pyrefly: ignore[bad-override-mutable-attribute]
    command = ("-m", "sanbo", "up")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    chromium = next(filter(None, map(shutil.which, CHROMIUM)))
    with tempfile.TemporaryDirectory() as place, sync_playwright() as playwright:
        server = _Shipped(Path(place) / "workspace")
        server.start()
        try:
            browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
            for language in LOCALES:
                results = _run_samples(browser, server.url, language)
                for theme in ("light", "dark"):
                    for width in WIDTHS:
                        _draw(browser, server.url, results, folder, (language, theme, width))
            browser.close()
        finally:
            server.stop()


def _run_samples(browser: Browser, url: str, language: str) -> dict[str, str]:
    """The addresses of the results."""
    page = _page(browser, language, "light", 1280)
    found: dict[str, str] = {}
    for number, name in enumerate(SAMPLES):
        page.goto(url)
        page.get_by_role("button", name=TRY[language]).nth(number).click()
        page.wait_for_selector("[data-run]", timeout=RESULT_MS)
        page.wait_for_timeout(3 * SETTLED_MS)
        found[name] = page.url
    page.context.close()
    return found


def _draw(
    browser: Browser, url: str, results: dict[str, str], folder: Path, how: tuple[str, str, int]
) -> None:
    language, theme, width = how
    page = _page(browser, language, theme, width)
    addresses = {name or "home": f"{url}/{name}" for name in PAGES} | results
    for name, address in addresses.items():
        page.goto(address)
        page.wait_for_timeout(2 * SETTLED_MS if name in results else SETTLED_MS)
        if name in SLOW:
            page.wait_for_timeout(SLOW_MS)
        parts = [name, language, *(["dark"] if theme == "dark" else []), *_narrow(width)]
        picture = Image.open(BytesIO(page.screenshot())).convert("RGB").quantize(COLOURS)
        picture.save(folder / f"{'-'.join(parts)}.png", optimize=True)
    page.context.close()


def _narrow(width: int) -> list[str]:
    return [str(width)] if width < 1000 else []


def _page(browser: Browser, language: str, theme: str, width: int) -> Page:
    context = browser.new_context(
        viewport={"width": width, "height": WIDTHS[width]},
        color_scheme="dark" if theme == "dark" else "light",
        locale=LOCALES[language],
    )
    return context.new_page()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/images")
