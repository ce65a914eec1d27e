"""Formulas calculated anew by LibreOffice, where it is installed, in a folder of its own."""

import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from openpyxl.formula.tokenizer import Tokenizer

from sanbo.documents.excel.book import Book
from sanbo.documents.excel.formulas import check_stays_inside
from sanbo.kernel.problems import MissingDependency, ProviderFailed, TimedOut

_PROGRAMS = ("soffice", "libreoffice")
SECONDS = 120
_MOST_SECONDS = 600


def recalculated(data: bytes, name: str, seconds: int = SECONDS) -> bytes:
    """The program is the one on this machine's path: a plan can't name another."""
    program = next(filter(None, map(shutil.which, _PROGRAMS)), None)
    if program is None:
        raise MissingDependency("excel_recalculation_program", name=name)
    _check_stays_inside(data, name)
    seconds = max(1, min(seconds, _MOST_SECONDS))
    with tempfile.TemporaryDirectory(prefix="sanbo-") as folder:
        place = Path(folder)
        source = place / "in" / "workbook.xlsx"
        source.parent.mkdir()
        source.write_bytes(data)
        _convert(program, source, place, name, seconds)
        made = place / "out" / "workbook.xlsx"
        if not made.is_file():
            raise ProviderFailed("excel_recalculation_failed", name=name)
        return made.read_bytes()


def _check_stays_inside(data: bytes, name: str) -> None:
    """Calculating must not send what cells hold to other machines."""
    book = Book(data, name)
    texts = {text for sheet in book.sheets() for _, text, _ in sheet.formulas()}
    for text in sorted(texts):
        check_stays_inside(text, Tokenizer(f"={text}").items, book.external_links)


def _convert(program: str, source: Path, place: Path, name: str, seconds: int) -> None:
    command = [
        program,
        "--headless",
        "--norestore",
        f"-env:UserInstallation={(place / 'profile').as_uri()}",
        "--convert-to",
        "xlsx:Calc MS Excel 2007 XML",
        "--outdir",
        str(place / "out"),
        str(source),
    ]
    process = subprocess.Popen(  # noqa: S603 - found on the path; the arguments are ours
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(place), "LANG": "ja_JP.UTF-8"},
        start_new_session=True,
    )
    try:
        process.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        _end(process)
        raise TimedOut("excel_recalculation_slow", name=name, seconds=seconds) from None
    if process.returncode != 0:
        raise ProviderFailed("excel_recalculation_failed", name=name)


def _end(process: "subprocess.Popen[bytes]") -> None:
    """With the processes that it started: the program's own is a child of a script."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
