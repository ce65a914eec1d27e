"""What the web application costs: first sight of each page, and a run from the click to its result.

    python benchmarks/web.py

The server is the real `sanbo up` in a process of its own; the browser is Chromium, started anew for
each page. For each workflow its sample is run once to warm up, once by the API and once by a click:
milliseconds until the first step is seen and until the result is, and the server's CPU seconds.
Last, what the server takes while a page is open and nobody does anything. Needs `make web`.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path

import httpx
import psutil
from playwright.sync_api import Browser, sync_playwright
from served import served

PAGES = ("/", "/analysis", "/research", "/ask", "/compare")
SAMPLES = {
    "analysis": "表の分析",
    "research": "リサーチ",
    "grace": "質問に答える",
    "comparison": "文書の比較",
}
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser")
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
ENDED = ("succeeded", "failed", "waiting", "cancelled")
IDLE_SECONDS = 30
FIRST = """() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? -1"""


def main() -> int:
    chromium = next(filter(None, map(shutil.which, BROWSERS)), None)
    if chromium is None:
        sys.stderr.write("no chromium on this machine\n")
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as (server, url),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=ARGUMENTS)
        _pages(browser, url)
        _runs(browser, url, server)
        _idle(browser, url, server)
        browser.close()
    return 0


def _pages(browser: Browser, url: str) -> None:
    print(f"{'page':<12}{'first content':>16}{'usable':>10}")
    for path in PAGES:
        page = browser.new_context(locale="ja-JP").new_page()
        began = time.perf_counter()
        page.goto(url + path)
        page.locator("h1").wait_for()  # drawn in the browser: what is there can be used
        usable = time.perf_counter() - began
        print(f"{path:<12}{page.evaluate(FIRST):>13.0f} ms{1000 * usable:>7.0f} ms")
        page.context.close()


def _runs(browser: Browser, url: str, server: psutil.Process) -> None:
    print(f"\n{'workflow':<12}{'by API':>10}{'first step':>13}{'result':>10}{'CPU':>9}")
    for workflow, card in SAMPLES.items():
        _by_api(url, workflow)
        by_api = _by_api(url, workflow)
        page = browser.new_context(locale="ja-JP").new_page()
        page.goto(url)
        before = _cpu(server)
        chosen = page.locator(".home-card").filter(has=page.get_by_role("heading", name=card))
        began = time.perf_counter()
        chosen.get_by_role("button", name="見本で試す").click()
        page.locator(".progress").first.wait_for()
        first = time.perf_counter() - began
        page.locator(".run[data-status=succeeded] .part").first.wait_for(timeout=120_000)
        result = time.perf_counter() - began
        spent = _cpu(server) - before
        cells = f"{1000 * by_api:>7.0f} ms{1000 * first:>10.0f} ms{1000 * result:>7.0f} ms"
        print(f"{workflow:<12}{cells}{spent:>7.2f} s")
        page.context.close()


def _by_api(url: str, workflow: str) -> float:
    began = time.perf_counter()
    run = httpx.post(f"{url}/api/v1/workflows/{workflow}/sample", timeout=120).json()
    while httpx.get(f"{url}/api/v1/runs/{run['run_id']}").json()["status"] not in ENDED:
        time.sleep(0.02)
    return time.perf_counter() - began


def _idle(browser: Browser, url: str, server: psutil.Process) -> None:
    page = browser.new_context(locale="ja-JP").new_page()
    page.goto(url)
    page.locator("h1").wait_for()
    time.sleep(3)
    before = _cpu(server)
    time.sleep(IDLE_SECONDS)
    print(f"\nidle, a page open: {100 * (_cpu(server) - before) / IDLE_SECONDS:.2f} % of a core")


def _cpu(server: psutil.Process) -> float:
    """With the processes that it thinks in."""
    spent = 0.0
    for process in (server, *server.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system
    return spent


if __name__ == "__main__":
    raise SystemExit(main())
