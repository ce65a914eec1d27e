"""What is in a table in Arrow's format, column by column."""

import math
from datetime import datetime, time
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute

from sanbo.agents.analysis.execution.frames import TYPE_KEY, UNIT_KEY
from sanbo.agents.analysis.profile import MOST_VALUES, ColumnProfile, ValueType

_compute: Any = pyarrow.compute  # its stubs leave half of it unknown

_LONGEST_VALUE = 200


def profile_columns(table: pa.Table, *, with_values: bool = True) -> tuple[ColumnProfile, ...]:
    """Without values, only what every column is."""
    return tuple(
        _column_profile(cast("Any", table.schema).field(number), column, with_values)
        for number, column in enumerate(table.columns)
    )


def _column_profile(
    field: "pa.Field[Any]", column: "pa.ChunkedArray[Any]", with_values: bool
) -> ColumnProfile:
    metadata = field.metadata or {}
    kind = cast("ValueType", metadata.get(TYPE_KEY, b"text").decode())
    if not with_values:
        unit = metadata.get(UNIT_KEY, b"").decode()
        return ColumnProfile(
            name=field.name, type=kind, unit=unit, missing=column.null_count, is_whole=False
        )
    distinct = int(_compute.count_distinct(column).as_py()) if kind != "empty" else 0
    lowest = highest = None
    values: list[str] = []
    if kind in ("text", "boolean", "time"):
        values = _commonest(column)
    elif kind != "empty":
        bounds = cast("dict[str, Any]", _compute.min_max(column).as_py())
        lowest, highest = _bound(bounds["min"]), _bound(bounds["max"])
    return ColumnProfile(
        name=field.name,
        type=kind,
        unit=metadata.get(UNIT_KEY, b"").decode(),
        missing=column.null_count,
        distinct=distinct,
        values=tuple(values),
        minimum=lowest,
        maximum=highest,
        is_whole=len(values) == distinct,
    )


def _commonest(column: "pa.ChunkedArray[Any]") -> list[str]:
    counts: Any = _compute.value_counts(column.drop_null())
    order: Any = _compute.sort_indices(counts.field(1), sort_keys=[("", "descending")])
    top: list[object] = counts.field(0).take(order[:MOST_VALUES]).to_pylist()
    return [
        ("TRUE" if value else "FALSE") if isinstance(value, bool) else str(value)[:_LONGEST_VALUE]
        for value in top
    ]


def _bound(value: Any) -> str | int | float | None:
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value


def shown_value(value: Any) -> str | int | float | bool | None:
    if isinstance(value, datetime):
        return _bound(value)
    if isinstance(value, float) and math.isnan(value):
        return None
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
