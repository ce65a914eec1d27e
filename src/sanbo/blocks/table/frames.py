"""A table as one value: `{columns, rows, dtypes}`."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue

Row = Mapping[str, JsonValue]


def columns_of(rows: Iterable[Row]) -> list[str]:
    """Every field that any row has, in the order in which they first come up."""
    return list(dict.fromkeys(name for row in rows for name in row))


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
