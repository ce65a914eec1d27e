"""How much of a file becomes a document: counted while it is read, and no further."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sanbo.documents.columns import MOST_CELLS
from sanbo.kernel.problems import LimitExceeded


@dataclass(frozen=True)
class ReadingLimits:
    characters: int
    parts: int
    """Paragraphs, headings and rows of tables."""
    cells: int

    def check(self, *, characters: int = 0, parts: int = 0, cells: int = 0) -> None:
        """What there is up to now; raises where that is too much already."""
        if cells > self.cells:
            raise LimitExceeded("tables_too_large", cells=cells, limit=self.cells)
        if characters > self.characters or parts > self.parts:
            raise LimitExceeded("document_too_large", characters=self.characters, parts=self.parts)


DOCUMENT = ReadingLimits(characters=30_000_000, parts=1_000_000, cells=3_000_000)
"""What is read to be found, shown or compared ends up in the memory of the process that asked."""
_TABLE = ReadingLimits(characters=1_000_000_000, parts=MOST_CELLS, cells=MOST_CELLS)
"""What is computed with stays in a process of its own."""
_in_force: ContextVar[ReadingLimits] = ContextVar("reading_limits", default=_TABLE)


def limits_in_force() -> ReadingLimits:
    return _in_force.get()


@contextmanager
def limited(limits: ReadingLimits) -> Generator[None]:
    token = _in_force.set(limits)
    try:
        yield
    finally:
        _in_force.reset(token)
