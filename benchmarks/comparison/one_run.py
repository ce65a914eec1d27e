"""One whole comparison in a process of its own: `python -m comparison.one_run 5000 sanbo`."""

import re
import sys
import time
from collections.abc import Callable
from difflib import SequenceMatcher
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.chunking.sides import document_side
from sanbo.agents.comparison.material import Compared, Material
from sanbo.agents.comparison.model import ComparisonResult, Pair
from sanbo.agents.comparison.outputs.html import side_by_side
from sanbo.agents.comparison.outputs.report import report_md
from sanbo.agents.comparison.results import result_of, table_of_changes
from sanbo.documents.extract import extract
from sanbo.documents.model import Source
from sanbo.reports.content import written

from .contracts import contract, edited_contract

Made = TypeVar("Made")
_PEAK = re.compile(r"VmHWM:\s*(\d+) kB")


class Cost(BaseModel):
    """Of one comparison, or of difflib on the same texts."""

    steps: dict[str, float]
    """Seconds of the processor, after all imports."""
    seconds: float
    """That a person waits."""
    mebibytes: float
    """At the peak, of the whole process."""


def compare(before: str, after: str) -> dict[str, float]:
    steps: dict[str, float] = {}
    old = Source(name="old.md", data=before.encode())
    new = Source(name="new.md", data=after.encode())
    documents = _timed(steps, "read", lambda: (extract(old), extract(new)))
    sides = _timed(
        steps,
        "chunk",
        lambda: (document_side(documents[0], "A"), document_side(documents[1], "B")),
    )
    alignment = _timed(steps, "align", lambda: align(*sides))
    pair = Pair(old=sides[0], new=sides[1], alignment=alignment)
    result = _timed(steps, "changes", lambda: _result(pair))
    _timed(steps, "outputs", lambda: _written(result, pair))
    return steps


def difference(before: str, after: str) -> dict[str, float]:
    """With difflib: paragraphs first, then the characters of each that changed."""
    steps: dict[str, float] = {}
    old, new = before.split("\n\n"), after.split("\n\n")
    _timed(steps, "difflib", lambda: _marked_up(old, new))
    return steps


def _marked_up(old: list[str], new: list[str]) -> None:
    paragraphs = SequenceMatcher(None, old, new, autojunk=False)
    for operation, start, end, other, other_end in paragraphs.get_opcodes():
        if operation == "replace":
            for one, two in zip(old[start:end], new[other:other_end], strict=False):
                SequenceMatcher(None, one, two, autojunk=False).get_opcodes()


def _result(pair: Pair) -> ComparisonResult:
    return result_of(Material(Compared(pairs=(pair,))), {}, "ja")


def _written(result: ComparisonResult, pair: Pair) -> list[bytes]:
    report = table_of_changes(result, "ja")
    return [
        report_md(result, language="ja").encode(),
        result.model_dump_json().encode(),
        side_by_side(result, (pair,), "ja").encode(),
        written(report, "docx"),
        written(report, "xlsx"),
    ]


def _timed(steps: dict[str, float], name: str, work: Callable[[], Made]) -> Made:
    started = time.process_time()
    done = work()
    steps[name] = time.process_time() - started
    return done


def _peak() -> float:
    """Not getrusage: that counts what the parent process held, too."""
    found = _PEAK.search(Path("/proc/self/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


if __name__ == "__main__":
    size, way = int(sys.argv[1]), sys.argv[2]
    texts = contract(size), edited_contract(size)  # written here, so no part of the waiting
    began = time.perf_counter()
    taken = compare(*texts) if way == "sanbo" else difference(*texts)
    waited = time.perf_counter() - began
    print(Cost(steps=taken, seconds=waited, mebibytes=_peak()).model_dump_json())
