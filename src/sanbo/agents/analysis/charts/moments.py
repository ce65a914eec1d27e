"""Dates along an axis: as fine as the span needs, written as a reader expects."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator
from matplotlib.ticker import Formatter

from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import current_language

_UNITS: tuple[tuple[TimeUnit, timedelta], ...] = (
    ("hour", timedelta(hours=1)),
    ("day", timedelta(days=1)),
    ("week", timedelta(days=7)),
    ("month", timedelta(days=30)),
    ("quarter", timedelta(days=91)),
    ("year", timedelta(days=365)),
)


def moment_text(moment: datetime, *, with_time: bool = False) -> str:
    text = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    return f"{text} {moment.hour:02}:{moment.minute:02}" if with_time else text


def unit_for(values: pd.Series, most: int) -> TimeUnit:
    """The finest one that makes no more than so many periods of these dates."""
    moments = values.dropna()
    span = cast("timedelta", moments.max() - moments.min()) if len(moments) else timedelta()
    has_times = bool((moments != moments.dt.normalize()).any())
    for unit, length in _UNITS:
        if unit == "hour" and not has_times:
            continue
        if span / length < most:
            return unit
    return "year"


class DateTicks(Formatter):
    """Years alone, months with their year, days; the time of day within few days."""

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        dates = [_date(value) for value in values]
        if any(date.hour or date.minute for date in dates):
            return [f"{date.month}/{date.day} {date.hour:02}:{date.minute:02}" for date in dates]
        if any(date.day != 1 for date in dates):
            return [moment_text(date) for date in dates]
        if any(date.month != 1 for date in dates):
            return [f"{date.year:04}-{date.month:02}" for date in dates]
        suffix = "年" if current_language() == "ja" else ""
        return [f"{date.year}{suffix}" for date in dates]

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - Matplotlib's
        return moment_text(_date(x))


def _date(value: float) -> datetime:
    return datetime(1970, 1, 1) + timedelta(days=float(value))


def set_dates(axes: Axes, most: int = 7) -> None:
    axes.xaxis.set_major_locator(AutoDateLocator(minticks=3, maxticks=most))
    axes.xaxis.set_major_formatter(DateTicks())
