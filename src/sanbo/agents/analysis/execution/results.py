"""What an operation hands back: tables with labels, units and titles, and notes on them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from pandas.api.types import is_float_dtype

from sanbo.agents.analysis.execution.frames import Frame, listed, to_arrow
from sanbo.agents.analysis.outcome import (
    ROWS_SHOWN,
    CellKind,
    JsonCell,
    Note,
    ResultTable,
    TableColumn,
)
from sanbo.agents.analysis.profile import NUMERIC, ValueType
from sanbo.agents.analysis.spec.words import Aggregate, Metrics, TimeUnit
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.tables.columns import floats
from sanbo.tables.rows import free_name

_SAME_UNIT = frozenset[Aggregate](get_args(Aggregate)) - {"count", "nunique", "var"}


_OF_ANY: tuple[Aggregate, ...] = ("min", "max", "first", "last", "mode")
"""One of the column's own values."""


def aggregate_word(aggregate: Aggregate) -> str:
    return tell(f"analysis_result.aggregate.{aggregate}")


def metric_label(column: str, aggregate: Aggregate) -> str:
    """売上（合計）, Sales (sum); of such a one in its turn 売上（合計）の平均."""
    return qualified(column, aggregate_word(aggregate))


def qualified(column: str, of: str) -> str:
    """売上（累計）."""
    if column.endswith(("）", ")")):
        return tell("analysis_result.nested_label", column=column, of=of)
    return tell("analysis_result.label", column=column, of=of)


def row_count_label() -> str:
    return tell("analysis_result.rows")


def count_unit() -> str:
    return tell("analysis_result.count_unit")


def unit_word(unit: TimeUnit) -> str:
    return tell(f"analysis_result.time_unit.{unit}")


def metric_labels(metrics: Metrics, labels: Mapping[str, str]) -> list[str]:
    if not metrics:
        return [row_count_label()]
    return [
        metric_label(labels[column], kind) for column, kinds in metrics.items() for kind in kinds
    ]


def title(of: Sequence[str], by: Sequence[str] = ()) -> str:
    """店舗・カテゴリ別の売上（合計）."""
    what = listed(of[:4]) + ("…" if len(of) > 4 else "")
    if not by:
        return what
    names = tell("analysis_result.by_separator").join(by)
    # 性別別 is no word.
    text = "by_title_each" if names.endswith("別") else "by_title"
    return tell(f"analysis_result.{text}", what=what, by=names)


def metric_kind(kind: ValueType, aggregate: Aggregate) -> ValueType:
    """What an aggregate of such a column is."""
    if aggregate in ("count", "nunique"):
        return "integer"
    if aggregate == "var":
        return "number"
    if kind == "boolean" and aggregate in ("sum", "mean", "range"):
        return "percent" if aggregate == "mean" else "integer"
    if kind == "integer" and aggregate not in ("sum", "range", *_OF_ANY):
        return "number"
    if kind in NUMERIC or aggregate in _OF_ANY:
        return kind
    return "number"


def number_kind(kinds: Sequence[ValueType]) -> ValueType:
    """Of figures of such columns in one column: ratios are shown in percent if all of them are."""
    return "percent" if kinds and all(kind == "percent" for kind in kinds) else "number"


def metric_unit(units: Mapping[str, str], column: str, aggregate: Aggregate) -> str:
    if aggregate == "count":
        return count_unit()
    return units.get(column, "") if aggregate in _SAME_UNIT else ""


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
        for name in frame.months:
            head[name] = head[name].dt.strftime("%Y-%m")
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
    series = pd.Series(list(values), dtype=_DTYPES_OF[kind])
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
        case "date" if name in frame.months:
            return "text"
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
            # pyrefly: ignore[no-matching-overload]
            pd.Series([row[place] for row in shown.rows], dtype="object").astype(
                _DTYPES[column.kind]
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
