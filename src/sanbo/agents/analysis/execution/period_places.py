"""The place in time of periods that a table names, so that gaps between them are seen."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import re
from collections.abc import Callable
from datetime import date

import numpy as np
import pandas as pd

from sanbo.agents.analysis.profile import TEMPORAL, ValueType

_MONTHLY = re.compile(r"(\d{4})(?:-|/|年)(\d{1,2})月?", re.ASCII)
_FORMS: tuple[tuple[re.Pattern[str], int], ...] = (
    (_MONTHLY, 12),
    (re.compile(r"(\d{4})-Q([1-4])|FY ?(\d{4})-Q([1-4])|(\d{4})年度 ?Q([1-4])", re.ASCII), 4),
    (re.compile(r"(\d{4})-H([12])", re.ASCII), 2),
    (re.compile(r"(\d{4})年?|FY ?(\d{4})|(\d{4})年度", re.ASCII), 1),
)
_WEEK = re.compile(r"(\d{4})-W(\d{2})", re.ASCII)
_YEARS = (1000, 3000)


def period_places(values: pd.Series, kind: ValueType, name: str) -> pd.Series | None:
    """A whole number for each row, one more for the next period; None where these are no periods.

    Days are none: shops are closed on some of them, and the row before is what is meant.
    """
    if values.empty or values.isna().any():
        return None
    if kind in TEMPORAL:
        months = values.to_numpy(dtype="datetime64[us]").astype("datetime64[M]")
        if (months.astype("datetime64[us]") != values.to_numpy(dtype="datetime64[us]")).any():
            return None
        return pd.Series(months.astype("int64"), index=values.index)
    if kind == "integer" and re.search("年|year", name, re.IGNORECASE):
        return values.astype("int64") if values.between(*_YEARS).all() else None
    return _of_names(values) if kind == "text" else None


def _of_names(values: pd.Series) -> pd.Series | None:
    codes, uniques = pd.factorize(values)
    for read in (_week, *(_reader(form, parts) for form, parts in _FORMS)):
        places = [read(str(text)) for text in uniques[:1]]
        if places[0] is None:
            continue
        places = [read(str(text)) for text in uniques]
        if any(place is None for place in places):
            return None
        return pd.Series(np.array(places, dtype="int64")[codes], index=values.index)
    return None


def _reader(form: re.Pattern[str], parts: int) -> Callable[[str], int | None]:
    def read(text: str) -> int | None:
        found = form.fullmatch(text)
        if found is None:
            return None
        year, part = ([int(group) for group in found.groups() if group] + [1])[:2]
        return year * parts + part - 1 if part <= parts else None

    return read


def _week(text: str) -> int | None:
    found = _WEEK.fullmatch(text)
    if found is None:
        return None
    try:
        monday = date.fromisocalendar(int(found[1]), int(found[2]), 1)
    except ValueError:
        return None
    return monday.toordinal() // 7
