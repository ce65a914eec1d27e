"""Fields of rows into columns, under headers that are there or are written."""

from collections.abc import Mapping, Sequence

from pydantic import JsonValue

from sanbo.blocks.excel.appending import append_rows_bottom
from sanbo.blocks.excel.cell_values import cell_value
from sanbo.blocks.excel.desk import Desk, last_row
from sanbo.blocks.excel.records import (
    Placed,
    Records,
    Row,
    has_field,
    may_be_letters,
    placed_fields,
    records_of,
)
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.headers import labels
from sanbo.documents.excel.references import Area, Cell, column_number, letters
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.updates import ClearCells, Letter, UpdateCells, UpdateColumn
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import NotFound
from sanbo.kernel.text import listed, matching_form


def update_columns(desk: Desk, operation: Operation) -> None:
    records = records_of(operation.get("rows"), f"{operation.place}.values")
    placed = _placed(operation, records)
    sheet = desk.sheet_for_rows(operation.text("sheet"))
    header_row = operation.number("header_row", 1)
    start = operation.number("start_row", header_row + 1)
    columns = _columns(operation, sheet, placed, header_row)
    _tell_missing(desk, records, placed)
    if operation.flag("clear_existing", default=False):
        for column in columns:
            bottom = last_row(sheet, [column])
            if bottom >= start:
                area = Area(start, column, bottom, column)
                desk.apply(ClearCells(sheet=sheet.name, range=str(area)))
    if operation.flag("write_header", default=True):
        headers = {
            str(Cell(header_row, column)): each.column for column, each in _named(columns, placed)
        }
        if headers:
            desk.apply(UpdateCells(sheet=sheet.name, cells=headers))
            start = max(start, header_row + 1)  # rows never stand on their own headers
    if not records.rows:
        return
    if operation.flag("append", default=False) and _is_under(sheet, header_row, columns, placed):
        append_rows_bottom(desk, _as_append(operation, sheet, placed))
        return
    if operation.flag("append", default=False):
        start = max(start, last_row(sheet, columns) + 1)
    for column, each in zip(columns, placed, strict=True):
        values = tuple(
            cell_value(_value(records, row, each), dates_as_text=desk.dates_as_text)
            for row in records.rows
        )
        desk.apply(
            UpdateColumn(
                sheet=sheet.name,
                column=Letter(letter=letters(column)),
                values=values,
                first_row=start,
            )
        )
    desk.rows_appended += len(records.rows)


def _tell_missing(desk: Desk, records: Records, placed: Sequence[Placed]) -> None:
    """A column that stays blank because no row has what it shows."""
    rows = [row for row in records.rows if isinstance(row, Mapping)]
    for each in placed if rows else ():
        if not any(has_field(row, each.field) for row in rows):
            near = alternatives(each.field, records.fields or ())
            missing = NotFound("excel_path_missing", path=each.field, nearest=near)
            desk.told.append(missing)


def _placed(operation: Operation, records: Records) -> list[Placed]:
    if "column" in operation:
        column = operation.text("column")
        return [Placed(column, column, is_letter=may_be_letters(column))]
    if "columns" in operation:
        return placed_fields(
            operation.get("columns"), f"{operation.place}.columns", field_first=False
        )
    if records.fields is None:
        operation.needs("columns")
    return [Placed(name, name) for name in records.fields or ()]


def _value(records: Records, row: Row, placed: Placed) -> JsonValue:
    if isinstance(row, Mapping):
        return records.value(row, placed.field)
    return row[0] if row else None


def _named(columns: Sequence[int], placed: Sequence[Placed]) -> list[tuple[int, Placed]]:
    return [
        (column, each) for column, each in zip(columns, placed, strict=True) if not each.is_letter
    ]


def _columns(
    operation: Operation, sheet: Sheet, placed: Sequence[Placed], header_row: int
) -> list[int]:
    """Side by side as they are listed or, where that is asked for, under their headers."""
    if not operation.flag("by_header", default=False):
        free = iter(range(column_number(operation.text("first_column") or "A"), 16_385))
        return [column_number(each.column) if each.is_letter else next(free) for each in placed]
    known = labels(sheet, header_row)
    by_form = {matching_form(text): column for column, text in known.items()}
    numbers = [
        column_number(each.column) if each.is_letter else by_form.get(matching_form(each.column))
        for each in placed
    ]
    missing = [each for each, number in zip(placed, numbers, strict=True) if number is None]
    if not missing:
        return [number for number in numbers if number is not None]
    if len(missing) == len(placed) and (
        not known or "first_column" in operation or operation.flag("clear_existing", default=False)
    ):
        first = column_number(operation.text("first_column") or "A")
        return list(range(first, first + len(placed)))
    if not operation.flag("write_header", default=True) or len(missing) == len(placed):
        raise NotFound(
            "excel_header_missing",
            sheet=sheet.name,
            header=listed(each.column for each in missing),
            nearest=alternatives(missing[0].column, known.values()),
        )
    free = max(known) + 1
    columns: list[int] = []
    for number in numbers:
        columns.append(free if number is None else number)
        free += number is None
    return columns


def _is_under(
    sheet: Sheet, header_row: int, columns: Sequence[int], placed: Sequence[Placed]
) -> bool:
    """Whether all have headers of their own: then formats and formulas of the list go on."""
    known = labels(sheet, header_row)
    return all(
        not each.is_letter and matching_form(known.get(column, "")) == matching_form(each.column)
        for column, each in zip(columns, placed, strict=True)
    )


def _as_append(operation: Operation, sheet: Sheet, placed: Sequence[Placed]) -> Operation:
    columns: JsonValue = {each.field: {"header": each.column} for each in placed}
    return Operation(
        "append_rows_bottom",
        operation.place,
        {"sheet": sheet.name, "rows": operation.get("rows"), "columns": columns},
    )
