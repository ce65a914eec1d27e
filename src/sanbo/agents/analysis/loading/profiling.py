"""What a table's columns hold, which of them name rows, and which only average."""

import math
import re
from collections.abc import Sequence
from datetime import datetime, time
from typing import Any, cast

import pyarrow as pa
import pyarrow.compute

from sanbo.agents.analysis.execution.frames import TYPE_KEY, UNIT_KEY
from sanbo.agents.analysis.loading.word_lists import WORDS, Preparations, ends_with, few
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


_NEARLY_ALL = 0.9
_MANY = 0.1
_MOST_GROUPS = 50
"""Codes with more different ones are nobody's groups."""
_CODE = re.compile(r"[A-Za-z]{0,6}[-_ ]?[0-9][0-9A-Za-z\-_ ()+]{0,39}")
_DIGITS = re.compile(r"[0-9]{2,}")
_UNNAMED = re.compile(r"unnamed: 0|列1|column 1|index", re.IGNORECASE)
_COUNTED = re.compile(r"(?:number|no|num|count) of |の数$", re.IGNORECASE)


def with_identifiers(
    columns: Sequence[ColumnProfile], rows: int, preparations: Preparations
) -> tuple[ColumnProfile, ...]:
    if not preparations.wants("identifiers"):
        return tuple(columns)
    found = [column.name for column in columns if is_identifier(column, rows)]
    if found:
        preparations.say("identifiers", "identifiers", count=len(found), columns=few(found))
    return tuple(
        column.model_copy(update={"is_identifier": True}) if column.name in found else column
        for column in columns
    )


def with_rates(columns: Sequence[ColumnProfile]) -> tuple[ColumnProfile, ...]:
    """By their cells or their names: 12.5%, 単価, 年齢, discount rate."""
    return tuple(
        column.model_copy(update={"is_rate": True})
        if column.is_numeric and (column.unit in ("%", "％") or ends_with(column.name, WORDS.rates))
        else column
        for column in columns
    )


def is_identifier(column: ColumnProfile, rows: int) -> bool:
    """By its name and by the look of its values; zeros in front say enough."""
    filled = rows - column.missing
    is_unique = filled > 1 and column.distinct >= filled * _NEARLY_ALL
    is_named = ends_with(column.name, WORDS.identifiers) and not _COUNTED.search(column.name)
    if column.type == "integer":
        is_whole = isinstance(column.minimum, int) and column.minimum >= 0
        is_counter = is_unique and bool(_UNNAMED.fullmatch(column.name))
        return is_whole and (is_named or is_counter)
    if column.type != "text" or not column.values:
        return False
    is_many = is_unique or column.distinct > max(_MOST_GROUPS, filled * _MANY)
    if is_named:
        return (
            is_many and sum(map(bool, map(_CODE.fullmatch, column.values))) > len(column.values) / 2
        )
    has_zeros = any(value.startswith("0") for value in column.values)
    return is_many and has_zeros and all(map(_DIGITS.fullmatch, column.values))
