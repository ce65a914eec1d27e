"""Where the table of a file stands: on which sheet, below which lines, put together from pages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from sanbo.documents.columns import Cell
from sanbo.documents.delimited import Delimited, read_tables
from sanbo.documents.extract import format_of
from sanbo.documents.file_formats import formats
from sanbo.documents.model import Source
from sanbo.documents.number_formats import NumberFormat
from sanbo.documents.sheet_tables import MOST_HEADER_ROWS, SheetTable, find_tables
from sanbo.documents.sheets import Sheet, read_sheets, shown
from sanbo.documents.table_heads import column_names, find_head, is_empty
from sanbo.kernel.problems import InvalidInput, NotFound, SanboError, UnsupportedFormat

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
