"""Typed cells as columns in Arrow's format, each with its kind and unit beside it."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any, cast

import pyarrow as pa

from sanbo.agents.analysis.execution.frames import TYPE_KEY, UNIT_KEY
from sanbo.agents.analysis.loading.units import unit_in
from sanbo.agents.analysis.profile import ValueType
from sanbo.documents.columns import Cell
from sanbo.documents.tabular import TabularColumn

_INT64 = range(-(2**63), 2**63)


def arrow_of(columns: Sequence[TabularColumn], units: Mapping[str, str]) -> pa.Table:
    """`units` of columns that neither their names nor their cells tell."""
    fields: list[pa.Field[Any]] = []
    arrays: list[pa.Array[Any]] = []
    for column in columns:
        array, kind = array_of(column.cells, column.type)
        unit = "%" if kind == "percent" else column.unit or units.get(column.name, "")
        arrays.append(array)
        fields.append(field_of(column.name, array.type, kind, unit_in(column.name) or unit))
    return pa.Table.from_arrays(arrays, schema=pa.schema(fields))


def field_of(name: str, arrow_type: pa.DataType, kind: ValueType, unit: str) -> "pa.Field[Any]":
    return pa.field(name, arrow_type, metadata={TYPE_KEY: kind.encode(), UNIT_KEY: unit.encode()})


def array_of(cells: Sequence[Cell], kind: ValueType) -> tuple["pa.Array[Any]", ValueType]:
    match kind:
        case "empty":
            return pa.nulls(len(cells)), kind
        case "boolean":
            return pa.array(cells, pa.bool_()), kind
        case "date" | "datetime":
            moments = [_wall_time(cast("date | None", cell)) for cell in cells]
            return pa.array(moments, pa.timestamp("us")), kind
        case "time":
            return pa.array([None if cell is None else _clock(cell) for cell in cells]), kind
        case "text":
            return pa.array([None if cell is None else str(cell) for cell in cells], pa.string()), (
                kind
            )
        case "integer" | "currency" | "number" | "percent":
            return _numbers(cells, kind)


def _numbers(cells: Sequence[Cell], kind: ValueType) -> tuple["pa.Array[Any]", ValueType]:
    numbers = cast("Sequence[int | float | None]", cells)
    if all(number is None or isinstance(number, int) for number in numbers):
        if all(number is None or number in _INT64 for number in numbers):
            return pa.array(numbers, pa.int64()), kind
        kind = "number" if kind == "integer" else kind
    floats = [None if number is None else float(number) for number in numbers]
    return pa.array(floats, pa.float64()), kind


def _wall_time(moment: date | None) -> datetime | None:
    """As it is written: a zone beside it does not move the day it belongs to."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None)
    return None if moment is None else datetime.combine(moment, time())


def _clock(cell: Cell) -> str:
    if isinstance(cell, timedelta):
        seconds = int(cell.total_seconds())
        return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return cell.isoformat("auto") if isinstance(cell, time) else str(cell)
