"""The rows of a table that people fill in: read, described and checked cell by cell."""

import csv
from collections.abc import Iterator
from io import StringIO
from typing import TYPE_CHECKING, cast

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form

if TYPE_CHECKING:
    from sanbo.runs.fields import Fault, JsonObject, Requirement

MAX_ROWS = 1000
"""More are not filled in by hand: a file is what they come in."""


def rows_schema(field: "Requirement") -> "JsonObject":
    columns: JsonObject = {column.id: _cell_schema(column) for column in field.columns}
    needed: list[JsonValue] = [column.id for column in field.columns if column.required]
    rows: JsonObject = {
        "type": "array",
        "items": {
            "type": "object",
            "properties": columns,
            "required": needed,
            "additionalProperties": False,
        },
        "maxItems": field.validation.max_rows or MAX_ROWS,
    }
    if least := field.validation.min_rows or int(field.required):
        rows["minItems"] = least
    return rows


def _cell_schema(column: "Requirement") -> "JsonObject":
    schema: JsonObject = {**column.kind.schema(column), "title": column.label}
    if column.required:
        return schema
    if "enum" in schema:
        schema["enum"] = [*cast("list[JsonValue]", schema["enum"]), None]
    else:
        schema["type"] = [schema["type"], "null"]
    return schema


def rows_example(field: "Requirement") -> JsonValue:
    row: JsonObject = {column.id: column.kind.example(column) for column in field.columns}
    return [dict(row) for _ in range(field.validation.min_rows or 1)]


def read_rows(field: "Requirement", value: JsonValue) -> JsonValue:
    """Cells as their columns have them, null where nothing is; rows without anything are none."""
    if not isinstance(value, list):
        return value
    return [_read_row(field, row) for row in value if not _is_blank(row)]


def _is_blank(row: JsonValue) -> bool:
    return isinstance(row, dict) and all(
        cell in (None, False) or (isinstance(cell, str) and not cell.strip())
        for cell in row.values()
    )


def _read_row(field: "Requirement", row: JsonValue) -> JsonValue:
    if not isinstance(row, dict):
        return row
    cells = {column.id: _read_cell(column, row.get(column.id)) for column in field.columns}
    return {**row, **cells}


def _read_cell(column: "Requirement", value: JsonValue) -> JsonValue:
    if value is None or (isinstance(value, str) and not value.strip()):
        return column.default
    is_text = "string" in column.kind.value_types
    if is_text and isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)  # a code that a spreadsheet took for a number
    if isinstance(value, str) and not is_text:
        try:
            return column.kind.typed(column, value.strip())
        except InvalidInput:
            return value  # what is wrong with it is told with everything else
    return column.kind.read(column, value)


def row_faults(field: "Requirement", value: JsonValue) -> "Iterator[Fault]":
    for position, row in enumerate(value if isinstance(value, list) else (), start=1):
        for column in field.columns if isinstance(row, dict) else ():
            cell = cast("dict[str, JsonValue]", row).get(column.id)
            for fault in column.kind.faults(column, cell) if cell is not None else ():
                message = tell("answer.row", row=position, message=fault.message)
                yield fault._replace(message=message, row=position, column=column.id)


def typed_rows(field: "Requirement", typed: str) -> JsonValue:
    """A row a line, its cells apart by tabs or commas; headings are known by their names."""
    delimiter = "\t" if "\t" in typed else ","
    lines = [line for line in csv.reader(StringIO(typed), delimiter=delimiter) if any(line)]
    ids = [column.id for column in field.columns]
    if lines and (headings := _headings(field, lines[0])):
        ids, lines = headings, lines[1:]
    for position, line in enumerate(lines, start=1):
        if len(line) > len(ids):
            reason = tell("answer.too_many_cells", row=position, label=field.label, most=len(ids))
            raise InvalidInput("entry_not_understood", reason=reason)
    rows: list[JsonValue] = [dict(zip(ids, line, strict=False)) for line in lines]
    return read_rows(field, rows)


def _headings(field: "Requirement", line: list[str]) -> list[str]:
    """The columns that a first line names; none where it is a row."""
    known = {matching_form(column.id): column.id for column in field.columns}
    known |= {matching_form(column.label): column.id for column in field.columns}
    named = [known.get(matching_form(cell), "") for cell in line]
    return named if all(named) and len(set(named)) == len(named) else []
