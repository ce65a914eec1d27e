"""What it costs to read a file in a guarded process of its own.

    python benchmarks/reading_guard.py [--rounds 15] [FILE …]

Each file is read in turn in this process, without any guard, and by `Readers`, in the same run.
Without files: a note, a table of a thousand rows, and the samples that come with Sanbo.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import sanbo
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from sanbo.documents.reading import Readers

SAMPLES = Path(sanbo.__file__).parent / "service" / "samples"
SUFFIXES = frozenset((".pdf", ".docx", ".xlsx", ".pptx", ".csv", ".md", ".txt", ".eml", ".html"))


def main() -> None:
    parser = argparse.ArgumentParser(description="Guarded reading beside plain reading.")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("files", nargs="*", type=Path)
    given = parser.parse_args()
    sources = [Source(name=path.name, data=path.read_bytes()) for path in given.files]
    readers = Readers(count=1)
    began = time.perf_counter()
    readers.read(Source(name="最初.txt", data="始め".encode()))
    print(f"the first file, with the start of the process: {time.perf_counter() - began:.2f} s")
    print("   kB   plain ms   guarded ms   more ms  file")
    extra: list[float] = []
    for source in sources or _sources():
        plain: list[float] = []
        guarded: list[float] = []
        for _ in range(given.rounds):
            plain.append(_milliseconds(lambda each=source: extract(each)))
            guarded.append(_milliseconds(lambda each=source: readers.read(each)))
        one, other = statistics.median(plain), statistics.median(guarded)
        extra.append(other - one)
        size = len(source.data) / 1000
        print(f"{size:5.0f} {one:10.1f} {other:12.1f} {other - one:9.1f}  {source.name}")
    print(f"more, in the middle: {statistics.median(extra):.1f} ms a file")
    readers.close()


def _sources() -> list[Source]:
    rows = "\n".join(f"{number},新宿本店,{number * 7}" for number in range(1_000))
    made = [
        Source(name="メモ.txt", data="会議は十時からです。".encode("cp932")),
        Source(name="売上.csv", data=f"番号,店舗,売上\n{rows}".encode("cp932")),
    ]
    found = sorted(path for path in SAMPLES.rglob("*") if path.suffix in SUFFIXES)
    return [*made, *(Source(name=path.name, data=path.read_bytes()) for path in found[:12])]


def _milliseconds(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


if __name__ == "__main__":
    main()
