"""Calculating with columns: what has no result stays empty, and how often is told."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_integer_dtype

from sanbo.agents.analysis.execution.values import Value, number_value
from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.expressions import Arithmetic, Log, Numeric, Scale
from sanbo.tables.columns import as_number

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
