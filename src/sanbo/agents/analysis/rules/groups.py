"""By what a question groups: columns with their marks (ごと, by, each), times, bins."""

from collections.abc import Sequence
from typing import cast

from sanbo.agents.analysis.rules.frame import Group
from sanbo.agents.analysis.rules.items import AGGREGATES, RANKS, Items
from sanbo.agents.analysis.rules.lexicon import ADJECTIVE, phrases_of, set_of
from sanbo.agents.analysis.rules.scene import FEW
from sanbo.agents.analysis.rules.times import first_date, last_date
from sanbo.agents.analysis.rules.tokens import forms
from sanbo.agents.analysis.spec.words import TimeUnit

UNIT = "unit."
GROUPED = "grouped."
MOST_DAYS = 62
_TIMES = ("year", "quarter", "month", "week", "day", "fiscal_year")


def read_groups(items: Items) -> None:
    for at in items.free("word"):
        if items.is_used(at):
            continue
        if items.name(at).startswith(GROUPED):
            if _is_of_name(items, at):
                continue
            time_group(items, at)
            is_asked = items.is_word(items.after(at), "which") or items.text(at).startswith(_ASKING)
            if not is_asked:
                _mark(items, items.frame.groups[-1:])
                behind = items.after(at)
                if behind and not items.all[at].is_japanese and items.are_joined(at, behind):
                    items.use_between((at, behind))  # by month and region
                    _take(items, _chain(items, behind, forward=True))
        elif (
            items.is_word(at, "each", "each_before", "breakdown")
            or (items.is_word(at, "divide") and items.is_category(items.after(at)))
            or _is_of_kinds(items, at)
        ):
            _marked(items, at)
    if items.take("trend", role="group"):
        items.frame.is_trend = True
    if items.frame.is_trend and not any(group.unit for group in items.frame.groups):
        _time_of_trend(items)


def _is_of_kinds(items: Items, at: int) -> bool:
    """Cars with different cylinders, various genres: of each kind."""
    if not items.is_word(at, "drawn") or items.text(at) not in ("different", "various"):
        return False
    behind = _first_behind(items, at)
    return behind is not None and items.is_kind(behind, "column") and can_group(items, behind)


_SIGNS = {"month": ("月", "month"), "year": ("年", "year", "annual"), "week": ("週", "week")}


def _is_of_name(items: Items, at: int) -> bool:
    """月々の利用料, of 月額利用料: the time is of the number's name."""
    behind, unit = items.after(at), items.name(at).removeprefix(GROUPED)
    if behind is None or not items.is_measure(behind):
        return False
    if not any(sign in items.name(behind).casefold() for sign in _SIGNS.get(unit, ())):
        return False
    if items.choose(f"named:{at}", [(True, 0.0), (False, 1.0)]):
        items.use("measure", at)
        return True
    return False


_ASKING = ("which", "what", "どの", "何")


def _mark(items: Items, groups: Sequence[Group]) -> None:
    """Groups that are told as such: the others may be what is looked for in each of them."""
    items.frame.options.setdefault("marked", []).extend(group.column for group in groups)


def add_group(items: Items, group: Group) -> None:
    if group not in items.frame.groups:
        items.frame.groups.append(group)


def time_word(items: Items) -> TimeUnit | None:
    for at in range(len(items.all)):
        kind, _, unit = items.name(at).partition(".")
        if items.is_kind(at, "word") and f"{kind}." in (GROUPED, UNIT) and unit in _TIMES:
            return cast("TimeUnit", unit)
    return None


def time_group(items: Items, at: int) -> None:
    """月別, or a unit's own name: 月."""
    if items.is_word(at, "decade"):
        age = items.column_of_concept("age")
        if age is not None:
            items.use("group", at)
            items.frame.options["is_decade"] = items.all[at].is_japanese
            add_group(items, Group(age, width=10))
        return
    column, unit = date_of_groups(items), items.name(at).partition(".")[2]
    if column is not None:
        items.use("group", at)
        profile = items.scene.columns[column].profile
        first, last = first_date(profile), last_date(profile)
        if items.text(at) == "何月" and first and last and (last - first).days < 366:
            unit = "month"  # of one year: which one it is may be said
        add_group(items, Group(column, cast("TimeUnit", unit)))
    elif unit == "year" and items.scene.years:
        items.use("group", at)
        add_group(items, Group(items.scene.years[0]))


def date_of_groups(items: Items) -> str | None:
    """That is named, or grouped by already; else the likeliest."""
    if not items.scene.dates:
        return None
    for at in items.free("column"):
        if items.known(at).is_date:
            items.use("group", at)
            return items.name(at)
    used = [group.column for group in items.frame.groups if group.unit is not None]
    return used[0] if used else items.choose("date", items.scene.date_options(items.said))


def can_group(items: Items, at: int) -> bool:
    if items.is_used(at):
        return False
    if items.is_kind(at, "word"):
        return items.name(at).startswith((UNIT, GROUPED)) or items.is_word(at, "decade")
    if not items.is_kind(at, "column"):
        return False
    known = items.known(at)
    is_order = any(map(items.is_limit, range(at)))  # the top 3 orders by quantity
    is_order |= items.has(*RANKS) and known.is_amount  # the best product by units
    is_order |= known.is_amount and any(
        items.name(one).startswith(ADJECTIVE) for one in range(at) if items.is_kind(one, "word")
    )
    return not known.is_measure or known.is_year or (known.profile.distinct <= FEW and not is_order)


def _marked(items: Items, at: int) -> None:
    """店舗・月ごと: all that stand joined before it. By store and month: all behind it."""
    item = items.all[at]
    forward = not item.is_japanese or item.sense.name == "each_before"
    forward &= item.text != "wise"  # country wise
    refused = items.before(at)
    if forward and refused is not None and _is_refused(items, refused):
        noun = items.after(at)
        beside = (refused, at, noun)
        items.use("join", *(one for one in beside if one is not None and not items.is_used(one)))
        told = items.name(noun) if items.is_kind(noun, "column") and noun is not None else ""
        items.frame.groups = [group for group in items.frame.groups if group.column != told]
        return
    place = _first_behind(items, at) if forward else _over_tail(items, items.before(at))
    if not forward and place is not None:
        _instead(items, place)
    if item.sense.name == "breakdown" and place is None:
        return
    taken = _chain(items, place, forward=forward)
    taken = taken[:1] if item.sense.name == "drawn" else taken  # different genres and their fees
    if item.text in ("across", "over", "among") and all(
        items.is_kind(one, "column") and items.scene.is_entity(items.name(one)) for one in taken
    ):
        items.use("rows", at, *taken)  # the average across the properties: each has one row
        return
    if not taken:
        _no_group(items, at, place)
        return
    is_of_figures = len(taken) > 1 and all(map(items.is_measure, taken))
    if item.text in set_of("respectively") and is_of_figures and items.has(*AGGREGATES):
        items.use("join", at)  # 国語、数学、英語のそれぞれの平均
        return
    if _is_mean_of(items, at, taken):
        items.use("rows", at, *taken)
        return
    items.use("group", at)
    if item.text in set_of("each_apart"):
        items.frame.options["is_apart"] = True
    _take(items, taken if forward else taken[::-1])


def _is_refused(items: Items, at: int) -> bool:
    """Not per region, instead of by department."""
    is_said = items.is_word(at, "exclude") or items.text(at) in ("instead of", "rather than")
    return is_said and items.roles.get(at) != "condition"


def _instead(items: Items, at: int) -> None:
    """エリアじゃなくて間取り別: not by the first."""
    refused = items.before(at)
    if refused is None or not items.is_word(refused, "exclude"):
        return
    named = items.before(refused)
    if named is not None and items.is_category(named) and not items.is_used(named):
        items.use("join", refused, named)


def _chain(items: Items, place: int | None, *, forward: bool) -> list[int]:
    """All that stand joined from there on, and may be grouped by."""
    taken: list[int] = []
    while place is not None and can_group(items, place):
        taken.append(place)
        place = items.after(place) if forward else items.before(place)
        if place is not None and not items.are_joined(*sorted((place, taken[-1]))):
            break
    is_cut = taken and place is not None and place > taken[-1] and items.is_measure(place)
    if is_cut and "and" in map(items.text, range(taken[-1], place or 0)):
        items.doubt(1.0)  # by genre and rating: that is no second number
    return taken


def _take(items: Items, taken: Sequence[int]) -> None:
    before = len(items.frame.groups)
    for one in taken:
        if items.is_kind(one, "word"):
            time_group(items, one)
        else:
            items.use("group", one)
            _group_column(items, one)
    _mark(items, items.frame.groups[before:])
    if len(taken) > 1:
        items.use_between(sorted(taken))


def _is_mean_of(items: Items, at: int, taken: Sequence[int]) -> bool:
    """Average sales per store in one quarter: over the stores, or of each of them?"""
    is_one = len(taken) == 1 and items.is_category(taken[0]) and items.text(at) == "per"
    if not is_one or not items.has("mean") or not items.scene.is_panel(items.name(taken[0])):
        return False
    return items.choose(f"over:{at}", [(False, 0.0), (True, 0.5)])


def _first_behind(items: Items, at: int) -> int | None:
    place = items.after(at)
    if place is not None and items.is_kind(place, "unknown") and place + 1 < len(items.all):
        is_noun = items.is_kind(place + 1, "column") and can_group(items, place + 1)
        place = place + 1 if is_noun else place  # by engine cylinders
    if place is not None and items.is_word(place, "distinct"):
        place = items.after(place)  # for each kind of contract
    if place is not None and items.is_word(place, "count"):
        number = items.after(place)
        if number is not None and items.is_measure(number):
            if can_group(items, number):
                items.use("group", place)  # by the number of cylinders
            place = number
    return place


def _over_tail(items: Items, place: int | None) -> int | None:
    """大分類コードごと: what its code says is the same."""
    if place is None or items.text(place) not in set_of("tails"):
        return place
    items.use("group", place)
    return items.before(place)


def _no_group(items: Items, at: int, place: int | None) -> None:
    """By phone, by total sales: not what is grouped by."""
    if place is None:
        return
    item_is_per = items.text(at) == "per"
    is_plain = items.has("count", "breakdown") and not items.has(
        *AGGREGATES, *RANKS, "order", "desc", "asc"
    )
    if is_plain and items.is_measure(place) and not items.is_used(place):
        items.use("group", at, place)  # the number of films by length
        items.frame.options["counted_by"] = items.name(place)
    elif _is_against(items, at, place):
        items.use("join", at)
        items.frame.options["is_compared"] = True
    elif (
        items.roles.get(place) == "condition"
        or (items.is_kind(place, "column") and not (item_is_per and items.is_measure(place)))
        or items.is_word(place, *AGGREGATES, "count")
        or (items.is_word(place, "rows") and items.is_word(items.after(place), "count"))
        or (items.is_word(place, "rows") and items.text(at - 1).endswith("ed"))
    ):
        items.use("join", at)


def _is_against(items: Items, at: int, place: int) -> bool:
    """Horsepower by acceleration: a number by another, nothing computed of either."""
    numbers = {items.name(one) for one in range(len(items.all)) if items.is_measure(one)}
    is_computed = items.has("count", *AGGREGATES, *RANKS, "order", "desc", "asc", "share")
    ahead = [one for one in range(at) if items.is_measure(one)]
    is_pair = items.is_measure(place) and bool(ahead) and len(numbers) == 2
    return is_pair and not is_computed and not items.all[at].is_japanese


def _group_column(items: Items, at: int) -> None:
    name = items.name(at)
    if items.known(at).is_date and _is_basis(items, at):
        return
    if items.all[at].sense.quality < 0.7:
        items.doubt(1.0)
    if not items.known(at).is_date:
        add_group(items, bins(items, name))
        return
    unit = time_word(items) or natural_unit(items, name)
    times = [one for one in items.free("word") if items.name(one).startswith((UNIT, GROUPED))]
    items.use("group", *times)
    add_group(items, Group(name, unit))


def _is_basis(items: Items, at: int) -> bool:
    """Loans of each branch from April to June, by loan date: of which day the period is."""
    is_timed = any(getattr(one, "col", None) == items.name(at) for one in items.frame.conditions)
    others = [one for one in items.frame.groups if one.column != items.name(at)]
    is_apart = [items.text(one) for one in (at - 2, at - 1)] == [",", "by"]
    if not is_timed or not others or time_word(items) or len(items.scene.dates) < 2:
        return False
    return is_apart and items.choose(f"basis:{at}", [(True, 0.0), (False, 1.0)])


def natural_unit(items: Items, column: str) -> TimeUnit:
    """By months where the data spans some, by days where it does not."""
    profile = items.scene.columns[column].profile
    first, last = first_date(profile), last_date(profile)
    is_long = first is None or last is None or (last - first).days > MOST_DAYS
    units: list[tuple[TimeUnit, float]] = [("month", 0.0), ("day", 1.0), ("year", 1.0)]
    if forms(column) in phrases_of("unit.month"):
        units = [("month", 0.0), ("year", 1.0)]
    return items.choose(f"unit:{column}", units if is_long else [("day", 0.0), ("month", 1.0)])


def bins(items: Items, column: str) -> Group:
    """By a column, in steps or parts where the question says so."""
    for mark in items.words("bins", "quantile_bins"):
        for place in (items.before(mark), items.after(mark)):
            figure = items.figure(place) if items.is_kind(place, "number") else None
            if figure is None or figure.value is None:
                continue
            items.use("group", mark, place)
            if items.is_word(mark, "quantile_bins") or items.text(mark) == "等分":
                return Group(column, parts=int(figure.value))
            return Group(column, width=float(figure.value))
    return Group(column)


def _time_of_trend(items: Items) -> None:
    column = date_of_groups(items)
    if column is not None:
        units = [at for at in items.free("word") if items.name(at).startswith(UNIT)]
        items.use("group", *units[:1])
        told = cast("TimeUnit", items.name(units[0]).removeprefix(UNIT)) if units else None
        add_group(items, Group(column, told or natural_unit(items, column)))
    elif items.scene.years:
        items.take("unit.year", role="group")
        years = items.scene.years[0]
        add_group(items, Group(years))
        items.use("group", *(at for at in items.free("column") if items.name(at) == years))
