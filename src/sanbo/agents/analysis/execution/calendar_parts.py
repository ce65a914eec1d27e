"""Parts of dates, and the time between two of them."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.periods import CYCLES, periods
from sanbo.agents.analysis.execution.values import Value
from sanbo.agents.analysis.spec.expressions import DateDifference, DatePart
from sanbo.kernel.messages import tell

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
