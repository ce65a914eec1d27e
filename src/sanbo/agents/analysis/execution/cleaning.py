"""Explicit steps that change a table: text read as values, gaps filled, repeated rows gone."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

import numpy as np
import pandas as pd
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.aggregates import key_text, statistic
from sanbo.agents.analysis.execution.filters import Work, minutes
from sanbo.agents.analysis.execution.frames import Frame, listed
from sanbo.agents.analysis.execution.results import (
    Result,
    ResultColumn,
    Sheet,
    extended,
    note,
    refusal,
    warn,
)
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.operations import Cast, Dedup, Impute, ImputeMethod
from sanbo.agents.analysis.spec.words import Scalar
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.language.cells import read_number
from sanbo.tables.columns import as_number, by_distinct, floats
from sanbo.tables.values import as_boolean, as_day, as_moment

Target = Literal["number", "integer", "date", "datetime", "minutes", "text", "boolean"]
EXAMPLES = 5


@dataclass(frozen=True)
class Converted:
    values: pd.Series
    """Missing where the cell was, or could not be read."""
    kind: ValueType
    unit: str = ""


def cast(spec: Cast, work: Work) -> Result:
    rows = work.rows((spec.column,))
    source = rows[spec.column]
    kind = work.kinds[spec.column]
    made = converted(source, kind, spec.to, spec.column, work.units[spec.column])
    unread = source.notna().to_numpy(dtype=bool) & made.values.isna().to_numpy(dtype=bool)
    count = int(unread.sum())
    examples = [key_text(cell)[:50] for cell in source[unread].drop_duplicates()[:EXAMPLES]]
    to = tell(f"analysis_result.cast.{spec.to}")
    if count and spec.unreadable == "error":
        raise refusal("cells_unreadable", column=spec.column, count=count, examples=examples, to=to)
    name = spec.name or spec.column
    column = ResultColumn(name, made.values, made.kind, made.unit, name)
    notes = [note("read", column=spec.column, count=int(made.values.notna().sum()))]
    if count:
        notes.append(warn("unread", column=spec.column, count=count, examples=listed(examples)))
    heading = tell("analysis_result.cast_title", column=spec.column, to=to)
    return Result((extended(heading, work.frame, rows.index.to_numpy(), [column]),), tuple(notes))


def converted(
    values: pd.Series, kind: ValueType, to: Target, name: str, unit: str = ""
) -> Converted:
    """By the distinct cells: a million rows hold few of them."""
    if kind in ("text", "time", "empty"):
        return _from_text(values, to)
    if to == "text":
        return Converted(by_distinct(values, key_text, "str"), "text")
    if kind in NUMERIC or kind == "boolean":
        return _from_number(values, kind, to, name, unit)
    if kind in TEMPORAL and to in ("date", "datetime"):
        moments = values.dt.floor("D") if to == "date" else values
        return Converted(moments, to)
    if kind == "datetime" and to == "minutes":
        clock = values.dt.hour * 60 + values.dt.minute + values.dt.second / 60
        return Converted(clock, "number", tell("analysis_result.minutes_unit"))
    raise _no_way(name, kind, to)


def _from_number(values: pd.Series, kind: ValueType, to: Target, name: str, unit: str) -> Converted:
    numbers = as_number(values)
    if to == "number":
        return Converted(pd.Series(floats(numbers), index=values.index), "number", unit)
    if to == "integer":
        if is_integer_dtype(numbers.dtype):
            return Converted(numbers, "integer", unit)
        cells = floats(numbers)
        whole = np.isfinite(cells) & (cells == np.floor(cells)) & (np.abs(cells) < 2**53)
        kept = pd.Series(np.where(whole, cells, np.nan), index=values.index).astype("Int64")
        return Converted(kept, "integer", unit)
    if to == "boolean":
        cells = floats(numbers)
        known = np.isin(cells, (0.0, 1.0))
        return Converted(
            pd.Series(pd.arrays.BooleanArray(cells == 1.0, ~known), index=values.index), "boolean"
        )
    if to in ("date", "datetime") and kind == "integer":  # 20250401
        return Converted(by_distinct(values, _compact_date, "datetime64[us]"), to)
    raise _no_way(name, kind, to)


def _from_text(values: pd.Series, to: Target) -> Converted:
    match to:
        case "text":
            return Converted(values.astype("str"), "text")
        case "number" | "integer":
            return _numbers(values, to)
        case "date":
            return Converted(by_distinct(values, as_day, "datetime64[us]"), "date")
        case "datetime":
            return Converted(by_distinct(values, _moment, "datetime64[us]"), "datetime")
        case "minutes":
            unit = tell("analysis_result.minutes_unit")
            return Converted(by_distinct(values, minutes, "float64"), "number", unit)
        case "boolean":
            return Converted(by_distinct(values, as_boolean, "boolean"), "boolean")


def _numbers(values: pd.Series, to: Literal["number", "integer"]) -> Converted:
    """A column of percentages, or of amounts of yen, says so."""
    codes, uniques = pd.factorize(values)
    read = [read_number(str(text)) for text in uniques]
    known = [number for number in read if number is not None]
    cells = [None if number is None else number.value for number in read]
    if to == "integer":
        whole = [int(cell) if cell is not None and _is_whole(cell) else None for cell in cells]
        spread = pd.Series([*whole, None], dtype="Int64").take(codes)
        return Converted(pd.Series(spread.array, index=values.index), "integer", _money(uniques))
    is_whole = all(isinstance(cell, int) and _is_whole(cell) for cell in cells if cell is not None)
    spread = pd.Series([*cells, None], dtype="Int64" if is_whole else "float64").take(codes)
    made = pd.Series(spread.array, index=values.index)
    kind: ValueType = "number"
    if known and all(number.is_percent for number in known):
        kind = "percent"
    elif known and any(number.is_currency for number in known):
        kind = "currency"
    elif known and is_whole:
        kind = "integer"
    return Converted(made, kind, _money(uniques))


def _is_whole(number: int | float) -> bool:
    return abs(number) < 2**63 and number == int(number)


def _money(texts: "pd.Index | np.ndarray") -> str:
    return "円" if any(str(text).rstrip().endswith("円") for text in texts) else ""


def _moment(cell: str) -> date | None:
    found = as_moment(cell)
    return found.replace(tzinfo=None) if isinstance(found, datetime) else found


def _compact_date(cell: object) -> date | None:
    return as_day(str(cell)) if len(str(cell)) == 8 else None


def _no_way(name: str, kind: ValueType, to: Target) -> InvalidInput:
    kind_word, to_word = tell(f"analysis_result.kind.{kind}"), tell(f"analysis_result.cast.{to}")
    return refusal("no_cast", column=name, kind=kind_word, to=to_word)


def scalar_of(value: Scalar, kind: ValueType, name: str) -> object:
    """A value for a cell of such a column; refused where it can't be read as one."""
    targets: dict[ValueType, Target] = {
        "integer": "integer",
        "number": "number",
        "percent": "number",
        "currency": "number",
        "date": "date",
        "datetime": "datetime",
        "boolean": "boolean",
    }
    found: object
    if kind in NUMERIC and isinstance(value, int | float) and not isinstance(value, bool):
        is_whole = float(value).is_integer() and abs(value) < 2**53
        found = (int(value) if is_whole else None) if kind == "integer" else value
    elif kind == "boolean" and isinstance(value, bool):
        found = value
    elif kind in targets:
        found = _from_text(pd.Series([str(value)], dtype="str"), targets[kind]).values.iloc[0]
    else:
        return str(value)
    # pyrefly: ignore[no-matching-overload]
    if found is None or pd.isna(found):
        word = tell(f"analysis_result.kind.{kind}")
        raise refusal("value_unreadable", column=name, value=value, kind=word)
    return found


def impute(spec: Impute, work: Work) -> Result:
    columns = tuple(spec.by_column)
    rows = work.rows(columns)
    heading = tell("analysis_result.imputed_title", columns=listed(columns[:4]))
    dropping = [name for name, method in spec.by_column.items() if method == "drop_rows"]
    notes: list[Note] = []
    if dropping:
        complete = rows[dropping].notna().all(axis=1)
        if not complete.any():
            raise refusal("nothing_complete", columns=dropping)
        notes.append(note("dropped", count=int((~complete).sum())))
        rows = rows[complete]
    filled: list[ResultColumn] = []
    for name, method in spec.by_column.items():
        if method != "drop_rows":
            column, more = _filled(rows[name], name, method, spec, work)
            filled.append(column)
            notes.extend(more)
    sheet = extended(heading, work.frame, rows.index.to_numpy(), filled)
    return Result((sheet,), tuple(notes))


def _filled(
    values: pd.Series, name: str, method: ImputeMethod, spec: Impute, work: Work
) -> tuple[ResultColumn, list[Note]]:
    kind, unit = work.kinds[name], work.units[name]
    missing = int(values.isna().sum())
    if method == "forward":
        made = values.ffill()
        notes = [note("filled_forward", column=name, count=missing)]
    else:
        filling, kind = _filling(values, name, method, spec, work)
        made = _with(values, filling, kind)
        notes = [note("filled", column=name, count=missing, value=key_text(filling)[:100])]
    if left := int(made.isna().sum()):
        notes.append(warn("still_missing", column=name, count=left))
    return ResultColumn(name, made, kind, unit, name), notes


def _filling(
    values: pd.Series, name: str, method: ImputeMethod, spec: Impute, work: Work
) -> tuple[object, ValueType]:
    kind = work.kinds[name]
    if method == "constant":
        assert spec.value is not None
        if kind == "empty":
            kind = "text" if isinstance(spec.value, str) else "number"
        return scalar_of(spec.value, kind, name), kind
    present = values.dropna()
    if present.empty:
        raise refusal("column_empty", column=name)
    if method == "mode":
        return present.mode().iloc[0], kind  # the smallest of equally common ones
    number = statistic(present, "mean" if method == "mean" else "median")
    if kind == "integer" and not number.is_integer():
        return number, "number"
    return number, kind


def _with(values: pd.Series, filling: object, kind: ValueType) -> pd.Series:
    if kind in NUMERIC:
        number = float(str(filling))
        if is_integer_dtype(values.dtype) and number.is_integer():
            return values.fillna(int(str(filling).removesuffix(".0"))).astype("int64")
        filled = np.where(values.isna(), number, floats(values))
        return pd.Series(filled, index=values.index)
    if kind == "text" and values.dtype != "str":
        values = values.astype("str")
    # pyrefly: ignore[bad-argument-type]
    return values.fillna(filling)


def dedup(spec: Dedup, work: Work) -> Result:
    names = tuple(dict.fromkeys(spec.columns)) or work.frame.names
    rows = work.rows(names)
    again = rows.duplicated(keep=spec.keep).to_numpy()
    places = rows.index.to_numpy()[~again]
    columns = listed(names) if spec.columns else tell("analysis_result.all_columns")
    done = note(f"deduplicated_{spec.keep}", columns=columns, count=int(again.sum()))
    sheet = Sheet(tell("analysis_result.dedup_title"), Frame(work.frame.table.take(places)))
    return Result((sheet,), (done,))
