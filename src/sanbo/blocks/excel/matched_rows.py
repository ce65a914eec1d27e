"""Rows found by their key and updated, and coloured where asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from sanbo.blocks.excel.cell_values import cell_value
from sanbo.blocks.excel.desk import Desk
from sanbo.blocks.excel.records import (
    Placed,
    Records,
    Row,
    column_of,
    column_span,
    placed_fields,
    records_of,
)
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.headers import RowKey, find_columns, rows_by_key
from sanbo.documents.excel.references import Area, Cell
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.updates import FormatCells, UpdateCells
from sanbo.documents.excel.values import Scalar
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.tables.values import key_of, key_text

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
