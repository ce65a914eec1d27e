"""Dates by period (2025-04, 2025年度) or by place in a cycle (月曜日): numbered, then named.

A date as people write it for a condition, as the moments between which a value must lie.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from sanbo.agents.analysis.execution.results import too_much
from sanbo.agents.analysis.profile import TEMPORAL, ValueType
from sanbo.agents.analysis.spec.words import WEEKDAYS, Days, Months, TimeUnit, written_span
from sanbo.kernel.messages import tell
from sanbo.language.moments import MONTHS


@dataclass(frozen=True)
class Span:
    """From `start` up to, not including, `end`; both of microseconds without a zone."""

    start: np.datetime64
    end: np.datetime64


def read_span(text: str, fiscal_start: int = 4) -> Span | None:
    match written_span(text, fiscal_start):
        case None:
            return None
        case Months(first, count):
            edges = (np.datetime64(number, "M") for number in (first, first + count))
            return Span(*(edge.astype("datetime64[us]") for edge in edges))
        case Days(first, count):
            start = np.datetime64(first, "us")
            return Span(start, start + np.timedelta64(count, "D"))
        case moment:
            start = np.datetime64(moment.replace(tzinfo=None), "us")
            return Span(start, start + np.timedelta64(1, "us"))


MOST_PERIODS = 200_000
"""That gaps are filled with: days of 500 years."""

CYCLES: dict[TimeUnit, tuple[int, int]] = {
    "month_of_year": (1, 12),
    "day_of_month": (1, 31),
    "weekday": (1, 7),
    "hour_of_day": (0, 23),
}
_STEPS: dict[TimeUnit, int] = {"half": 6, "quarter": 3, "month": 1, "year": 12}
_FISCAL_STEPS: dict[TimeUnit, int] = {"fiscal_year": 12, "fiscal_quarter": 3}
_EPOCH = date(1970, 1, 1)
_HOUR = 3_600_000_000  # microseconds
_WIDEST = 500_000  # days


@dataclass(frozen=True)
class Periods:
    """Of a column of dates. Ordinals are whole numbers in order of time; missing dates have none.

    `of_rows` has an ordinal for each row; group by it, then name the groups.
    """

    unit: TimeUnit
    fiscal_start: int
    of_rows: pd.Series

    def label(self, ordinal: int) -> str:
        """The same in every language: 2025-04, FY2025-Q1, 2025-W03; weekdays 1 to 7."""
        match self.unit:
            case "week":
                year, week, _ = (_EPOCH + timedelta(days=7 * int(ordinal) - 3)).isocalendar()
                label = f"{year:04}-W{week:02}"
            case "day":
                label = str(self.start(ordinal).astype("datetime64[D]"))
            case "hour":
                label = str(self.start(ordinal).astype("datetime64[m]")).replace("T", " ")
            case "fiscal_year":
                label = f"FY{ordinal:04}"
            case "fiscal_quarter":
                label = f"FY{ordinal // 4:04}-Q{ordinal % 4 + 1}"
            case "year" | "half" | "quarter" | "month":
                year, month = divmod(ordinal * _STEPS[self.unit], 12)
                label = (
                    f"{year:04}"
                    + {
                        "year": "",
                        "half": f"-H{month // 6 + 1}",
                        "quarter": f"-Q{month // 3 + 1}",
                        "month": f"-{month + 1:02}",
                    }[self.unit]
                )
            case _:
                label = str(ordinal)
        return label

    def display(self, ordinal: int) -> str:
        """For a person, in the current language: 2025年度, 2025年度Q1, 月曜日, 4月."""
        match self.unit:
            case "weekday":
                shown = tell(f"analysis_result.weekday.{WEEKDAYS[ordinal - 1]}")
            case "month_of_year":
                shown = tell(f"analysis_result.month.{MONTHS[ordinal - 1]}")
            case "day_of_month":
                shown = tell("analysis_result.day_of_month", day=ordinal)
            case "hour_of_day":
                shown = tell("analysis_result.hour_of_day", hour=ordinal)
            case "fiscal_year":
                shown = tell("analysis_result.fiscal_year", year=ordinal)
            case "fiscal_quarter":
                year, quarter = divmod(ordinal, 4)
                shown = tell("analysis_result.fiscal_quarter", year=year, quarter=quarter + 1)
            case _:
                shown = self.label(ordinal)
        return shown

    def start(self, ordinal: int) -> np.datetime64:
        """When a period begins; of a position in a cycle there is no such moment."""
        ordinal = int(ordinal)  # numpy's own whole numbers are refused by its dates
        match self.unit:
            case "day":
                moment = np.datetime64(ordinal, "D")
            case "hour":
                moment = np.datetime64(ordinal, "h")
            case "week":
                moment = np.datetime64(7 * ordinal - 3, "D")
            case "fiscal_year" | "fiscal_quarter":
                step = _FISCAL_STEPS[self.unit]
                moment = np.datetime64(ordinal * step + self.fiscal_start - 1 - 1970 * 12, "M")
            case _:
                moment = np.datetime64(ordinal * _STEPS[self.unit] - 1970 * 12, "M")
        return moment.astype("datetime64[us]")

    def between(self, ordinals: Sequence[int]) -> range:
        """All from the first to the last of these, or the whole cycle: gaps are in it too."""
        if self.unit in CYCLES:
            first, last = CYCLES[self.unit]
        elif not ordinals:
            return range(0)
        else:
            first, last = min(ordinals), max(ordinals)
        if last - first >= MOST_PERIODS:
            raise too_much("too_many_periods", count=last - first + 1, limit=MOST_PERIODS)
        return range(first, last + 1)

    @property
    def kind(self) -> ValueType:
        """Of what `shown` gives."""
        if self.unit == "day":
            return "date"
        if self.unit == "hour":
            return "datetime"
        return "integer" if self.unit in CYCLES and self.unit != "weekday" else "text"

    def shown(self, ordinals: pd.Series) -> pd.Series:
        """The column of a result: dates for days and hours, numbers in a cycle, else names."""
        if self.kind in ("date", "datetime"):
            scale = "D" if self.unit == "day" else "h"
            moments = ordinals.to_numpy(dtype="int64", na_value=np.iinfo(np.int64).min)
            return pd.Series(
                moments.astype(f"datetime64[{scale}]").astype("datetime64[us]"),
                index=ordinals.index,
            )
        if self.kind == "integer":
            return ordinals
        codes, uniques = pd.factorize(ordinals)
        names = np.array([*map(self.display, map(int, uniques)), None], dtype=object)
        return pd.Series(names[codes], index=ordinals.index, dtype="str")


def periods(values: pd.Series, unit: TimeUnit, fiscal_start: int = 4) -> Periods:
    """Weeks begin on Monday (ISO); a fiscal year is named by the year in which it begins."""
    moments = values.to_numpy(dtype="datetime64[us]")
    missing = np.isnat(moments)
    ordinals = _ordinals(moments, missing, unit, fiscal_start)
    of_rows = (
        pd.Series(pd.arrays.IntegerArray(np.where(missing, 1, ordinals), missing))
        if missing.any()
        else pd.Series(ordinals)
    )
    of_rows.index = values.index
    return Periods(unit, fiscal_start, of_rows)


def _ordinals(
    moments: NDArray[np.datetime64], missing: NDArray[np.bool_], unit: TimeUnit, fiscal_start: int
) -> NDArray[np.int64]:
    """Of missing moments any number."""
    ticks = moments.view("int64")
    if unit in ("hour", "hour_of_day"):
        hours = ticks // _HOUR
        return hours if unit == "hour" else hours % 24
    days = ticks // (24 * _HOUR)
    present = days[~missing] if missing.any() else days
    if present.size == 0:
        return np.zeros(len(days), dtype="int64")
    first, last = int(present.min()), int(present.max())
    if last - first > max(_WIDEST, len(days)):
        return _of_days(days, unit, fiscal_start)
    # A calendar of the days between costs less than asking it of every row.
    calendar = _of_days(np.arange(first, last + 1), unit, fiscal_start)
    return calendar[np.clip(days - first, 0, last - first)]


def _of_days(days: NDArray[np.int64], unit: TimeUnit, fiscal_start: int) -> NDArray[np.int64]:
    """Day 0 is 1970-01-01, a Thursday."""
    match unit:
        case "day":
            return days
        case "week":
            return (days + 3) // 7
        case "weekday":
            return (days + 3) % 7 + 1
        case _:
            return _of_months(days, unit, fiscal_start)


def _of_months(days: NDArray[np.int64], unit: TimeUnit, fiscal_start: int) -> NDArray[np.int64]:
    dates = days.astype("datetime64[D]")
    begins = dates.astype("datetime64[M]")
    months = begins.astype("int64") + 1970 * 12
    if unit == "day_of_month":
        return (dates - begins.astype("datetime64[D]")).astype("int64") + 1
    if unit == "month_of_year":
        return months % 12 + 1
    if unit in _FISCAL_STEPS:
        return (months - (fiscal_start - 1)) // _FISCAL_STEPS[unit]
    return months // _STEPS[unit]


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
    places = [_place(str(text)) for text in uniques] if _place(str(uniques[0])) else [None]
    lengths = {place[0] for place in places if place is not None}
    if None in places or len(lengths) != 1:
        return None
    found = np.array([place[1] for place in places if place is not None], dtype="int64")
    return pd.Series(found[codes], index=values.index)


def _place(text: str) -> tuple[str, int] | None:
    """How long a named period is, and its number among those of this length."""
    span = read_span(text)
    if span is None:
        return None
    first, last = (
        int(edge.astype("datetime64[M]").astype("int64")) for edge in (span.start, span.end)
    )
    if last > first and span.end == span.end.astype("datetime64[M]"):
        return f"{last - first} months", first // (last - first)
    days = int((span.end - span.start) // np.timedelta64(1, "D"))
    return (
        ("week", int(span.start.astype("datetime64[D]").astype("int64")) // 7)
        if days == 7
        else None
    )
