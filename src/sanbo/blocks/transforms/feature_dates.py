"""Features of days: months, quarters, fiscal years, and how long it is between two."""

from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, timedelta

from pydantic import JsonValue

from sanbo.blocks.transforms.feature import Column, Feature
from sanbo.tables.rows import Rows
from sanbo.tables.values import as_day, as_number

_MOST_DAYS = 100_000


def fiscal_year(day: date, start_month: int) -> int:
    return day.year if day.month >= start_month else day.year - 1


def fiscal_quarter(day: date, start_month: int) -> int:
    return (day.month - start_month) % 12 // 3 + 1


def _of_day(make: Callable[[date, Feature], JsonValue]) -> Callable[[Rows, Feature], Column]:
    def made(rows: Rows, feature: Feature) -> Column:
        days = [as_day(value) for value in feature.column(rows)]
        return [None if day is None else make(day, feature) for day in days]

    return made


def _month_end(day: date, feature: Feature) -> str:
    _ = feature
    return day.replace(day=monthrange(day.year, day.month)[1]).isoformat()


def _days_between(rows: Rows, feature: Feature) -> Column:
    """From the first to the second: below 0 where the second is earlier."""
    first, second = feature.columns(rows, least=2, most=2)
    pairs = [(as_day(one), as_day(other)) for one, other in zip(first, second, strict=True)]
    return [None if one is None or other is None else (other - one).days for one, other in pairs]


def _add_days(rows: Rows, feature: Feature) -> Column:
    first, second = feature.columns(rows, least=2, most=2)
    made: Column = []
    for one, other in zip(first, second, strict=True):
        day, count = as_day(one), as_number(other)
        if day is None or count is None or abs(count) > _MOST_DAYS:
            made.append(None)
            continue
        try:
            made.append((day + timedelta(days=int(count))).isoformat())
        except OverflowError:
            made.append(None)
    return made


OF_DATES: Mapping[str, Callable[[Rows, Feature], Column]] = {
    "year": _of_day(lambda day, _: day.year),
    "month": _of_day(lambda day, _: day.month),
    "day": _of_day(lambda day, _: day.day),
    "year_month": _of_day(lambda day, _: f"{day.year:04}-{day.month:02}"),
    "quarter": _of_day(lambda day, _: (day.month - 1) // 3 + 1),
    "weekday": _of_day(lambda day, _: day.isoweekday()),
    "is_weekend": _of_day(lambda day, _: day.isoweekday() >= 6),
    "fiscal_year": _of_day(lambda day, feature: fiscal_year(day, feature.start_month)),
    "fiscal_quarter": _of_day(lambda day, feature: fiscal_quarter(day, feature.start_month)),
    "month_start": _of_day(lambda day, _: day.replace(day=1).isoformat()),
    "month_end": _of_day(_month_end),
    "days_between": _days_between,
    "add_days": _add_days,
}
