"""Columns as plain floating-point numbers, and sums that never overflow."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_integer_dtype

_LARGEST = np.iinfo(np.int64).max


def floats(values: pd.Series) -> NDArray[np.float64]:
    """NaN where a cell is missing; booleans as 1 and 0."""
    return values.to_numpy(dtype="float64", na_value=np.nan)


def as_number(values: pd.Series) -> pd.Series:
    """Booleans as whole numbers, the rest as it is."""
    if is_bool_dtype(values.dtype):
        return values.astype("int64" if values.dtype == np.bool_ else "Int64")
    return values


def may_overflow(values: pd.Series) -> bool:
    """Whether a sum over whole numbers could pass 64 bits."""
    if not is_integer_dtype(values.dtype) or values.empty:
        return False
    low, high = values.min(), values.max()
    if pd.isna(low) or pd.isna(high):
        return False
    return max(abs(int(low)), abs(int(high))) * len(values) > _LARGEST


def halves(values: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Upper and lower 32 bits: each can be summed 2³¹ times, and together they are exact."""
    whole = values.to_numpy(dtype="int64", na_value=0)
    index = values.index
    return pd.Series(whole >> 32, index=index), pd.Series(whole & 0xFFFFFFFF, index=index)


def joined(upper: Sequence[int], lower: Sequence[int]) -> NDArray[np.int64] | NDArray[np.float64]:
    """The exact sums; as floating point where one does not fit into 64 bits."""
    sums = [(int(high) << 32) + int(low) for high, low in zip(upper, lower, strict=True)]
    fits = all(-_LARGEST - 1 <= value <= _LARGEST for value in sums)
    return np.array(sums, dtype="int64" if fits else "float64")


def total(values: pd.Series) -> int | float:
    """Missing cells left out; 0 of none."""
    values = as_number(values)
    if may_overflow(values):
        upper, lower = halves(values)
        return (int(upper.sum()) << 32) + int(lower.sum())
    found = values.sum()
    return int(found) if is_integer_dtype(values.dtype) else float(found)
