"""Which part each word plays: measures, groups, order, operations of their own."""

from collections.abc import Sequence
from typing import Literal

from sanbo.agents.analysis.rules.conditions import BEFORE, is_money, read_conditions
from sanbo.agents.analysis.rules.formula import read_formula
from sanbo.agents.analysis.rules.frame import Chooser, Frame, Group, Growth, Having, Measure
from sanbo.agents.analysis.rules.items import AGGREGATES, TAILS, Items
from sanbo.agents.analysis.rules.lexicon import ADJECTIVE, CHART
from sanbo.agents.analysis.rules.mentions import Item
from sanbo.agents.analysis.rules.periods import against, first_date, last_date
from sanbo.agents.analysis.rules.scene import FEW, Scene
from sanbo.agents.analysis.spec.filters import AnyOf, Compare
from sanbo.agents.analysis.spec.words import TimeUnit

_SPECIAL = (
    "overview", "duplicates", "missingness", "correlation", "outliers", "normality",
    "distribution", "summary", "cohort", "normalize",
)  # fmt: skip
_UNIT = "unit."
_GROUPED = "grouped."


def read_roles(items: Sequence[Item], scene: Scene, chooser: Chooser) -> Frame:
    reader = Items(items, scene, chooser)
    _scope(reader)
    _steps(reader)
    _steps_of_numbers(reader)
    _limits(reader)
    _means(reader)
    read_formula(reader)
    _fiscal_start(reader)
    read_conditions(reader)
    _growth(reader)
    _charts(reader)
    _groups(reader)
    _operations(reader)
    _measures(reader)
    _order(reader)
    _rest(reader)
    frame = reader.frame
    frame.refers = reader.has("same", "instead")
    frame.is_added = reader.has("also")
    if reader.has("only"):
        frame.options["is_only"] = True
    return reader.done()


def _scope(items: Items) -> None:
    for at, item in enumerate(items.all):
        sense = item.sense
        if sense.kind == "word" and sense.name.startswith("scope."):
            items.use(at, "scope")
            items.frame.scope = sense.name.removeprefix("scope.")


def _steps(items: Items) -> None:
    for at in items.words("duplicates"):
        negation = items.exclusion(at, at)
        if negation is not None:
            items.use(at, "step")
            items.use(negation, "step")
            items.frame.steps.append("dedup")
    for at in items.words("fill"):
        how = [place for place in items.words("mean", "median") if abs(place - at) <= 3]
        gaps = items.words("empty", "missingness")
        column = items.near_column(gaps[0], lambda known: known.is_measure) if gaps else None
        if not how or column is None:
            continue
        for place in (at, how[-1], column, *gaps):
            items.use(place, "step")
        name = items.all[column].sense.name
        items.frame.options["fill"] = (name, items.all[how[-1]].sense.name)
    for step in ("dedup", "fill_mean", "fill_median"):
        if items.take(step):
            items.frame.steps.append(step)


def _steps_of_numbers(items: Items) -> None:
    """10年ごと, in bins of 5, 10 bins."""
    for at in items.free("number"):
        figure = items.all[at].sense.figure
        if figure is None or figure.value is None:
            continue
        mark = items.after(at)
        is_each = mark is not None and items.is_word(mark, "each") and items.all[mark].is_japanese
        is_bins = mark is not None and items.is_word(mark, "bins")
        if mark is None or not (is_each or is_bins):
            continue
        if is_bins and not items.all[mark].is_japanese and items.has("chart.hist"):
            items.frame.options["bins"] = int(figure.value)
        else:
            column = items.near_column(at, lambda known: known.is_measure)
            age = items.column_of_concept("age") if figure.unit == "歳" else None
            if column is None and age is None:
                continue
            if column is not None:
                items.use(column, "group")
            name = age if column is None else items.all[column].sense.name
            assert name is not None
            if items.has("chart.hist"):
                items.doubt(1.0)  # its bars have no such borders
            _add(items, Group(name, width=float(figure.value)))
            items.take("decade", role="group")
        items.use(at, "group")
        items.use(mark, "group")
        items.take("divide_up", role="group")


def _limits(items: Items) -> None:
    for at in items.free("number"):
        if items.is_limit(at):
            figure = items.all[at].sense.figure
            assert figure is not None
            assert figure.value is not None
            items.frame.limit = int(figure.value)
            items.use(at, "limit")
            if items.next_text(at) in ("つ", "位", "店", "件", "位まで"):
                items.use(at + 1, "limit")


def _means(items: Items) -> None:
    """平均より高い店舗: groups (or rows) against the mean of all."""
    for word, op in (("above_mean", ">"), ("below_mean", "<")):
        for at in items.words(word):
            column = items.near_column(at, lambda known: known.is_measure)
            if column is None:
                continue
            items.use(at, "condition")
            is_grouped = items.has_grouping()
            level = items.choose(
                f"mean:{at}",
                [("groups", 0.0), ("rows", 0.6)] if is_grouped else [("rows", 0.0)],
            )
            name = items.all[column].sense.name
            if level == "groups":
                items.frame.having.append(Having(None, name, op, "mean"))
            else:
                items.use(column, "condition")
                items.frame.options["stat_condition"] = (name, op)


# ---- time against time ----

_GROWTH_UNITS: dict[str, tuple[TimeUnit, str]] = {
    **{word: (unit, "previous") for word, unit in BEFORE.items()},
    "year_before_month": ("month", "year_before"),
    "year_before_period": ("quarter", "year_before"),
}


def _growth(items: Items) -> None:
    if not items.scene.dates and not items.scene.years:
        return
    for at in items.words(*_GROWTH_UNITS):
        unit, against = _GROWTH_UNITS[items.all[at].sense.name]
        if unit == "year" and items.has("grouped.month"):
            unit, against = "month", "year_before"
        elif unit == "year" and _time_word(items) == "fiscal_year":
            unit = "fiscal_year"
        items.frame.growth = Growth(unit, against)  # type: ignore[arg-type]
        items.use(at, "period")
    direction = _direction(items)
    if items.frame.growth is None and items.words("increase", "decrease", "change", "compare"):
        _two_periods(items)
    if items.frame.growth is not None:
        items.take("increase", "decrease", "change", "compare", "difference", "share", role="order")
        # 前月比 shows how much; へった店舗 asks which ones.
        is_asked = items.has_grouping() or any(
            item.sense.kind == "word" and item.sense.name.startswith(_UNIT) for item in items.all
        )
        if direction is not None and is_asked:
            items.frame.direction = direction  # type: ignore[assignment]
    elif items.has("change", "increase", "decrease") and _time_word(items) is not None:
        items.take("change", "increase", "decrease", role="order")
        items.frame.growth = Growth(_time_word(items) or "month", "previous")
        items.frame.direction = direction
        items.frame.is_trend = True


def _direction(items: Items) -> Literal["increased", "decreased"] | None:
    """ふえた, へった; 前年同月を下回る."""
    more, less = items.words("increase"), items.words("decrease")
    for at, item in enumerate(items.all):
        if item.sense.kind == "word" and item.sense.name in _GROWTH_UNITS:
            behind, ahead = items.after(at), items.before(at)
            if ahead is not None and items.is_word(ahead, "gt") and not item.is_japanese:
                items.use(ahead, "order")  # over the previous month
            if behind is not None and items.all[behind].text == "より":
                items.use(behind, "order")
            elif behind is not None and items.is_word(behind, "gt", "lt"):
                items.use(behind, "order")
                (more if items.is_word(behind, "gt") else less).append(behind)
    if bool(more) == bool(less):
        return None
    return "increased" if more else "decreased"


_FISCAL_START = 4


def _fiscal_start(items: Items) -> None:
    """年度は4月始まり: said of what is so anyway."""
    for at in items.free("when"):
        figure = items.all[at].sense.figure
        is_first = figure is not None and figure.moment.only == figure.moment.month == _FISCAL_START
        if is_first and items.next_text(at) in ("始まり", "始まる", "開始", "スタート", "起点"):
            items.use(at, "period")


def _two_periods(items: Items) -> None:
    """8月とくらべて9月に: the later against the one before it."""
    frame = items.frame
    equal = [
        one
        for one in frame.conditions
        if isinstance(one, Compare) and one.op == "==" and one.col in items.scene.dates
    ]
    if len(equal) == 2 and equal[0].col == equal[1].col:
        rest = [one for one in frame.conditions if one not in equal]
        frame.conditions = [*rest, AnyOf(any_of=tuple(equal))]
    for one in frame.conditions:
        if isinstance(one, AnyOf):
            parts = [part for part in one.any_of if isinstance(part, Compare)]
            texts = [str(part.value) for part in parts if part.op == "=="]
        else:
            continue
        columns = {part.col for part in parts}
        if len(texts) == 2 and len(columns) == 1 and columns <= set(items.scene.dates):
            found = against(*sorted(texts))
            if found is not None:
                unit, how = found
                frame.growth = Growth(unit, how)
                frame.conditions.remove(one)
                frame.conditions.append(Compare(col=columns.pop(), op="==", value=max(texts)))
                return
    limits = [
        one for one in frame.conditions if isinstance(one, Compare) and one.col in items.scene.dates
    ]
    by_op = {one.op: one for one in limits}
    if len(limits) == 2 and {">=", "<="} == set(by_op):
        first, last = str(by_op[">="].value), str(by_op["<="].value)
        found = against(first, last)
        if found is not None and items.words("increase", "decrease"):
            unit, how = found
            frame.growth = Growth(unit, how)
            for one in limits:
                frame.conditions.remove(one)
            frame.conditions.append(Compare(col=limits[0].col, op="==", value=last))


def _time_word(items: Items) -> TimeUnit | None:
    for item in items.all:
        name = item.sense.name
        if item.sense.kind == "word" and name.startswith((_GROUPED, _UNIT)):
            unit = name.partition(".")[2]
            if unit in ("year", "quarter", "month", "week", "day", "fiscal_year"):
                return unit  # type: ignore[return-value]
    return None


# ---- charts ----


def _charts(items: Items) -> None:  # noqa: PLR0912
    frame = items.frame
    if items.take("no_chart", role="chart"):
        frame.options["no_chart"] = True
        return
    for at in items.free("word"):
        name = items.all[at].sense.name
        if name.startswith(CHART):
            frame.chart = name.removeprefix(CHART)
            items.use(at, "chart")
            frame.is_stacked |= any(
                sign in items.all[at].text for sign in ("積み上げ", "積上", "stack")
            )
    if items.take("chart", role="chart") and frame.chart is None:
        frame.chart = "any"
    if items.take("stacked", "normalized", role="chart"):
        frame.is_stacked = True
        frame.chart = frame.chart if frame.chart not in (None, "any") else "bar"
    for at in items.words("axis"):
        items.use(at, "chart")
        if not any(sign in items.all[at].text for sign in ("x", "横")):
            continue
        near = items.near_column(at, lambda known: not known.is_date)
        if near is not None and not items.is_used(near) and _can_group(items, near):
            items.use(near, "group")
            _add(items, Group(items.all[near].sense.name))
            ahead = items.before(near)
            if ahead is not None and items.is_word(ahead, "count"):
                items.use(ahead, "group")
    if frame.chart is not None:
        items.take("between", role="chart")
    for word, slot in (("colour", "colour"), ("facet", "facet")):
        for at in items.words(word):
            items.use(at, "chart")
            place = items.after(at, over=lambda one: items.is_word(one, "each"))
            if (
                items.all[at].is_japanese
                or place is None
                or items.all[place].sense.kind != "column"
            ):
                place = items.before(at, over=lambda one: items.is_word(one, "each"))
            if (
                place is not None
                and items.all[place].sense.kind == "column"
                and not items.is_used(place)
            ):
                items.use(place, "chart")
                for mark in (items.before(place), items.after(place)):
                    if mark is not None and items.is_word(mark, "each"):
                        items.use(mark, "chart")
                setattr(frame, slot, items.all[place].sense.name)


# ---- groups ----


def _groups(items: Items) -> None:
    for at in items.free("word"):
        if items.is_used(at):
            continue
        name = items.all[at].sense.name
        if name.startswith(_GROUPED):
            _time_group(items, at, name.removeprefix(_GROUPED))
        elif name in ("each", "each_before", "breakdown"):
            _marked(items, at)
    for at in items.words("trend"):
        items.frame.is_trend = True
        items.use(at, "group")
    if items.frame.is_trend and not any(group.unit for group in items.frame.groups):
        _time_of_trend(items)


def _time_group(items: Items, at: int, unit: str) -> None:
    if items.all[at].sense.name == "decade":
        age = items.column_of_concept("age")
        if age is not None:
            items.use(at, "group")
            _add(items, Group(age, width=10))
        return
    column = _group_date(items)
    if column is None:
        years = items.scene.years
        if unit == "year" and years:
            items.use(at, "group")
            _add(items, Group(years[0]))
        return
    items.use(at, "group")
    _add(items, Group(column, unit))  # type: ignore[arg-type]


def _group_date(items: Items) -> str | None:
    dates = items.scene.dates
    if not dates:
        return None
    for at in items.free("column"):
        if items.known(at).is_date:
            items.use(at, "group")
            return items.all[at].sense.name
    for group in items.frame.groups:
        if group.unit is not None:
            return group.column
    return items.choose("date", items.scene.date_options)


def _marked(items: Items, at: int) -> None:  # noqa: PLR0912
    """店舗・月ごと: all that stand joined before it. By store and month: all behind it."""
    item = items.all[at]
    forward = not item.is_japanese or item.sense.name == "each_before"
    refused = items.before(at)
    if forward and refused is not None and items.is_word(refused, "exclude"):
        for place in (refused, at, items.after(at)):  # not per region
            if place is not None and not items.is_used(place):
                items.use(place, "join")
        return
    skipped = ("count",) if forward else ()
    place = items.after(at) if forward else items.before(at)
    place = _over_tail(items, place) if not forward else place
    if forward and place is not None and items.is_word(place, "distinct"):
        place = items.after(place)  # for each kind of contract
    if forward and place is not None and items.is_word(place, *skipped):
        number = items.after(place)
        if (
            number is not None
            and items.all[number].sense.kind == "column"
            and items.known(number).is_measure
        ):
            place = number
    if forward and place is not None:
        for between in range(at + 1, place):
            is_number = items.all[place].sense.kind == "column" and items.known(place).is_measure
            if items.is_word(between, "count") and is_number and _can_group(items, place):
                items.use(between, "group")  # by the number of cylinders
    if item.sense.name == "breakdown" and place is None:
        return
    taken: list[int] = []
    while place is not None and _can_group(items, place):
        taken.append(place)
        following = items.after(place) if forward else items.before(place)
        if following is None or not _can_group(items, following):
            break
        low, high = sorted((place, following))
        if not items.are_joined(low, high):
            break
        place = following
    if item.text in ("across", "over", "among") and all(
        items.all[one].sense.kind == "column" and items.known(one).is_row(items.scene.profile.rows)
        for one in taken
    ):
        for one in (at, *taken):
            items.use(one, "rows")  # the average across the properties: each has one row
        return
    if not taken:
        # By phone, by total sales: not what is grouped by.
        if place is not None and _is_counted_by(items, place):
            for one in (at, place):
                items.use(one, "group")
            items.frame.options["counted_by"] = items.all[place].sense.name
            return
        if place is not None and (
            items.roles.get(place) == "condition"
            or items.all[place].sense.kind == "column"
            or items.is_word(place, *AGGREGATES, "count")
        ):
            items.use(at, "join")
        return
    items.use(at, "group")
    if items.all[at].text in _APART:
        items.frame.options["is_apart"] = True
    for place in reversed(taken) if not forward else taken:
        sense = items.all[place].sense
        if sense.kind == "word":
            _time_group(items, place, sense.name.partition(".")[2])
        else:
            items.use(place, "group")
            _group_column(items, place)
    if len(taken) > 1:
        items.use_between(sorted(taken))


def _over_tail(items: Items, place: int | None) -> int | None:
    """大分類コードごと: what its code says is the same."""
    if place is None or items.all[place].text not in TAILS:
        return place
    items.use(place, "group")
    return items.before(place)


def _is_counted_by(items: Items, at: int) -> bool:
    """The number of films by length: how often each length is there."""
    is_number = items.all[at].sense.kind == "column" and items.known(at).is_measure
    is_plain = items.has("count") and not items.has(*AGGREGATES, *_RANKS)
    return is_number and is_plain and not items.is_used(at)


_RANKS = ("most", "high", "low", "many", "few", "top", "bottom", "order", "desc", "asc")
_APART = frozenset(
    ("for each", "for every", "per", "each", "broken out by", "split by", "separated by", "in each")
)
"""A chart for each, rather than colours."""


def _can_group(items: Items, at: int) -> bool:
    sense = items.all[at].sense
    if items.is_used(at):
        return False
    if sense.kind == "word":
        return sense.name.startswith((_UNIT, _GROUPED)) or sense.name == "decade"
    if sense.kind != "column":
        return False
    known = items.known(at)
    return not known.is_measure or known.is_year or known.profile.distinct <= FEW


def _group_column(items: Items, at: int) -> None:
    name = items.all[at].sense.name
    known = items.scene.columns[name]
    if items.all[at].sense.quality < 0.7:
        items.doubt(1.0)
    if known.is_date:
        unit = _time_word(items) or _natural_unit(items, name)
        for word in items.free("word"):
            if items.all[word].sense.name.startswith((_UNIT, _GROUPED)):
                items.use(word, "group")
        _add(items, Group(name, unit))  # type: ignore[arg-type]
        return
    width, parts = _bins(items)
    _add(items, Group(name, width=width, parts=parts))


def _natural_unit(items: Items, column: str) -> TimeUnit:
    """By months where the data spans some, by days where it does not."""
    profile = items.scene.columns[column].profile
    first, last = first_date(profile), last_date(profile)
    is_long = first is None or last is None or (last - first).days > MOST_DAYS
    units: list[tuple[TimeUnit, float]] = [("month", 0.0), ("day", 1.0), ("year", 1.0)]
    return items.choose(f"unit:{column}", units if is_long else [("day", 0.0), ("month", 1.0)])


MOST_DAYS = 62


def _bins(items: Items) -> tuple[float | None, int | None]:
    for mark in items.words("bins", "quantile_bins"):
        for place in (items.before(mark), items.after(mark)):
            if place is None or items.all[place].sense.kind != "number":
                continue
            figure = items.all[place].sense.figure
            if figure is None or figure.value is None:
                continue
            items.use(mark, "group")
            items.use(place, "group")
            if items.all[mark].sense.name == "quantile_bins" or items.all[mark].text in ("等分",):
                return None, int(figure.value)
            return float(figure.value), None
    return None, None


def _add(items: Items, group: Group) -> None:
    if group not in items.frame.groups:
        items.frame.groups.append(group)


def _time_of_trend(items: Items) -> None:
    if items.scene.dates:
        column = _group_date(items)
        assert column is not None
        unit: TimeUnit | None = None
        for at in items.free("word"):
            name = items.all[at].sense.name
            if name.startswith(_UNIT) and unit is None:
                items.use(at, "group")
                unit = name.removeprefix(_UNIT)  # type: ignore[assignment]
        if unit is None:
            unit = _natural_unit(items, column)
        _add(items, Group(column, unit))
    elif items.scene.years:
        items.take("unit.year", role="group")
        _add(items, Group(items.scene.years[0]))
        for at in items.free("column"):
            if items.all[at].sense.name == items.scene.years[0]:
                items.use(at, "group")


# ---- operations of their own ----


def _operations(items: Items) -> None:  # noqa: PLR0912
    frame = items.frame
    for word in _SPECIAL:
        if frame.op is None and items.has(word) and items.take(word):
            frame.op = word
    if items.take("by_zscore"):
        frame.options["method"] = "zscore"
    if items.take("by_iqr"):
        frame.options["method"] = "iqr"
    if items.take("pearson"):
        frame.op, frame.options["method"] = "correlation", "pearson"
    if items.take("spearman"):
        frame.options["also_method"] = frame.options.get("method")
        frame.op, frame.options["method"] = "correlation", "spearman"
    if items.take("kendall"):
        frame.op, frame.options["method"] = "correlation", "kendall"
    for at in items.free("word"):
        name = items.all[at].sense.name
        if name == "test" or name.startswith("test."):
            frame.op = "test"
            items.use(at, "step")
            if name != "test":
                frame.options["test"] = name.removeprefix("test.")
    if (
        frame.op is None
        and items.words("empty")
        and not items.free("column")
        and items.take("empty")
    ):
        frame.op = "missingness"
    if frame.op == "test":
        items.take(
            "difference", "compare", "distribution", "normality", "mean", "median", "between"
        )
    if frame.op == "correlation":
        items.take("between", "compare", "change")
    if items.take("pareto"):
        frame.is_share = True
        frame.options["pareto"] = True
    if items.take("pivot"):
        frame.options["pivot"] = True
    if items.take("cumulative"):
        frame.is_cumulative = True
    for at in items.words("rolling"):
        items.use(at, "step")
        number = items.before(
            at, over=lambda one: items.is_word(one, "unit.month", "unit.week", "unit.day")
        )
        figure = items.all[number].sense.figure if number is not None else None
        if number is not None and figure is not None and figure.value is not None:
            frame.rolling = int(figure.value)
            items.use(number, "step")
        items.take("mean", role="step")
    _value_rates(items)
    if items.has("share") and frame.growth is None and items.take("share", role="measure"):
        frame.is_share = True
    if frame.op in ("duplicates", "outliers", "missingness"):
        items.take("none", "count", "filled", "empty", "each", "high", "low", "compare")
    if frame.op in (
        "correlation",
        "test",
        "outliers",
        "distribution",
        "normality",
        "summary",
        "missingness",
        "duplicates",
        "normalize",
        "cohort",
    ):
        _operands(items)


def _value_rates(items: Items) -> None:
    """キャンセル率, cancellation rate: the share of a value."""
    for at, item in enumerate(items.all):
        if items.is_used(at) or item.text not in ("率", "rate"):
            continue
        ahead = items.before(at)
        is_value = ahead is not None and items.all[ahead].sense.kind in ("value", "part")
        if is_value and items.roles.get(ahead or 0) == "condition":
            items.use(at, "measure")
            items.frame.is_share = True


def _operands(items: Items) -> None:
    for at in items.free("column"):
        items.use(at, "measure")
        frame = items.frame
        name = items.all[at].sense.name
        if items.scene.is_entity(name) and frame.op not in ("duplicates", "missingness"):
            continue
        if name not in frame.columns:
            frame.columns.append(name)


# ---- measures ----


def _measures(items: Items) -> None:
    frame = items.frame
    if frame.op is not None:
        return
    taken: dict[int, list[str]] = {}
    for at in items.words(*AGGREGATES):
        if items.all[at].sense.name == "mean" and (
            _beside_time(items, at) or items.has("per_period")
        ):
            items.frame.options["period_mean"] = True
        column = _column_of_aggregate(items, at)
        if column is not None:
            taken.setdefault(column, []).append(items.all[at].sense.name)
            items.use(at, "measure")
    # 平均と最大: one column, several aggregates.
    for column, aggregates in taken.items():
        items.use(column, "measure")
        for agg in aggregates:
            _measure(items, Measure(items.all[column].sense.name, agg))  # type: ignore[arg-type]
    if frame.formula is not None and items.take("mean", role="measure"):
        frame.options["mean_of_formula"] = True
    _money(items)
    _counts(items)
    _default_measure(items)
    for at in items.free("column"):
        known = items.known(at)
        if known.is_measure and not known.is_year:
            items.use(at, "measure")
            if items.all[at].sense.quality < 0.7:
                items.doubt(0.6)
            _measure(items, Measure(known.name))


def _money(items: Items) -> None:
    """金額, money, いくら: a number in money, where no other is named."""
    words = items.words("money", "how_much")
    named = [at for at in items.free("column") if items.known(at).is_measure]
    if not words or named or items.frame.measures or items.frame.formula is not None:
        return
    found = [name for name in items.scene.measures if is_money(items.scene.columns[name])]
    if not found:
        return
    name = items.choose("money", [(name, 0.2 + 0.4 * n) for n, name in enumerate(found[:3])])
    for at in words:
        items.use(at, "measure")
    aggregates = items.words(*AGGREGATES)
    for at in aggregates:
        items.use(at, "measure")
        _measure(items, Measure(name, items.aggregate(at)))
    if not aggregates:
        _measure(items, Measure(name))


def _default_measure(items: Items) -> None:
    """合計して with no number named: the one that there is."""
    words = items.words(*AGGREGATES)
    if not words:
        return
    is_count = items.frame.measures and all(one.column is None for one in items.frame.measures)
    is_total = all(items.all[at].text in ALTOGETHER for at in words)
    if is_count and is_total:
        items.take("sum", role="measure")  # 全部で何件
        return
    if (items.frame.measures and not is_count) or (
        items.free("column") and any(items.known(at).is_measure for at in items.free("column"))
    ):
        return
    told = [
        one.col
        for one in items.frame.conditions
        if isinstance(one, Compare) and one.col in items.scene.measures
    ]
    adding = [name for name in items.scene.measures if items.scene.columns[name].adds]
    names = told or adding or list(items.scene.measures)
    if not names:
        return
    name = items.choose("measure", [(name, 0.3 + 0.3 * n) for n, name in enumerate(names[:3])])
    items.frame.is_measure_guessed = True
    for at in words:
        items.use(at, "measure")
        _measure(items, Measure(name, items.aggregate(at)))


ALTOGETHER = frozenset(
    (
        "全部で",
        "全体で",
        "合わせて",
        "トータル",
        "トータルで",
        "in total",
        "in all",
        "altogether",
        "total",
        "overall",
    )
)


def _measure(items: Items, measure: Measure) -> None:
    if measure not in items.frame.measures:
        items.frame.measures.append(measure)


def _beside_time(items: Items, at: int) -> bool:
    """月平均, average monthly: of the periods' totals, maybe."""
    beside = (items.before(at), items.after(at))
    return any(
        place is not None
        and items.all[place].sense.kind == "word"
        and items.all[place].sense.name.startswith((_UNIT, _GROUPED))
        for place in beside
    )


def _column_of_aggregate(items: Items, at: int) -> int | None:
    item = items.all[at]

    def is_measure(place: int | None) -> bool:
        return (
            place is not None
            and items.all[place].sense.kind == "column"
            and items.known(place).is_measure
            and not items.is_used(place)
        )

    def over(place: int) -> bool:
        return items.is_word(place, *AGGREGATES, "count", "each", "unit.month") or items.roles.get(
            place
        ) in ("group", "condition", "period", "limit")

    ahead, behind = items.before(at, over=over), items.after(at, over=over)
    order = (behind, ahead) if not item.is_japanese or at + 1 == behind else (ahead, behind)
    for place in order:
        if is_measure(place):
            return place
    free = [place for place in items.free("column") if is_measure(place)]
    return free[0] if len(free) == 1 else None


def _counts(items: Items) -> None:  # noqa: PLR0912
    frame = items.frame
    is_distinct = items.has("distinct")
    for at in items.words("count", "people", "shops", "distinct"):
        if items.is_used(at):
            continue
        items.use(at, "measure")
        if items.all[at].sense.name == "distinct" and items.is_word(items.before(at), "each"):
            continue  # for each kind of contract
        column = _counted(items, at)
        if column is None:
            if items.all[at].sense.name == "distinct":
                categories = [
                    place for place in items.free("column") if not items.known(place).is_measure
                ]
                if not categories:
                    items.roles.pop(at)
                    continue
                column = categories[0]
            elif items.all[at].sense.name == "people" and (_are_told(items) or _people(items)):
                continue
            elif items.all[at].sense.name == "shops":
                store = items.column_of_concept("store")
                if store is not None:
                    _measure(items, Measure(store, "nunique"))
                    continue
                _measure(items, Measure(None, "count"))
                continue
            else:
                _measure(items, Measure(None, "count"))
                continue
        known = items.known(column)
        items.use(column, "measure")
        if known.is_measure and not is_distinct and items.all[at].text in ("数", "人数"):
            _measure(items, Measure(known.name))  # 陽性者数, of a column that counts them
        elif known.is_measure and not is_distinct and items.all[column].sense.quality < 0.9:
            _measure(items, Measure(None, "count"))  # 申請件数, where there is 申請額
        elif known.is_measure and not is_distinct:
            how = items.choose(f"count:{column}", [("sum", 0.3), ("count", 0.5)])
            _measure(items, Measure(known.name, "sum") if how == "sum" else Measure(None, "count"))
        elif is_distinct:
            if known.is_date:
                items.doubt(1.5)
            _measure(items, Measure(known.name, "nunique"))
        else:
            _entities(items, known.name)
    _ = frame


def _are_told(items: Items) -> bool:
    """入院者がいちばん多かった日とその人数: a column has their number."""
    return any(
        item.sense.kind == "column" and items.known(at).is_measure and item.text[-1] in "者人客数"
        for at, item in enumerate(items.all)
    )


def _people(items: Items) -> bool:
    """何人: different people where they have several rows each; else rows."""
    names = [
        name
        for name, known in items.scene.columns.items()
        if known.concepts & set(_PEOPLE) and not known.is_row(items.scene.profile.rows)
    ]
    if not names or any(
        known.concepts & set(_PEOPLE) and known.is_row(items.scene.profile.rows)
        for known in items.scene.columns.values()
    ):
        return False
    how = items.choose("people", [(names[0], 0.0), ("", 0.6)])
    _measure(items, Measure(how, "nunique") if how else Measure(None, "count"))
    for at in items.free("column"):
        if items.all[at].sense.name == how:
            items.use(at, "measure")
    return True


def _entities(items: Items, column: str) -> None:
    """顧客数: how many different ones there are; the same as rows where each has one row."""
    known = items.scene.columns[column].profile
    rows = items.scene.profile.rows
    if known.distinct >= rows - known.missing:
        _measure(items, Measure(None, "count"))
        return
    named = next(
        (
            item.sense.quality
            for item in items.all
            if item.sense.kind == "column" and item.sense.name == column
        ),
        1.0,
    )
    unsure = 0.0 if named >= 0.9 or known.is_identifier else 1.0
    if items.scene.columns[column].is_date:
        unsure = 1.5
    how = items.choose(f"entities:{column}", [("nunique", unsure), ("count", unsure + 0.5)])
    _measure(items, Measure(column, "nunique") if how == "nunique" else Measure(None, "count"))


def _counted(items: Items, at: int) -> int | None:
    """What is counted: 顧客|数, 店舗は何件, number of |customers."""
    item = items.all[at]
    if item.is_japanese:
        ahead = at - 1
        if ahead >= 0 and items.all[ahead].sense.kind == "column" and not items.is_used(ahead):
            return ahead
        place = items.before(at, over=lambda one: items.is_word(one, "sum"))
        if place is None or items.all[place].sense.kind != "column" or items.is_used(place):
            return None
        between = [one.text for one in items.all[place + 1 : at]]
        if item.sense.name == "distinct" or any(text in ("は", "が", "って") for text in between):
            return place
        return None
    place = items.after(at, over=lambda one: items.is_word(one, "distinct", "count"))
    if place is not None and items.all[place].sense.kind == "column" and not items.is_used(place):
        return place
    return None


# ---- order ----


def _order(items: Items) -> None:  # noqa: PLR0912
    frame = items.frame
    descending = bool(items.words("desc", "first_place"))
    ascending = bool(items.words("asc", "last_place"))
    is_most = items.has("most")
    _adjectives(items)
    if frame.options.get("adjective") == "desc":
        descending = True
    elif frame.options.get("adjective") == "asc":
        ascending = True
    # Largest of what? Without a number only 多い and 少ない say it: they count.
    counts = items.has("many", "few", "desc", "asc")
    if (
        not frame.measures
        and not frame.growth
        and frame.formula is None
        and not frame.is_share
        and not counts
    ):
        return
    places = items.words(
        "most",
        "high",
        "low",
        "many",
        "few",
        "top",
        "bottom",
        "order",
        "desc",
        "asc",
        "first_place",
        "last_place",
    )
    for at in places:
        name = items.all[at].sense.name
        if name in ("high", "low") and not _is_ranked(items, at):
            continue
        items.use(at, "order")
        if name in ("high", "top", "many"):
            descending = True
        elif name in ("low", "bottom", "few"):
            ascending = True
        elif name == "most" and not items.all[at].is_japanese:
            descending = True
        if name in ("first_place", "last_place") or (
            name in ("high", "low", "many", "few", "most") and not items.all[at].is_japanese
        ):
            frame.is_superlative = True
    if is_most:
        frame.is_superlative = True
    if not (descending or ascending):
        if frame.limit is not None or (
            any(role == "order" for role in items.roles.values()) and items.has("order")
        ):
            descending = True
        else:
            return
    if items.has("order", "desc", "asc") or frame.limit is not None:
        frame.is_superlative = False
    frame.ascending = ascending and not descending


_BASE_FORMS = frozenset(
    ("high", "large", "big", "great", "long", "low", "small", "short", "大き", "小さ")
)


def _is_ranked(items: Items, at: int) -> bool:
    """大きめ, long: no order, unless something else says one."""
    item = items.all[at]
    if not item.is_japanese:
        return item.text not in _BASE_FORMS
    following = items.all[at + 1].text if at + 1 < len(items.all) else ""
    return following not in ("め", "目", "すぎる", "過ぎる")


def _adjectives(items: Items) -> None:
    _extremes(items)
    for at in items.free("word"):
        name = items.all[at].sense.name
        if not name.startswith(ADJECTIVE):
            continue
        concept, order = name.removeprefix(ADJECTIVE).split(".")
        column = items.column_of_concept(concept)
        if column is None or not items.scene.columns[column].is_measure:
            continue
        items.use(at, "order")
        items.frame.is_superlative = True
        items.frame.options["adjective"] = order
        measures = items.frame.measures
        if not any(measure.column == column for measure in measures):
            measures.insert(0, Measure(column))
        measures.sort(key=lambda measure: measure.column != column)


def _extremes(items: Items) -> None:
    """Youngest and oldest of each group: the least and the largest."""
    said: dict[str, dict[str, int]] = {}
    for at in items.free("word"):
        name = items.all[at].sense.name
        if name.startswith(ADJECTIVE):
            concept, order = name.removeprefix(ADJECTIVE).split(".")
            said.setdefault(concept, {})[order] = at
    for concept, by_order in said.items():
        column = items.column_of_concept(concept)
        if len(by_order) == 2 and column is not None:
            for order, agg in (("asc", "min"), ("desc", "max")):
                items.use(by_order[order], "measure")
                _measure(items, Measure(column, agg))  # type: ignore[arg-type]


# ---- what is left ----


def _rest(items: Items) -> None:  # noqa: PLR0912
    frame = items.frame
    if items.take("rows", role="rows") and not (frame.measures and items.has("how_much")):
        frame.wants_rows = True
    items.take("which", role="group")
    for at in items.words("who"):
        items.use(at, "group")
        _person(items)
    if items.take("compare", "difference", role="group"):
        frame.options["is_compared"] = True
    numbers = [one for one in frame.measures if one.column is not None and one.agg is None]
    if len(numbers) == 2 and not frame.growth and items.take("change", "increase", role="group"):
        frame.options["is_compared"] = True  # how does weight change with power?
    _per_period(items)
    categories = [at for at in items.free("column")]
    for at in categories:
        known = items.known(at)
        if frame.wants_rows and not frame.measures and known.profile.is_identifier:
            items.use(at, "rows")
            continue
        if at > 0 and items.all[at - 1].text in _ALL:
            items.use(at, "rows")  # 全部門の合計
            continue
        is_ranked = frame.ascending is not None and not known.is_row(items.scene.profile.rows)
        if items.scene.is_entity(known.name) and (not is_ranked or frame.groups):
            frame.options["is_rows"] = True
            items.use(at, "rows")
            continue
        if known.is_date:
            if frame.op is None:
                items.use(at, "group")
                if not (frame.is_trend or frame.chart or _time_word(items)):
                    items.doubt(1.0)
                _date_left(items, at)
            continue
        items.use(at, "group")
        if known.profile.is_identifier:
            items.doubt(0.95)  # a name is better, where there is one
        is_asked = frame.ascending is not None or items.has("which", "who") or frame.direction
        if not is_asked and frame.op is None:
            items.doubt(0.4 if items.all[at].sense.quality >= 0.9 else 1.0)
        if known.name not in [group.column for group in frame.groups]:
            width, parts = _bins(items)
            frame.groups.append(Group(known.name, width=width, parts=parts))
    is_plain = not (frame.measures or frame.groups or frame.op or frame.is_share or frame.growth)
    if is_plain and frame.conditions and "rows" in items.roles.values():
        frame.wants_rows = True  # 値段が入っていない商品
    for at in items.free("word"):
        name = items.all[at].sense.name
        if name.startswith(_UNIT) and frame.op is None and items.scene.dates:
            if not any(group.unit for group in frame.groups):
                _time_group(items, at, name.removeprefix(_UNIT))
            else:
                items.use(at, "group")


def _per_period(items: Items) -> None:
    """1日あたり."""
    for at in items.words("per_period"):
        unit = items.before(at)
        if unit is None:
            continue
        sense = items.all[unit].sense
        figure = sense.figure
        units: dict[str, TimeUnit] = {"日": "day", "か月": "month", "週": "week", "年間": "year"}
        if figure is not None and figure.value == 1 and figure.unit in units and items.scene.dates:
            column = _group_date(items)
            assert column is not None
            for place in (at, unit):
                items.use(place, "group")
            _add(items, Group(column, units[figure.unit]))


_ALL = frozenset(
    (
        "全",
        "全て",
        "すべて",
        "全部",
        "全ての",
        "すべての",
        "all",
        "all the",
        "across all",
        "over all",
    )
)
_PEOPLE = ("employee", "customer", "person_in_charge", "applicant", "doctor", "operator")


def _person(items: Items) -> None:
    if (
        any(
            items.all[at].sense.kind == "column"
            and not items.known(at).is_measure
            and not items.known(at).is_date
            for at in items.free("column")
        )
        or items.frame.groups
    ):
        return
    found = [
        name
        for name, known in items.scene.columns.items()
        if known.concepts & set(_PEOPLE) and known.profile.type == "text"
    ]
    names = [name for name in found if not items.scene.columns[name].profile.is_identifier] or found
    names.sort(key=lambda name: not items.scene.columns[name].is_row(items.scene.profile.rows))
    if names:
        name = items.choose("who", [(name, 0.6 * n) for n, name in enumerate(names[:3])])
        items.frame.groups.append(Group(name))


def _date_left(items: Items, at: int) -> None:
    name = items.all[at].sense.name
    if any(getattr(one, "col", None) == name for one in items.frame.conditions):
        return
    for index, group in enumerate(items.frame.groups):
        if group.unit is not None and group.column != name:
            items.frame.groups[index] = Group(name, group.unit)
            return
        if group.column == name:
            return
    _add(items, Group(name, _time_word(items) or _natural_unit(items, name)))
