"""What reading a document costs: milliseconds a page and memory, beside the peers for PDF.

The peers do less: pdfminer.six alone gives text (vertical writing included), pdfplumber alone gives
text and looks for tables on every page. Each reader runs in a process of its own; the time is
the median of three readings after one that warms up and is watched for memory. It is the time of
the processor: all of them use one thread, and what else the machine does should not count.

    python benchmarks/extraction.py --data ../shared/data/documents
"""

import argparse
import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pdfplumber
import psutil
from pdfminer.high_level import extract_text
from pdfminer.layout import LAParams
from typing_extensions import override

from sanbo.documents.extract import extract
from sanbo.documents.formats.pdf import reader as pdf
from sanbo.documents.formats.pdf.pdfium import opened
from sanbo.documents.model import Source

TARGET_MS = 20


class Cost(NamedTuple):
    ms: float
    megabytes: float
    characters: int


def sanbo_pdf(source: Source) -> int:
    return len(pdf.read(source).text)


def sanbo_docx(source: Source) -> int:
    return len(extract(source).text)


def pdfminer_alone(source: Source) -> int:
    return len(extract_text(BytesIO(source.data), laparams=LAParams(detect_vertical=True)))


def pdfplumber_alone(source: Source) -> int:
    characters = 0
    with pdfplumber.open(BytesIO(source.data)) as file:
        for page in file.pages:
            characters += len(page.extract_text())
            characters += sum(
                len(cell or "") for t in page.extract_tables() for r in t for cell in r
            )
            page.close()
    return characters


class Watch(threading.Thread):
    """The most memory the process held while it ran, above what it held before."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._process = psutil.Process()
        self._before = self.peak = self._process.memory_info().rss
        self._done = threading.Event()

    @override
    def run(self) -> None:
        while not self._done.wait(0.005):
            self.peak = max(self.peak, self._process.memory_info().rss)

    def megabytes(self) -> float:
        self.peak = max(self.peak, self._process.memory_info().rss)
        self._done.set()
        return (self.peak - self._before) / 1e6


def cost(reader: Callable[[Source], int], source: Source) -> Cost:
    watch = Watch()
    watch.start()
    characters = reader(source)
    megabytes = watch.megabytes()
    times: list[float] = []
    for _ in range(3):
        began = time.process_time()
        reader(source)
        times.append((time.process_time() - began) * 1000)
    return Cost(median(times), megabytes, characters)


def apart(reader: Callable[[Source], int], source: Source) -> Cost:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(cost, (reader, source))


def used(source: Source) -> str:
    with opened(source) as file:
        readers = Counter(page.reader or "unreadable" for page in pdf.pages_of(file, source))
    return ", ".join(f"{name} {pages}" for name, pages in readers.most_common())


def show(name: str, found: Cost, pages: int, base: Cost) -> None:
    print(
        f"  {name:<34} {found.ms / pages:8.1f} ms/page  {found.ms / base.ms:6.1f} x"
        f"  {found.megabytes:7.1f} MB  {found.characters:>9,} characters"
    )


def compare_pdf(source: Source) -> None:
    with opened(source) as file:
        pages = file.pages
    print(f"\n{source.name}: {pages} pages, read by {used(source)}")
    ours = apart(sanbo_pdf, source)
    show("sanbo: text, headings and tables", ours, pages, ours)
    show("pdfminer.six alone: text", apart(pdfminer_alone, source), pages, ours)
    show("pdfplumber alone: text and tables", apart(pdfplumber_alone, source), pages, ours)
    verdict = "met" if ours.ms / pages <= TARGET_MS else "MISSED"
    print(f"  target: at most {TARGET_MS} ms a page: {verdict} ({ours.ms / pages:.1f} ms)")


def time_docx(source: Source) -> None:
    found = apart(sanbo_docx, source)
    print(f"\n{source.name}: {found.characters:,} characters")
    print(f"  sanbo: {found.ms:.0f} ms in all, {found.megabytes:.1f} MB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="a folder of PDF and DOCX files")
    folder: Path = parser.parse_args().data
    for path in sorted(folder.iterdir()):
        source = Source(name=path.name, data=path.read_bytes())
        if path.suffix == ".pdf":
            compare_pdf(source)
        elif path.suffix == ".docx":
            time_docx(source)


if __name__ == "__main__":
    main()
