"""Puts a document together block by block, keeping every span and heading path right.

How much of a file becomes a document is counted while it is read, and it is read no further.
"""

import re
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

from sanbo.documents.columns import MOST_CELLS
from sanbo.documents.model import (
    BLOCK_SEPARATOR,
    CELL_SEPARATOR,
    Document,
    Format,
    Heading,
    Paragraph,
    Position,
    Role,
    Table,
)
from sanbo.kernel.problems import LimitExceeded, Problem, SanboError


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


# What no reader means to show: controls other than line breaks and tabs, lone surrogates,
# non-characters. They come from broken files and break JSON, terminals and databases.
_NOT_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x9f\ud800-\udfff\ufffe\uffff\ufeff]")
# Every block below a heading carries it in its path, however long somebody made it.
LONGEST_IN_PATH = 200


def clean(text: str) -> str:
    """Line breaks as \\n, nothing unprintable, no white space around."""
    if text.isprintable():
        return text.strip()
    return _NOT_TEXT.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()


class DocumentBuilder:
    """`heading`, `paragraph` and `table` in reading order, then `build`."""

    def __init__(self, name: str, format: Format) -> None:
        self.name = name
        self.format: Format = format
        self.title: str | None = None
        self._pieces: list[str] = []
        self._length = 0
        self._blocks: list[Heading | Paragraph | Table] = []
        self._headings: list[tuple[int, str]] = []
        self._warnings: list[Problem] = []
        self._most = limits_in_force()
        self._parts = 0
        self._cells = 0

    @property
    def length(self) -> int:
        """Characters so far: what a limit on the whole document is held against."""
        return self._length

    def warn(self, error: SanboError) -> None:
        """Something a person should know about this document; reading goes on."""
        self._warnings.append(error.problem)

    def heading(
        self, text: str, level: int, *, page: int | None = None, sheet: str | None = None
    ) -> None:
        """A heading of level n ends the sections of level n and deeper."""
        text = _one_line(text)
        if not text:
            return
        while self._headings and self._headings[-1][0] >= level:
            self._headings.pop()
        self._headings.append((level, text[:LONGEST_IN_PATH]))
        start, end = self._append(text)
        self._blocks.append(
            Heading(level=level, position=self._position(start, end, page=page, sheet=sheet))
        )

    def paragraph(
        self,
        text: str,
        *,
        role: Role = "body",
        page: int | None = None,
        sheet: str | None = None,
        row: int | None = None,
    ) -> None:
        text = clean(text)
        if not text:
            return
        start, end = self._append(text)
        position = self._position(start, end, page=page, sheet=sheet, row=row)
        self._blocks.append(Paragraph(role=role, position=position))

    def table(
        self,
        rows: Iterable[Sequence[str]],
        *,
        columns: Sequence[str] | None = None,
        title: str | None = None,
        page: int | None = None,
        sheet: str | None = None,
        header_row: int = 1,
        row_numbers: Sequence[int] | None = None,
    ) -> None:
        """`header_row`: the source's number of the first line, header or not."""
        header = None if columns is None else tuple(_one_line(name) for name in columns)
        cells = tuple(tuple(_one_line(value) for value in self._counted(row)) for row in rows)
        lines = [CELL_SEPARATOR.join(row) for row in cells]
        if header is not None:
            lines.insert(0, CELL_SEPARATOR.join(header))
        if not any(line.strip() for line in lines):
            return
        begin, end = self._append("\n".join(lines))
        starts: list[int] = []
        at = begin
        for line in lines:
            starts.append(at)
            at += len(line) + 1
        first = header_row + (header is not None)
        numbers = range(first, first + len(cells)) if row_numbers is None else row_numbers
        self._blocks.append(
            Table(
                title=title,
                columns=header,
                rows=cells,
                row_starts=tuple(starts[header is not None :]),
                row_numbers=tuple(numbers),
                position=self._position(begin, end, page=page, sheet=sheet, row=header_row),
            )
        )

    def build(self, *, pages: int | None = None) -> Document:
        return Document(
            name=self.name,
            format=self.format,
            title=self.title,
            text="".join(self._pieces),
            blocks=tuple(self._blocks),
            pages=pages,
            warnings=tuple(self._warnings),
        )

    def _counted(self, row: Sequence[str]) -> Sequence[str]:
        self._parts += 1
        self._cells += len(row)
        self._most.check(parts=self._parts, cells=self._cells)
        return row

    def _append(self, text: str) -> tuple[int, int]:
        if self._pieces:
            self._pieces.append(BLOCK_SEPARATOR)
            self._length += len(BLOCK_SEPARATOR)
        start = self._length
        self._pieces.append(text)
        self._length += len(text)
        self._parts += 1
        self._most.check(characters=self._length, parts=self._parts)
        return start, self._length

    def _position(
        self,
        start: int,
        end: int,
        *,
        page: int | None = None,
        sheet: str | None = None,
        row: int | None = None,
    ) -> Position:
        headings = tuple(text for _, text in self._headings)
        return Position(start=start, end=end, page=page, sheet=sheet, row=row, headings=headings)


def _one_line(text: str) -> str:
    """For headings and cells: breaks and tabs inside become blanks."""
    if text.isprintable():  # nearly always, and then there is nothing else to do
        return text.strip()
    return " ".join(part.strip() for part in re.split(r"[\n\t]+", clean(text)))
