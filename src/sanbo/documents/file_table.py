"""A file as one table of typed columns, which an analysis works on: where it stands (on which
sheet, below which lines, put together from pages), and what its columns hold."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Literal, cast

from sanbo.documents.columns import Cell, ColumnType, infer_columns, typed
from sanbo.documents.extract import format_of
from sanbo.documents.file_formats import formats
from sanbo.documents.formats.csv import Delimited, read_tables
from sanbo.documents.model import Source
from sanbo.documents.number_formats import NumberFormat, Padded, Percentage
from sanbo.documents.sheet_tables import MOST_HEADER_ROWS, SheetTable, find_tables
from sanbo.documents.sheets import Sheet, read_sheets, shown, shown_as
from sanbo.documents.table_heads import column_names, find_head, is_empty, names_a_column
from sanbo.kernel.problems import InvalidInput, NotFound, SanboError, UnsupportedFormat

DayOrder = Literal["month_first", "day_first"]

_SLASHED = re.compile(r"\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\s*", re.ASCII)
_TURN_OF_CENTURY = 69  # as POSIX reads two digits: 69 is 1969, 68 is 2068
_FEWEST = 3


def day_order(cells: Iterable[str]) -> DayOrder | None:
    """None where a cell is no such date, or where no day above 12 tells days from months."""
    first_is_day = second_is_day = False
    count = 0
    for cell in cells:
        found = _SLASHED.fullmatch(cell)
        if found is None:
            return None
        count += 1
        first_is_day |= int(found[1]) > 12
        second_is_day |= int(found[2]) > 12
    if count < _FEWEST or first_is_day == second_is_day:
        return None
    return "day_first" if first_is_day else "month_first"


def read_slashed(cell: str, order: DayOrder) -> date | None:
    found = _SLASHED.fullmatch(cell)
    if found is None:
        return None
    first, second = int(found[1]), int(found[2])
    month, day = (second, first) if order == "day_first" else (first, second)
    try:
        return date(_year(found[3]), month, day)
    except ValueError:
        return None


def _year(digits: str) -> int:
    year = int(digits)
    if len(digits) == 4:
        return year
    return year + (1900 if year >= _TURN_OF_CENTURY else 2000)


def slashed_column(cells: Sequence[str]) -> list[date | None] | None:
    """The column's dates, or None where it holds anything else; empty cells are None."""
    filled = [cell for cell in cells if cell.strip()]
    order = day_order(filled)
    if order is None:
        return None
    dates = [read_slashed(cell, order) if cell.strip() else None for cell in cells]
    is_whole = all(day is not None for day, cell in zip(dates, cells, strict=True) if cell.strip())
    return dates if is_whole else None


_JOINT = "_"


@dataclass(frozen=True)
class FoundTable:
    """A table as it stands in its file, before its cells are taken for values."""

    names: list[str]
    rows: list[list[Cell]]
    row_numbers: list[int]
    """In the file or sheet, from 1."""
    heads: list[list[Cell]]
    """The header's rows as they stand; none where the names were made."""
    above: tuple[str, ...] = ()
    """Lines over the table: its title, its unit."""
    below: tuple[str, ...] = ()
    pages: int = 1
    """That the table was put together from, each with the same header."""
    sheet: str = ""
    """As it is asked for: 売上, 売上#2."""
    sheets: tuple[str, ...] = ()
    """All that can be asked for, in the workbook's order."""
    others: tuple[str, ...] = ()
    """The other tables of the same sheet, as they are asked for."""
    number_formats: Mapping[int, Mapping[int, NumberFormat]] = field(
        default_factory=dict[int, Mapping[int, NumberFormat]]
    )
    """How a workbook shows numbers: by position of the column and number of the row."""
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    """That were found beside the cells, by the columns' names."""
    warnings: tuple[SanboError, ...] = ()


@dataclass(frozen=True)
class AsWritten:
    """What is not taken apart or put together when a table is looked for."""

    heads: bool = False
    """The first header row alone names the columns."""
    tables: bool = False
    """All that stands on a sheet is one table."""


def find_table(source: Source, sheet: str = "", as_written: AsWritten | None = None) -> FoundTable:
    """Of several tables on a sheet the largest, unless 売上#2 names another."""
    if not source.data.strip(b"\x00 \t\r\n"):
        raise UnsupportedFormat("file_empty", name=source.name)
    format = format_of(source)
    match formats()[format].table:
        case "delimited":
            found = {"": _of_delimited(source.data, as_written or AsWritten())}
            return _chosen(found, sheet if sheet.startswith("#") else "")
        case "workbook":
            return _chosen(_of_workbook(source.data, sheet, as_written or AsWritten()), sheet)
        case None:
            raise UnsupportedFormat("tabular_not_a_table", name=source.name, format=format)


def _chosen(tables: Mapping[str, Sequence[FoundTable]], wanted: str) -> FoundTable:
    """The table that is meant, with the names by which it and the others are asked for."""
    if not tables:
        raise UnsupportedFormat("tables_nothing_in_it")
    choices: dict[str, tuple[str, FoundTable]] = {}
    aliases: dict[str, str] = {}
    for sheet, found in tables.items():
        largest = max(found, key=_size)
        choices[sheet] = (sheet, largest)
        for number, table in enumerate(found, start=1):
            name = f"{sheet}#{number}"
            aliases[name] = sheet if table is largest else name
            if table is not largest:
                choices[name] = (sheet, table)
    # A form on a cover has no header; the first sheet that has one is meant.
    headed = (name for name, (_, table) in choices.items() if table.heads and table.rows)
    choice = wanted or next(headed, next(iter(choices)))
    if choice not in choices and choice not in aliases:
        raise NotFound("tabular_sheet_unknown", sheet=wanted, known="、".join(choices))
    choice = choice if choice in choices else aliases[choice]
    sheet, table = choices[choice]
    by_name = {alias_of: alias for alias, alias_of in aliases.items()}
    beside = [
        name or by_name[name]
        for name, (each, _) in choices.items()
        if each == sheet and name != choice
    ]
    return replace(
        table,
        sheet=choice,
        sheets=tuple(choices) if len(choices) > 1 or sheet else (),
        others=tuple(beside),
    )


def _size(table: FoundTable) -> int:
    return len(table.rows) * (len(table.rows[0]) if table.rows else 0)


def _of_delimited(data: bytes, as_written: AsWritten) -> list[FoundTable]:
    tables = read_tables(
        data,
        apart=not as_written.tables,
        header_rows=1 if as_written.heads else 2,
        joint=_JOINT,
    )
    found = [_delimited(table) for table in tables]
    if not as_written.tables:
        found = [part for table in found for part in _side_by_side(table, as_written)]
    return _put_together(found)


def _delimited(table: Delimited) -> FoundTable:
    return FoundTable(
        names=table.header or [],
        rows=cast("list[list[Cell]]", table.rows),
        row_numbers=table.row_numbers,
        heads=cast("list[list[Cell]]", table.heads),
        above=tuple(text for _, text in table.title_lines),
        warnings=tuple(table.warnings),
    )


def _side_by_side(table: FoundTable, as_written: AsWritten) -> list[FoundTable]:
    """Tables beside each other, as a sheet that was saved as CSV has them."""
    cells = [[None if is_empty(cell) else cell for cell in row] for row in table.heads[:1]]
    gaps = [at for at, cell in enumerate(cells[0][1:-1], start=1) if cell is None] if cells else []
    if not any(all(is_empty(row[at]) for row in table.rows) for at in gaps):
        return [table]
    cells += [[None if is_empty(cell) else cell for cell in row] for row in table.rows]
    parts = _on_sheet(Sheet(name="", is_hidden=False, rows=cells), as_written)
    numbers = [0, 0, *table.row_numbers]
    return (
        [
            replace(part, above=table.above, row_numbers=[numbers[row] for row in part.row_numbers])
            for part in parts
        ]
        if len(parts) > 1 and len(table.heads) == 1
        else [table]
    )


def _of_workbook(data: bytes, wanted: str, as_written: AsWritten) -> dict[str, list[FoundTable]]:
    tables: dict[str, list[FoundTable]] = {}
    for sheet in read_sheets(data):
        if sheet.is_hidden and sheet.name not in (wanted, wanted.rpartition("#")[0]):
            continue
        found = _whole(sheet) if as_written.tables else _on_sheet(sheet, as_written)
        if found:
            tables[sheet.name] = _put_together(found)
    return tables


def _on_sheet(sheet: Sheet, as_written: AsWritten) -> list[FoundTable]:
    found: list[FoundTable] = []
    lines: list[str] = []
    rows = 1 if as_written.heads else MOST_HEADER_ROWS
    for part in find_tables(sheet, header_rows=rows, joint=_JOINT):
        if not isinstance(part, SheetTable):
            lines.append(part.text)
            continue
        if found:
            found[-1] = replace(found[-1], below=tuple(lines))
        found.append(_sheet_table(sheet, part, lines))
        lines = []
    if found:
        found[-1] = replace(found[-1], below=tuple(lines))
    return found


def _sheet_table(sheet: Sheet, part: SheetTable, lines: Sequence[str]) -> FoundTable:
    warnings: list[SanboError] = []
    if sheet.not_calculated:
        warnings.append(
            InvalidInput("tabular_not_calculated", sheet=sheet.name, count=sheet.not_calculated)
        )
    number_formats = {
        position: sheet.formats[column]
        for position, column in enumerate(part.column_numbers)
        if column in sheet.formats
    }
    return FoundTable(
        names=part.columns or [],
        rows=part.rows,
        row_numbers=part.row_numbers,
        heads=part.heads,
        above=tuple(dict.fromkeys([*([part.title] if part.title else []), *lines])),
        number_formats=number_formats,
        warnings=tuple(warnings),
    )


def _whole(sheet: Sheet) -> list[FoundTable]:
    """All that stands on the sheet, with empty rows and columns left out."""
    used = [
        at
        for at, column in enumerate(zip(*sheet.rows, strict=True))
        if any(map(_is_filled, column))
    ]
    rows = [
        (number, [row[at] for at in used])
        for number, row in enumerate(sheet.rows, start=sheet.first_row)
        if any(map(_is_filled, row))
    ]
    if not rows:
        return []
    cells = [row for _, row in rows]
    head = find_head(cells)
    begin = head.title_lines + min(head.header_rows, 1)
    heads = cells[head.title_lines : begin]
    part = SheetTable(
        title=None,
        columns=column_names([shown(cell) for cell in heads[0]]) if heads else None,
        header_row=rows[head.title_lines][0],
        rows=cells[begin:],
        row_numbers=[number for number, _ in rows[begin:]],
        column_numbers=[sheet.first_column + at for at in used],
        heads=heads,
    )
    above = [" ".join(filter(None, map(shown, row))) for row in cells[: head.title_lines]]
    return [_sheet_table(sheet, part, above)]


def _is_filled(cell: Cell) -> bool:
    return not is_empty(cell)


def _put_together(tables: Sequence[FoundTable]) -> list[FoundTable]:
    """Pages of one table: the same header again, with no other title over it."""
    whole: list[FoundTable] = []
    for table in tables:
        last = whole[-1] if whole else None
        is_next_page = (
            last is not None
            and bool(last.names)
            and last.names == table.names
            and set(table.above) <= set(last.above)
        )
        if last is None or not is_next_page:
            whole.append(table)
            continue
        whole[-1] = replace(
            last,
            rows=[*last.rows, *table.rows],
            row_numbers=[*last.row_numbers, *table.row_numbers],
            below=table.below,
            pages=last.pages + 1,
            number_formats={
                at: {**last.number_formats.get(at, {}), **table.number_formats.get(at, {})}
                for at in {*last.number_formats, *table.number_formats}
            },
        )
    return whole


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
    is_month: bool = False
    """Dates that are written without a day: 2025-04."""


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
        (position, shown_by)
        for position, shown_by in found.number_formats.items()
        if any(isinstance(each, Padded) for each in shown_by.values())
    ]
    if not padded:
        return found.rows
    rows = [list(row) for row in found.rows]
    for row, number in zip(rows, found.row_numbers, strict=True):
        for position, shown_by in padded:
            if isinstance(shown_by.get(number), Padded):
                row[position] = shown_as(row[position], shown_by[number])
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
