"""Which rows, or groups, by their numbers: whose number it is, in which unit.

What rows are held against: operators, a condition on a column, a stretch of values.
"""

import re
from fractions import Fraction
from itertools import pairwise

from sanbo.agents.analysis.rules.frame import Having
from sanbo.agents.analysis.rules.items import AGGREGATES, Items
from sanbo.agents.analysis.rules.lexicon import set_of, synonyms, without_unit
from sanbo.agents.analysis.rules.scene import BRACKETS, FEW, KnownColumn
from sanbo.agents.analysis.rules.tokens import forms, narrowed, split_case, stem
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Condition, Filter
from sanbo.agents.analysis.spec.words import Aggregate, TimeUnit
from sanbo.language.figures import UNITS as UNITS_OF_FIGURES
from sanbo.language.figures import Figure, english_unit

OPS = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<", "equals": "=="}
OPPOSITE = {"==": "!=", ">=": "<", ">": "<=", "<=": ">", "<": ">=", "!=": "=="}
UNITS: tuple[TimeUnit, ...] = ("month", "year", "fiscal_year", "quarter", "week", "day")
PERIODS = tuple(f"unit.{unit}" for unit in UNITS)


def compare(column: str, op: str, value: object) -> Compare:
    return Compare.model_validate({"col": column, "op": op, "value": value})


def either(conditions: list[Condition]) -> Filter:
    return conditions[0] if len(conditions) == 1 else AnyOf(any_of=tuple(conditions))


def stretch(
    items: Items, role: str, span: tuple[int, int], column: str, ends: tuple[object, object]
) -> None:
    """From one end to the other; what lies outside, where it is said to be left out."""
    first, last = span
    negation, after = items.exclusion(first, last), items.after(last)
    items.use(role, negation, *range(first, last + 1))
    is_below = after is not None and items.is_word(after, "lt") and items.all[after].is_japanese
    items.use(role, after if is_below else None)
    upper = "<" if is_below or items.text(last) in _DECADES else "<="
    for at in (items.before(first), after):
        if items.is_word(at, "ge", "le", "between"):
            items.use(role, at)
    ops = (">=", upper) if negation is None else ("<", OPPOSITE[upper])
    made = [compare(column, op, end) for op, end in zip(ops, ends, strict=True)]
    items.condition(first, *(made if negation is None else [either([*made])]))


_FACTORS = {"百万": 1_000_000, "十億": 10**9, "千": 1_000, "万": 10_000, "億": 100_000_000}
_THOUSANDS = re.compile(r"(?<![\d,])000s?\b|[$€£¥]k\b|(?<!per )\bthousands?\b", re.IGNORECASE)
_MILLIONS = re.compile(r"[$€£¥](?:m|mn|mm)\b|(?<!per )\bmillions?\b", re.IGNORECASE)
"""As headings of amounts have them: ($000), £k, USD millions."""


def read_numbers(items: Items) -> None:
    numbers = items.free("number")
    for at, later in pairwise([*numbers, None]):
        if at is None or items.is_used(at):
            continue
        if later is not None and items.is_range(at, later):
            # Between 80 and 100 horsepower: what they are of may stand behind them.
            column = _number_column(items, at) or _number_column(items, later)
            ends = [in_unit(items.figure(one), column) for one in (at, later)]
            if column is not None and None not in ends:
                place = items.column_place(later, column.name)
                if place is not None and _is_only_bounded(items, place, later):
                    items.use("condition", place)
                stretch(items, "condition", (at, later), column.name, (ends[0], ends[1]))
        elif later is not None and items.are_joined(at, later) and _two(items, at, later):
            continue
        elif not items.is_limit(at) and not _limits_formula(items, at):
            _number(items, at)


def _limits_formula(items: Items, at: int) -> bool:
    """交通費と宿泊費を足した額が7万円を超える申請: by what was just computed of each row.

    Where that can't be meant of rows it is left unread, and of no other number.
    """
    formula, figure, comparison = items.frame.formula, items.figure(at), items.comparison(at)
    if formula is None or formula.level == "sums" or comparison is None:
        return False
    ahead = items.before(at, over=lambda one: items.is_word(one, "sum", "money"))
    is_of_it = ahead is not None and items.roles.get(ahead) == "measure"
    is_of_it &= items.text(at - 1) in ("が", "は", "て", "で")
    if not is_of_it or not items.all[comparison].is_japanese:
        return False
    known = [items.scene.columns[name] for name in formula.columns]
    is_sum = formula.tree["fn"] != "subtract"  # a difference may be either way
    is_sum &= len({(one.is_money, one.profile.unit, one.adds) for one in known}) == 1
    value = in_unit(figure, known[0])
    negation = items.exclusion(min(at, comparison), max(at, comparison))
    if is_sum and value is not None and negation is None and _is_of_one(items, comparison):
        items.use("condition", at, comparison)
        items.take("sum", "money", role="measure")
        items.frame.options["limited_formula"] = (OPS[items.name(comparison)], value)
    return True


def _is_of_one(items: Items, comparison: int) -> bool:
    """Whether rows are limited: 申請, 生徒; not 月, 部署, whose sums are."""
    head = items.after(comparison)
    is_row = head is None or items.is_word(head, "rows", "count", "people")
    if head is not None and items.is_kind(head, "column"):
        is_row = items.scene.is_entity(items.name(head))
    return is_row and (items.has("count", "people") or not items.has("each"))


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
    values = [in_unit(items.figure(at), column) for at in (first, last)]
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
    elif _is_decade(items, at, figure):
        _decades(items, at)
    elif (
        not _counts_the_rest(items, at, figure)
        and not _counts_rows(items, at, figure)
        and not _is_code(items, at, figure)
    ):
        column = _number_column(items, at)
        value = in_unit(figure, column)
        if column is not None and value is not None:
            compared(items, at, column.name, value)


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
    items.condition(at, compare(known.name, "==" if negation is None else "!=", shown))
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
    is_value = not figure.unit and items.text(at + 1) == "の"  # 満足度が3の店舗, and not 3店舗
    if is_value or not figure.value or figure.value not in (len(named), every, every - len(named)):
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
            op = OPS[items.name(comparison)]
            items.frame.having.append(Having(agg, name, op, float(figure.value)))
            return True
    if is_noun and figure.value == 1 and items.is_word(comparison, "ge"):
        items.use("condition", at, comparison, rows)  # at least one line: each has one
        return True
    if not is_noun:
        fitting = any(_fits(figure, one) for one in items.scene.columns.values() if one.is_measure)
        beside = items.near_measure(at)
        is_other = beside is None or items.known(beside).is_money  # 3件未満の費目の平均金額
        if figure.unit not in set_of("counted") or fitting or not is_other:
            return False
    negation = items.exclusion(at, comparison)
    noun = items.after(comparison) if not is_noun else None
    if negation is None and items.is_category(noun):
        negation = items.exclusion(at, noun or at)
    items.use("condition", at, comparison, rows if is_noun else None, negation)
    op = OPS[items.name(comparison)]
    op = op if negation is None else OPPOSITE[op]
    items.frame.having.append(Having("count", None, op, float(figure.value)))
    return True


_DECADES = frozenset(("代", "s"))


def _is_decade(items: Items, at: int, figure: Figure) -> bool:
    """30代, in their 30s; not in 30 s."""
    if items.text(at + 1) == "代":
        return True
    is_whole = figure.value is not None and figure.value % 10 == 0
    is_of_people = items.text(at - 1) in ("their", "his", "her")
    is_age = items.column_of_concept("age") is not None and is_of_people
    return items.text(at + 1) == "s" and is_whole and is_age


def _decades(items: Items, at: int) -> None:
    """30代; 20代と30代 are one stretch where they follow each other."""
    column = items.column_of_concept("age")
    if column is None:
        return
    places = [at]
    for other in items.free("number"):
        is_joined = other > at and items.are_joined(places[-1] + 1, other)
        if is_joined and items.text(other + 1) in _DECADES:
            places.append(other)
    if items.has("decade") and len(places) > 1:
        how = items.choose("decades", [("examples", 0.3), ("only", 0.8)])
        if how == "examples":  # 年代別（10代、20代、30代…）
            items.use("group", *places, *(place + 1 for place in places))
            return
    figures = [items.figure(place) for place in places]
    ages = sorted(int(one.value) for one in figures if one is not None and one.value is not None)
    is_whole = all(later - earlier == 10 for earlier, later in pairwise(ages))
    comparison = items.comparison(places[-1] + 1)
    if comparison is not None and len(ages) == 1:  # 40代以上
        name, (age,) = items.name(comparison), ages
        op = ">=" if name in ("ge", "gt") else "<"
        items.use("condition", at, at + 1, comparison)
        items.condition(at, compare(column, op, age + 10 if name in ("gt", "le") else age))
    elif is_whole and comparison is None:
        stretch(items, "condition", (at, places[-1] + 1), column, (ages[0], ages[-1] + 10))


def compared(items: Items, at: int, column: str, value: float | int) -> None:
    comparison = items.comparison(at)
    known = items.scene.columns[column]
    is_told = comparison is not None or known.is_year or items.exclusion(at, at) is not None
    if not is_told and not (items.is_beside_column(at, column) and _is_exact(items, at, known)):
        return
    around = (at,) if comparison is None else (at, comparison)
    negation = items.exclusion(min(around), max(around))
    op = "==" if comparison is None else OPS[items.name(comparison)]
    op = op if negation is None else OPPOSITE[op]
    items.use("condition", *around, negation)
    place = items.column_place(at, column)
    aggregate = None if place is None else items.aggregate_at(place)
    if place is None:
        ahead = items.before(min(around))
        is_figure = ahead is not None and items.is_word(ahead, *AGGREGATES)
        aggregate = (
            ahead if is_figure and items.all[at].is_japanese else None
        )  # 合計が5万円を超えた
        counted = items.before(at, over=lambda one: items.is_word(one, *OPS))
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
    is_period = any(items.is_word(one, *PERIODS) for one in range(len(items.all)))
    if (items.has_grouping() or is_period) and known.is_measure and comparison is not None:
        is_japanese = items.all[comparison].is_japanese
        levels = _levels(items, around, place, is_japanese=is_japanese)
        level = items.choose(f"level:{at}", levels)
    if level == "groups":
        items.frame.having.append(Having(None, column, op, value))
    else:
        items.condition(at, compare(column, op, value))
        _twin(items, at, place, op, value)


def _twin(items: Items, at: int, place: int | None, op: str, value: float | int) -> None:
    """筆記点と面接点の両方が80点以上, above 80 in maths and English: each of the two."""
    for one in (items.before(place), items.after(place)) if place is not None else ():
        if one is None or place is None or not items.is_measure(one) or items.is_used(one):
            continue
        if items.are_joined(*sorted((place, one))) and items.aggregate_at(one) is None:
            items.doubt(0.0 if items.has("both") else 1.0)
            items.use("condition", one)
            items.condition(at, compare(items.name(one), op, value))


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
    if items.is_word(head, *PERIODS) or items.is_word(ahead, *PERIODS):
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
    if own is not None or figure.unit == "歳":
        age = items.column_of_concept("age")
        return own or scene.columns.get(age or "")
    is_before = behind == at + 1 and items.is_measure(behind)
    is_with = items.text(at - 1) in _WITH if at else False  # cars that have 4 cylinders
    if behind is not None and is_before and (is_with or _is_bound(items, ahead)):
        return items.known(behind)  # with over 100 guests
    beside = items.near_column(at, lambda known: known.is_measure or known.is_year)
    bounded = [name for name, place in items.told.items() if place == items.before(ahead or 0)]
    if beside is not None or (bounded and items.is_word(ahead, *OPS)):
        # 500円以上1000円未満: the second bound of the same.
        return scene.columns[bounded[-1]] if beside is None else items.known(beside)
    fitting = [name for name, one in scene.columns.items() if one.is_measure and _fits(figure, one)]
    if not fitting and figure.unit in _MINUTES:  # films that run for two hours
        times = [name for name in scene.measures if _LENGTHS & set(forms(name))]
        fitting = times if len(times) == 1 else []
    if figure.unit and fitting:
        names = [(name, 0.5 * n) for n, name in enumerate(fitting[:3])]
        return scene.columns[items.choose(f"number:{at}", names)]
    is_alone = len(scene.measures) == 1 and figure.unit not in _OWN_UNITS
    return scene.columns[scene.measures[0]] if is_alone else None


def _is_bound(items: Items, at: int | None) -> bool:
    return at is not None and items.is_word(at, *OPS) and not items.all[at].is_japanese


_WITH = frozenset(("with", "have", "has", "had", "having"))
_LENGTHS = frozenset(forms("time")) | frozenset(forms("時間")) | frozenset(forms("duration"))
_OWN_UNITS = frozenset(("歳", "年間", "か月", "週", "日", "時間", "分", "秒"))
"""What they count is no other number."""


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
        is_rate = known.profile.type == "percent" or known.profile.is_rate
        return is_rate or "%" in narrowed(known.name + unit)
    if figure.unit == "歳":
        return "age" in known.concepts
    return bool(figure.unit) and figure.unit in unit


def in_unit(figure: Figure | None, column: KnownColumn | None) -> int | float | None:
    """In the column's unit: 100万円 is 1,000 where it counts 千円."""
    if figure is None or figure.value is None or column is None:
        return None
    value, unit = figure.value, column.profile.unit
    if figure.unit == "キロ":  # of weight or of length
        is_long = _kind_of(unit) == _kind_of("m")
        figure = figure._replace(unit="km" if is_long else "kg" if _kind_of(unit) == "g" else "")
    told, own = _kind_of(figure.unit), _kind_of(unit) or _kind_of_name(column)
    if figure.unit == "倍" or (told and own and told != own):
        return None  # 3件 is no amount, 30分 no number of cases, 10日 no price
    scale = next((each for each in _SCALES if figure.unit in each), {})
    value *= Fraction(scale.get(figure.unit, 1), scale.get(_unit(unit), scale.get(figure.unit, 1)))
    if figure.kind == "count" and not told and own == "money":
        return None  # 3泊 is no price
    factor = _factor_of(column)
    is_amount = figure.kind == "money" if figure.unit else column.is_money
    if is_amount and (figure.unit or _is_only_there(value / factor, value, column)):
        value = value / Fraction(factor)
    if figure.kind == "share":
        if not _fits(figure, column):
            return None  # 目標の30%: of another number, not a number of this column
        value = value / 100 if column.profile.type == "percent" else value
    if figure.unit in _MINUTES:
        value *= _times_to(_MINUTES[figure.unit], value, column)
    return int(value) if value.denominator == 1 else float(value)


def _factor_of(column: KnownColumn) -> int:
    """One of what its numbers count is so many of the currency."""
    unit = column.profile.unit
    told = next((_FACTORS[prefix] for prefix in _FACTORS if unit.startswith(prefix)), 1)
    if told > 1 or not column.is_money:
        return told
    written = " ".join((unit, *BRACKETS.findall(column.name), column.name.replace("_", " ")))
    return 1_000 if _THOUSANDS.search(written) else 10**6 if _MILLIONS.search(written) else 1


def is_named_by(figure: Figure, column: KnownColumn) -> bool:
    """4人, of 人数; 3 nights, of Nights. Of what is measured (kg, 分) it says nothing."""
    unit = figure.unit
    if figure.kind != "count" or not unit or _kind_of(unit) not in ("", "cases"):
        return False
    name = column.name.casefold()
    return f"{unit}数" in name or unit == column.profile.unit or english_unit(unit) in name.split()


def _kind_of(unit: str) -> str:
    """What a unit counts; empty where any number may be meant."""
    if unit.casefold().rstrip("s") in _TIMES_OF or unit == "秒":
        return "time"
    scale = next((scale for scale in _SCALES if _unit(unit) in scale), None)
    if scale is not None:
        return next(iter(scale))
    return "cases" if unit in set_of("counted") else ""


def kind_of(column: KnownColumn) -> str:
    """What a column of numbers counts; empty where that is not told."""
    known = _kind_of(column.profile.unit)
    return known or ("cases" if "quantity" in column.concepts else _kind_of_name(column))


def _kind_of_name(column: KnownColumn) -> str:
    if _time_of(column) is not None:
        return "time"
    is_cost = without_unit(column.name).strip().endswith(_COSTS)
    return "money" if column.is_money or is_cost else ""


_COSTS = ("費", "費用", "料金", "額", "代金", "手当")


def _time_of(column: KnownColumn) -> str | None:
    """By the unit, or by the name: minutes_spent, Wait min, 実績分; not 時間単価."""
    words = split_case(without_unit(column.name)).casefold().replace("_", " ").split()
    ends = [] if column.profile.unit else [words[:1], words[-1:], forms(column.name)[-1:]]
    said = (column.profile.unit.casefold(), *(word for end in ends for word in end))
    return next((_TIMES_OF[one.rstrip("s")] for one in said if one.rstrip("s") in _TIMES_OF), None)


def _unit(written: str) -> str:
    return UNITS_OF_FIGURES.get(written.casefold(), written.casefold())


_SCALES = (
    {"日": 1, "週": 7}, {"か月": 1, "年間": 12}, {"ml": 1, "l": 1000},
    {"mm": 1, "cm": 10, "m": 1000, "km": 1_000_000}, {"g": 1, "kg": 1000, "t": 1_000_000},
)  # fmt: skip
"""What is told in one of them is so much in another."""


_MINUTES = {"分": Fraction(1), "時間": Fraction(60), "秒": Fraction(1, 60)}
_TIMES_OF = {
    "分": "分", "min": "分", "minute": "分", "時間": "時間", "h": "時間", "hour": "時間",
    "秒": "秒", "sec": "秒", "second": "秒",
}  # fmt: skip


def _times_to(minutes: Fraction, value: Fraction, column: KnownColumn) -> Fraction:
    """Two hours are 120 where minutes are told, by the unit or by what the numbers are like."""
    unit = _time_of(column)
    if unit is not None:
        return minutes / _MINUTES[unit]
    return minutes if _is_only_there(value * minutes, value, column) else Fraction(1)


def _is_only_there(value: Fraction, other: Fraction, column: KnownColumn) -> bool:
    """Within what the column holds, where the other one is not."""
    low, high = column.profile.minimum, column.profile.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float):
        return False
    return low <= float(value) <= high and not low <= float(other) <= high
