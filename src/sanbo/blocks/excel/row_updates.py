"""Rows that are there, updated: found by their key and coloured where asked for, or field by field
into columns, under headers that are there or are written.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.excel.appending import append_rows_bottom
from sanbo.blocks.excel.desk import Desk, cell_value, last_row
from sanbo.blocks.excel.records import (
    Placed,
    Records,
    Row,
    column_of,
    column_span,
    has_field,
    may_be_letters,
    placed_fields,
    records_of,
)
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.book import ClearCells, FormatCells, Letter, UpdateCells, UpdateColumn
from sanbo.documents.excel.references import Area, Cell, column_number, letters
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.tables import RowKey, find_columns, labels, rows_by_key
from sanbo.documents.excel.values import Scalar
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.kernel.text import listed, matching_form
from sanbo.tables.values import key_of, key_text

# ---- into columns --------------------------------------------------------------------------------


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


# ---- by their key --------------------------------------------------------------------------------


_GREY = "D9D9D9"
_KEY = "__key__"
_KEY_WORDS = ("key", "match", "key_value", "match_value")
_WRITTEN_WORDS = ("values", "updates", "set", "data")


@dataclass(frozen=True)
class _Wanted:
    """Which field of an item is the key, which fields go where."""

    keys: Sequence[Placed]
    written: Sequence[Placed]


def update_rows_by_match(desk: Desk, operation: Operation) -> None:
    """A key that no row has is told in the summary, unless `missing: refuse` is asked for."""
    operation = _spelled_out(operation)
    records = records_of(operation.get("items"), f"{operation.place}.items")
    if not records.rows:
        desk.skip(tell("excel_skipped_no_rows"))
        return
    sheet = desk.sheet(operation.text("sheet"))
    wanted = _wanted(operation, records)
    header_row = operation.number("header_row", 0) or None
    columns = [column_of(sheet, each, header_row) for each in (*wanted.keys, *wanted.written)]
    _ = desk.workbook.results_to_calculate  # keys may be formulas: outdated results go first
    found = find_columns(sheet, columns)
    index = rows_by_key(sheet, found, len(wanted.keys))
    first = operation.number("start_row", 1)
    cells: dict[str, Scalar] = {}
    rows: list[int] = []
    for item in records.rows:
        key = tuple(key_of(_scalar(desk, records, item, each)) for each in wanted.keys)
        matching = [row for row in index.get(key, ()) if row >= first]
        if not operation.flag("every", default=False):
            matching = matching[:1]
        if not matching:
            _miss(desk, operation, sheet, key, index)
        for row in matching:
            targets = found.columns[len(wanted.keys) :]
            for each, column in zip(wanted.written, targets, strict=True):
                cells[str(Cell(row, column))] = _scalar(desk, records, item, each)
            rows.append(row)
    if cells:
        desk.apply(UpdateCells(sheet=sheet.name, cells=cells))
    desk.rows_updated += len(set(rows))
    if "fill_columns" in operation:
        _color(desk, operation, sheet, sorted(set(rows)))


def _spelled_out(operation: Operation) -> Operation:
    """`{key: 値, values: {…}}`, alone or in a list, as a row that holds its key too."""
    named = _names(operation, "key_column") or _names(operation, "key")
    given = operation.get("items")
    if len(named) != 1 or "key_field" in operation:
        return operation
    key, rows = named[0], given if isinstance(given, list) else []
    pairs = [pair for row in rows if (pair := _pair(row)) is not None]
    if rows and len(pairs) == len(rows):
        return _keyed(operation, key, pairs)
    value = operation.get("key_value")
    if value is None and "key_column" in operation:
        value = operation.get("key")
        if isinstance(given, dict) and isinstance(value, str) and value in given:
            return operation  # it names the field that holds the key
    if not isinstance(given, dict) or value is None or isinstance(value, list | dict):
        return operation
    return _keyed(operation, key, [(value, given)])


def _pair(row: JsonValue) -> tuple[JsonValue, dict[str, JsonValue]] | None:
    if not isinstance(row, dict) or len(row) != 2:
        return None
    value = next((row[word] for word in _KEY_WORDS if word in row), None)
    written = next((row[word] for word in _WRITTEN_WORDS if word in row), None)
    return (value, written) if value is not None and isinstance(written, dict) else None


def _keyed(
    operation: Operation, key: str, pairs: Sequence[tuple[JsonValue, dict[str, JsonValue]]]
) -> Operation:
    items: JsonValue = [{_KEY: value, **written} for value, written in pairs]
    given = {**operation.given, "items": items, "key_column": key, "key_field": _KEY}
    return Operation(operation.kind, operation.place, {**given, "key": None})


def _wanted(operation: Operation, records: Records) -> _Wanted:
    keys = _names(operation, "key")
    letters = _names(operation, "key_column")
    fields = _names(operation, "key_field") or keys
    if not (keys or letters):
        operation.needs("key")
    if not fields:
        raise InvalidInput("excel_match_needs_field", place=operation.place)
    columns = letters or keys
    if len(columns) != len(fields):
        raise operation.wrong("key_field")
    key_columns = [Placed(field, column) for field, column in zip(fields, columns, strict=True)]
    written = [
        placed
        for name in ("columns", "fields")
        if name in operation
        for placed in placed_fields(
            operation.get(name), f"{operation.place}.{name}", field_first=True
        )
    ]
    if not written and "columns" not in operation:
        written = [Placed(name, name) for name in records.fields or () if name not in fields]
    if not written and "fill_columns" not in operation:
        operation.needs("columns")
    return _Wanted(key_columns, written)


def _names(operation: Operation, key: str) -> list[str]:
    given = operation.get(key)
    if given is None:
        return []
    names = given if isinstance(given, list) else [given]
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise operation.wrong(key)
    return [str(name) for name in names]


def _scalar(desk: Desk, records: Records, item: Row, placed: Placed) -> Scalar:
    if not isinstance(item, Mapping):
        raise InvalidInput("excel_match_items", field=placed.field)
    value: JsonValue = records.value(item, placed.field)
    return cell_value(value, dates_as_text=desk.dates_as_text)


def _miss(
    desk: Desk,
    operation: Operation,
    sheet: Sheet,
    key: RowKey,
    index: Mapping[RowKey, object],
) -> None:
    shown = " / ".join(map(key_text, key))
    if operation.text("missing") in ("refuse", "error", "halt"):
        near = alternatives(shown, (" / ".join(map(key_text, known)) for known in index))
        raise NotFound("excel_row_missing", sheet=sheet.name, key=shown, nearest=near)
    desk.missing_keys.append(shown)


def _color(desk: Desk, operation: Operation, sheet: Sheet, rows: Sequence[int]) -> None:
    left, right = column_span(operation.text("fill_columns"))
    color = (operation.text("fill_color") or _GREY).removeprefix("#")[-6:]
    for row in rows:
        area = Area(row, left, row, right)
        try:
            desk.apply(FormatCells(sheet=sheet.name, range=str(area), fill=color))
        except ValueError:
            raise operation.wrong("fill_color") from None
        desk.cells_formatted += area.size
