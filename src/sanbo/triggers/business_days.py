"""Business days of Japan: no Saturday, Sunday, national holiday or day of the office's own."""

from collections.abc import Collection
from datetime import date

_SATURDAY = 5


def is_business_day(day: date, closed: Collection[str] = ()) -> bool:
    """`closed`: `MM-DD` of every year, or `YYYY-MM-DD`."""
    import jpholiday  # noqa: PLC0415 - few processes count days

    if day.weekday() >= _SATURDAY or jpholiday.is_holiday(day):
        return False
    return f"{day:%m-%d}" not in closed and day.isoformat() not in closed
