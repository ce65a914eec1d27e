"""CSV and TSV as exports really are: title lines, stray quotes, ragged rows, any encoding.

As documents, they are their tables, with rows numbered by the lines of the file.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from sanbo.documents.builder import DocumentBuilder, limits_in_force
from sanbo.documents.columns import MOST_COLUMNS
from sanbo.documents.encodings import decode, decode_named
from sanbo.documents.file_formats import FileFormat
from sanbo.documents.model import Document, Source
from sanbo.documents.table_heads import (
    column_names,
    find_head,
    first_full_row,
    is_header,
    joined_header,
)
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

FORMAT = FileFormat(
    name="csv",
    titles={"ja": "CSV", "en": "CSV"},
    rank=50,
    endings={".csv": "text/csv", ".tsv": "text/tab-separated-values"},
    reader="sanbo.documents.formats.csv:read",
    is_text=True,
    table="delimited",
    counts_rows=True,
)


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
    heads: list[list[str]] = field(default_factory=list[list[str]])
    """The header's rows as they stand."""

    @property
    def title(self) -> str | None:
        return self.title_lines[0][1] if self.title_lines else None


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    cells: list[str]
    is_after_gap: bool = False
    """Below an empty line."""


def read_delimited(
    data: bytes,
    *,
    delimiter: str | None = None,
    has_header: bool | None = None,
    encoding: str | None = None,
) -> Delimited:
    """The file as one table. What is not given is found out.

    Row by row damage is a warning, never a lost file.
    """
    text = _read_text(data, delimiter, encoding)
    return _table(text, text.records, _Heads(has_header), warnings=text.warnings)


def read_tables(
    data: bytes, *, apart: bool = True, header_rows: int = 2, joint: str = " "
) -> list[Delimited]:
    """As `read_delimited`, but tables one below the other are told apart, unless `apart` is not.

    Of two header rows at most so many are taken, their names joined by `joint`.
    """
    text = _read_text(data, None, None)
    parts = _parts(text.records) if apart else [text.records]
    head = _Heads(None, header_rows, joint)
    return [
        _table(text, part, head, warnings=[] if number else text.warnings)
        for number, part in enumerate(parts)
    ]


@dataclass(frozen=True)
class _Heads:
    is_there: bool | None = None
    """None: found out."""
    most_rows: int = 2
    joint: str = " "


@dataclass(frozen=True)
class _Text:
    records: list[_Record]
    delimiter: str
    encoding: str
    warnings: list[SanboError]


def _read_text(data: bytes, delimiter: str | None, encoding: str | None) -> _Text:
    if delimiter is not None and len(delimiter) != 1:
        raise InvalidInput("tables_delimiter", delimiter=delimiter)
    decoded = decode(data) if encoding is None else decode_named(data, encoding)
    # The last one ends a file of DOS; NUL fills up fields of old systems.
    text = decoded.text.rstrip("\x1a").replace("\0", "")
    warnings: list[SanboError] = []
    if decoded.replaced:
        warnings.append(UnsupportedFormat("text_bytes_replaced", count=decoded.replaced))
    skip, named = _separator_line(text)
    used = delimiter or named or _find_delimiter(text[:_SAMPLE_CHARACTERS])
    lines = _Lines(text, skip)
    records = list(_within_limits(_filled_records(lines, used)))
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
    return _Text(records, used, decoded.encoding, warnings)


def _parts(records: Sequence[_Record]) -> list[list[_Record]]:
    """Cut at empty lines below which a table with a header of its own begins."""
    bands: list[list[_Record]] = []
    for record in records:
        if record.is_after_gap or not bands:
            bands.append([])
        bands[-1].append(record)
    parts = [bands[0]]
    above: list[_Record] = []  # lines that may be the title of the next table
    for band in bands[1:]:
        if all(_is_line(record) for record in band):
            above.extend(band)
        elif _is_table(parts[-1]) and _begins_anew(parts[-1], band):
            parts.append([*above, *band])
            above = []
        else:
            parts[-1].extend([*above, *band])
            above = []
    parts[-1].extend(above)
    return parts


def _is_line(record: _Record) -> bool:
    return sum(bool(cell.strip()) for cell in record.cells) == 1


def _is_table(records: Sequence[_Record]) -> bool:
    return sum(not _is_line(record) for record in records[-_ROWS_TO_NAME:]) > 1


def _begins_anew(part: Sequence[_Record], band: Sequence[_Record]) -> bool:
    rows = [record.cells for record in band]
    begin = first_full_row(rows)
    widths = [_used_width(record.cells) for record in (part[-1], band[begin])]
    # Rows of the same width may go on with the table above, unless their kinds of values differ.
    return is_header(rows[begin], rows[begin + 1 :], surely=widths[0] == widths[1])


def _table(
    text: _Text, records: Sequence[_Record], heads: _Heads, *, warnings: list[SanboError]
) -> Delimited:
    head = find_head([record.cells for record in records])
    titles = records[: head.title_lines]
    body = records[head.title_lines :]
    first = body[0]
    depth = min(head.header_rows, heads.most_rows)
    if heads.is_there is not None:
        depth = max(depth, 1) * heads.is_there
    names, body = body[:depth], body[depth:]
    width = _width(names or [first], body, warnings)
    return Delimited(
        rows=[_of_width(record.cells, width) for record in body],
        row_numbers=[record.line for record in body],
        header=_header([_of_width(record.cells, width) for record in names], heads.joint),
        header_row=first.line,
        title_lines=[(record.line, _line_of(record.cells)) for record in titles],
        delimiter=text.delimiter,
        encoding=text.encoding,
        warnings=warnings,
        heads=[_of_width(record.cells, width) for record in names],
    )


def _header(rows: Sequence[Sequence[str]], joint: str) -> list[str] | None:
    if not rows:
        return None
    return column_names(rows[0] if len(rows) == 1 else joined_header(rows[0], rows[1], joint))


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


def _filled_records(lines: _Lines, delimiter: str) -> Iterator[_Record]:
    is_after_gap = False
    for record in _records(lines, delimiter):
        if any(map(str.strip, record.cells)):
            yield replace(record, is_after_gap=True) if is_after_gap else record
            is_after_gap = False
        else:
            is_after_gap = True


def _within_limits(records: Iterator[_Record]) -> Iterator[_Record]:
    most = limits_in_force()
    cells = 0
    for number, record in enumerate(records):
        cells += len(record.cells)
        most.check(parts=number, cells=cells)
        yield record


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
        yield _Record(line, [_unwrapped(cell) for cell in cells])


def _unwrapped(cell: str) -> str:
    """`="0012"`, by which Excel is told to keep the zeros."""
    return cell[2:-1] if cell[:2] == '="' and cell[-1] == '"' and len(cell) > 2 else cell


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


def _width(head: Sequence[_Record], body: Sequence[_Record], warnings: list[SanboError]) -> int:
    """That of the fullest row, so that no cell is lost; rows that differ are named."""
    width = max(_used_width(record.cells) for record in (*head, *body))
    expected = min(max(len(record.cells) for record in head), width)
    if width > MOST_COLUMNS:
        raise LimitExceeded("tables_too_wide", columns=width, limit=MOST_COLUMNS)
    limits_in_force().check(cells=width * len(body))
    ragged = [
        record.line
        for record in body[: _end_of_rows(body)]
        if len(record.cells) < expected or _used_width(record.cells) > expected
    ]
    if ragged:
        warnings.append(
            InvalidInput("tables_ragged", rows=_named(ragged), count=len(ragged), columns=expected)
        )
    return width


def _end_of_rows(body: Sequence[_Record]) -> int:
    """Without lines of text below a gap, which have no commas as they are no rows."""
    end = len(body)
    for number in range(len(body) - 1, -1, -1):
        if len(body[number].cells) > 1:
            break
        end = number if body[number].is_after_gap else end
    return end


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


def read(source: Source) -> Document:
    tables = read_tables(source.data)
    builder = DocumentBuilder(source.name, "csv")
    builder.title = tables[0].title
    for table in tables:
        for line, text in table.title_lines:
            builder.paragraph(text, row=line)
        builder.table(
            table.rows,
            columns=table.header,
            title=table.title,
            header_row=table.header_row,
            row_numbers=table.row_numbers,
        )
        for warning in table.warnings:
            builder.warn(warning)
    return builder.build()
