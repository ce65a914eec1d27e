"""Where a label stands, and the pieces of text beside and below it that may be its value."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.blocks.ai.rules.cells import Cell, Row
from sanbo.blocks.ai.rules.vocabulary import every_label, label_form

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
