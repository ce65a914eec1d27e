"""What an operation hands back: tables with labels and units, and notes on how they were made."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype

from sanbo.agents.analysis.execution.frames import Frame, listed, to_arrow
from sanbo.agents.analysis.execution.wording import count_unit
from sanbo.agents.analysis.outcome import (
    ROWS_SHOWN,
    CellKind,
    JsonCell,
    Note,
    ResultTable,
    TableColumn,
)
from sanbo.agents.analysis.profile import NUMERIC, ValueType
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

LONGEST_CELL = 500
"""Characters of a text that stand in a report; the whole of it is in the table itself."""


@dataclass(frozen=True)
class ResultColumn:
    name: str
    values: pd.Series
    kind: ValueType
    unit: str = ""
    label: str = ""


@dataclass(frozen=True)
class Sheet:
    title: str
    frame: Frame

    @classmethod
    def of(cls, title: str, columns: Sequence[ResultColumn]) -> "Sheet":
        columns = [_fitting(column) for column in columns]
        data = pd.DataFrame({column.name: column.values.array for column in columns})
        table = to_arrow(
            data,
            {column.name: column.kind for column in columns},
            {column.name: column.unit for column in columns},
            {column.name: column.label or column.name for column in columns},
        )
        return cls(title, Frame(table))

    def shown(self) -> ResultTable:
        frame = self.frame
        head = Frame(frame.table.slice(0, ROWS_SHOWN)).pandas()
        kinds: dict[str, CellKind] = {name: cell_kind(frame, name) for name in frame.names}
        cells = [_cells(head[name], kinds[name]) for name in frame.names]
        return ResultTable(
            title=self.title,
            columns=tuple(
                TableColumn(
                    name=name,
                    label=frame.labels[name],
                    kind=kinds[name],
                    unit=frame.units[name],
                )
                for name in frame.names
            ),
            rows=tuple(zip(*cells, strict=True)) if cells else (),
            row_count=frame.rows,
        )


@dataclass(frozen=True)
class Result:
    sheets: tuple[Sheet, ...]
    """The first one is what later specs find under the result's id."""
    notes: tuple[Note, ...] = ()


def convention(text: str) -> Note:
    return Note(kind="convention", text=text)


def caution(text: str) -> Note:
    return Note(kind="caution", text=text)


def note(word: str, **values: object) -> Note:
    """How it was done, from the catalogue; counts with their thousands apart."""
    return Note(kind="convention", text=_told(word, values))


def warn(word: str, **values: object) -> Note:
    """What a person should mind."""
    return Note(kind="caution", text=_told(word, values))


def _told(word: str, values: Mapping[str, object]) -> str:
    shown: dict[str, Any] = {
        name: f"{value:,}" if isinstance(value, int | np.integer) else value
        for name, value in values.items()
    }
    return tell(f"analysis_result.note.{word}", **shown)


def refusal(word: str, **values: object) -> InvalidInput:
    """A spec that does not fit its table: what is given is kept, and shown in the text."""
    return InvalidInput(f"analysis_result.{word}", details=dict(values), **_in_text(values))


def too_much(word: str, **values: object) -> LimitExceeded:
    return LimitExceeded(f"analysis_result.{word}", details=dict(values), **_in_text(values))


def _in_text(values: Mapping[str, object]) -> dict[str, Any]:
    return {
        name: (listed([str(one) for one in cast("Sequence[object]", value)[:10]]) or tell("none"))
        if isinstance(value, list | tuple)
        else str(value)[:100]
        for name, value in values.items()
    }


_DTYPES_OF: Mapping[ValueType, str] = {
    "text": "str",
    "integer": "Int64",
    "number": "float64",
    "percent": "float64",
}


def figure(
    name: str, values: Sequence[object] | NDArray[np.float64], kind: ValueType, unit: str = ""
) -> ResultColumn:
    """A column that operations have in common, under its own heading: mean, p-value, count."""
    label = (
        tell("analysis_result.quantile", percent=name[1:])
        if name[:1] == "q" and name[1:2].isdigit() and name not in ("q25", "q75")
        else tell(f"analysis_result.column.{name}")
    )
    series = pd.Series(list(values), dtype=_DTYPES_OF[kind])  # pyright: ignore[reportArgumentType, reportCallIssue]
    return ResultColumn(name, series, kind, unit, label)


def counts(
    name: str, values: Sequence[int], *, taken: Sequence[str] = (), label: str = ""
) -> ResultColumn:
    series = pd.Series(list(values), dtype="int64")
    label = label or tell(f"analysis_result.column.{name}")
    return ResultColumn(free_name(name, taken), series, "integer", count_unit(), label)


def _fitting(column: ResultColumn) -> ResultColumn:
    """A whole-number column that holds fractions or too large sums is one of numbers."""
    if column.kind != "integer" or not is_float_dtype(column.values.dtype):
        return column
    numbers = floats(column.values)
    present = numbers[~np.isnan(numbers)]
    if np.all(present == np.floor(present)) and np.all(np.abs(present) < 2**53):
        whole = pd.Series(numbers).astype("Int64")
        return ResultColumn(column.name, whole, "integer", column.unit, column.label)
    return ResultColumn(column.name, column.values, "number", column.unit, column.label)


def cell_kind(frame: Frame, name: str) -> CellKind:
    kind = frame.kinds[name]
    if kind == "percent":
        return "share"
    if kind in NUMERIC:
        return "integer" if pa.types.is_integer(frame.table.field(name).type) else "number"
    match kind:
        case "date" | "datetime" | "boolean":
            return kind
        case _:
            return "text"


def _cells(values: pd.Series, kind: CellKind) -> list[JsonCell]:
    missing = values.isna().to_numpy(dtype=bool)
    return [
        None if gap else _cell(value, kind)
        for value, gap in zip(values.tolist(), missing, strict=True)
    ]


def _cell(value: object, kind: CellKind) -> JsonCell:
    match kind, value:
        case "integer", _:
            return int(str(value))
        case (("number" | "share"), float() | int()):
            return float(value) if np.isfinite(value) else None
        case "boolean", _:
            return bool(value)
        case "date", pd.Timestamp():
            return value.strftime("%Y-%m-%d")
        case "datetime", pd.Timestamp():
            return value.isoformat(sep=" ", timespec="seconds")
        case _:
            return shortened(str(value))


def shortened(text: str) -> str:
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"


_VALUE_TYPES: Mapping[CellKind, ValueType] = {"share": "percent"}
_DTYPES: Mapping[CellKind, str] = {
    "text": "str",
    "integer": "Int64",
    "number": "float64",
    "share": "float64",
    "date": "datetime64[us]",
    "datetime": "datetime64[us]",
    "boolean": "boolean",
}


def table_of(shown: ResultTable) -> pa.Table:
    """The rows that a person sees, as a table for later specs."""
    columns = [
        ResultColumn(
            column.name,
            pd.Series([row[place] for row in shown.rows], dtype="object").astype(
                _DTYPES[column.kind]  # pyright: ignore[reportArgumentType, reportCallIssue]
            ),
            _VALUE_TYPES.get(column.kind, cast("ValueType", column.kind)),
            column.unit,
            column.label,
        )
        for place, column in enumerate(shown.columns)
    ]
    return Sheet.of(shown.title, columns).frame.table


def extended(
    heading: str,
    frame: Frame,
    places: NDArray[np.int64] | None,
    columns: Sequence[ResultColumn],
) -> Sheet:
    """Rows at these places (all, if None) in this order; a column of a known name replaces it."""
    table = frame.table if places is None else frame.table.take(places)
    made = Sheet.of(heading, columns)
    for name in made.frame.names:
        field, values = made.frame.table.field(name), made.frame.table.column(name)
        if name in table.column_names:
            table = table.set_column(table.column_names.index(name), field, values)
        else:
            table = table.append_column(field, values)
    return Sheet(heading, Frame(table))
