"""Rows in the forms in which plans hold them, and what of a row goes into which column."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from sanbo.blocks.excel.desk import last_column, last_row
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.book import Column, Header, Letter
from sanbo.documents.excel.references import Area, Cell, area_of, cell_at, column_number
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.tables import labels
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.tables.rows import MISSING, Missing, path_of

Row = Mapping[str, JsonValue] | Sequence[JsonValue]

_WRAPPERS = ("rows", "items", "results", "records", "data", "values")
_LETTERS = re.compile("[A-Z]{1,3}")


@dataclass(frozen=True)
class Records:
    """Rows by field name; without `fields` they are values in order."""

    rows: Sequence[Row]
    fields: tuple[str, ...] | None

    def value(self, row: Row, field: str) -> JsonValue:
        return field_of(row, field) if isinstance(row, Mapping) else None


def records_of(data: JsonValue, port: str) -> Records:
    """A list of objects or of lists, columns of lists, a data frame, or one of these inside."""
    if data is None or data == "":
        return Records((), ())
    if isinstance(data, list):
        return _listed(data, port)
    if not isinstance(data, dict):
        raise InvalidInput("excel_rows_unreadable", port=port, found=_kind(data))
    return _from_object(data, port)


def _from_object(data: dict[str, JsonValue], port: str) -> Records:
    columns = data.get("columns")
    frame = data.get("rows", data.get("data"))
    if isinstance(columns, list) and isinstance(frame, list):
        names = tuple(str(name) for name in columns)
        lists = [row for row in frame if isinstance(row, list)]
        return Records([dict(zip(names, row, strict=False)) for row in lists], names)
    for wrapper in _WRAPPERS:
        if isinstance(inner := data.get(wrapper), list):
            return records_of(inner, port)
    if data and all(isinstance(values, list) for values in data.values()):
        by_name = cast("dict[str, list[JsonValue]]", data)
        length = max(len(values) for values in by_name.values())
        rows = [
            {name: values[at] if at < len(values) else None for name, values in by_name.items()}
            for at in range(length)
        ]
        return Records(rows, tuple(by_name))
    return Records([data], tuple(data)) if data else Records((), ())


def _listed(data: list[JsonValue], port: str) -> Records:
    if all(isinstance(row, dict) for row in data):
        rows = cast("list[dict[str, JsonValue]]", data)
        return Records(rows, tuple(dict.fromkeys(name for row in rows for name in row)))
    if all(isinstance(row, list) for row in data):
        return Records(cast("list[list[JsonValue]]", data), None)
    if not any(isinstance(row, list | dict) for row in data):
        return Records([[value] for value in data], None)
    odd = next(at for at, row in enumerate(data, start=1) if type(row) is not type(data[0]))
    raise InvalidInput("excel_rows_mixed", port=port, row=odd)


def field_of(row: Mapping[str, JsonValue], field: str) -> JsonValue:
    """By its name, its path, or its name inside what a loop or a join put around it."""
    found = path_of(field).of(cast("JsonValue", row))
    if isinstance(found, Missing):
        found = _inside(row, field)
    return None if isinstance(found, Missing) else found


def has_field(row: Mapping[str, JsonValue], field: str) -> bool:
    is_there = not isinstance(path_of(field).of(cast("JsonValue", row)), Missing)
    return is_there or not isinstance(_inside(row, field), Missing)


def _inside(row: Mapping[str, JsonValue], field: str) -> JsonValue | Missing:
    """Also a path, inside what a loop or a join names so."""
    for part in row.values():
        if isinstance(part, dict):
            found = path_of(field).of(part)
            if not isinstance(found, Missing):
                return found
    return MISSING


@dataclass(frozen=True)
class Placed:
    """A field of the rows, and the column it goes to: a header, or a letter."""

    field: str
    column: str
    is_letter: bool = False


def placed_fields(columns: JsonValue, port: str, *, field_first: bool) -> list[Placed]:
    """`[見出し, …]`, `[{header, path, column}]`, or an object of pairs.

    `field_first` says which side of a pair is the row's field: plans write both.
    """
    if isinstance(columns, dict):
        return [
            _placed(field, column) if field_first else _placed(_text(column, port), field)
            for field, column in columns.items()
        ]
    if not isinstance(columns, list):
        raise InvalidInput("excel_columns_unreadable", port=port, found=_kind(columns))
    return [_of_item(item, port) for item in columns]


def _of_item(item: JsonValue, port: str) -> Placed:
    if isinstance(item, str):
        return Placed(item, item.rpartition(".")[2] or item)
    if not isinstance(item, dict):
        raise InvalidInput("excel_columns_unreadable", port=port, found=_kind(item))
    header = _first(item, "header", "title", "name")
    field = _first(item, "path", "field", "key", "name", "header")
    letter = _first(item, "column", "letter")
    if not field:
        raise InvalidInput("excel_columns_unreadable", port=port, found="{…}")
    if letter:
        return Placed(field, letter, is_letter=True)
    return Placed(field, header or field.rpartition(".")[2])


def _placed(field: str, column: JsonValue) -> Placed:
    if isinstance(column, dict):
        letter = _first(column, "letter", "column")
        return Placed(field, letter or _first(column, "header") or field, is_letter=bool(letter))
    return Placed(field, str(column))


def may_be_letters(text: str) -> bool:
    """`B`, `AA`; a header may look so too: `ID`."""
    return _LETTERS.fullmatch(text.strip()) is not None


def _first(item: Mapping[str, JsonValue], *names: str) -> str:
    return next((found for name in names if isinstance(found := item.get(name), str) and found), "")


def _text(value: JsonValue, port: str) -> str:
    if not isinstance(value, str):
        raise InvalidInput("excel_columns_unreadable", port=port, found=_kind(value))
    return value


def _kind(value: JsonValue) -> str:
    return "null" if value is None else type(value).__name__


_COLUMNS = re.compile(r"\$?([A-Za-z]{1,3}):\$?([A-Za-z]{1,3})")
_ROWS = re.compile(r"\$?(\d{1,7}):\$?(\d{1,7})")
_HEADER_ROWS = 200


def areas(sheet: Sheet, operation: Operation, key: str = "ranges") -> list[Area]:
    """`B2`, `B2:D9`, `K:K` and `2:5`, one or several, as a text or a list."""
    operation.needs(key)
    return [_area(sheet, text) for text in _texts(operation, operation.get(key), key)]


def _texts(operation: Operation, given: JsonValue, key: str) -> Iterator[str]:
    for part in given if isinstance(given, list) else [given]:
        if not isinstance(part, str) or not part.strip():
            raise operation.wrong(key)
        yield from (text.strip() for text in part.split(",") if text.strip())


def _area(sheet: Sheet, text: str) -> Area:
    """A whole column or row means as much of it as the sheet uses."""
    if found := _COLUMNS.fullmatch(text):
        left, right = sorted((column_number(found[1]), column_number(found[2])))
        return Area(1, left, max(1, last_row(sheet)), right)
    if found := _ROWS.fullmatch(text):
        top, bottom = sorted((max(1, int(found[1])), max(1, int(found[2]))))
        return Area(top, 1, bottom, max(1, last_column(sheet)))
    return area_of(text)


def column_span(text: str) -> tuple[int, int]:
    """`A:P`, or one column."""
    first, _, last = text.partition(":")
    left, right = sorted((column_number(first), column_number(last or first)))
    return left, right


def start_cell(text: str) -> Cell:
    return cell_at(text.partition(":")[0])


def column_of(sheet: Sheet, placed: Placed, header_row: int | None = None) -> Column:
    """By its letter, unless the sheet has a header that reads so: `ID`, `No`."""
    if placed.is_letter:
        return Letter(letter=placed.column)
    if may_be_letters(placed.column) and not _is_header(sheet, placed.column, header_row):
        return Letter(letter=placed.column)
    return Header(header=placed.column, row=header_row)


def _is_header(sheet: Sheet, text: str, header_row: int | None) -> bool:
    rows = sheet.grid.row_numbers[:_HEADER_ROWS] if header_row is None else [header_row]
    if len(text.strip()) == 1:  # a grade, a size: a letter is a header only in the first row
        return bool(rows) and text.strip() in labels(sheet, rows[0]).values()
    form = matching_form(text)
    return any(
        matching_form(label) == form for row in rows for label in labels(sheet, row).values()
    )
