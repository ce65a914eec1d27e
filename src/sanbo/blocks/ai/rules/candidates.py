"""A document as cells; where a label stands in it, and the cells that may hold its value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.blocks.ai.rules.vocabulary import every_label, label_form
from sanbo.documents.model import CELL_SEPARATOR, Document, Table

_GAP = re.compile(r"\t+|[ \u3000]{2,}|\u3000|\s{0,99}+[|｜]\s*")


@dataclass(frozen=True)
class Cell:
    text: str
    start: int
    """In the document's text."""


@dataclass(frozen=True)
class Row:
    cells: tuple[Cell, ...]
    table: int | None
    """Which table it is of; None for a line of text."""
    is_header: bool = False


def rows_of(document: Document) -> list[Row]:
    rows: list[Row] = []
    for number, block in enumerate(document.blocks):
        if isinstance(block, Table):
            rows += _table_rows(block, number, document.text)
        else:
            rows += _lines(document.text, block.position.start, block.position.end)
    return rows


def _table_rows(table: Table, number: int, text: str) -> Iterator[Row]:
    if table.columns:
        yield Row(_cells(table.columns, table.position.start, text), number, is_header=True)
    for cells, start in zip(table.rows, table.row_starts, strict=True):
        yield Row(_cells(cells, start, text), number)


def _cells(texts: Sequence[str], start: int, text: str) -> tuple[Cell, ...]:
    found: list[Cell] = []
    place = start
    for each in texts:
        at = text.find(each, place) if each else place
        found.append(Cell(each.strip(), at if at >= 0 else place))
        place = (at if at >= 0 else place) + len(each) + len(CELL_SEPARATOR)
    return tuple(found)


def _lines(text: str, start: int, end: int) -> Iterator[Row]:
    place = start
    for line in text[start:end].split("\n"):
        if line.strip():
            yield Row(tuple(_pieces(line, place)), None)
        place += len(line) + 1


def _pieces(line: str, start: int) -> Iterator[Cell]:
    place = 0
    for gap in [*_GAP.finditer(line), None]:
        end = gap.start() if gap else len(line)
        if piece := line[place:end].strip():
            yield Cell(piece, start + place + line[place:end].index(piece))
        place = gap.end() if gap else end


MOST_BELOW = 2
LONGEST_LABEL = 24
_SEPARATORS = re.compile(r"[:：]|\s+|(?<=[^\s\d])(?=[¥￥$€£△▲\\])|(?<=[^\x00-\x7f])(?=[0-9０-９])")


@dataclass(frozen=True)
class Candidate:
    label: str
    """In label form."""
    label_text: str
    value: Cell
    nearness: int
    """0: in the label's own cell, 1: beside it, 2: below it."""
    order: int
    """Where in the document the label stands."""


def candidates(rows: Sequence[Row], labels: frozenset[str]) -> Iterator[Candidate]:
    order = 0
    for number, row in enumerate(rows):
        for column, cell in enumerate(row.cells):
            order += 1
            if not cell.text:
                continue
            form = label_form(cell.text)
            if form in labels:
                yield from _around(rows, number, column, form, order)
                continue
            yield from _inside(cell, labels, order)
            yield from _spaced_out(row, column, labels, order)


def _around(
    rows: Sequence[Row], number: int, column: int, form: str, order: int
) -> Iterator[Candidate]:
    row = rows[number]
    said = row.cells[column].text
    for cell in row.cells[column + 1 :]:
        if cell.text and cell.text not in (":", "："):
            yield Candidate(form, said, cell, 1, order)
            break
    for below in rows[number + 1 : number + 1 + MOST_BELOW]:
        if below.table != row.table:
            break
        cell = _same_column(below, column, row)
        if cell is not None and cell.text:
            yield Candidate(form, said, cell, 2, order)
            break


def _same_column(below: Row, column: int, row: Row) -> Cell | None:
    """A line of text has no columns: below a label that stands alone is the whole next line."""
    if row.table is None and len(row.cells) == 1:
        column = 0
    return below.cells[column] if column < len(below.cells) else None


def _inside(cell: Cell, labels: frozenset[str], order: int) -> Iterator[Candidate]:
    """`請求金額：110,000円`, `Total Due $1,234.00`, `登録番号T1234567890123`."""
    known = labels | every_label()
    longest: Candidate | None = None
    for cut in _SEPARATORS.finditer(cell.text):
        if cut.start() > LONGEST_LABEL:
            break
        form = label_form(cell.text[: cut.start()])
        rest = cell.text[cut.end() :].lstrip(" :：\u3000")
        if form in known and rest:  # "Invoice date: …" is no invoice with the number "date"
            start = cell.start + len(cell.text) - len(rest)
            said = cell.text[: cut.start()]
            longest = Candidate(form, said, Cell(rest.strip(), start), 0, order)
    if longest is not None and longest.label in labels:
        yield longest


def _spaced_out(row: Row, column: int, labels: frozenset[str], order: int) -> Iterator[Candidate]:
    """`請　求　金　額　110,000円`: a label whose letters stand apart."""
    if row.table is not None or len(row.cells[column].text) != 1:
        return
    letters = ""
    for place in range(column, len(row.cells) - 1):
        if len(row.cells[place].text) != 1:
            return
        letters += row.cells[place].text
        if len(letters) > 1 and label_form(letters) in labels:
            yield Candidate(label_form(letters), letters, row.cells[place + 1], 1, order)
