"""A document as cells: rows of a table, or a line of text cut where people leave a gap."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
