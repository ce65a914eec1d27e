"""A file as one table of typed columns: what an analysis works on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from sanbo.documents.columns import Cell, ColumnType, infer_columns, typed
from sanbo.documents.found_table import FoundTable
from sanbo.documents.number_formats import Padded, Percentage
from sanbo.documents.sheets import shown_as
from sanbo.documents.slashed_dates import slashed_column
from sanbo.documents.table_heads import column_names, names_a_column
from sanbo.kernel.problems import InvalidInput, SanboError, UnsupportedFormat

_CELLS_TO_NAME = 3
_CURRENCIES = {
    "円": ("円", "¥", "￥", "\\", "JPY"),
    "$": ("$", "＄", "USD", "ドル"),
    "€": ("€", "EUR", "ユーロ"),
    "£": ("£", "￡"),
}


@dataclass(frozen=True)
class TabularColumn:
    name: str
    type: ColumnType
    cells: Sequence[Cell]
    unit: str = ""
    """Of money, as its cells are written: 円, $, €, £."""


@dataclass(frozen=True)
class Tabular:
    columns: list[TabularColumn]
    warnings: list[SanboError] = field(default_factory=list[SanboError])


def tabular_of(found: FoundTable, texts: Iterable[int] = ()) -> Tabular:
    """With typed cells; the columns at `texts` stay words, whatever they hold."""
    warnings = list(found.warnings)
    names = found.names or _made_names(found.rows, warnings)
    columns = _columns(found, names, frozenset(texts), warnings)
    return Tabular(columns, warnings)


def _made_names(rows: Sequence[Sequence[Cell]], warnings: list[SanboError]) -> list[str]:
    """For a table without a header, unless it has nothing else."""
    if len(rows) == 1 and all(names_a_column(str(cell)) for cell in rows[0]):
        raise UnsupportedFormat("tabular_no_rows")
    warnings.append(InvalidInput("tabular_no_header"))
    return column_names([""] * len(rows[0] if rows else []))


def _columns(
    found: FoundTable, names: Sequence[str], texts: frozenset[int], warnings: list[SanboError]
) -> list[TabularColumn]:
    if not found.rows:
        raise UnsupportedFormat("tabular_no_rows")
    rows = _with_codes(found)
    types: list[ColumnType] = infer_columns(rows)
    nothing: ColumnType = "empty"
    types.extend(nothing for _ in range(len(names) - len(types)))
    for position, kind in enumerate(types):
        if position in texts and kind != "empty":
            types[position] = "text"
        elif kind in ("integer", "number") and _is_percentage(found, position):
            types[position] = "percent"
    values = typed(rows, types)
    for number, name in enumerate(names):
        odd = [cell for cell in values.unreadable if cell.column == number]
        if odd:
            shown_cells = "、".join(
                f"{found.row_numbers[cell.row]}: {cell.text[:20]}" for cell in odd[:_CELLS_TO_NAME]
            )
            warnings.append(
                InvalidInput("tabular_odd_cells", column=name, count=len(odd), cells=shown_cells)
            )
    by_column = list(zip(*values.rows, strict=True))
    columns = [
        TabularColumn(name, kind, cells) if number in texts else _column(name, kind, cells)
        for number, (name, kind, cells) in enumerate(zip(names, types, by_column, strict=True))
    ]
    return [
        replace(column, unit=_currency(row[number] for row in rows if number < len(row)))
        if column.type == "currency"
        else column
        for number, column in enumerate(columns)
    ]


def _with_codes(found: FoundTable) -> Sequence[Sequence[Cell]]:
    """12 that a workbook shows as 0012 is that code."""
    padded = [
        (position, formats)
        for position, formats in found.number_formats.items()
        if any(isinstance(each, Padded) for each in formats.values())
    ]
    if not padded:
        return found.rows
    rows = [list(row) for row in found.rows]
    for row, number in zip(rows, found.row_numbers, strict=True):
        for position, formats in padded:
            if isinstance(formats.get(number), Padded):
                row[position] = shown_as(row[position], formats[number])
    return rows


def _is_percentage(found: FoundTable, position: int) -> bool:
    """Most of a column's numbers are shown as 12.5%."""
    formats = found.number_formats.get(position)
    if not formats:
        return False
    numbers = [
        number
        for row, number in zip(found.rows, found.row_numbers, strict=True)
        if isinstance(row[position], int | float)
    ]
    shown_so = sum(isinstance(formats.get(number), Percentage) for number in numbers)
    return shown_so > len(numbers) / 2


def _currency(cells: Iterable[Cell]) -> str:
    """By the signs in the cells; none where a column mixes several."""
    found = {
        unit
        for cell in cells
        if isinstance(cell, str)
        for unit, signs in _CURRENCIES.items()
        if any(sign in cell for sign in signs)
    }
    return found.pop() if len(found) == 1 else ""


def typed_column(name: str, cells: Sequence[Cell]) -> TabularColumn:
    """A column that stands alone; cells that are not what the others are make it text."""
    rows = [[cell] for cell in cells]
    types: list[ColumnType] = infer_columns(rows)
    values = typed(rows, types)
    if not types or values.unreadable:
        return TabularColumn(name, "text", cells)
    return _column(name, types[0], [row[0] for row in values.rows])


def _column(name: str, kind: ColumnType, cells: Sequence[Cell]) -> TabularColumn:
    if kind == "text":
        dates = slashed_column(["" if cell is None else str(cell) for cell in cells])
        if dates is not None:
            return TabularColumn(name, "date", dates)
    return TabularColumn(name, kind, cells)
