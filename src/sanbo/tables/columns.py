"""Whole columns at once, at pandas' speed: numbers, cells read once each, sums that are exact."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_bool_dtype, is_integer_dtype

Floats = NDArray[np.float64]

_LARGEST = np.iinfo(np.int64).max
_EXACT = 2.0**53
"""Below it floating point holds every whole number."""
_MOST_DIGITS = 6
_LOOKED_AT = 1000
_AT_ONCE = 1 << 15


def floats(values: pd.Series) -> Floats:
    """NaN where a cell is missing; booleans as 1 and 0."""
    return values.to_numpy(dtype="float64", na_value=np.nan)


def as_number(values: pd.Series) -> pd.Series:
    """Booleans as whole numbers, the rest as it is."""
    if is_bool_dtype(values.dtype):
        return values.astype("int64" if values.dtype == np.bool_ else "Int64")
    return values


def by_distinct(values: pd.Series, read: Callable[[Any], object], dtype: str) -> pd.Series:
    """Each different cell read once: a million rows hold few of them."""
    codes, uniques = pd.factorize(values)
    cells = pd.Series([*(read(cell) for cell in uniques), None], dtype=dtype)
    return pd.Series(cells.take(codes).array, index=values.index)


# Sums


@dataclass(frozen=True)
class Parts:
    """Whole numbers for the cells of a column that add up exactly, as its own do not."""

    wholes: tuple[pd.Series, ...]
    """Their upper and lower halves, where one does not have room for the sum."""
    digits: int = 0
    """After the decimal point, which the wholes are without."""

    def joined(self, sums: Sequence[Sequence[int]]) -> NDArray[np.int64] | Floats:
        """What the sums of the parts are together; floating point where there are fractions."""
        if len(sums) > 1:
            pairs = zip(*sums, strict=True)
            totals = [(int(upper) << 32) + int(lower) for upper, lower in pairs]
            fits = all(-_LARGEST - 1 <= total <= _LARGEST for total in totals)
            return np.array(totals, dtype="int64" if fits else "float64")
        scale = 10**self.digits
        whole = np.asarray(sums[0], dtype="int64")
        if not whole.size or np.abs(whole).max() < _EXACT:
            return whole / scale
        return np.array([total / scale for total in whole.tolist()])


def parts(values: pd.Series) -> Parts | None:
    """None where pandas adds up as well: small whole numbers, and numbers without a last digit."""
    if is_integer_dtype(values.dtype):
        return Parts(_halves(values)) if may_overflow(values) else None
    return _without_point(values) if values.dtype == np.float64 else None


def total(values: pd.Series) -> int | float:
    """As on paper: 0.1 + 0.2 is 0.3. Missing cells are left out; 0 of none."""
    values = as_number(values)
    found = parts(values)
    if found is None:
        plain = values.sum()
        return int(plain) if is_integer_dtype(values.dtype) else float(plain)
    sums = [int(whole.sum()) for whole in found.wholes]
    if len(sums) > 1:
        return (sums[0] << 32) + sums[1]
    return sums[0] / 10**found.digits


def may_overflow(values: pd.Series) -> bool:
    """Whether a sum over whole numbers could pass 64 bits."""
    if not is_integer_dtype(values.dtype) or values.empty:
        return False
    low, high = values.min(), values.max()
    if pd.isna(low) or pd.isna(high):
        return False
    return max(abs(int(low)), abs(int(high))) * len(values) > _LARGEST


def _halves(values: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Upper and lower 32 bits: each can be summed 2³¹ times, and together they are exact."""
    whole = values.to_numpy(dtype="int64", na_value=0)
    index = values.index
    return pd.Series(whole >> 32, index=index), pd.Series(whole & 0xFFFFFFFF, index=index)


def _without_point(values: pd.Series) -> Parts | None:
    """Amounts of yen and sen in sen, where no cell has more digits after its point than a few."""
    numbers = values.to_numpy()
    for digits in range(_MOST_DIGITS + 1):
        if _wholes(numbers[:_LOOKED_AT], digits) is None:
            continue
        wholes = _wholes(numbers, digits)
        if wholes is not None:
            return Parts((pd.Series(wholes, index=values.index),), digits)
    return None


def _wholes(numbers: Floats, digits: int) -> NDArray[np.int64] | None:
    """A decimal that is its own nearest number again is what was written. Missing ones are 0."""
    scale = 10.0**digits
    largest = min(_EXACT, _LARGEST / max(1, len(numbers)))
    made = np.empty(len(numbers), dtype="int64")
    # In pieces that stay in the processor's cache: so it takes a third of the time.
    for start in range(0, len(numbers), _AT_ONCE):
        part = numbers[start : start + _AT_ONCE]
        with np.errstate(over="ignore", invalid="ignore"):
            wholes = part * scale
            np.rint(wholes, out=wholes)
            back = wholes / scale
            if np.isnan(wholes.sum()):
                missing = np.isnan(part)
                wholes[missing] = 0
                back[missing] = 0
                part = np.where(missing, 0.0, part)
        if not max(wholes.max(), -wholes.min()) < largest or not (back == part).all():
            return None
        made[start : start + _AT_ONCE] = wholes
    return made
