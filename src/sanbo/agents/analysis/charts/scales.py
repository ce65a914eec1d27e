"""Numbers and dates along an axis: in 万 or 億, as fine as needed, as a reader expects."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import cast

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.dates import AutoDateLocator
from matplotlib.ticker import Formatter

from sanbo.agents.analysis.profile import ValueType
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.messages import current_language, tell

# From ten of them on: 15 万 reads better than 150,000, but 1.5 億 not better than 15,000 万.
_LARGE_JA = ((1e13, 1e12, "cho"), (1e9, 1e8, "oku"), (1e5, 1e4, "man"))
_LARGE_EN = ((2e12, 1e12, "trillion"), (2e9, 1e9, "billion"), (2e6, 1e6, "million"))
_SMALLEST_WRITTEN_OUT, _LARGEST_WRITTEN_OUT = 1e-6, 1e15
_COUNTS_IN_LARGE = re.compile(r"^(?:[十百千万億兆]|thousand|million|billion|k|m|bn)", re.IGNORECASE)
_YEAR = re.compile(r"年|year|fy", re.IGNORECASE)


@dataclass(frozen=True)
class Scale:
    """What a value is divided by to be shown, and the unit it then has."""

    divisor: float = 1.0
    unit: str = ""
    is_grouped: bool = True
    """Thousands are separated; years and codes are not."""

    def shown(self, value: float, decimals: int | None = None) -> str:
        number = value / self.divisor
        if number and not _SMALLEST_WRITTEN_OUT <= abs(number) < _LARGEST_WRITTEN_OUT:
            return f"{number:.4g}"
        places = _decimals_of(number) if decimals is None else decimals
        text = f"{number:,.{places}f}" if self.is_grouped else f"{number:.{places}f}"
        return text.removeprefix("-") if float(text.replace(",", "")) == 0 else text

    def decimals_for(self, values: Sequence[float]) -> int:
        """The same for all of these: none for whole or large numbers."""
        sizes = [abs(value / self.divisor) for value in values]
        if all(abs(size - round(size)) < 1e-9 for size in sizes):
            return 0
        largest = max(sizes)
        return 0 if largest >= 1000 else 1 if largest >= 10 else 2 if largest >= 0.1 else 4

    def with_unit(self, value: float, decimals: int | None = None) -> str:
        return self.shown(value, decimals) + joined_unit(self.unit)


def joined_unit(unit: str) -> str:
    """円 and % stand right after the number, words in Latin letters after a space."""
    return f" {unit}" if unit[:1].isascii() and unit[:1].isalpha() else unit


def scale_for(values: Iterable[float], kind: ValueType, unit: str, name: str = "") -> Scale:
    """For all of these values, which stand along one axis."""
    finite = [abs(value) for value in values if math.isfinite(value)]
    largest = max(finite, default=0.0)
    if kind == "percent":
        return Scale(0.01, "%")
    if (
        kind == "integer"
        and _YEAR.search(name)
        and finite
        and 1000 <= min(finite) <= largest < 3000
    ):
        return Scale(is_grouped=False, unit="")
    if unit == "%" or _COUNTS_IN_LARGE.match(unit):
        return Scale(unit=unit)
    steps = _LARGE_JA if current_language() == "ja" else _LARGE_EN
    for least, divisor, word in steps:
        if largest >= least:
            return Scale(divisor, tell(f"chart.large.{word}", unit=unit).strip())
    return Scale(unit=unit)


def exact(value: float, kind: ValueType, unit: str) -> str:
    """A single value in words: 1,234,567円, 12.5%."""
    scale = Scale(0.01, "%") if kind == "percent" else Scale(unit=unit)
    return scale.with_unit(value)


def _decimals_of(number: float) -> int:
    """Whole numbers as they are, others with about four digits that count."""
    size = abs(number)
    if (
        not math.isfinite(number)
        or size >= 1000
        or math.isclose(number, round(number), abs_tol=1e-12)
    ):
        return 0
    if size == 0:
        return 0
    places = min(max(3 - math.floor(math.log10(size)), 1), 10)
    text = f"{number:.{places}f}".rstrip("0")
    return len(text.partition(".")[2])


class NumberTicks(Formatter):
    """As many decimals as the ticks need to differ, the same for all of them."""

    def __init__(self, scale: Scale) -> None:
        self.scale = scale

    def format_ticks(self, values: Sequence[float]) -> list[str]:
        shown = sorted(float(value) / self.scale.divisor for value in values)
        step = min(
            (after - before for before, after in pairwise(shown) if after > before), default=1
        )
        places = 0
        # Steps of 0.25 need two places, steps of 0.2 one.
        while places < 10 and not _is_whole(step * 10**places):
            places += 1
        return [self.scale.shown(float(value), places) for value in values]

    def __call__(self, x: float, pos: int | None = None) -> str:  # noqa: ARG002 - Matplotlib's
        return self.scale.shown(x)


def _is_whole(value: float) -> bool:
    return math.isclose(value, round(value), rel_tol=1e-6, abs_tol=1e-6) and round(value) != 0


# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false


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
