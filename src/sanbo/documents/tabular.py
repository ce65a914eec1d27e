"""A file as one table of typed columns: what an analysis works on."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from sanbo.documents.columns import Cell, ColumnType, infer_columns, typed
from sanbo.documents.delimited import read_delimited
from sanbo.documents.extract import format_of
from sanbo.documents.file_formats import formats
from sanbo.documents.model import Source
from sanbo.documents.sheet_tables import SheetTable, find_tables
from sanbo.documents.sheets import Sheet, read_sheets
from sanbo.documents.slashed_dates import slashed_column
from sanbo.documents.table_heads import column_names, names_a_column
from sanbo.kernel.problems import InvalidInput, NotFound, SanboError, UnsupportedFormat

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
    sheet: str = ""
    sheets: list[str] = field(default_factory=list[str])
    """That have a table, in the workbook's order."""
    warnings: list[SanboError] = field(default_factory=list[SanboError])


def read_tabular(source: Source, sheet: str = "") -> Tabular:
    """The table of a CSV file, or of a workbook's sheet: the first with one, unless named."""
    if not source.data.strip(b"\x00 \t\r\n"):
        raise UnsupportedFormat("file_empty", name=source.name)
    format = format_of(source)
    match formats()[format].table:
        case "delimited":
            return _of_delimited(source)
        case "workbook":
            return _of_workbook(source, sheet)
        case None:
            raise UnsupportedFormat("tabular_not_a_table", name=source.name, format=format)


def _of_delimited(source: Source) -> Tabular:
    table = read_delimited(source.data)
    warnings = list(table.warnings)
    names = table.header or _made_names(table.rows, warnings)
    columns = _columns(names, cast("list[list[Cell]]", table.rows), table.row_numbers, warnings)
    return Tabular(columns, warnings=warnings)


def _of_workbook(source: Source, wanted: str) -> Tabular:
    tables: dict[str, SheetTable] = {}
    warnings: list[SanboError] = []
    for sheet in read_sheets(source.data):
        found = [part for part in find_tables(sheet) if isinstance(part, SheetTable)]
        if not found or (sheet.is_hidden and sheet.name != wanted):
            continue
        tables[sheet.name] = max(found, key=_cells)
        if sheet.name == (wanted or next(iter(tables))):
            warnings = _warnings(sheet, found, tables[sheet.name])
    if wanted and wanted not in tables:
        known = "、".join(tables)
        raise NotFound("tabular_sheet_unknown", sheet=wanted, known=known)
    if not tables:
        raise UnsupportedFormat("tables_nothing_in_it")
    name = wanted or next(iter(tables))
    table = tables[name]
    header = table.columns or _made_names(table.rows, warnings)
    columns = _columns(header, table.rows, table.row_numbers, warnings)
    return Tabular(columns, name, list(tables), warnings)


def _made_names(rows: Sequence[Sequence[Cell]], warnings: list[SanboError]) -> list[str]:
    """For a table without a header, unless it has nothing else."""
    if len(rows) == 1 and all(names_a_column(str(cell)) for cell in rows[0]):
        raise UnsupportedFormat("tabular_no_rows")
    warnings.append(InvalidInput("tabular_no_header"))
    return column_names([""] * len(rows[0] if rows else []))


def _cells(table: SheetTable) -> int:
    return len(table.rows) * len(table.column_numbers)


def _warnings(sheet: Sheet, found: Sequence[SheetTable], chosen: SheetTable) -> list[SanboError]:
    warnings: list[SanboError] = []
    if len(found) > 1:
        warnings.append(
            InvalidInput(
                "tabular_several_tables",
                sheet=sheet.name,
                count=len(found),
                row=chosen.header_row,
            )
        )
    if sheet.not_calculated:
        warnings.append(
            InvalidInput("tabular_not_calculated", sheet=sheet.name, count=sheet.not_calculated)
        )
    return warnings


def _columns(
    names: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    row_numbers: Sequence[int],
    warnings: list[SanboError],
) -> list[TabularColumn]:
    if not rows:
        raise UnsupportedFormat("tabular_no_rows")
    types: list[ColumnType] = infer_columns(rows)
    nothing: ColumnType = "empty"
    types.extend(nothing for _ in range(len(names) - len(types)))
    values = typed(rows, types)
    for number, name in enumerate(names):
        odd = [cell for cell in values.unreadable if cell.column == number]
        if odd:
            shown = "、".join(
                f"{row_numbers[cell.row]}: {cell.text[:20]}" for cell in odd[:_CELLS_TO_NAME]
            )
            warnings.append(
                InvalidInput("tabular_odd_cells", column=name, count=len(odd), cells=shown)
            )
    by_column = list(zip(*values.rows, strict=True))
    columns = [
        _column(name, kind, cells)
        for name, kind, cells in zip(names, types, by_column, strict=True)
    ]
    return [
        replace(column, unit=_currency(row[number] for row in rows if number < len(row)))
        if column.type == "currency"
        else column
        for number, column in enumerate(columns)
    ]


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
