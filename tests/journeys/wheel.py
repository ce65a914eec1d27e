"""The wheel as somebody gets it: built, installed in an empty environment, served, looked at.

    python -m tests.journeys.wheel

No Node.js is on the path while it is installed and served, and nothing of this folder is.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import httpx
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[2]
CHROMIUM = ("chromium-headless-shell", "chromium", "chromium-browser")
UV = Path(sys.executable).with_name("uv")


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wheel = _built(folder)
        python = _installed(folder, wheel)
        _look(folder, python)


def _built(folder: Path) -> Path:
    _run([UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT], os.environ.copy(), ROOT)
    (wheel,) = folder.glob("*.whl")
    print(f"built: {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB")
    return wheel


def _installed(folder: Path, wheel: Path) -> Path:
    began = time.monotonic()
    python = folder / "venv" / "bin" / "python"
    _run([sys.executable, "-m", "venv", folder / "venv"], _around(), folder)
    wanted = ["--require-hashes", "-r", ROOT / "requirements.lock"]
    for what in (wanted, ["--no-deps", wheel]):
        _run(
            [UV, "pip", "install", "--quiet", "--python", python, *what], os.environ.copy(), folder
        )
    print(f"installed in {time.monotonic() - began:.0f} s, without Streamlit")
    return python


def _look(folder: Path, python: Path) -> None:
    command = [python, "-m", "sanbo", "--workspace", folder / "workspace", "up", "--port", "0"]
    began = time.monotonic()
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=folder, env=_around()
    ) as server:
        try:
            found = (re.search(r"http://[\d.]+:\d+", line) for line in server.stdout or ())
            address = next(each for each in found if each)[0]
            print(f"listens after {time.monotonic() - began:.1f} s")
            _visit(address)
            missing = httpx.get(f"{address}/streamlit/")
            assert missing.status_code == 404, missing.text
            assert "sanbo[streamlit]" in missing.text.replace("&#x27;", "")
            print("/streamlit/ says how to get it")
        finally:
            server.terminate()


def _visit(address: str) -> None:
    chromium = next(filter(None, map(shutil.which, CHROMIUM)))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(locale="ja-JP")
        page.goto(address)
        card = page.locator(".home-card").filter(has=page.get_by_role("heading", name="リサーチ"))
        card.get_by_role("button", name="見本で試す").click()
        page.locator("[data-run][data-status=succeeded]").wait_for(timeout=120_000)
        print(f"the sample of a research has run: {page.title()}")
        browser.close()


def _around() -> dict[str, str]:
    """As on a machine without Node.js and without this folder."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    places = known.get("PATH", "").split(os.pathsep)
    known["PATH"] = os.pathsep.join(each for each in places if not (Path(each) / "node").exists())
    return {**known, "SANBO_LLM__PROVIDER": "rules"}


def _run(command: list[str | Path], environment: dict[str, str], folder: Path) -> None:
    subprocess.run(command, check=True, env=environment, cwd=folder)


if __name__ == "__main__":
    main()
