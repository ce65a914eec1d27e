"""CSV and TSV as exports really are: title lines, stray quotes, ragged rows, any encoding."""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sanbo.documents.columns import MOST_CELLS, MOST_COLUMNS
from sanbo.documents.encodings import decode, decode_as
from sanbo.documents.table_heads import column_names, find_head
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE_CHARACTERS = 200_000
_SAMPLE_RECORDS = 300
_SEPARATOR_LINE = re.compile(r"\s*\"?sep=(.)\"?\s*", re.IGNORECASE)

# A quote that is never closed would take in all the rest of the file as one cell.
_MOST_LINES_IN_A_RECORD = 1000
_MOST_STRAY_QUOTES = 100
_LONGEST_CELL = 10_000_000
_ROWS_TO_NAME = 10


@dataclass(frozen=True)
class Delimited:
    rows: list[list[str]]
    """All of the header's width; empty rows are left out."""
    row_numbers: list[int]
    """The line of the file where each row begins, from 1."""
    header: list[str] | None
    header_row: int
    """The line of the header, or of the first row if there is none."""
    title_lines: list[tuple[int, str]]
    """What stands above the table, with line numbers."""
    delimiter: str
    encoding: str
    warnings: list[SanboError] = field(default_factory=list[SanboError])

    @property
    def title(self) -> str | None:
        return self.title_lines[0][1] if self.title_lines else None


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    cells: list[str]


def read_delimited(
    data: bytes,
    *,
    delimiter: str | None = None,
    has_header: bool | None = None,
    encoding: str | None = None,
) -> Delimited:
    """What is not given is found out. Row by row damage is a warning, never a lost file."""
    if delimiter is not None and len(delimiter) != 1:
        raise InvalidInput("tables_delimiter", delimiter=delimiter)
    decoded = decode(data) if encoding is None else decode_as(data, encoding)
    # The last one ends a file of DOS; NUL fills up fields of old systems.
    text = decoded.text.rstrip("\x1a").replace("\0", "")
    warnings: list[SanboError] = []
    if decoded.replaced:
        warnings.append(UnsupportedFormat("text_bytes_replaced", count=decoded.replaced))
    skip, named = _separator_line(text)
    used = delimiter or named or _find_delimiter(text[:_SAMPLE_CHARACTERS])
    lines = _Lines(text, skip)
    records = [record for record in _records(lines, used) if any(map(str.strip, record.cells))]
    if not records:
        raise UnsupportedFormat("tables_nothing_in_it")
    if lines.stray_quotes:
        warnings.append(
            UnsupportedFormat(
                "tables_stray_quotes",
                rows=_named(lines.stray_quotes),
                count=len(lines.stray_quotes),
            )
        )
    head = find_head([record.cells for record in records])
    titles = records[: head.title_lines]
    body = records[head.title_lines :]
    first = body[0]
    with_header = head.has_header if has_header is None else has_header
    if with_header:
        body = body[1:]
    width = _width(first, body, warnings)
    return Delimited(
        rows=[_of_width(record.cells, width) for record in body],
        row_numbers=[record.line for record in body],
        header=column_names(_of_width(first.cells, width)) if with_header else None,
        header_row=first.line,
        title_lines=[(record.line, _line_of(record.cells)) for record in titles],
        delimiter=used,
        encoding=decoded.encoding,
        warnings=warnings,
    )


def _separator_line(text: str) -> tuple[int, str | None]:
    """`sep=;`, by which Excel is told: how many characters to skip, and the delimiter."""
    end = text.find("\n", 0, 40) + 1
    found = _SEPARATOR_LINE.fullmatch(text[:end]) if end else None
    return (end, found[1]) if found else (0, None)


def _find_delimiter(sample: str) -> str:
    """The one that cuts most lines into the same number of cells, and into the most of them."""

    def evenness(delimiter: str) -> tuple[float, int]:
        counts: Counter[int] = Counter()
        for number, record in enumerate(_records(_Lines(sample), delimiter)):
            if number == _SAMPLE_RECORDS:
                break
            counts[len(record.cells)] += 1
        del counts[0]
        several = {cells: rows for cells, rows in counts.items() if cells > 1}
        if not several:
            return 0.0, 1
        cells, rows = max(several.items(), key=lambda item: (item[1], item[0]))
        return rows / counts.total(), cells

    return max(_DELIMITERS, key=evenness)


class _Lines:
    """The lines of a text with their numbers, and a way back to where a record began."""

    def __init__(self, text: str, skip: int = 0) -> None:
        self._buffer = io.StringIO(text, newline="")  # the csv module sees line ends as they are
        self._buffer.seek(skip)
        self.number = 1 if skip else 0
        self.stray_quotes: list[int] = []
        self._begin = (skip, self.number)

    def mark(self) -> int:
        """The number of the line that comes next, to which `back` returns."""
        self._begin = (self._buffer.tell(), self.number)
        return self.number + 1

    def back(self) -> None:
        position, self.number = self._begin
        self._buffer.seek(position)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._buffer.readline()
        if not line:
            raise StopIteration
        self.number += 1
        if self.number - self._begin[1] > _MOST_LINES_IN_A_RECORD:
            raise csv.Error("a quote that is not closed")
        return line


def _records(lines: _Lines, delimiter: str) -> Iterator[_Record]:
    csv.field_size_limit(_LONGEST_CELL)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        line = lines.mark()
        try:
            cells = next(reader, None)
        except csv.Error:
            cells = _cells_of_broken_line(lines, delimiter)
            is_plain = len(lines.stray_quotes) >= _MOST_STRAY_QUOTES  # quotes mean nothing here
            quoting = csv.QUOTE_NONE if is_plain else csv.QUOTE_MINIMAL
            reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
        if cells is None:
            return
        yield _Record(line, cells)


def _cells_of_broken_line(lines: _Lines, delimiter: str) -> list[str]:
    """The line that breaks the rules: quotes inside a quoted cell, or one that is never closed."""
    last = lines.number
    lines.back()
    line = next(lines)
    is_never_closed = last > lines.number or line.count('"') == 1
    if is_never_closed:
        lines.stray_quotes.append(lines.number)
        quoting = csv.QUOTE_NONE
    else:
        quoting = csv.QUOTE_MINIMAL
        mark = re.escape(delimiter)
        # Quotes inside a cell, which should have been doubled: no end of a cell is next to them.
        line = re.sub(rf'(?<![{mark}"])(?<!^)"(?!["{mark}\r\n]|$)', '""', line)
    try:
        cells: list[str] = next(csv.reader([line], delimiter=delimiter, quoting=quoting))
    except csv.Error as error:
        raise LimitExceeded("tables_cell_too_long", limit=_LONGEST_CELL) from error
    return cells


def _width(first: _Record, body: Sequence[_Record], warnings: list[SanboError]) -> int:
    """That of the fullest row, so that no cell is lost; rows that differ are named."""
    expected = len(first.cells)
    width = max(expected, max((_used_width(record.cells) for record in body), default=0))
    if width > MOST_COLUMNS:
        raise LimitExceeded("tables_too_wide", columns=width, limit=MOST_COLUMNS)
    if width * len(body) > MOST_CELLS:
        raise LimitExceeded("tables_too_large", cells=width * len(body), limit=MOST_CELLS)
    ragged = [
        record.line
        for record in body
        if len(record.cells) < expected or _used_width(record.cells) > expected
    ]
    if ragged:
        warnings.append(
            InvalidInput("tables_ragged", rows=_named(ragged), count=len(ragged), columns=expected)
        )
    return width


def _used_width(cells: Sequence[str]) -> int:
    """Without empty cells at the end, which a comma too many makes."""
    width = len(cells)
    while width and not cells[width - 1].strip():
        width -= 1
    return width


def _of_width(cells: Sequence[str], width: int) -> list[str]:
    return [*cells[:width], *[""] * (width - len(cells))]


def _line_of(cells: Sequence[str]) -> str:
    return " ".join(cell.strip() for cell in cells if cell.strip())


def _named(lines: Sequence[int]) -> str:
    shown = ", ".join(map(str, lines[:_ROWS_TO_NAME]))
    return f"{shown}…" if len(lines) > _ROWS_TO_NAME else shown
