"""Which rows by their dates: 2025年4月, the last 3 months, 土日, in 1985."""

import re

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.rules.bounds import OPPOSITE, OPS, UNITS, compare, either, stretch
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.lexicon import set_of
from sanbo.agents.analysis.rules.periods import back, first_date, last_date, periods_of, sort_key
from sanbo.agents.analysis.rules.quantities import compared
from sanbo.agents.analysis.spec.filters import AnyOf, Compare
from sanbo.agents.analysis.spec.words import TimeUnit

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
    for chain in _times_together(items):
        first, last = chain[0], chain[-1]
        if len(chain) == 2 and items.is_range(first, last):
            start = _period(items, first, column, _stated_year(items, last))
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
        if all(
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
        *_THIS, *BEFORE, "recent", "year_before_month", "year_before_period", "weekend", "workdays",
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
    found = periods_of(figure.stated, profile, year, is_japanese=is_japanese)
    if not found:
        return None
    if like is not None:  # 上期と下期: both of a business year, or none
        found = [text for text in found if ("年度" in text) == ("年度" in like)] or found
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
    if negation is not None and items.text(negation) in set_of("auxiliaries"):
        items.doubt(1.0)  # customers who haven't ordered since: of whom no row tells
    made = [compare(column, op if negation is None else OPPOSITE[op], p) for p in periods]
    items.use("period", *joined, negation, comparison)
    items.use_between(joined)
    items.condition(joined[0], *(made if negation is not None else [either([*made])]))


def _relative(items: Items, column: str) -> None:
    profile = items.scene.columns[column].profile
    _whole_time(items, profile)

    def add(op: str, unit: TimeUnit, count: int, *places: int) -> None:
        period = back(profile, unit, count)
        if period is not None:
            items.use("period", *places)
            items.condition(places[0], compare(column, op, period))

    if any(items.is_kind(at, "when") for at in items.roles):
        return  # the last month of 2016: another than the table's last
    for at in items.words(*_THIS):
        add("==", _THIS[items.name(at)], 0, at)
    for at in items.words("weekend", "workdays"):
        negation = items.exclusion(at, at)
        items.use("period", at, negation)
        is_end = items.is_word(at, "weekend") == (negation is None)
        items.frame.options["days"] = (column, ">=" if is_end else "<")
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
            length = _DAYS[unit] if items.text(over) in _DURING else 0
        if length and abs(days - length) <= 0.1 * length:
            items.use("period", at, at - 2 if unit else None)


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
