"""An office program opens the tables, and the marked words are on its pages."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from sanbo.reports.content import written
from tests.unit.agents.comparison.outputs.contracts import contract
from tests.unit.reports.made import compared


@pytest.fixture(scope="module")
def soffice() -> str:
    found = shutil.which("soffice")
    if found is None:
        reason = "no LibreOffice on this machine: python tests/journeys/install_browser.py office"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.mark.thorough
def test_libreoffice_prints_the_word_and_excel_tables(soffice: str, tmp_path: Path) -> None:
    report = compared(contract("ja"))
    files = {"word.docx": written(report, "docx"), "excel.xlsx": written(report, "xlsx")}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    command = [
        soffice,
        "--headless",
        f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}",
        *("--convert-to", "pdf", "--outdir", str(tmp_path)),
        *(str(tmp_path / name) for name in files),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    for name in ("word.pdf", "excel.pdf"):
        text, landscape = _read(tmp_path / name)
        assert landscape
        for words in (
            "金60万円",
            "金50万円",
            "ウェブサイトの更新",
            "（新設）",
            "（削る）",
            "（略）",
        ):
            assert words in text, (name, words)
        assert "してはならない" in text
        assert "要確認" in text


def _read(file: Path) -> tuple[str, bool]:
    with pypdfium2.PdfDocument(file) as document:
        pages: list[Any] = list(document)
        texts = [str(page.get_textpage().get_text_bounded()) for page in pages]
        landscape = all(page.get_width() > page.get_height() for page in pages)
    return "".join("".join(texts).split()), landscape
