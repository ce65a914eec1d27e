"""Which numbers lie far from the rest: by quartiles or by standard deviations."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.spec.filters import OutlierMethod
from sanbo.tables.columns import floats

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
