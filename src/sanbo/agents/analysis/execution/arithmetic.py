"""Calculating with columns: a cell for each row. What has no result stays empty."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.aggregates import key_text
from sanbo.agents.analysis.execution.periods import CYCLES, periods, read_span
from sanbo.agents.analysis.execution.results import refusal
from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec.expressions import (
    Arithmetic,
    Bin,
    DateDifference,
    DatePart,
    Log,
    Numeric,
    Scale,
)
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.columns import as_number, by_distinct, floats


@dataclass(frozen=True)
class Value:
    data: pd.Series
    kind: ValueType
    part: str
    """What it is called in a problem: a column's name, or what it is computed by."""
    unit: str = ""

    @property
    def is_number(self) -> bool:
        return self.kind in NUMERIC

    def numbers(self) -> NDArray[np.float64]:
        """NaN where there is none; words are refused, booleans are 1 and 0."""
        if not self.is_number and self.kind not in ("boolean", "empty"):
            raise self.unfit("numbers")
        return floats(self.data)

    def moments(self) -> NDArray[np.datetime64]:
        if self.kind == "text" and self.data.nunique() == 1:  # a date that was written as text
            span = read_span(str(self.data.dropna().iloc[0]))
            if span is not None:
                moments = np.full(len(self.data), span.start)
                return np.where(self.data.isna(), np.datetime64("NaT", "us"), moments)
        if self.kind not in TEMPORAL:
            raise self.unfit("dates")
        return self.data.to_numpy(dtype="datetime64[us]")

    def texts(self) -> pd.Series:
        """Any cell as the text that stands for it; missing ones stay missing."""
        if self.data.dtype == "str":
            return self.data
        return by_distinct(self.data, key_text, "str")

    def truths(self) -> pd.Series:
        if self.kind != "boolean":
            raise self.unfit("truths")
        return self.data.astype("boolean")

    def unfit(self, wanted: str) -> InvalidInput:
        return InvalidInput(
            "analysis_result.part_unfit",
            details={"part": self.part, "type": self.kind, "wanted": wanted},
            part=self.part,
            kind=tell(f"analysis_result.kind.{self.kind}"),
            wanted=tell(f"analysis_result.wanted.{wanted}"),
        )


def number_value(
    numbers: NDArray[np.float64], index: pd.Index, part: str, kind: ValueType, unit: str = ""
) -> Value:
    """Infinite ones are no values."""
    finite = np.where(np.isfinite(numbers), numbers, np.nan)
    return Value(pd.Series(finite, index=index), kind, part, unit)


_MICROSECONDS = {
    "minutes": 60_000_000,
    "hours": 3_600_000_000,
    "days": 86_400_000_000,
    "weeks": 604_800_000_000,
}


def date_part(part: DatePart, of: Value) -> Value:
    """Places in a cycle as numbers (Monday is 1), days as dates, other periods by name."""
    moments = pd.Series(of.moments(), index=of.data.index)
    time = periods(moments, part.part, part.fiscal_start)
    if part.part in CYCLES:
        return Value(time.of_rows, "integer", "date_part")
    return Value(time.shown(time.of_rows), time.kind, "date_part")


def date_difference(part: DateDifference, start: Value, end: Value) -> Value:
    begins, ends = start.moments(), end.moments()
    index = start.data.index
    missing = np.isnat(begins) | np.isnat(ends)
    unit = tell(f"analysis_result.duration.{part.unit}")
    if part.unit in ("months", "years"):
        months = _full_months(begins, ends, missing)
        count = months if part.unit == "months" else np.sign(months) * (np.abs(months) // 12)
        made = pd.Series(pd.arrays.IntegerArray(count, missing), index=index)
        return Value(made, "integer", "date_difference", unit)
    ticks = ends.view("int64") - begins.view("int64")
    numbers = np.where(missing, np.nan, ticks / _MICROSECONDS[part.unit])
    if not (ticks[~missing] % _MICROSECONDS[part.unit]).any():
        whole = pd.Series(numbers, index=index).astype("Int64")
        return Value(whole, "integer", "date_difference", unit)
    return Value(pd.Series(numbers, index=index), "number", "date_difference", unit)


def _full_months(
    begins: NDArray[np.datetime64], ends: NDArray[np.datetime64], missing: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """Counted from the earlier to the later one; negative where the end comes first."""
    begins = np.where(missing, np.datetime64(0, "us"), begins)
    ends = np.where(missing, np.datetime64(0, "us"), ends)
    early, late = np.minimum(begins, ends), np.maximum(begins, ends)
    months = late.astype("datetime64[M]").astype("int64") - early.astype("datetime64[M]").astype(
        "int64"
    )
    into_late = late - late.astype("datetime64[M]").astype("datetime64[us]")
    into_early = early - early.astype("datetime64[M]").astype("datetime64[us]")
    full = months - (into_late < into_early)
    return np.where(ends >= begins, full, -full).astype("int64")


Floats = NDArray[np.float64]
_EXACT = 2.0**53
_LARGEST = 2.0**63
_KEEP_WHOLE = frozenset({"abs", "negate", "floor", "ceil"})

_OPERATIONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "add": lambda left, right: left + right,
    "subtract": lambda left, right: left - right,
    "multiply": lambda left, right: left * right,
    "divide": lambda left, right: left / right,
    "power": np.power,
    "modulo": np.mod,
}


def arithmetic(part: Arithmetic, left: Value, right: Value) -> tuple[Value, int]:
    """The result, and for how many rows there is none though both sides were there."""
    ours, theirs = left.numbers(), right.numbers()
    with np.errstate(all="ignore"):
        if part.fn in ("divide", "modulo"):
            theirs = np.where(theirs == 0, np.nan, theirs)
        numbers = _OPERATIONS[part.fn](ours, theirs)
    known = ~np.isnan(left.numbers()) & ~np.isnan(right.numbers())
    lost = int((known & ~np.isfinite(numbers)).sum())
    kind, unit = _kind(part.fn, left, right), _unit(part.fn, left, right)
    index = left.data.index
    whole = _whole(part.fn, left, right, numbers)
    if whole is not None:
        return Value(whole, kind if kind != "number" else "integer", part.fn, unit), lost
    return number_value(numbers, index, part.fn, kind, unit), lost


def _whole(  # noqa: PLR0911 - each operation has its own limit
    fn: str, left: Value, right: Value, numbers: Floats
) -> pd.Series | None:
    """Exactly, where both sides are whole numbers and the result fits."""
    ours, theirs = as_number(left.data), as_number(right.data)
    if not (is_integer_dtype(ours.dtype) and is_integer_dtype(theirs.dtype)):
        return None
    finite = numbers[np.isfinite(numbers)]
    if fn in ("add", "subtract", "multiply"):
        if finite.size and np.abs(finite).max() >= _LARGEST * 0.999:
            return None
        return _OPERATIONS[fn](ours, theirs)
    if fn == "modulo":
        return ours.astype("Int64") % theirs.astype("Int64").where(theirs != 0)
    if fn == "power" and (finite == np.floor(finite)).all():
        if finite.size and np.abs(finite).max() >= _EXACT:
            return None
        clean = np.where(np.isfinite(numbers), numbers, np.nan)
        return pd.Series(clean, index=ours.index).astype("Int64")
    return None


def _kind(fn: str, left: Value, right: Value) -> ValueType:
    kinds = {left.kind, right.kind}
    if fn in ("add", "subtract") and len(kinds) == 1 and left.kind in ("percent", "currency"):
        return left.kind
    if "currency" in kinds and kinds != {"currency"} and fn in ("add", "subtract", "multiply"):
        return "currency"
    if fn == "divide" and left.kind == "currency" and right.kind != "currency":
        return "currency"
    return "number"


def _unit(fn: str, left: Value, right: Value) -> str:
    """Of a product the money; of a quotient the left one, and none where both are the same."""
    if fn in ("add", "subtract"):
        if left.unit and right.unit and left.unit != right.unit:
            return ""
        return left.unit or right.unit
    if fn == "multiply":
        if left.unit and right.unit:
            return {left.kind: left.unit, right.kind: right.unit}.get("currency", "")
        return left.unit or right.unit
    if fn == "divide":
        return "" if left.unit == right.unit else left.unit
    return left.unit if fn == "modulo" else ""


def logarithm(part: Log, of: Value) -> tuple[Value, int]:
    numbers = of.numbers()
    given = ~np.isnan(numbers)
    if part.plus_one:
        numbers = numbers + 1
    with np.errstate(all="ignore"):
        numbers = np.where(numbers > 0, numbers, np.nan)
        made = {"e": np.log, "2": np.log2, "10": np.log10}[part.base](numbers)
    lost = int((given & ~np.isfinite(made)).sum())
    return number_value(made, of.data.index, "log", "number"), lost


def numeric(part: Numeric, of: Value) -> tuple[Value, int]:
    numbers = of.numbers()
    given = ~np.isnan(numbers)
    with np.errstate(all="ignore"):
        made = _numeric(part, numbers)
    lost = int((given & ~np.isfinite(made)).sum())
    is_whole = part.fn in ("floor", "ceil") or (part.fn == "round" and part.digits <= 0)
    kind: ValueType = of.kind if of.kind in ("percent", "currency") else "number"
    unit = "" if part.fn == "sqrt" else of.unit
    cells = as_number(of.data)
    if is_integer_dtype(cells.dtype) and (part.fn in _KEEP_WHOLE or _keeps(part)):
        return Value(
            _exactly(part, cells), kind if kind != "number" else "integer", part.fn, unit
        ), lost
    finite = made[np.isfinite(made)]
    if is_whole and kind == "number" and (not finite.size or np.abs(finite).max() < _EXACT):
        whole = pd.Series(np.where(np.isfinite(made), made, np.nan), index=of.data.index)
        return Value(whole.astype("Int64"), "integer", part.fn, unit), lost
    return number_value(made, of.data.index, part.fn, kind, unit), lost


def _keeps(part: Numeric) -> bool:
    return part.fn == "round" and part.digits >= 0


def _exactly(part: Numeric, cells: pd.Series) -> pd.Series:
    """Of whole numbers, which floating point would round beyond 2⁵³."""
    match part.fn:
        case "abs":
            return cells.abs()
        case "negate":
            return -cells
        case _:
            return cells


def _numeric(part: Numeric, numbers: Floats) -> Floats:
    match part.fn:
        case "abs":
            return np.abs(numbers)
        case "negate":
            return -numbers
        case "sqrt":
            return np.sqrt(numbers)
        case "floor":
            return np.floor(numbers)
        case "ceil":
            return np.ceil(numbers)
        case "round":
            return rounded(numbers, part.digits)


def rounded(numbers: Floats, digits: int) -> Floats:
    """Halves away from zero, as offices and spreadsheets do: 2.5 is 3, and 1.005 is 1.01."""
    # A whole number on both sides of the point: 0.001 is none that a computer can hold.
    scale = 10.0 ** abs(digits)
    scaled = np.abs(numbers) * scale if digits >= 0 else np.abs(numbers) / scale
    # Where a step is finer than the number's own precision there is nothing to round.
    whole = np.floor(scaled * (1 + 4e-16) + 0.5)
    back = whole / scale if digits >= 0 else whole * scale
    made = np.where(scaled < 2.0**52, back, np.abs(numbers))
    return np.sign(numbers) * made


def scaled(part: Scale, of: Value, groups: pd.Series | None) -> tuple[Value, int]:
    """Over the column, or within each group; rows without a group are one of their own."""
    index = of.data.index
    numbers = pd.Series(of.numbers(), index=index)
    keys: Any = np.zeros(len(numbers), dtype="int8") if groups is None else groups
    grouped: Any = numbers.groupby(keys, dropna=False, sort=False, observed=True)
    given = numbers.notna()
    match part.fn:
        case "rank":
            ranks = grouped.rank(method="min", ascending=False)
            return Value(ranks.astype("Int64"), "integer", "rank"), 0
        case "share":
            wholes = grouped.transform("sum")
            made = numbers / wholes.where(wholes != 0)
        case "zscore":
            spread = grouped.transform("std", ddof=part.ddof)
            differ = grouped.transform("min") < grouped.transform("max")
            made = (numbers - grouped.transform("mean")) / spread.where(differ)
        case "min_max":
            low = grouped.transform("min")
            width = grouped.transform("max") - low
            made = (numbers - low) / width.where(width > 0)
    lost = int((given & made.isna()).sum())
    kind: ValueType = "percent" if part.fn == "share" else "number"
    return number_value(made.to_numpy(dtype="float64"), index, part.fn, kind), lost


_LARGEST_SHOWN = 1e15
MOST_BINS = 1000


def binned(part: Bin, of: Value) -> tuple[Value, int]:
    """The class of each number, and how many lie outside of all classes.

    A class holds its lower edge, and the last one its upper edge too; of parts of equal size a
    class holds its upper edge, and the first one its lower edge too, as is usual for quantiles.
    """
    numbers = of.numbers()
    present = numbers[np.isfinite(numbers)]
    if present.size == 0:
        return Value(pd.Series(None, index=of.data.index, dtype="str"), "text", "bin"), 0
    edges = _edges(part, present)
    if part.labels and len(part.labels) != len(edges) - 1:
        raise InvalidInput(
            "analysis_result.bins_collapsed", parts=len(edges) - 1, labels=len(part.labels)
        )
    if part.quantiles:
        places = np.searchsorted(edges, numbers, side="left") - 1
        places = np.where(numbers == edges[0], 0, places)
    else:
        places = np.searchsorted(edges, numbers, side="right") - 1
        places = np.where(numbers == edges[-1], len(edges) - 2, places)
    inside = np.isfinite(numbers) & (places >= 0) & (places <= len(edges) - 2)
    names = np.array([*_names(part, edges), None], dtype=object)
    made = pd.Series(
        names[np.where(inside, places, len(edges) - 1)], index=of.data.index, dtype="str"
    )
    return Value(made, "text", "bin"), int((np.isfinite(numbers) & ~inside).sum())


def _edges(part: Bin, present: NDArray[np.float64]) -> NDArray[np.float64]:
    if part.edges:
        return np.array(part.edges)
    low, high = float(present.min()), float(present.max())
    if part.quantiles:
        edges = np.unique(np.quantile(present, np.linspace(0, 1, part.quantiles + 1)))
        return edges if len(edges) > 1 else np.array([low, low])
    if part.width is not None:
        first = math.floor(low / part.width)
        count = math.floor(high / part.width) + 1 - first
        if count > MOST_BINS:
            raise refusal("too_many_bins", count=count, limit=MOST_BINS)
        return (first + np.arange(count + 1, dtype="float64")) * part.width
    return np.linspace(low, high, part.count + 1) if high > low else np.array([low, high])


def _names(part: Bin, edges: NDArray[np.float64]) -> list[str]:
    """Numbered, so that they sort as the numbers do."""
    if part.labels:
        return list(part.labels)
    count = len(edges) - 1
    by_size = part.quantiles is not None
    names: list[str] = []
    shown = edge_texts(edges, is_given=bool(part.edges) or part.width is not None)
    for place in range(count):
        is_closed = place == 0 if by_size else place == count - 1 and part.width is None
        shape = "closed" if is_closed else "upper" if by_size else "lower"
        text = tell(
            f"analysis_result.bin.{shape}",
            low=shown[place],
            high=shown[place + 1],
        )
        names.append(f"{place + 1:0{len(str(count))}}: {text}")
    return names


def edge_texts(edges: NDArray[np.float64], *, is_given: bool) -> list[str]:
    """1,000,000, never 1e+06; given ones exactly, others so that they can be told apart."""
    if (np.abs(edges) >= _LARGEST_SHOWN).any():
        return [f"{edge:.6g}" for edge in edges]
    width = float(np.diff(edges).min())
    finest = 12 if is_given or width <= 0 else min(12, max(0, 2 - math.floor(math.log10(width))))
    rounded = [f"{edge:,.{finest}f}" for edge in edges]
    return [text.rstrip("0").rstrip(".") if "." in text else text for text in rounded]
