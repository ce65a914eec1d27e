"""Which rows: values, numbers, times and texts, with what negates or compares them."""

import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from operator import eq, ge, gt, le, lt

from sanbo.agents.analysis.profile import ColumnProfile
from sanbo.agents.analysis.rules.frame import Having
from sanbo.agents.analysis.rules.items import AGGREGATES, Items
from sanbo.agents.analysis.rules.lexicon import set_of, synonyms
from sanbo.agents.analysis.rules.periods import back, first_date, last_date, periods_of
from sanbo.agents.analysis.rules.scene import FEW, KnownColumn
from sanbo.agents.analysis.rules.tokens import stem
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    Condition,
    Contains,
    Filter,
    Outlying,
    Presence,
)
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit
from sanbo.language.figures import Figure

_OPS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "equals": "=="}
_OPPOSITE = {"==": "!=", ">=": "<", ">": "<=", "<=": ">", "<": ">=", "!=": "=="}
_MEETS = {"==": eq, ">=": ge, ">": gt, "<=": le, "<": lt}
_NUMBERED = re.compile(r"(\D*)(\d{1,4})(\D*)", re.ASCII)
_UNITS: tuple[TimeUnit, ...] = ("month", "year", "fiscal_year", "quarter", "week", "day")
_THIS: dict[str, TimeUnit] = {f"this_{unit}": unit for unit in _UNITS}
BEFORE: dict[str, TimeUnit] = {f"{unit}_before": unit for unit in _UNITS}
_COMPARED = (
    "compare", "change", "increase", "decrease", "year_before_month", "year_before_period",
)  # fmt: skip
LENGTHS: dict[str, TimeUnit] = {"か月": "month", "年間": "year", "週": "week", "日": "day"}
_PERIODS = tuple(f"unit.{unit}" for unit in _UNITS)
_FACTORS = {"百万": 1_000_000, "十億": 10**9, "千": 1_000, "万": 10_000, "億": 100_000_000}


def read_conditions(items: Items) -> None:
    for at in items.words("whatever"):  # 承認状況は問いません
        place = items.before(at) if items.all[at].is_japanese else items.after(at)
        if items.is_kind(place, "column", "value"):
            items.use("join", at, place)
    _texts(items)
    _times(items)
    _numbers(items)
    _values(items)
    _gaps(items)
    _signs(items)
    _columns_against(items)
    items.join_alternatives()
    items.use_heads_of_conditions()
    if items.frame.conditions or items.frame.having:
        items.take("only", role="condition")


def _compare(column: str, op: str, value: object) -> Compare:
    return Compare.model_validate({"col": column, "op": op, "value": value})


def _either(conditions: list[Condition]) -> Filter:
    return conditions[0] if len(conditions) == 1 else AnyOf(any_of=tuple(conditions))


def _stretch(
    items: Items, role: str, span: tuple[int, int], column: str, ends: tuple[object, object]
) -> None:
    """From one end to the other; what lies outside, where it is said to be left out."""
    first, last = span
    negation, after = items.exclusion(first, last), items.after(last)
    items.use(role, negation, *range(first, last + 1))
    is_below = after is not None and items.is_word(after, "lt") and items.all[after].is_japanese
    items.use(role, after if is_below else None)
    upper = "<" if is_below or items.text(last) == "代" else "<="
    for at in (items.before(first), after):
        if items.is_word(at, "ge", "le", "between"):
            items.use(role, at)
    ops = (">=", upper) if negation is None else ("<", _OPPOSITE[upper])
    made = [_compare(column, op, end) for op, end in zip(ops, ends, strict=True)]
    items.condition(first, *(made if negation is None else [_either([*made])]))


# ---- texts ----


def _texts(items: Items) -> None:
    """店舗名に宿を含む, names containing 'x', ending with …"""
    for at in items.free("literal"):
        text = items.name(at)
        marker = items.near(at, "contain", "starts", "ends", reach=4)
        column = items.near_column(
            at, lambda known: not known.is_measure and not known.is_date, also_rows=True
        )
        if column is not None:
            name = items.name(column)
            if name not in (items.scene.holding(text) or (name,)):
                items.doubt(1.0)
        else:
            columns = items.scene.profile.columns
            names = items.scene.holding(text) or [c.name for c in columns if c.type == "text"][:3]
            if not names:
                continue
            name = items.choose(f"text:{at}", [(name, 0.3 * n) for n, name in enumerate(names)])
        place = at if marker is None else marker
        negation = items.exclusion(place, place)
        word = "contain" if marker is None else items.name(marker)
        op = {"contain": "contains", "starts": "starts_with", "ends": "ends_with"}[word]
        if negation is not None:
            if op != "contains":
                continue
            op = "not_contains"
        named = [one for one in range(at + 1, at + 4) if items.text(one) in set_of("names")]
        items.use("condition", column, negation, at, marker, *named)
        items.condition(at, Contains.model_validate({"col": name, "op": op, "value": text}))


# ---- times ----


def _times(items: Items) -> None:
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
            if start is not None and end is not None:
                _stretch(items, "period", (first, last), column, (start, end))
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
    return named[0] if named else items.choose("date", items.scene.date_options)


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
        op = ">" if is_after else _OPS[items.name(comparison)]
    made = [_compare(column, op if negation is None else _OPPOSITE[op], p) for p in periods]
    items.use("period", *joined, negation, comparison)
    items.use_between(joined)
    items.condition(joined[0], *(made if negation is not None else [_either([*made])]))


def _relative(items: Items, column: str) -> None:
    profile = items.scene.columns[column].profile
    _whole_time(items, profile)

    def add(op: str, unit: TimeUnit, count: int, *places: int) -> None:
        period = back(profile, unit, count)
        if period is not None:
            items.use("period", *places)
            items.condition(places[0], _compare(column, op, period))

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
        if "比" not in items.text(at) and not {"over", "on"} & set(items.text(at).split()):
            add("==", BEFORE[items.name(at)], 1, at)


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
            _stretch(items, "period", (chain[0], chain[1]), column, (years[0], years[1]))
            continue
        for at, year in zip(chain, years, strict=True):
            if year is not None:
                _compared(items, at, column, year)


# ---- numbers ----


def _numbers(items: Items) -> None:
    numbers = items.free("number")
    for at, later in pairwise([*numbers, None]):
        if at is None or items.is_used(at):
            continue
        if later is not None and items.is_range(at, later):
            # Between 80 and 100 horsepower: what they are of may stand behind them.
            column = _number_column(items, at) or _number_column(items, later)
            ends = [_in_unit(items.figure(one), column) for one in (at, later)]
            if column is not None and None not in ends:
                place = items.column_place(later, column.name)
                if place is not None and _is_only_bounded(items, place, later):
                    items.use("condition", place)
                _stretch(items, "condition", (at, later), column.name, (ends[0], ends[1]))
        elif later is not None and items.are_joined(at, later) and _two(items, at, later):
            continue
        elif not items.is_limit(at):
            _number(items, at)


def _is_only_bounded(items: Items, place: int, last: int) -> bool:
    """Of a column beside a range: it is not asked for as well, as something else is."""
    if place == items.after(last):
        return True
    others = [at for at in items.free("column") if at != place and items.is_measure(at)]
    asks_else = bool(others) or items.has("count", "people")
    return asks_else and items.aggregate_at(place) is None


def _two(items: Items, first: int, last: int) -> bool:
    """3 and 5 cylinder cars, 3と5を除く: two numbers that a column is."""
    column = _number_column(items, last)
    if column is None or column.profile.distinct > FEW:
        return False
    if items.comparison(first) is not None or items.comparison(last) is not None:
        return False
    values = [_in_unit(items.figure(at), column) for at in (first, last)]
    place = items.column_place(last, column.name)
    if None in values or place is None:
        return False
    negation = items.exclusion(first, last)
    items.use("condition", first, last, place, negation)
    items.use_between([first, last])
    op = "in" if negation is None else "not_in"
    items.condition(first, Among.model_validate({"col": column.name, "op": op, "value": values}))
    return True


def _number(items: Items, at: int) -> None:
    figure = items.figure(at)
    assert figure is not None
    if figure.value == 1 and figure.unit in set_of("counted") and items.next_of(at, "number"):
        items.use("condition", at)  # 1件5万円以上
    elif items.text(at + 1) == "代":  # 30代
        _decades(items, at)
    elif (
        not _counts_the_rest(items, at, figure)
        and not _counts_rows(items, at, figure)
        and not _is_code(items, at, figure)
    ):
        column = _number_column(items, at)
        value = _in_unit(figure, column)
        if column is not None and value is not None:
            _compared(items, at, column.name, value)


def _is_code(items: Items, at: int, figure: Figure) -> bool:
    """大分類コードが7ではない: a number that names something."""
    place = items.before(at, over=lambda one: items.text(one) in set_of("tails"))
    if place is None or not items.is_kind(place, "column") or items.comparison(at) is not None:
        return False
    known = items.known(place)
    if known.is_measure or known.is_date or figure.value is None:
        return False
    is_number = known.profile.is_numeric
    own = [each for each in known.profile.values if each.lstrip("0") == items.text(at).lstrip("0")]
    value = float(figure.value) if is_number else next(iter(own), None)
    if value is None:
        return False
    negation = items.exclusion(at, at)
    items.use("condition", *range(place, at + 1), negation)
    shown = int(value) if isinstance(value, float) and value.is_integer() else value
    items.condition(at, _compare(known.name, "==" if negation is None else "!=", shown))
    return True


def _counts_the_rest(items: Items, at: int, figure: Figure) -> bool:
    """オンラインを除いた2店舗, the other three regions: as many as are left."""
    behind = items.after(at)
    if behind is None or not items.is_category(behind) or items.comparison(at) is not None:
        return False
    known = items.known(behind)
    values = [item.sense.value for item in items.all if item.sense.value is not None]
    named = {value.value for value in values if value.column == known.name}
    every = known.profile.distinct
    if figure.value not in (len(named), every, every - len(named)):
        return False
    is_whole = items.is_word(items.after(behind), "sum") and figure.value == every
    items.use("condition", at, behind if named or is_whole else None)
    if is_whole and not named:
        items.use("rows", behind, items.after(behind))  # 3工場合わせた
    return True


def _counts_rows(items: Items, at: int, figure: Figure) -> bool:
    """Genres with at least 20 films, 5件以上の店舗: groups by how many rows they have."""
    comparison = items.comparison(at)
    if figure.value is None or comparison is None or not items.has_grouping():
        return False
    rows = items.after(at, over=lambda one: one == comparison)
    is_english = not items.all[comparison].is_japanese
    is_noun = is_english and items.is_word(rows, "rows")
    if rows is not None and is_english and items.is_kind(rows, "column"):
        known = items.known(rows)
        if items.scene.is_entity(known.name):  # who placed more than 15 orders
            items.use("condition", at, comparison, rows)
            is_row = known.is_row(items.scene.profile.rows)
            column: tuple[Aggregate, str | None] = ("nunique", known.name)
            agg, name = ("count", None) if is_row else column
            op = _OPS[items.name(comparison)]
            items.frame.having.append(Having(agg, name, op, float(figure.value)))
            return True
    if is_noun and figure.value == 1 and items.is_word(comparison, "ge"):
        items.use("condition", at, comparison, rows)  # at least one line: each has one
        return True
    if not is_noun:
        fitting = any(_fits(figure, one) for one in items.scene.columns.values() if one.is_measure)
        if figure.unit not in set_of("counted") or fitting or items.near_measure(at) is not None:
            return False
    items.use("condition", at, comparison, rows if is_noun else None)
    op = _OPS[items.name(comparison)]
    items.frame.having.append(Having("count", None, op, float(figure.value)))
    return True


def _decades(items: Items, at: int) -> None:
    """30代; 20代と30代 are one stretch where they follow each other."""
    column = items.column_of_concept("age")
    if column is None:
        return
    places = [at]
    for other in items.free("number"):
        is_joined = other > at and items.are_joined(places[-1] + 1, other)
        if is_joined and items.text(other + 1) == "代":
            places.append(other)
    if items.has("decade") and len(places) > 1:
        how = items.choose("decades", [("examples", 0.3), ("only", 0.8)])
        if how == "examples":  # 年代別（10代、20代、30代…）
            items.use("group", *places, *(place + 1 for place in places))
            return
    figures = [items.figure(place) for place in places]
    ages = sorted(int(one.value) for one in figures if one is not None and one.value is not None)
    is_whole = all(later - earlier == 10 for earlier, later in pairwise(ages))
    if is_whole and items.comparison(places[-1] + 1) is None:
        _stretch(items, "condition", (at, places[-1] + 1), column, (ages[0], ages[-1] + 10))


def _compared(items: Items, at: int, column: str, value: float | int) -> None:
    comparison = items.comparison(at)
    known = items.scene.columns[column]
    is_told = comparison is not None or known.is_year
    if not is_told and not (items.is_beside_column(at, column) and _is_exact(items, at, known)):
        return
    around = (at,) if comparison is None else (at, comparison)
    negation = items.exclusion(min(around), max(around))
    op = "==" if comparison is None else _OPS[items.name(comparison)]
    op = op if negation is None else _OPPOSITE[op]
    items.use("condition", *around, negation)
    place = items.column_place(at, column)
    aggregate = None if place is None else items.aggregate_at(place)
    if place is None:
        counted = items.before(at, over=lambda one: items.is_word(one, *_OPS))
        if counted is not None and items.is_word(counted, "count", "people"):
            items.use("condition", counted)
            items.frame.having.append(Having("count", None, op, value))
            return
    is_of_groups = aggregate is not None and _is_limited(items, at, aggregate)
    if aggregate is None or is_of_groups:
        items.use("condition", place, aggregate)
    if aggregate is not None and is_of_groups:
        items.frame.having.append(Having(items.aggregate(aggregate), column, op, value))
        return
    if items.scene.is_entity(column):
        return
    level = "rows"
    is_period = any(items.is_word(one, *_PERIODS) for one in range(len(items.all)))
    if (items.has_grouping() or is_period) and known.is_measure and comparison is not None:
        is_japanese = items.all[comparison].is_japanese
        levels = _levels(items, around, place, is_japanese=is_japanese)
        level = items.choose(f"level:{at}", levels)
    if level == "groups":
        items.frame.having.append(Having(None, column, op, value))
    else:
        items.condition(at, _compare(column, op, value))


_EXACTLY = frozenset(("が", "は", "is", "=", "was", "are", "were"))


def _is_exact(items: Items, at: int, known: KnownColumn) -> bool:
    """人数が4名, 4 cylinders; not 売上の3か月移動平均: nobody asks for the sales that are 3."""
    figure, place = items.figure(at), items.column_place(at, known.name)
    is_kind = known.profile.distinct <= FEW or (figure is not None and _fits(figure, known))
    if is_kind or place is None:
        return is_kind
    between = {item.text for item in items.all[min(place, at) : max(place, at)]}
    return bool(between & _EXACTLY) or items.has("equals")


def _levels(
    items: Items, around: tuple[int, ...], place: int | None, *, is_japanese: bool
) -> list[tuple[str, float]]:
    """Whose figure is compared: 売上が100万円を超えた月, of months; 5万円以上の申請, of rows."""
    ahead = None if place is None else items.before(place, over=lambda one: _is_sum(items, one))
    said = ahead if place is not None and place < min(around) else items.before(min(around))
    head = items.after(max(around)) if is_japanese else said
    if is_japanese and items.text(max(around) + 1) in _GOES_ON:
        head = None
    if items.is_word(head, *_PERIODS) or items.is_word(ahead, *_PERIODS):
        return [("groups", 0.0), ("rows", 1.0)]
    if head is not None and items.is_kind(head, "column") and not items.is_measure(head):
        if items.scene.is_entity(items.name(head)):
            return [("rows", 0.0), ("groups", 1.0)]
        if not items.is_word(items.after(head), "each"):
            return [("groups", 0.0), ("rows", 0.4)]
    if items.is_word(head, "rows"):
        return [("rows", 0.0), ("groups", 1.0)]
    is_counted = items.has("count", "people", "shops")
    return [("rows", 0.0), ("groups", 1.0 if is_counted else 0.4)]


_GOES_ON = frozenset(("で", "、", "かつ", "、かつ", "であり"))


def _is_sum(items: Items, at: int) -> bool:
    return items.is_word(at, *AGGREGATES)


def _is_limited(items: Items, at: int, aggregate: int) -> bool:
    """合計が100以上, an average above 3; not 5万円未満の経費の平均, which is of such rows."""
    return items.has_grouping() and (not items.all[aggregate].is_japanese or aggregate < at)


def _number_column(items: Items, at: int) -> KnownColumn | None:
    """Whose number it is: named beside it, of its unit, or the only one there is."""
    scene, figure = items.scene, items.figure(at)
    assert figure is not None
    behind, unit = items.after(at), items.text(at).split()[-1]
    if behind is not None and items.is_measure(behind) and len(unit) > 2:
        named = items.known(behind)  # 30 days overdue, where there are Days overdue
        if unit.rstrip("s") in named.name.casefold():
            return named
    ahead = items.before(at)
    own = _column_of_unit(items, at) or _column_of_comparison(items, at)
    if own is not None:
        return own
    is_before = behind == at + 1 and items.is_word(ahead, *_OPS) and items.is_measure(behind)
    if behind is not None and is_before and ahead is not None and not items.all[ahead].is_japanese:
        return items.known(behind)  # with over 100 guests
    beside = items.near_column(at, lambda known: known.is_measure or known.is_year)
    if beside is not None:
        return items.known(beside)
    fitting = [name for name, one in scene.columns.items() if one.is_measure and _fits(figure, one)]
    if figure.unit and fitting:
        names = [(name, 0.5 * n) for n, name in enumerate(fitting[:3])]
        return scene.columns[items.choose(f"number:{at}", names)]
    return scene.columns[scene.measures[0]] if len(scene.measures) == 1 else None


def _column_of_comparison(items: Items, at: int) -> KnownColumn | None:
    """Films longer than two hours: by how long they are."""
    comparison = items.comparison(at)
    said = "" if comparison is None else items.text(comparison)
    for word, concept in synonyms()["comparatives"].items():
        if word in said and (name := items.column_of_concept(concept)):
            return items.scene.columns[name]
    return None


def _column_of_unit(items: Items, at: int) -> KnownColumn | None:
    """Three nights or more, where there are Nights."""
    number, _, unit = items.text(at).rpartition(" ")
    names = items.scene.column_names.get(stem(unit), ()) if number else ()
    columns = [items.scene.columns[column] for name, column, _ in names if len(name) == 1]
    return next((one for one in columns if one.is_measure), None)


def _fits(figure: Figure, known: KnownColumn) -> bool:
    unit = known.profile.unit
    if figure.kind == "money":
        return known.is_money
    if figure.kind == "share":
        return known.profile.type == "percent" or unit in ("%", "％")
    if figure.unit == "歳":
        return "age" in known.concepts
    return bool(figure.unit) and figure.unit in unit


def _in_unit(figure: Figure | None, column: KnownColumn | None) -> int | float | None:
    """In the column's unit: 100万円 is 1,000 where it counts 千円."""
    if figure is None or figure.value is None or column is None:
        return None
    value, unit = figure.value, column.profile.unit
    if figure.unit and figure.kind == "money":
        factor = next((_FACTORS[prefix] for prefix in _FACTORS if unit.startswith(prefix)), 1)
        value = value / Fraction(factor)
    if figure.kind == "share":
        if not _fits(figure, column):
            return None  # 目標の30%: of another number, not a number of this column
        value = value / 100 if column.profile.type == "percent" else value
    if figure.unit in _MINUTES:
        value *= _times_to(_MINUTES[figure.unit], value, column)
    return int(value) if value.denominator == 1 else float(value)


_MINUTES = {"分": Fraction(1), "時間": Fraction(60), "秒": Fraction(1, 60)}
_TIMES_OF = {"分": "分", "min": "分", "minute": "分", "時間": "時間", "h": "時間", "hour": "時間"}


def _times_to(minutes: Fraction, value: Fraction, column: KnownColumn) -> Fraction:
    """Two hours are 120 where minutes are told, by the unit or by what the numbers are like."""
    unit = _TIMES_OF.get(column.profile.unit.casefold().rstrip("s"))
    if unit is not None:
        return minutes / _MINUTES[unit]
    low, high = column.profile.minimum, column.profile.maximum
    is_known = isinstance(low, int | float) and isinstance(high, int | float)
    if not is_known or low <= value <= high or not low <= value * minutes <= high:
        return Fraction(1)
    return minutes


# ---- values ----


def _values(items: Items) -> None:
    for at in items.free("value"):
        _ranks_above(items, at)
    for chain in items.chains("value"):
        by_column: dict[str, list[int]] = {}
        for at in chain:
            value = items.all[at].sense.value
            assert value is not None
            by_column.setdefault(value.column, []).append(at)
        negation = items.exclusion(chain[0], chain[-1])
        items.use("condition", *chain, negation)
        for column, places in by_column.items():
            names: list[object] = list(dict.fromkeys(items.name(at) for at in places))
            if items.scene.columns[column].profile.type == "boolean":
                names = [name == "TRUE" for name in names]
            items.use_own_column(places[0], column)
            items.use_head_noun(places[-1])
            if len(names) == 1:
                made: Filter = _compare(column, "==" if negation is None else "!=", names[0])
            else:
                op = "in" if negation is None else "not_in"
                made = Among.model_validate({"col": column, "op": op, "value": names})
            items.condition(places[0], made)
            if negation is None:
                items.frame.options.setdefault("compared" if len(names) > 1 else "single", column)
        items.use_between(chain)
        near = [at for at in items.words("only") if min(abs(at - one) for one in chain) <= 2]
        items.use("condition", *near)
        is_together = any(item.text in set_of("together") for item in items.all)
        if (near or is_together) and len(chain) > 1:
            items.frame.options["is_only"] = True
    for chain in items.chains("part"):
        _parts(items, chain)
    items.merge_conditions()


def _ranks_above(items: Items, at: int) -> None:
    """要介護3以上: words of a column that differ in a number."""
    comparison, value = items.comparison(at), items.all[at].sense.value
    if comparison is None or value is None or items.exclusion(at, comparison) is not None:
        return
    told = _NUMBERED.fullmatch(value.value)
    others = [
        (each, found)
        for each in items.scene.columns[value.column].profile.values
        if (found := _NUMBERED.fullmatch(each))
    ]
    if told is None:
        return
    meets = _MEETS[_OPS[items.name(comparison)]]
    names = [
        each
        for each, found in others
        if (found[1], found[3]) == (told[1], told[3]) and meets(int(found[2]), int(told[2]))
    ]
    if not names:
        return
    items.use("condition", at, comparison)
    items.use_own_column(at, value.column)
    made = Among.model_validate({"col": value.column, "op": "in", "value": sorted(names)})
    items.condition(at, made)
    items.frame.options["is_only"] = True


def _parts(items: Items, chain: list[int]) -> None:
    """横浜市: rows whose value holds it."""
    negation = items.exclusion(chain[0], chain[-1])
    op = "contains" if negation is None else "not_contains"
    values = [value for at in chain if (value := items.all[at].sense.value) is not None]
    made: list[Condition] = [
        Contains.model_validate({"col": one.column, "op": op, "value": one.value}) for one in values
    ]
    items.use("condition", *chain, negation)
    items.use_between(chain)
    for one in values:
        items.use_own_column(chain[0], one.column)
    is_named = all(items.all[at].is_japanese or items.all[at].is_capital for at in chain)
    items.doubt(0.3 if is_named else 1.0)
    items.condition(chain[0], *(made if negation is not None else [_either(made)]))


# ---- what is not there, and what is far off ----


def _gaps(items: Items) -> None:
    for at in items.words("empty", "filled"):
        column = items.near_column(at, lambda _: True, also_rows=True)
        behind = items.after(at)
        if items.is_kind(behind, "column") and not items.all[at].is_japanese:
            column = behind  # staff have no rating
        if column is None and items.exclusion(at, at) is not None:
            # 空欄の人は計算に入れない: of what is computed.
            measures = [one for one in range(len(items.all)) if items.is_measure(one)]
            if len({items.name(one) for one in measures}) == 1:
                items.use("condition", at, items.exclusion(at, at))
                op = "not_null" if items.is_word(at, "empty") else "is_null"
                made = {"col": items.name(measures[0]), "op": op}
                items.condition(at, Presence.model_validate(made))
        if column is None:
            continue
        negation = items.exclusion(at, at)
        if items.text(at) in ("なし", "無し") and items.is_measure(column):
            missing = items.known(column).profile.missing
            options = [("zero", 0.0), ("empty", 0.5 if missing else 2.0)]
            if items.choose(f"none:{at}", options) == "zero":  # 遅延なし
                items.use("condition", at, column)
                items.condition(at, _compare(items.name(column), "==", 0))
                continue
        is_empty = items.is_word(at, "empty") == (negation is None)
        items.use("condition", at, column, negation)
        op = "is_null" if is_empty else "not_null"
        items.condition(at, Presence.model_validate({"col": items.name(column), "op": op}))
    for at in items.words("exclude"):
        column = items.after(at)
        if column is None or items.all[at].is_japanese or not items.is_kind(column, "column"):
            continue
        known = items.known(column)
        is_without = items.text(at) == "without"
        no = [each for each in known.profile.values if each.casefold() in ("false", "no", "n")]
        if no and known.profile.distinct == 2:  # that were not reopened
            items.use("condition", at, column)
            value = False if known.profile.type == "boolean" else no[0]
            items.condition(at, _compare(known.name, "==", value))
            continue
        if (known.is_date or is_without) and known.profile.missing:  # not closed yet
            items.use("condition", at, column)
            items.condition(at, Presence(col=known.name, op="is_null"))
    for at in items.words("ongoing"):
        closed = items.column_of_concept("closed")
        if closed is not None and items.scene.columns[closed].profile.missing:
            negation = items.exclusion(at, at)
            items.use("condition", at, negation)
            op = "is_null" if negation is None else "not_null"
            items.condition(at, Presence.model_validate({"col": closed, "op": op}))
    for at in items.words("outliers"):
        negation, column = items.exclusion(at, at), items.near_measure(at)
        if negation is None or column is None:
            continue
        method = "zscore" if items.words("by_zscore") else "iqr"
        items.use("condition", at, negation, *items.words("by_zscore", "by_iqr"))
        items.condition(at, Outlying(col=items.name(column), op="not_outlier", method=method))


def _signs(items: Items) -> None:
    """赤字の店舗, negative balances."""
    for at in items.words("negative", "positive", "zero"):
        op = {"negative": "<", "positive": ">", "zero": "=="}[items.name(at)]
        column, behind = items.near_measure(at), items.after(at)
        if behind is not None and items.is_measure(behind) and not items.all[at].is_japanese:
            column = behind  # sales over 500 and a negative profit
        profit = items.column_of_concept("profit")
        if column is None and profit is not None and op != "==":
            items.use("condition", at)
            of_groups = (
                [("groups", 0.0)] if items.has_grouping() else [("rows", 0.0), ("groups", 0.4)]
            )
            if items.choose(f"sign:{at}", of_groups) == "groups":
                items.frame.having.append(Having("sum", profit, op, 0))
            else:
                items.condition(at, _compare(profit, op, 0))
        elif column is not None and (behind == column or not items.is_measure(behind)):
            items.use("condition", at, column)
            is_which = items.has("which") and items.has_grouping() and op != "=="
            is_which |= items.is_word(behind, *_PERIODS)  # 不良ゼロの日
            levels = [("groups", 0.0), ("rows", 0.4)] if is_which else [("rows", 0.0)]
            if items.choose(f"sign:{at}", levels) == "groups":
                items.frame.having.append(Having(None, items.name(column), op, 0))
            else:
                items.condition(at, _compare(items.name(column), op, 0))


def _columns_against(items: Items) -> None:
    """在庫数が発注点を下回る, less on hand than the reorder level: column by column, in each row."""
    for at, op in _between_columns(items):
        if "against" in items.frame.options:
            return
        columns = [
            place
            for place in items.free("column")
            if items.is_measure(place) and not items.known(place).is_year and abs(place - at) <= 6
        ]
        before = [place for place in columns if place < at]
        behind = [place for place in columns if place > at]
        is_japanese = items.all[at].is_japanese
        two = before[-2:] if is_japanese else [*before[-1:], *behind[:1]]
        names = [items.name(place) for place in two]
        beside = items.before(at) if is_japanese else items.after(at)
        if two == [beside] and items.text(at) not in _PARTICLES:
            other = _other_side(items, at, names[0])
            names = [other, *names] if other is not None else []
        if len(set(names)) != 2:
            continue
        left, right = names
        items.use("condition", *(one for one in columns if items.name(one) in names), at)
        part = items.before(at) if is_japanese else items.after(at)
        figure = items.figure(part)
        factor = None
        if figure is not None and figure.kind == "share" and figure.value is not None:
            items.use("condition", part)  # 原価が売価の8割を超える
            factor = float(figure.value / 100)
        items.frame.options["against"] = (left, op, right, factor)
        if items.is_word(items.after(at), *_PERIODS):
            items.doubt(1.0)  # months: of their totals, or of rows


_PARTICLES = frozenset(("から", "より", "まで", "from", "over", "within", "through", "after"))


def _between_columns(items: Items) -> Iterator[tuple[int, str]]:
    """Where two are compared, and how; less … than is one word in two."""
    for at in items.words("gt", "lt", "ge", "le"):
        yield at, _OPS[items.name(at)]
    for at in [one for one in items.words("comparative") if items.text(one) == "than"]:
        for ahead in range(at - 1, max(-1, at - 7), -1):
            if items.is_word(ahead, "comparative") and not items.is_used(ahead):
                is_less = items.text(ahead) in set_of("less")
                if is_less or items.text(ahead) in set_of("more"):
                    yield at, "<" if is_less else ">"
                    if items.roles.get(at) == "condition":
                        items.use("condition", ahead)
                    break


def _other_side(items: Items, at: int, named: str) -> str | None:
    """Below its reorder point: what is? Another number of the kind, and never at once."""
    if items.is_kind(items.after(at), "number", "when") or items.frame.having:
        return None
    known, columns = items.scene.columns[named], items.scene.columns
    alike = [
        name
        for name in items.scene.measures
        if name != named and columns[name].is_money == known.is_money
    ]
    if not alike:
        return None
    return items.choose(f"other:{at}", [(name, 1.0 + 0.2 * n) for n, name in enumerate(alike[:3])])
