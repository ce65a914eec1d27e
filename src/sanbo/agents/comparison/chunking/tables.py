"""A table as it is compared: each row a chunk, known by the column that a person names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from sanbo.agents.comparison.chunking.paragraphs import plain
from sanbo.agents.comparison.chunking.sides import Letter, document_side
from sanbo.agents.comparison.model import Chunk, Side
from sanbo.agents.comparison.references import masked
from sanbo.documents.model import Document, Table
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, Problem
from sanbo.kernel.text import listed, matching_form

_WORD = re.compile(r"[^\W\d_]{3}|[\u3040-\u9fff]{2}")
_FEWEST_ROWS = 4


def group_columns(table: Table) -> Iterator[int]:
    """Columns of words in which rows with the same value stand together."""
    if len(table.rows) < _FEWEST_ROWS:
        return
    for place in range(len(table.columns or ())):
        cells = [row[place].strip() if place < len(row) else "" for row in table.rows]
        runs = sum(1 for _ in groupby(cells))
        is_grouped = 2 * runs <= len(cells) and runs <= 2 * len(set(cells))
        if is_grouped and 2 * sum(map(_is_name, cells)) > len(cells):
            yield place


def _is_name(cell: str) -> bool:
    return _WORD.search(cell) is not None


_BETWEEN_ROWS = "\n\n"


@dataclass(frozen=True)
class _Columns:
    """Where in a table the columns stand that were asked for."""

    table: Table
    id: int | None
    text: int | None
    groups: tuple[int, ...]
    """Columns that say under what a row stands: its chapter, its department."""


@dataclass(frozen=True)
class _Row:
    columns: _Columns
    cells: Sequence[str]
    number: int

    @property
    def id(self) -> str:
        return self._cell(self.columns.id)

    @property
    def text(self) -> str:
        if self.columns.text is not None:
            return self._cell(self.columns.text)
        return "\n".join(self._lines(without=None))

    @property
    def key(self) -> str:
        if self.columns.text is not None:
            return plain(masked(self.text))
        return "\n".join(plain(masked(line)) for line in self._lines(without=self.columns.id))

    @property
    def groups(self) -> tuple[str, ...]:
        cells = (self._cell(place) for place in self.columns.groups)
        return tuple(cell for cell in cells if cell)

    def _lines(self, *, without: int | None) -> Iterator[str]:
        """`列名: 値`, so that a difference tells which cell it is in."""
        names = self.columns.table.columns or ()
        for place, cell in enumerate(self.cells):
            if cell.strip() and place != without:
                name = names[place] if place < len(names) else ""
                yield f"{name}: {cell.strip()}" if name else cell.strip()

    def _cell(self, place: int | None) -> str:
        return "" if place is None or place >= len(self.cells) else self.cells[place].strip()


def table_side(
    document: Document,
    letter: Letter,
    prefix: str = "",
    *,
    id_column: str = "",
    text_column: str = "",
) -> Side:
    """Rows of all tables that have the columns; without any, the document as it stands."""
    if not id_column.strip() and not text_column.strip():
        return document_side(document, letter, prefix)
    tables = _tables(document, id_column, text_column)
    rows = [row for columns in tables for row in _rows(columns) if row.text]
    ids, repeated = _ids(rows, f"{prefix}{letter}")
    text, chunks = _written(rows, ids, is_keyed=bool(id_column.strip()))
    return Side(
        name=document.name,
        format=document.format,
        text=text,
        chunks=chunks,
        pages=document.pages,
        keyed=bool(id_column.strip()),
        warnings=(*document.warnings, *_warnings(document, id_column, repeated)),
    )


def _tables(document: Document, id_column: str, text_column: str) -> list[_Columns]:
    headed = [_headed(table) for table in document.tables]
    if not headed:
        raise InvalidInput("comparison_no_table", name=document.name)
    wanted = [column for column in (id_column, text_column) if column.strip()]
    for column in wanted:
        if all(_place(table, column) is None for table in headed):
            names = dict.fromkeys(name for table in headed for name in table.columns or ())
            raise InvalidInput(
                "comparison_column_unknown",
                name=document.name,
                column=column,
                nearest=alternatives(column, names),
            )
    fitting = [
        _Columns(table, _place(table, id_column), _place(table, text_column), ())
        for table in headed
        if all(_place(table, column) is not None for column in wanted)
    ]
    if not fitting:
        raise InvalidInput(
            "comparison_columns_apart",
            name=document.name,
            id_column=id_column,
            text_column=text_column,
        )
    return [_with_groups(columns) for columns in fitting]


def _headed(table: Table) -> Table:
    """Whoever names columns knows that the first row has their names, if a reader could not."""
    if table.columns or not table.rows:
        return table
    changed = {
        "columns": table.rows[0],
        "rows": table.rows[1:],
        "row_starts": table.row_starts[1:],
        "row_numbers": table.row_numbers[1:],
    }
    return table.model_copy(update=changed)


def _place(table: Table, column: str) -> int | None:
    """By name in any spelling; a name that is written just so comes first."""
    names = table.columns or ()
    if not column.strip():
        return None
    if column in names:
        return names.index(column)
    forms = [matching_form(name) for name in names]
    wanted = matching_form(column)
    return forms.index(wanted) if wanted in forms else None


def _with_groups(columns: _Columns) -> _Columns:
    if columns.text is None:  # every cell is in the text already
        return columns
    taken = {columns.id, columns.text}
    groups = tuple(place for place in group_columns(columns.table) if place not in taken)
    return _Columns(columns.table, columns.id, columns.text, groups)


def _rows(columns: _Columns) -> Iterator[_Row]:
    table = columns.table
    for cells, number in zip(table.rows, table.row_numbers, strict=True):
        yield _Row(columns, cells, number)


def _ids(rows: Sequence[_Row], before_number: str) -> tuple[list[str], dict[str, str]]:
    """An id for each row, and those that were told apart, each with what it was called first."""
    named = {row.id for row in rows if row.id}
    taken: set[str] = set()
    repeated: dict[str, str] = {}
    ids: list[str] = []
    counts: dict[str, int] = {}
    for number, row in enumerate(rows, start=1):
        wanted = row.id or f"{before_number}{number}"
        id = wanted
        while id in taken or (id in named and id != row.id):
            counts[wanted] = counts.get(wanted, 1) + 1
            id = f"{wanted} ({counts[wanted]})"
        if row.id and id != row.id:
            repeated[id] = row.id
        taken.add(id)
        ids.append(id)
    return ids, repeated


def _warnings(document: Document, column: str, repeated: dict[str, str]) -> Iterator[Problem]:
    if repeated:
        yield InvalidInput(
            "comparison_ids_repeated",
            name=document.name,
            column=column,
            count=len(repeated),
            ids=listed(dict.fromkeys(repeated.values())),
            example=next(iter(repeated)),
        ).problem


def _written(
    rows: Sequence[_Row], ids: Iterable[str], *, is_keyed: bool
) -> tuple[str, tuple[Chunk, ...]]:
    pieces: list[str] = []
    chunks: list[Chunk] = []
    at = 0
    for row, id in zip(rows, ids, strict=True):
        text = row.text
        pieces.append(text)
        chunks.append(_chunk(row, id, text, at, is_keyed=is_keyed))
        at += len(text) + len(_BETWEEN_ROWS)
    return _BETWEEN_ROWS.join(pieces), tuple(chunks)


def _chunk(row: _Row, id: str, text: str, start: int, *, is_keyed: bool) -> Chunk:
    position = row.columns.table.position
    return Chunk(
        id=id,
        text=text,
        key=row.key,
        kind="row",
        label=row.id if is_keyed else "",
        position=position.model_copy(
            update={
                "start": start,
                "end": start + len(text),
                "row": row.number,
                "headings": (*position.headings, *row.groups),
            }
        ),
    )
