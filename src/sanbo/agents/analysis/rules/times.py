"""Which rows by their dates: 2025年4月, the last 3 months, 土日, in 1985.

Times in questions as conditions on dates: 2025年4月, Q1, 先月, since 2020, the last 3 months.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import NamedTuple

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.rules.frame import UNREAD, Frame
from sanbo.agents.analysis.rules.items import RANKS, Items
from sanbo.agents.analysis.rules.lexicon import set_of
from sanbo.agents.analysis.rules.quantities import (
    OPPOSITE,
    OPS,
    UNITS,
    compare,
    compared,
    either,
    stretch,
)
from sanbo.agents.analysis.spec.filters import AnyOf, Compare
from sanbo.agents.analysis.spec.words import Days, Months, TimeUnit, written_span
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


_UNITS_OF_MONTHS: dict[int, TimeUnit] = {1: "month", 3: "quarter", 6: "half", 12: "year"}


class Apart(NamedTuple):
    unit: TimeUnit
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


def back(column: ColumnProfile, unit: TimeUnit, periods: int) -> str | None:  # noqa: PLR0911
    """So many periods before the last that the data has; 0 is that itself."""
    last = last_date(column)
    if last is None:
        return None
    number = last.year * 12 + last.month - 1
    match unit:
        case "year":
            return str(last.year - periods)
        case "fiscal_year":
            return f"{last.year - (last.month < 4) - periods}年度"
        case "quarter":
            number = number // 3 - periods
            return f"{number // 4}-Q{number % 4 + 1}"
        case "month":
            return f"{(number - periods) // 12}-{(number - periods) % 12 + 1:02}"
        case "week":
            calendar = (last - timedelta(weeks=periods)).isocalendar()
            return f"{calendar.year}-W{calendar.week:02}"
        case _:
            return (last - timedelta(days=periods)).isoformat() if unit == "day" else None


_HELD = ("compare", "comparative", "difference")
WEEKDAYS: dict[str, tuple[int, ...]] = {
    **{f"weekday.{day}": (day,) for day in range(1, 8)},
    "workdays": (1, 2, 3, 4, 5),
    "weekend": (6, 7),
}
_THIS: dict[str, TimeUnit] = {f"this_{unit}": unit for unit in UNITS}
BEFORE: dict[str, TimeUnit] = {f"{unit}_before": unit for unit in UNITS}
_COMPARED = (
    "compare", "change", "increase", "decrease", "year_before_month", "year_before_period",
)  # fmt: skip
LENGTHS: dict[str, TimeUnit] = {"か月": "month", "年間": "year", "週": "week", "日": "day"}


def read_times(items: Items) -> None:
    column = _date_column(items)
    if column is None:
        _year_numbers(items)
        return
    _use_explained(items)
    times = items.free("when")
    between = items.all[times[0] + 1 : times[-1]] if times else []
    is_done = any(item.text.endswith("ed") and not item.is_japanese for item in between)
    items.doubt(1.0 if is_done else 0.0)  # ordered in 2023 and shipped in 2024: each by its own
    for chain in _times_together(items):
        first, last = chain[0], chain[-1]
        if len(chain) == 2 and items.is_range(first, last):
            told = _stated_year(items, last) or _year_before(items, first)
            start = _period(items, first, column, told)
            year = _stated_year(items, first) or (int(start[:4]) if start else None)
            end = _period(items, last, column, year)
            if start and end and year and sort_key(end) < sort_key(start):
                end = _period(items, last, column, year + 1)  # 12〜2月
            if start is not None and end is not None:
                stretch(items, "period", (first, last), column, (start, end))
        else:
            _at(items, chain, column)
    _relative(items, column)
    equal = [one for one in items.frame.conditions if isinstance(one, Compare) and one.op == "=="]
    equal = [one for one in equal if one.col == column]
    if len(equal) > 1 and not items.has("compare", "change", "increase", "decrease", "comparative"):
        rest = [one for one in items.frame.conditions if one not in equal]
        items.frame.conditions = [*rest, AnyOf(any_of=tuple(equal))]


def _use_explained(items: Items) -> None:
    """上期（4〜9月）: what stands in brackets says it again."""
    for at in range(len(items.all)):
        if items.text(at) != "(" or not items.is_kind(items.before(at), "when"):
            continue
        end = next((one for one in range(at, len(items.all)) if items.text(one) == ")"), None)
        inside = range(at + 1, end or at)
        told = [one for one in inside if items.is_kind(one, "when")]
        is_one = sum(items.text(one) == "(" for one in range(len(items.all))) == 1
        if len(told) == 2 and items.is_range(*told) and is_one:
            items.use("period", items.before(at))  # 上半期（1月〜6月）: which of them it is
        elif all(
            items.is_kind(one, "when", "glue", "join", "number") or items.is_void(one)
            for one in inside
        ):
            items.use("join", *inside)


def _times_together(items: Items) -> list[list[int]]:
    """Ends of a range, and times that are joined."""
    made: list[list[int]] = []
    is_range = False
    for at in items.free("when"):
        if made and not is_range and items.are_joined(made[-1][-1], at):
            made[-1].append(at)
        elif made and len(made[-1]) == 1 and items.is_range(made[-1][0], at):
            made[-1].append(at)
            is_range = True
        else:
            made.append([at])
            is_range = False
    return made


def _date_column(items: Items) -> str | None:
    dates = items.scene.dates
    relative = (
        *_THIS, *BEFORE, "recent", "year_before_month", "year_before_period", *WEEKDAYS,
    )  # fmt: skip
    if not dates or not (items.free("when") or items.words(*relative)):
        return next(iter(dates), None)
    named = [items.name(at) for at in items.free("column") if items.known(at).is_date]
    return named[0] if named else items.choose("date", items.scene.date_options(items.said))


def _year_before(items: Items, at: int) -> int | None:
    """January vs February: of one year."""
    figure = items.figure(at)
    if figure is None or figure.moment.month is None or figure.moment.year is not None:
        return None
    earlier = [one for one in range(at) if items.is_kind(one, "when") and one in items.roles]
    told = [items.figure(one) for one in earlier]
    years = [one.moment.year for one in told if one is not None and one.moment.year is not None]
    return years[-1] if years else None


def _period(
    items: Items, at: int, column: str, year: int | None = None, like: str | None = None
) -> str | None:
    figure = items.figure(at)
    if figure is None or figure.stated is None:
        return None
    profile, is_japanese = items.scene.columns[column].profile, items.all[at].is_japanese
    found = periods_of(figure.stated, profile, year, like, is_japanese=is_japanese)
    if not found:
        return None
    return items.choose(f"period:{at}", [(text, 0.7 * n) for n, text in enumerate(found[:3])])


def _stated_year(items: Items, at: int) -> int | None:
    figure = items.figure(at)
    return figure.moment.year if figure else None


def _at(items: Items, joined: list[int], column: str) -> None:
    periods: list[str | None] = []
    for at in joined:
        like = periods[0] if periods else None
        periods.append(_period(items, at, column, _year_before(items, at), like))
    if None in periods:
        return
    comparison = items.comparison(joined[-1]) if len(joined) == 1 else None
    negation = items.exclusion(joined[0], joined[-1])
    op = "=="
    if comparison is not None:
        is_after = items.text(comparison) == "より"
        op = ">" if is_after else OPS[items.name(comparison)]
        items.doubt(1.5 if is_after else 0.0)  # 6月より売上が多い月: later than it, or more?
    if negation is not None and items.text(negation) in set_of("auxiliaries"):
        items.doubt(1.0)  # customers who haven't ordered since: of whom no row tells
    made = [compare(column, op if negation is None else OPPOSITE[op], p) for p in periods]
    items.use("period", *joined, negation, comparison)
    items.use_between(joined)
    items.condition(joined[0], *(made if negation is not None else [either([*made])]))


def _relative(items: Items, column: str) -> None:
    profile = items.scene.columns[column].profile
    _whole_time(items, profile)
    _weekdays(items, column)

    def add(op: str, unit: TimeUnit, count: int, *places: int) -> None:
        period = back(profile, unit, count)
        if period is not None:
            items.use("period", *places)
            items.condition(places[0], compare(column, op, period))

    if any(items.is_kind(at, "when") for at in items.roles):
        return  # the last month of 2016: another than the table's last
    for at in items.words(*_THIS):
        add("==", _THIS[items.name(at)], 0, at)
    for at in items.words("recent"):
        number = items.next_of(at, "number")
        figure = items.figure(number)
        if number is not None and figure and figure.value and figure.unit in LENGTHS:
            add(">=", LENGTHS[figure.unit], int(figure.value) - 1, at, number)
    if items.words(*_COMPARED):
        return  # then they say what is compared with what
    for at in items.words(*BEFORE):
        if items.is_word(items.after(at), "gt", "lt"):
            continue  # 前月を下回る
        if not _CHANGE.search(items.text(at)):
            add("==", BEFORE[items.name(at)], 1, at)
            items.frame.options["before"] = (column, items.text(at))


def _weekdays(items: Items, column: str) -> None:
    """土日, on Mondays and Fridays, 日曜を除く; which of them sells more is another question."""
    told = list(items.words(*WEEKDAYS))
    chains = all(items.are_joined(first, last) for first, last in pairwise(told))
    if not told or not chains or items.has(*_HELD, "share", "divide"):
        return
    ahead, behind = items.before(told[0]), items.after(told[-1])
    counts = () if items.all[told[0]].is_japanese else ("count",)  # number of Mondays
    is_one_of_them = items.is_word(ahead, "recent", "which", *counts, *RANKS)  # the last Friday
    is_more = items.is_kind(behind, "value") and items.are_joined(told[-1], behind or 0)
    if is_one_of_them or is_more or any(item.text == "never" for item in items.all):
        return
    negation = items.exclusion(told[0], told[-1])
    items.use("period", *told, negation)
    items.use_between(told)
    days = sorted({day for at in told for day in WEEKDAYS[items.name(at)]})
    items.frame.options["days"] = (column, days, "in" if negation is None else "not_in")


def counted_from(base: Frame, new: Frame) -> Frame:
    """And the year before, behind a question of 2023: 2022, whatever the table's last year is."""
    column, said = new.options.get("before", ("", ""))
    told, asked = _period_of(base, column), _period_of(new, column)
    earlier = _earlier(told) if told else None
    if told is None or asked is None or (_FROM_NOW.search(said) and asked != told):
        return new
    if earlier is None or len(earlier) != len(asked):  # June, and the year before
        return replace(new, cost=new.cost + UNREAD)
    others = [one for one in new.conditions if getattr(one, "col", None) != column]
    return replace(new, conditions=[*others, compare(column, "==", earlier)])


_FROM_NOW = re.compile("last|[先昨去]")


def _period_of(frame: Frame, column: str) -> str | None:
    """The one that a frame is about."""
    found = [one for one in frame.conditions if isinstance(one, Compare) and one.col == column]
    is_one = len(found) == 1 and found[0].op == "=="
    return str(found[0].value) if is_one else None


def _earlier(period: str) -> str | None:
    """The one before it, of the same length."""
    span = written_span(period)
    if isinstance(span, Days):
        return (span.first - timedelta(days=1)).isoformat() if len(period) == 10 else None
    if not isinstance(span, Months):
        return None
    year, month = divmod(span.first - span.number, 12)
    match span.number:
        case 1:
            return f"{1970 + year}-{month + 1:02}"
        case 3 if month % 3 == 0 and not period.startswith("FY"):
            return f"{1970 + year}-Q{month // 3 + 1}"
        case 12:
            return f"{1970 + year}{'年度' if month else ''}"
        case _:
            return None


_CHANGE = re.compile("[比対差]| o(?:ver|n) | to |^[mwqyd]o[mwqyd]$")


def is_change(items: Items, at: int) -> bool:
    """前月比, compared to last month: it is held against, and not what is asked for."""
    said = (*_COMPARED, "difference", "comparative", "gt", "lt")
    return _CHANGE.search(items.text(at)) is not None or items.has(*said)


_DAYS: dict[TimeUnit, int] = {"year": 365, "month": 30, "week": 7, "day": 1, "quarter": 91}


def _whole_time(items: Items, profile: ColumnProfile) -> None:
    """1年間の, over the quarter: as long as the table is, it says nothing more."""
    first, last = first_date(profile), last_date(profile)
    if first is None or last is None:
        return
    days = (last - first).days + (30 if first.day == last.day == 1 else 1)
    for at in range(len(items.all)):
        figure, ahead = items.figure(at), items.text(at - 1) if at else ""
        unit = items.name(at).removeprefix("unit.") if items.is_kind(at, "word") else ""
        length = 0
        if figure is not None and figure.value and figure.unit in LENGTHS and not items.is_used(at):
            length = int(figure.value) * _DAYS[LENGTHS[figure.unit]]
        elif unit in _DAYS and ahead in ("the", "whole", "entire"):
            over = at - 2 if at > 1 else at
            over -= items.text(over) == "the" and over > 0
            length = _DAYS[unit] if items.text(over) in _DURING else 0
        elif items.text(at) in ("年間", "通年"):
            length = _DAYS["year"]
        if length and abs(days - length) <= 0.1 * length:
            items.use("period", at, at - 2 if items.text(at - 2) in _DURING else None)


_DURING = frozenset(("over", "for", "in", "during", "throughout", "across"))


def _year_numbers(items: Items) -> None:
    """1985年, in 1985, after 1990 where years stand as whole numbers in a column."""
    if not items.scene.years:
        return
    column = items.scene.years[0]
    for chain in _times_together(items):
        years = [_stated_year(items, at) for at in chain]
        if len(chain) == 2 and None not in years and items.is_range(*chain):
            ahead = items.before(chain[0])  # released | from 2005 through 2010
            is_start = ahead is not None and items.is_word(ahead, "ge", "between")
            items.use_own_column(ahead if is_start and ahead else chain[0], column)
            stretch(items, "period", (chain[0], chain[1]), column, (years[0], years[1]))
            continue
        for at, year in zip(chain, years, strict=True):
            if year is not None:
                compared(items, at, column, year)
