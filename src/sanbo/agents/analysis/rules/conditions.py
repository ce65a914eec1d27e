"""Which rows: values, numbers, times and texts, with what negates or compares them."""

from fractions import Fraction
from itertools import pairwise

from sanbo.agents.analysis.rules.frame import Having
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.mentions import Item
from sanbo.agents.analysis.rules.periods import back, periods_of
from sanbo.agents.analysis.rules.scene import FEW, KnownColumn
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    Contains,
    Filter,
    Outlying,
    Presence,
)
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.language.figures import Figure

_OPS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "equals": "=="}
_OPPOSITE = {"==": "!=", ">=": "<", ">": "<=", "<=": ">", "<": ">=", "!=": "=="}
_THIS: dict[str, TimeUnit] = {
    "this_month": "month",
    "this_year": "year",
    "this_fiscal_year": "fiscal_year",
    "this_quarter": "quarter",
    "this_week": "week",
}
BEFORE: dict[str, TimeUnit] = {
    "month_before": "month",
    "year_before": "year",
    "fiscal_year_before": "fiscal_year",
    "quarter_before": "quarter",
    "week_before": "week",
    "day_before": "day",
}
_LENGTHS: dict[str, TimeUnit] = {"か月": "month", "年間": "year", "週": "week", "日": "day"}
_FACTORS = {"千": 1_000, "万": 10_000, "百万": 1_000_000, "億": 100_000_000, "十億": 10**9}


def read_conditions(items: Items) -> None:
    _texts(items)
    _times(items)
    _numbers(items)
    _values(items)
    _gaps(items)
    _signs(items)
    _columns_against(items)
    items.join_alternatives()
    items.use_heads_of_conditions()
    if items.frame.conditions:
        items.take("only", role="condition")
        items.frame.options["is_only"] = items.has("only")


# ---- texts ----


def _texts(items: Items) -> None:
    """店舗名に宿を含む, names containing 'x', ending with …"""
    for at in items.free("literal"):
        item = items.all[at]
        marker = items.near(at, lambda one: one.name in ("contain", "starts", "ends"), reach=4)
        column = items.near_column(
            at, lambda known: not known.is_measure and not known.is_date, also_rows=True
        )
        if column is None:
            texts = list(items.scene.holding(item.sense.name)) or [
                name for name, known in items.scene.columns.items() if known.profile.type == "text"
            ]
            if not texts:
                continue
            name = items.choose(f"text:{at}", [(name, 0.3 * n) for n, name in enumerate(texts[:3])])
        else:
            name = items.all[column].sense.name
            items.use(column, "condition")
            if name not in (items.scene.holding(item.sense.name) or (name,)):
                items.doubt(1.0)
        negation = items.negation(at if marker is None else marker)
        word = "contain" if marker is None else items.all[marker].sense.name
        op = {"contain": "contains", "starts": "starts_with", "ends": "ends_with"}[word]
        if negation is not None:
            if op != "contains":
                continue
            op = "not_contains"
            items.use(negation, "condition")
        items.use(at, "condition")
        for place in range(at + 1, min(at + 4, len(items.all))):
            if items.all[place].text in ("name", "names", "title", "titles", "名前"):
                items.use(place, "condition")  # in their name
        if marker is not None:
            items.use(marker, "condition")
        items.condition(
            at, Contains.model_validate({"col": name, "op": op, "value": item.sense.name})
        )


# ---- times ----


def _times(items: Items) -> None:
    column = _date_column(items)
    if column is None:
        _year_numbers(items)
        return
    whens = items.free("when")
    used: set[int] = set()
    for position, at in enumerate(whens):
        if at in used:
            continue
        later = whens[position + 1] if position + 1 < len(whens) else None
        if later is not None and items.is_range(at, later):
            used |= {at, later}
            _between(items, at, later, column)
            continue
        joined = [at]
        for other in whens[position + 1 :]:
            if items.are_joined(joined[-1], other):
                joined.append(other)
        used |= set(joined)
        _at(items, joined, column)
    _relative(items, column)


def _date_column(items: Items) -> str | None:
    dates = items.scene.dates
    if not dates:
        return None
    if not (
        items.free("when")
        or items.words(*_THIS, *BEFORE, "recent", "year_before_month", "year_before_period")
    ):
        return dates[0]
    named = [items.all[at].sense.name for at in items.free("column") if items.known(at).is_date]
    if named:
        return named[0]
    return items.choose("date", items.scene.date_options)


def _period(items: Items, at: int, column: str, year: int | None = None) -> str | None:
    figure = items.all[at].sense.figure
    assert figure is not None
    if figure.stated is None:
        return None
    found = periods_of(figure.stated, items.scene.columns[column].profile, year)
    if not found:
        return None
    options = [(period.text, 0.7 * n) for n, period in enumerate(found[:3])]
    return items.choose(f"period:{at}", options)


def _between(items: Items, first: int, last: int, column: str) -> None:
    to_year = _stated_year(items.all[last])
    from_year = _stated_year(items.all[first])
    start = _period(items, first, column, to_year)
    end = _period(items, last, column, from_year or (int(start[:4]) if start else None))
    if start is None or end is None:
        return
    for at in range(first, last + 1):
        items.use(at, "period")
    items.use_words_around(first, last, "ge", "le", "between", role="period")
    negation = items.exclusion(first, last)
    if negation is None:
        items.condition(
            first,
            *[
                Compare(col=column, op=">=", value=start),
                Compare(col=column, op="<=", value=end),
            ],
        )
    else:
        items.use(negation, "period")
        outside = (Compare(col=column, op="<", value=start), Compare(col=column, op=">", value=end))
        items.condition(first, AnyOf(any_of=outside))


def _stated_year(item: Item) -> int | None:
    figure = item.sense.figure
    return figure.stated.moment.year if figure and figure.stated else None


def _at(items: Items, joined: list[int], column: str) -> None:
    periods = [_period(items, at, column) for at in joined]
    if any(period is None for period in periods):
        return
    comparison = items.comparison(joined[-1]) if len(joined) == 1 else None
    for at in joined:
        items.use(at, "period")
    items.use_between(joined)
    negation = items.exclusion(joined[0], joined[-1])
    if negation is not None:
        items.use(negation, "period")
    if comparison is not None:
        items.use(comparison, "period")
        op = _OPS[items.all[comparison].sense.name]
        if items.all[comparison].text == "より":
            op = ">"
        op = _OPPOSITE[op] if negation is not None else op
        items.condition(
            joined[0], Compare.model_validate({"col": column, "op": op, "value": periods[0]})
        )
        return
    if negation is not None:
        items.condition(
            joined[0], *[Compare(col=column, op="!=", value=str(period)) for period in periods]
        )
    elif len(periods) == 1:
        items.condition(joined[0], Compare(col=column, op="==", value=str(periods[0])))
    else:
        items.condition(
            joined[0],
            AnyOf(
                any_of=tuple(Compare(col=column, op="==", value=str(period)) for period in periods)
            ),
        )
        items.frame.options.setdefault("periods_compared", len(periods))


def _relative(items: Items, column: str) -> None:
    profile = items.scene.columns[column].profile
    for at in items.words(*_THIS):
        period = back(profile, _THIS[items.all[at].sense.name], 0)
        if period is not None:
            items.use(at, "period")
            items.condition(at, Compare(col=column, op="==", value=period.text))
    for at in items.words("recent"):
        number = items.next_of(at, "number")
        figure = items.all[number].sense.figure if number is not None else None
        if number is None or figure is None or figure.value is None or figure.unit not in _LENGTHS:
            continue
        period = back(profile, _LENGTHS[figure.unit], int(figure.value) - 1)
        if period is not None:
            items.use(at, "period")
            items.use(number, "period")
            items.condition(at, Compare(col=column, op=">=", value=period.text))
    if items.words(
        "compare", "change", "increase", "decrease", "year_before_month", "year_before_period"
    ):
        return  # then they say what is compared with what
    for at in items.words(*BEFORE):
        if (
            "比" in items.all[at].text
            or "over" in items.all[at].text
            or "on" in items.all[at].text.split()
        ):
            continue
        period = back(profile, BEFORE[items.all[at].sense.name], 1)
        if period is not None:
            items.use(at, "period")
            items.condition(at, Compare(col=column, op="==", value=period.text))


def _year_numbers(items: Items) -> None:
    """1985年, in 1985, after 1990 where years stand as whole numbers in a column."""
    years = items.scene.years
    if not years:
        return
    column = years[0]
    whens = items.free("when")
    numbers = [(at, year) for at in whens if (year := _stated_year(items.all[at])) is not None]
    for position, (at, year) in enumerate(numbers):
        if items.is_used(at):
            continue
        later = numbers[position + 1] if position + 1 < len(numbers) else None
        if later is not None and items.is_range(at, later[0]):
            for place in range(at, later[0] + 1):
                items.use(place, "period")
            items.use_words_around(at, later[0], "ge", "le", "between", role="period")
            items.condition(
                at,
                *[
                    Compare(col=column, op=">=", value=year),
                    Compare(col=column, op="<=", value=later[1]),
                ],
            )
            continue
        _compare(items, at, column, year)


# ---- numbers ----


def _numbers(items: Items) -> None:
    numbers = items.free("number")
    for position, at in enumerate(numbers):
        if items.is_used(at):
            continue
        later = numbers[position + 1] if position + 1 < len(numbers) else None
        if later is not None and items.is_range(at, later):
            _number_range(items, at, later)
            continue
        if later is not None and items.are_joined(at, later) and _either(items, at, later):
            continue
        if items.is_limit(at):
            continue
        _number(items, at)


def _either(items: Items, first: int, last: int) -> bool:
    """3 and 5 cylinder cars, 3と5を除く: two numbers that a column is."""
    column = _number_column(items, last)
    if column is None or column.profile.distinct > FEW:
        return False
    if items.comparison(first) is not None or items.comparison(last) is not None:
        return False
    values = [_in_unit(items.all[at].sense.figure, column) for at in (first, last)]
    place = items.column_place(last, column.name)
    if None in values or place is None:
        return False
    negation = items.exclusion(first, last)
    for at in (first, last, place, *(() if negation is None else (negation,))):
        items.use(at, "condition")
    items.use_between([first, last])
    op = "in" if negation is None else "not_in"
    items.condition(first, Among.model_validate({"col": column.name, "op": op, "value": values}))
    return True


def _number_range(items: Items, first: int, last: int) -> None:
    column = _number_column(items, first)
    if column is None:
        return
    low, high = (_in_unit(items.all[at].sense.figure, column) for at in (first, last))
    if low is None or high is None:
        return
    negation = items.exclusion(first, last)
    for at in range(first, last + 1):
        items.use(at, "condition")
    items.use_words_around(first, last, "ge", "le", "between", role="condition")
    upper = "<" if items.all[last].text and items.following_word(last, "lt") else "<="
    if negation is None:
        items.condition(
            first,
            *[
                Compare(col=column.name, op=">=", value=low),
                Compare.model_validate({"col": column.name, "op": upper, "value": high}),
            ],
        )
    else:
        items.use(negation, "condition")
        outside = (
            Compare(col=column.name, op="<", value=low),
            Compare(col=column.name, op=">", value=high),
        )
        items.condition(first, AnyOf(any_of=outside))


def _number(items: Items, at: int) -> None:
    figure = items.all[at].sense.figure
    assert figure is not None
    if (
        figure.value == 1
        and figure.unit in ("件", "人", "回", "個")
        and items.next_of(at, "number")
    ):
        items.use(at, "condition")  # 1件5万円以上
        return
    if items.next_text(at) == "代":  # 30代
        _decades(items, at)
        return
    if _counts_the_rest(items, at) or _counts_rows(items, at):
        return
    column = _number_column(items, at)
    if column is None:
        return
    value = _in_unit(figure, column)
    if value is not None:
        _compare(items, at, column.name, value)


def _counts_the_rest(items: Items, at: int) -> bool:
    """オンラインを除いた2店舗, the other three regions: as many as are left."""
    behind = items.after(at)
    figure = items.all[at].sense.figure
    if behind is None or items.all[behind].sense.kind != "column" or figure is None:
        return False
    known = items.known(behind)
    if known.is_measure or known.is_date or items.comparison(at) is not None:
        return False
    left = [item.sense.value for item in items.all if item.sense.value is not None]
    named = {value.value for value in left if value.column == known.name}
    every = known.profile.distinct
    if figure.value not in (len(named), every, every - len(named)):
        return False
    items.use(at, "condition")
    if named:
        items.use(behind, "condition")
    return True


_COUNTED = frozenset(("件", "回", "社", "本", "冊", "名", "人", "店", "個", "品"))


def _counts_rows(items: Items, at: int) -> bool:
    """Genres with at least 20 films, 5件以上の店舗: groups by how many rows they have."""
    figure, comparison = items.all[at].sense.figure, items.comparison(at)
    if figure is None or figure.value is None or comparison is None or not items.has_grouping():
        return False
    rows = items.after(at, over=lambda one: one == comparison)
    is_noun = items.is_word(rows, "rows") and not items.all[at].is_japanese
    named = items.near_column(at, lambda known: known.is_measure)
    if not is_noun and not (figure.unit in _COUNTED and named is None):
        return False
    fitting = [one for one in items.scene.columns.values() if one.is_measure]
    if not is_noun and any(_fits(figure, known) for known in fitting):
        return False
    for place in (at, comparison, rows if is_noun else at):
        if place is not None:
            items.use(place, "condition")
    op = _OPS[items.all[comparison].sense.name]
    items.frame.having.append(Having("count", None, op, float(figure.value)))
    return True


def _decades(items: Items, at: int) -> None:
    """30代; 20代と30代 are one stretch where they follow each other."""
    column = items.column_of_concept("age")
    if column is None:
        return
    places = [at]
    for other in items.free("number"):
        if (
            other > at
            and items.next_text(other) == "代"
            and items.are_joined(places[-1] + 1, other)
        ):
            places.append(other)
    if items.has("decade") and len(places) > 1:
        how = items.choose("decades", [("examples", 0.3), ("only", 0.8)])
        if how == "examples":  # 年代別（10代、20代、30代…）
            for place in places:
                items.use(place, "group")
                items.use(place + 1, "group")
            return
    figures = [items.all[place].sense.figure for place in places]
    ages = sorted(int(one.value) for one in figures if one is not None and one.value is not None)
    if any(later - earlier != 10 for earlier, later in pairwise(ages)):
        return
    negation = items.exclusion(places[0], places[-1] + 1)
    for place in places:
        items.use(place, "condition")
        items.use(place + 1, "condition")
    items.use_between(places)
    low, high = ages[0], ages[-1] + 10
    if negation is None:
        items.condition(
            at, Compare(col=column, op=">=", value=low), Compare(col=column, op="<", value=high)
        )
    else:
        items.use(negation, "condition")
        outside = (Compare(col=column, op="<", value=low), Compare(col=column, op=">=", value=high))
        items.condition(at, AnyOf(any_of=outside))


def _compare(items: Items, at: int, column: str, value: float | int) -> None:
    comparison = items.comparison(at)
    around = (at,) if comparison is None else (at, comparison)
    negation = items.exclusion(min(around), max(around))
    op = "==" if comparison is None else _OPS[items.all[comparison].sense.name]
    if (
        comparison is None
        and not items.is_beside_column(at, column)
        and not items.scene.columns[column].is_year
    ):
        return
    if comparison is not None:
        items.use(comparison, "condition")
        if items.all[comparison].sense.name == "equals":
            op = "=="
    if negation is not None:
        items.use(negation, "condition")
        op = _OPPOSITE[op]
    items.use(at, "condition")
    place = items.column_place(at, column)
    aggregate = None if place is None else items.aggregate_at(place)
    counted = items.count_before(at)
    if counted is not None and place is None:
        items.use(counted, "condition")
        items.frame.having.append(Having("count", None, op, value))
        return
    if place is not None:
        items.use(place, "condition")
    if aggregate is not None:
        items.use(aggregate, "condition")
        items.frame.having.append(Having(items.aggregate(aggregate), column, op, value))
        return
    level = "rows"
    if items.scene.is_entity(column):
        return
    if items.has_grouping() and items.scene.columns[column].is_measure and comparison is not None:
        # 月の売上が1,000万円以上: of the months, not of the rows.
        ahead = None if place is None else items.before(place)
        is_of_period = ahead is not None and items.all[ahead].sense.name.startswith("unit.")
        is_counted = items.has("count", "people", "shops")
        levels = [("rows", 0.0), ("groups", 1.0 if is_counted else 0.4)]
        if is_of_period:
            levels = [("groups", 0.0), ("rows", 1.0)]
        level = items.choose(f"level:{at}", levels)
    if level == "groups":
        items.frame.having.append(Having(None, column, op, value))
    else:
        items.condition(at, Compare.model_validate({"col": column, "op": op, "value": value}))


def _number_column(items: Items, at: int) -> KnownColumn | None:
    """Whose number it is: named beside it, of its unit, or the only one there is."""
    scene = items.scene
    figure = items.all[at].sense.figure
    assert figure is not None
    beside = items.near_column(at, lambda known: known.is_measure or known.is_year)
    behind = items.after(at)
    unit = items.all[at].text.split()[-1]
    if behind is not None and items.all[behind].sense.kind == "column" and len(unit) > 2:
        named = items.known(behind)  # 30 days overdue, where there are Days overdue
        if named.is_measure and unit.rstrip("s") in named.name.casefold():
            return named
    if beside is not None:
        return items.known(beside)
    fitting = [
        known for known in scene.columns.values() if known.is_measure and _fits(figure, known)
    ]
    if figure.unit and fitting:
        names = [(known.name, 0.5 * n) for n, known in enumerate(fitting[:3])]
        return scene.columns[items.choose(f"number:{at}", names)]
    measures = [scene.columns[name] for name in scene.measures]
    return measures[0] if len(measures) == 1 else None


def _fits(figure: Figure, known: KnownColumn) -> bool:
    unit = known.profile.unit
    if figure.kind == "money":
        return is_money(known)
    if figure.kind == "share":
        return known.profile.type == "percent" or unit == "%"
    if figure.unit == "歳":
        return "age" in known.concepts
    return bool(figure.unit) and figure.unit in unit


def is_money(known: KnownColumn) -> bool:
    unit = known.profile.unit
    is_told = any(sign in unit for sign in ("円", "$", "£", "€", "¥"))
    return is_told or known.profile.type == "currency" or bool(known.concepts & _MONEY)


_MONEY = frozenset(
    [
        "sales",
        "money",
        "profit",
        "gross_profit",
        "cost",
        "expense",
        "price",
        "budget",
        "target",
        "actual",
        "discount",
        "tax",
        "salary",
        "rent",
        "shipping",
        "freight",
        "advertising",
        "electricity",
        "gas",
        "water",
    ]
)


def _in_unit(figure: Figure | None, column: KnownColumn) -> int | float | None:
    """In the column's unit: 100万円 is 1,000 where it counts 千円."""
    if figure is None or figure.value is None:
        return None
    value = figure.value
    if figure.unit and figure.kind == "money":
        unit = column.profile.unit
        for prefix in sorted(_FACTORS, key=len, reverse=True):
            if unit.startswith(prefix):
                value = value / Fraction(_FACTORS[prefix])
                break
    if figure.kind == "share" and column.profile.type == "percent":
        value = value / 100
    return int(value) if value.denominator == 1 else float(value)


# ---- values ----


def _values(items: Items) -> None:
    for chain in items.chains("value"):
        by_column: dict[str, list[int]] = {}
        for at in chain:
            value = items.all[at].sense.value
            assert value is not None
            by_column.setdefault(value.column, []).append(at)
        negation = items.exclusion(chain[0], chain[-1])
        for column, places in by_column.items():
            names = list(dict.fromkeys(items.all[at].sense.name for at in places))
            for at in places:
                items.use(at, "condition")
            items.use_own_column(places[0], column)
            items.use_head_noun(places[-1])
            items.condition(places[0], _condition(column, names, is_not=negation is not None))
            if negation is None and len(names) > 1:
                items.frame.options.setdefault("compared", column)
            if negation is None and len(names) == 1:
                items.frame.options.setdefault("single", column)
        items.use_between(chain)
        if negation is not None:
            items.use(negation, "condition")
        for at in items.words("only"):
            if abs(at - chain[-1]) <= 2 or abs(at - chain[0]) <= 2:
                items.use(at, "condition")
    for chain in items.chains("part"):
        _parts(items, chain)
    items.merge_conditions()


def _parts(items: Items, chain: list[int]) -> None:
    """横浜市: rows whose value holds it."""
    negation = items.exclusion(chain[0], chain[-1])
    made: list[Filter] = []
    for at in chain:
        value = items.all[at].sense.value
        assert value is not None
        items.use(at, "condition")
        op = "contains" if negation is None else "not_contains"
        made.append(Contains.model_validate({"col": value.column, "op": op, "value": value.value}))
    if negation is not None:
        items.use(negation, "condition")
    items.use_between(chain)
    is_named = all(items.all[at].is_japanese or items.all[at].is_capital for at in chain)
    items.doubt(0.3 if is_named else 1.0)
    if negation is not None or len(made) == 1:
        items.condition(chain[0], *made)
    else:
        items.condition(chain[0], AnyOf(any_of=tuple(made)))  # type: ignore[arg-type]


def _condition(column: str, names: list[str], *, is_not: bool) -> Filter:
    if len(names) == 1:
        return Compare(col=column, op="!=" if is_not else "==", value=names[0])
    op = "not_in" if is_not else "in"
    return Among.model_validate({"col": column, "op": op, "value": names})


# ---- what is not there, and what is far off ----


def _gaps(items: Items) -> None:
    for at in items.words("empty", "filled"):
        column = items.near_column(at, lambda _: True, also_rows=True)
        if column is None:
            continue
        is_empty = items.all[at].sense.name == "empty"
        negation = items.exclusion(at, at)
        if negation is not None:
            items.use(negation, "condition")
            is_empty = not is_empty
        items.use(at, "condition")
        items.use(column, "condition")
        op = "is_null" if is_empty else "not_null"
        items.condition(
            at, Presence.model_validate({"col": items.all[column].sense.name, "op": op})
        )
    for at in items.words("outliers"):
        negation = items.exclusion(at, at)
        if negation is None:
            continue
        column = items.near_column(at, lambda known: known.is_measure)
        if column is None:
            continue
        method = "zscore" if items.words("by_zscore") else "iqr"
        for place in (at, negation, *items.words("by_zscore", "by_iqr")):
            items.use(place, "condition")
        name = items.all[column].sense.name
        items.condition(at, Outlying(col=name, op="not_outlier", method=method))


def _signs(items: Items) -> None:
    """赤字の店舗, negative balances."""
    for word, op in (("negative", "<"), ("positive", ">")):
        for at in items.words(word):
            column = items.near_column(at, lambda known: known.is_measure)
            behind = items.after(at)
            if column is None and (profit := items.column_of_concept("profit")) is not None:
                items.use(at, "condition")
                if items.has_grouping():
                    items.frame.having.append(Having("sum", profit, op, 0))
                else:
                    items.condition(
                        at, Compare.model_validate({"col": profit, "op": op, "value": 0})
                    )
                continue
            if column is None or (
                behind is not None
                and behind != column
                and items.all[behind].sense.kind == "column"
                and items.known(behind).is_measure
            ):
                continue
            items.use(at, "condition")
            items.use(column, "condition")
            items.condition(
                at,
                Compare.model_validate({"col": items.all[column].sense.name, "op": op, "value": 0}),
            )


def _columns_against(items: Items) -> None:
    """在庫数が発注点を下回る: one column against another, row by row."""
    for at in items.words("gt", "lt", "ge", "le"):
        columns = [
            place
            for place in items.free("column")
            if items.known(place).is_measure
            and not items.known(place).is_year
            and abs(place - at) <= 6
        ]
        if items.all[at].is_japanese:
            columns = [place for place in columns if place < at][-2:]
        else:
            left = [place for place in columns if place < at][-1:]
            columns = left + [place for place in columns if place > at][:1]
        if len(columns) != 2 or items.frame.options.get("against"):
            continue
        for place in (*columns, at):
            items.use(place, "condition")
        names = [items.all[place].sense.name for place in columns]
        items.frame.options["against"] = (names[0], _OPS[items.all[at].sense.name], names[1])
