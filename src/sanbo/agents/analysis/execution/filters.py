"""A spec's input while it is worked on: the rows that meet its conditions."""

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.frames import Frame
from sanbo.agents.analysis.execution.periods import Span, read_span
from sanbo.agents.analysis.execution.results import ResultColumn, note, refusal, warn
from sanbo.agents.analysis.outcome import Note
from sanbo.agents.analysis.profile import TEMPORAL, ValueType
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    CompareStat,
    Condition,
    Contains,
    Filter,
    Filters,
    OutlierMethod,
    Outlying,
    Presence,
)
from sanbo.agents.analysis.spec.phrases import describe
from sanbo.agents.analysis.spec.words import Scalar
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.tables.columns import by_distinct, floats
from sanbo.tables.values import Value, as_boolean, as_number, as_time, text_of

Kinds = Mapping[str, ValueType]
Mask = NDArray[np.bool_]

_OPERATORS: Mapping[str, Callable[[Any, Any], object]] = {
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
}
_MOST_COMPARED = 20_000
"""Distinct values among which a near spelling is looked for."""


def filter_columns(filters: Filters) -> tuple[str, ...]:
    """Which columns the conditions look at."""
    names: list[str] = []
    for condition in _flat(filters):
        names.append(condition.col)
        if isinstance(condition, Outlying | CompareStat) and condition.by is not None:
            names.append(condition.by)
    return tuple(dict.fromkeys(names))


def keep_rows(frame: pd.DataFrame, kinds: Kinds, filters: Filters) -> pd.DataFrame:
    """The rows that meet every filter, maybe none.

    A missing cell meets no comparison, `!=` neither: what is not known is not known to differ.
    Outliers and comparisons with a mean … are judged among the rows that the other conditions
    leave, whatever their order.
    """
    for one in _in_order(filters):
        frame = frame[_meets(frame, kinds, one)]
    return frame


def keep_some_rows(frame: pd.DataFrame, kinds: Kinds, filters: Filters) -> pd.DataFrame:
    """As `keep_rows`; conditions that leave nothing are refused by their names."""
    if frame.empty and len(frame) == 0:
        raise refusal("table_without_rows")
    kept = keep_rows(frame, kinds, filters)
    if len(kept) > 0:
        return kept
    needed = _in_order(filters)
    for one in tuple(needed):
        others = [other for other in needed if other is not one]
        if others and len(keep_rows(frame, kinds, tuple(others))) == 0:
            needed = others
    if len(needed) == 1:
        found = _candidates(frame, kinds, needed[0])
        raise refusal("nothing_left", condition=describe(needed[0]), candidates=found)
    counts = [len(keep_rows(frame, kinds, (one,))) for one in needed]
    each = [
        tell("analysis_result.condition_alone", condition=describe(one), rows=count)
        for one, count in zip(needed, counts, strict=True)
    ]
    raise refusal("nothing_left_together", conditions=each)


def _flat(filters: Filters) -> list[Condition]:
    return [
        condition
        for one in filters
        for condition in (one.any_of if isinstance(one, AnyOf) else (one,))
    ]


def _in_order(filters: Filters) -> list[Filter]:
    """Ordinary conditions first, and those with outliers on what they leave, all at once."""
    plain = [one for one in filters if not _looks_around(one)]
    return [*plain, *(one for one in filters if _looks_around(one))]


def _looks_around(one: Filter) -> bool:
    return any(isinstance(part, Outlying | CompareStat) for part in _flat((one,)))


def _meets(frame: pd.DataFrame, kinds: Kinds, one: Filter) -> Mask:
    if isinstance(one, AnyOf):
        met = np.zeros(len(frame), dtype=bool)
        for part in one.any_of:
            met |= _condition(frame, kinds, part)
        return met
    return _condition(frame, kinds, one)


def _condition(frame: pd.DataFrame, kinds: Kinds, condition: Condition) -> Mask:
    name = condition.col
    values, kind = frame[name], kinds[name]
    match condition:
        case Presence():
            missing = values.isna().to_numpy(dtype=bool)
            return missing if condition.op == "is_null" else ~missing
        case Outlying():
            return _outlier(frame, condition)
        case Contains():
            return _contains(values, kind, condition)
        case Among():
            met = np.zeros(len(values), dtype=bool)
            for value in condition.value:
                met |= _equal(values, kind, name, value)
            return met if condition.op == "in" else values.notna().to_numpy(dtype=bool) & ~met
        case CompareStat():
            return _beside(frame, condition)
        case Compare():
            return _compared(values, kind, condition)


_QUANTILES = {"median": 0.5, "q25": 0.25, "q75": 0.75}


def _beside(frame: pd.DataFrame, condition: CompareStat) -> Mask:
    """Each number against a figure of its column or its group of rows."""
    numbers = pd.Series(floats(frame[condition.col]), index=frame.index)
    keys: Any = np.zeros(len(frame), dtype="int8") if condition.by is None else frame[condition.by]
    grouped: Any = numbers.groupby(keys, dropna=False, sort=False, observed=True)
    if condition.stat in _QUANTILES:
        figures = grouped.transform("quantile", _QUANTILES[condition.stat])
    else:
        figures = grouped.transform(condition.stat)
    both = numbers.notna() & figures.notna()
    return _mask(cast("pd.Series", _OPERATORS[condition.op](numbers, figures)) & both)


def _outlier(frame: pd.DataFrame, condition: Outlying) -> Mask:
    values = frame[condition.col]
    groups = None if condition.by is None else frame[condition.by]
    far = outlying(values, groups, condition.method, condition.threshold, condition.ddof)
    if condition.op == "is_outlier":
        return far
    return values.notna().to_numpy(dtype=bool) & ~far


def _contains(values: pd.Series, kind: ValueType, condition: Contains) -> Mask:
    if kind in TEMPORAL and condition.op in ("contains", "not_contains"):
        met = _equal(values, kind, condition.col, condition.value)  # 「2025-04を含む」: within it
    elif kind not in ("text", "time"):
        raise refusal("contains_on_other", column=condition.col, kind=_kind_word(kind))
    else:
        met = found_in(values, condition.value, condition.op)
    if condition.op != "not_contains":
        return met
    return values.notna().to_numpy(dtype=bool) & ~met


def found_in(values: pd.Series, text: str, op: str = "contains") -> Mask:
    """But for width, case and blanks, as people look for a word."""
    wanted = matching_form(text)

    def meets(cell: object) -> bool:
        form = matching_form(str(cell))
        match op:
            case "starts_with":
                return form.startswith(wanted)
            case "ends_with":
                return form.endswith(wanted)
            case _:
                return wanted in form

    met = by_distinct(values, meets, "boolean")
    return met.fillna(value=False).to_numpy(dtype=bool)


def compare_with(values: pd.Series, kind: ValueType, condition: Compare) -> Mask:
    """Which of these meet a comparison with one value, read as what the column holds."""
    return _compared(values, kind, condition)


def _compared(values: pd.Series, kind: ValueType, condition: Compare) -> Mask:
    if condition.op not in ("==", "!="):
        return _ordered(values, kind, condition)
    equal = _equal(values, kind, condition.col, condition.value)
    return equal if condition.op == "==" else values.notna().to_numpy(dtype=bool) & ~equal


def _equal(values: pd.Series, kind: ValueType, name: str, value: Scalar) -> Mask:
    match kind:
        case "integer" | "number" | "percent" | "currency":
            return _mask(values == _number(value, kind, name))
        case "date" | "datetime":
            span = _span(value, kind, name)
            moments = values.to_numpy(dtype="datetime64[us]")
            return (moments >= span.start) & (moments < span.end)
        case "boolean":
            return _mask(values == _boolean(value, name))
        case "time":
            return minutes_of_day(values) == _minutes(value, name)
        case "empty":
            return np.zeros(len(values), dtype=bool)
        case "text":
            return _same_text(values, value)


def _same_text(values: pd.Series, value: Scalar) -> Mask:
    """As it is written; if nothing is, then whatever the width and case of its letters."""
    text = text_of(value)
    met = _mask(values == text)
    if met.any():
        return met
    wanted = matching_form(text)
    codes, uniques = pd.factorize(values)
    alike = np.array([*(matching_form(str(other)) == wanted for other in uniques), False])
    return alike[codes]


def _ordered(values: pd.Series, kind: ValueType, condition: Compare) -> Mask:
    compare = _OPERATORS[condition.op]
    match kind:
        case "integer" | "number" | "percent" | "currency":
            return _mask(compare(values, _number(condition.value, kind, condition.col)))
        case "date" | "datetime":
            span = _span(condition.value, kind, condition.col)
            moments = values.to_numpy(dtype="datetime64[us]")
            # A whole period: after it means after its end, up to it includes all of it.
            edge = span.end if condition.op in (">", "<=") else span.start
            return moments >= edge if condition.op in (">", ">=") else moments < edge
        case "time":
            clock = minutes_of_day(values)
            return cast("Mask", compare(clock, _minutes(condition.value, condition.col)))
        case "empty":
            return np.zeros(len(values), dtype=bool)
        case "text" if isinstance(condition.value, str):
            return _mask(compare(values, condition.value))
        case "text" | "boolean":
            raise refusal(
                "no_order", column=condition.col, kind=_kind_word(kind), value=condition.value
            )


def _mask(found: object) -> Mask:
    return cast("pd.Series", found).to_numpy(dtype=bool, na_value=False)


def _number(value: Scalar, kind: ValueType, name: str) -> int | float:
    number = as_number(value)
    if number is None or (isinstance(number, float) and not np.isfinite(number)):
        raise _unreadable(value, kind, name)
    # What is beyond 64 bits compares as the nearest floating-point number.
    return number if abs(number) < 2**63 else float(np.clip(float(number), -1e300, 1e300))


def _span(value: Scalar, kind: ValueType, name: str) -> Span:
    span = None if isinstance(value, bool) else read_span(text_of(value))
    if span is None:
        raise _unreadable(value, kind, name)
    return span


def _boolean(value: Scalar, name: str) -> bool:
    read = as_boolean(value)
    if read is None:
        raise _unreadable(value, "boolean", name)
    return read


def _minutes(value: Scalar, name: str) -> float:
    read = minutes(value)
    if read is None:
        raise _unreadable(value, "time", name)
    return read


def minutes(value: Value) -> float | None:
    """Of the day: 9:05 is 545."""
    clock = as_time(value)
    if clock is None:
        return None
    return clock.hour * 60 + clock.minute + (clock.second + clock.microsecond / 1e6) / 60


def minutes_of_day(values: pd.Series) -> NDArray[np.float64]:
    """Of cells such as 09:05; NaN where a cell is missing or says no time."""
    return by_distinct(values, minutes, "float64").to_numpy()


def _unreadable(value: Scalar, kind: ValueType, name: str) -> InvalidInput:
    return refusal("value_unreadable", column=name, value=value, kind=_kind_word(kind))


def _kind_word(kind: ValueType) -> str:
    return tell(f"analysis_result.kind.{kind}")


def _candidates(frame: pd.DataFrame, kinds: Kinds, one: Filter) -> list[str]:
    """Values that stand in the column and look like the one that was asked for."""
    for part in _flat((one,)):
        if kinds[part.col] != "text" or not isinstance(part, Compare | Among | Contains):
            continue
        uniques = [str(value) for value in frame[part.col].dropna().unique()[:_MOST_COMPARED]]
        asked = part.value[0] if isinstance(part.value, tuple) else part.value
        return nearest(str(asked), uniques, 3, least=0)
    return []


DEFAULT_THRESHOLDS: dict[OutlierMethod, float] = {"iqr": 1.5, "zscore": 3.0}


def bounds(
    values: pd.Series, method: OutlierMethod, threshold: float | None, ddof: int
) -> tuple[float, float]:
    """What is usual; quartiles by linear interpolation. No bound where there are no values."""
    width = threshold or DEFAULT_THRESHOLDS[method]
    present = floats(values)
    present = present[np.isfinite(present)]
    if method == "iqr":
        if present.size == 0:
            return np.nan, np.nan
        low, high = (float(edge) for edge in np.quantile(present, [0.25, 0.75]))
        return low - width * (high - low), high + width * (high - low)
    if present.size <= ddof:
        return np.nan, np.nan
    if np.ptp(present) == 0:  # whose mean floating point may put beside them
        return float(present[0]), float(present[0])
    centre, spread = float(present.mean()), float(present.std(ddof=ddof))
    return centre - width * spread, centre + width * spread


def outlying(
    values: pd.Series,
    groups: pd.Series | None,
    method: OutlierMethod,
    threshold: float | None,
    ddof: int,
) -> NDArray[np.bool_]:
    """For each row, compared with its column or, if given, with its group of rows."""
    if groups is None:
        low, high = bounds(values, method, threshold, ddof)
        return _outside(floats(values), low, high)
    codes, uniques = pd.factorize(groups, use_na_sentinel=False)
    numbers = pd.Series(floats(values)).where(np.isfinite)
    grouped = numbers.groupby(codes)
    if method == "iqr":
        first, third = grouped.quantile(0.25), grouped.quantile(0.75)
        reach = (threshold or DEFAULT_THRESHOLDS[method]) * (third - first)
        low_of, high_of = first - reach, third + reach
    else:
        reach = (threshold or DEFAULT_THRESHOLDS[method]) * grouped.std(ddof=ddof)
        least, most = grouped.min(), grouped.max()
        low_of = (grouped.mean() - reach).where((least < most) | reach.isna(), least)
        high_of = (grouped.mean() + reach).where((least < most) | reach.isna(), most)
    places = range(len(uniques))
    low, high = (floats(edge.reindex(places))[codes] for edge in (low_of, high_of))
    return _outside(floats(values), low, high)


def _outside(
    numbers: NDArray[np.float64],
    low: "float | NDArray[np.float64]",
    high: "float | NDArray[np.float64]",
) -> NDArray[np.bool_]:
    return (numbers < low) | (numbers > high)  # a missing number or bound is never outside


class Work:
    def __init__(self, frame: Frame, filters: Filters) -> None:
        self.frame = frame
        self.filters = filters
        self.used_rows = frame.rows
        self.kinds, self.units, self.labels = frame.kinds, frame.units, frame.labels

    def rows(self, columns: Sequence[str], *, may_be_none: bool = False) -> pd.DataFrame:
        """These columns of the rows that meet the filters; the index is the place in the input."""
        needed = dict.fromkeys((*columns, *filter_columns(self.filters)))
        keep = keep_rows if may_be_none else keep_some_rows
        kept = keep(self.frame.pandas(tuple(needed)), self.kinds, self.filters)
        self.used_rows = len(kept)
        return kept[list(dict.fromkeys(columns))]

    def own(self, made: pd.DataFrame, names: Sequence[str]) -> list[ResultColumn]:
        """Columns of a result that are those of the input: the groups of an aggregate."""
        return [
            ResultColumn(name, made[name], self.kinds[name], self.units[name], self.labels[name])
            for name in names
        ]

    def condition_note(self) -> list[Note]:
        if not self.filters:
            return []
        conditions = tell("analysis_result.and").join(describe(one) for one in self.filters)
        used, whole = self.used_rows, self.frame.rows
        return [note("filtered", conditions=conditions[:1000], used=used, all=whole)]


def missing_notes(frame: pd.DataFrame, columns: Sequence[str]) -> list[Note]:
    """How many cells of each column were left out, where there are any."""
    counts = {name: int(frame[name].isna().sum()) for name in dict.fromkeys(columns)}
    return [note("missing", column=name, count=count) for name, count in counts.items() if count]


def looks_alike_note(values: pd.Series, column: str) -> list[Note]:
    """Groups that differ in width or case only are kept apart, but a person should know."""
    if values.dtype != "str" or len(values) > 2000:
        return []
    seen: dict[str, str] = {}
    for value in values.dropna():
        one = seen.setdefault(matching_form(str(value)), str(value))
        if one != value:
            return [warn("look_alike", column=column, one=one, other=str(value))]
    return []
