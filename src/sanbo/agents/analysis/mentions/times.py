"""Times of a question as conditions write them: 2025年4月, Q1, 上期, since 2020; how far apart."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.spec.words import Days, Months, PeriodUnit, written_span
from sanbo.language.moments import Moment, Stated

MOST_YEARS = 100


def last_date(column: ColumnProfile) -> date | None:
    return _date(column.maximum)


def first_date(column: ColumnProfile) -> date | None:
    return _date(column.minimum)


def _date(value: object) -> date | None:
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value[:10])
    except ValueError:
        return None


def periods_of(
    stated: Stated,
    column: ColumnProfile,
    year: int | None = None,
    like: str | None = None,
    *,
    is_japanese: bool = False,
) -> Sequence[str]:
    """As conditions write it: 2025, 2025-04, 2025-Q1, 2025年度, 2025-04-01; the likeliest first.

    Several where a month stands in several years. 上期 is of a calendar or of a business year:
    the one that the data has more of comes first; 上期と下期, `like` each other, of one kind.
    """
    year = stated.moment.year if stated.moment.year is not None else year
    years = [year if year >= 100 else 2000 + year] if year else _years(stated.moment, column)
    is_open = is_japanese and stated.moment.half is not None and not stated.is_fiscal
    kinds = (False, True) if like is None else ("年度" in like,)
    written = [
        text
        for each in years
        for is_fiscal in (kinds if is_open else (stated.is_fiscal,))
        if (text := _written(stated.moment._replace(year=each), is_fiscal=is_fiscal)) is not None
    ]
    if not is_open:
        return written
    shares = {text: _covered(text, column) for text in written}
    most = max(shares.values(), default=0.0)
    told = [text for text in written if shares[text] > _MOST_OF * most]
    return sorted(told, key=lambda text: -shares[text]) or written


_MOST_OF = 0.7


def _covered(text: str, column: ColumnProfile) -> float:
    """How much of some months lies between the first and the last date."""
    first, last, span = first_date(column), last_date(column), written_span(text)
    if first is None or last is None or not isinstance(span, Months):
        return 0.0
    low, high = ((one.year - 1970) * 12 + one.month - 1 for one in (first, last))
    return max(0, min(high + 1, span.first + span.number) - max(low, span.first)) / span.number


def _years(moment: Moment, column: ColumnProfile) -> Sequence[int]:
    """In which the data has this month, the newest first."""
    first, last = first_date(column), last_date(column)
    parts = ((moment.month, 1), (moment.quarter, 3), (moment.half, 6))
    stated = next(((part, months) for part, months in parts if part is not None), None)
    if first is None or last is None or stated is None or last.year - first.year > MOST_YEARS:
        return ()
    part, months = stated
    low, high = months * (part - 1) + 1, months * part
    return [
        year
        for year in range(last.year, first.year - 1, -1)
        if (first.year, first.month) <= (year, high) and (year, low) <= (last.year, last.month)
    ]


def _written(moment: Moment, *, is_fiscal: bool) -> str | None:
    year = moment.year
    if year is None or moment.hour is not None or moment.week is not None:
        return None
    fiscal = "年度" if is_fiscal else ""
    if moment.day is not None:
        return None if moment.month is None else f"{year}-{moment.month:02}-{moment.day:02}"
    if moment.month is not None:
        return f"{year}-{moment.month:02}"
    if moment.quarter is not None:
        return f"FY{year}-Q{moment.quarter}" if is_fiscal else f"{year}-Q{moment.quarter}"
    if moment.half is not None:
        return f"{year}年度{'上下'[moment.half - 1]}期" if is_fiscal else f"{year}-H{moment.half}"
    return f"{year}{fiscal}"


_UNITS_OF_MONTHS: dict[int, PeriodUnit] = {1: "month", 3: "quarter", 6: "half", 12: "year"}


class Apart(NamedTuple):
    unit: PeriodUnit
    periods: int
    """From the earlier to the later."""
    in_year: int


def apart(first: str, last: str) -> Apart | None:
    """How far two periods lie apart; None where nothing counts by such: 2024年度上期, days."""
    spans = [written_span(first), written_span(last)]
    if not all(isinstance(span, Months) for span in spans):
        return None
    low, high = (span for span in spans if isinstance(span, Months))
    unit = _UNITS_OF_MONTHS.get(low.number)
    if unit is None or low.number != high.number:
        return None
    is_fiscal = "年度" in first and "年度" in last
    if low.first % low.number or high.first % high.number or is_fiscal:
        if not is_fiscal or low.number != 12:
            return None
        unit = "fiscal_year"
    return Apart(unit, (high.first - low.first) // low.number, 12 // low.number)


def sort_key(text: str) -> tuple[int, int]:
    """By when a period begins: its month, and its day."""
    span = written_span(text)
    if isinstance(span, Months):
        return span.first, 0
    day = span.first if isinstance(span, Days) else date(1970, 1, 1)
    return (day.year - 1970) * 12 + day.month - 1, day.day


def whole(first: str, last: str) -> str | None:
    """4月から6月 is a quarter: months that are one period."""
    spans = [written_span(first), written_span(last)]
    if not all(isinstance(span, Months) and span.number == 1 for span in spans):
        return None
    start, end = (span.first for span in spans if isinstance(span, Months))
    year, month, count = 1970 + start // 12, start % 12, end - start + 1
    kinds = {3: f"{year}-Q{month // 3 + 1}", 6: f"{year}-H{month // 6 + 1}", 12: f"{year}"}
    return kinds[count] if count in kinds and month % count == 0 else None


WEEKDAYS: dict[str, tuple[int, ...]] = {
    **{f"weekday.{day}": (day,) for day in range(1, 8)},
    "workdays": (1, 2, 3, 4, 5),
    "weekend": (6, 7),
}
