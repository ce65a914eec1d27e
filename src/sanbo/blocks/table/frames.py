"""A table as one value, `{columns, rows, dtypes}`, and the columns that a plan names of it."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from sanbo.blocks.block import Given
from sanbo.kernel.problems import InvalidInput

Row = Mapping[str, JsonValue]
Names = str | list[str]


def chosen(names: Names, columns: Sequence[str], port: str) -> list[str]:
    """One or several, each once, all of them there. A table without rows has no columns."""
    wanted = [names] if isinstance(names, str) else names
    for name in wanted:
        if columns and name not in columns:
            known = "、".join(columns)
            raise InvalidInput("table_column_unknown", port=port, column=name, known=known)
    return list(dict.fromkeys(wanted))


def rows_given(given: Given) -> list[dict[str, JsonValue]]:
    """As rows, or as a table that another block gave."""
    if given.rows is not None:
        return given.rows
    if given.dataframe is None:
        raise InvalidInput("block_one_of_two", first="dataframe", second="rows")
    names = given.dataframe["columns"]
    return [dict(zip(names, row, strict=False)) for row in given.dataframe["rows"]]


def frame(columns: Sequence[str], rows: Iterable[Row]) -> dict[str, Any]:
    cells = [[row.get(name) for name in columns] for row in rows]
    dtypes = {name: dtype_of(row[number] for row in cells) for number, name in enumerate(columns)}
    return {"columns": list(columns), "rows": cells, "dtypes": dtypes}


def dtype_of(values: Iterable[JsonValue]) -> str:
    """What a column holds: the one kind that all its values are of, or `object`."""
    kinds = {_kind(value) for value in values if value is not None}
    if not kinds:
        return "empty"
    if kinds == {"integer", "number"}:
        return "number"
    if kinds == {"date", "datetime"}:
        return "datetime"
    if len(kinds) == 1:
        return kinds.pop()
    return "string" if kinds <= {"string", "date", "datetime"} else "object"


def _kind(value: JsonValue) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        return "number"
    return _text_kind(value) if isinstance(value, str) else "object"


def _text_kind(text: str) -> str:
    """Days and moments as this product writes them: `2024-05-01`. Others are text."""
    if not (10 <= len(text) <= 35 and text[4] == text[7] == "-"):
        return "string"
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return "string"
    return "date" if len(text) == 10 else "datetime"
