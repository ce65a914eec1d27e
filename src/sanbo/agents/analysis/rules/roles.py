"""Which part each word plays: steps, time against time, charts, operations, and what is left."""

from collections.abc import Sequence
from typing import Literal

from sanbo.agents.analysis.rules.conditions import BEFORE, LENGTHS, read_conditions
from sanbo.agents.analysis.rules.formula import read_formula
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame, Group, Growth, Having, Measure
from sanbo.agents.analysis.rules.groups import (
    UNIT,
    add_group,
    bins,
    can_group,
    date_of_groups,
    natural_unit,
    read_groups,
    time_group,
    time_word,
)
from sanbo.agents.analysis.rules.items import Items
from sanbo.agents.analysis.rules.lexicon import ADJECTIVE, CHART, set_of
from sanbo.agents.analysis.rules.measures import add_measure, ranks_groups, read_measures
from sanbo.agents.analysis.rules.mentions import Item
from sanbo.agents.analysis.rules.periods import apart, first_date, last_date, whole
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.spec.filters import AnyOf, Compare, Filter, Presence
from sanbo.agents.analysis.spec.words import TimeUnit

_SPECIAL = (
    "overview", "duplicates", "missingness", "correlation", "outliers", "normality",
    "distribution", "summary", "cohort", "normalize",
)  # fmt: skip
_ORDER = (
    "most", "high", "low", "many", "few", "top", "bottom", "order", "desc", "asc", "first_place",
    "last_place",
)  # fmt: skip
_METHODS = {"by_zscore": "zscore", "by_iqr": "iqr"}
_WINDOWS = ("unit.month", "unit.week", "unit.day")
_COEFFICIENTS = ("pearson", "spearman", "kendall")
_TAKEN = {
    "test": ("difference", "compare", "distribution", "normality", "mean", "median", "between"),
    "correlation": ("between", "compare", "change"),
    **dict.fromkeys(
        ("duplicates", "outliers", "missingness"),
        ("none", "count", "filled", "empty", "each", "high", "low", "compare"),
    ),
}
"""Words that say no more beside an operation."""
_FISCAL_START = 4


def read_roles(items: Sequence[Item], scene: Scene, chooser: Chooser) -> Frame:
    reader = Items(items, scene, chooser)
    _scope(reader)
    _steps(reader)
    _steps_of_numbers(reader)
    _rolling(reader)
    _limits(reader)
    _means(reader)
    read_formula(reader)
    _fiscal_start(reader)
    read_conditions(reader)
    _growth(reader)
    _charts(reader)
    read_groups(reader)
    _operations(reader)
    if reader.frame.op is None:
        read_measures(reader)
    _order(reader)
    _rest(reader)
    frame = reader.frame
    frame.conditions = [one for n, one in enumerate(frame.conditions) if one not in frame.conditions[:n]]
    frame.refers = reader.has("same", "instead")
    frame.is_added = reader.has("also")
    return reader.done()


def _scope(items: Items) -> None:
    for at in items.free("word"):
        if items.name(at).startswith("scope."):
            items.use("scope", at)
            items.frame.scope = items.name(at).removeprefix("scope.")


def _steps(items: Items) -> None:
    """重複を除く, fill gaps with the mean: before anything else."""
    for at in items.words("duplicates"):
        negation = items.exclusion(at, at)
        if negation is not None:
            items.use("step", at, negation)
            items.frame.steps.append("dedup")
    for at in items.words("fill"):
        how = [place for place in items.words("mean", "median") if abs(place - at) <= 3]
        gaps = items.words("empty", "missingness")
        column = items.near_measure(gaps[0]) if gaps else None
        if how and column is not None:
            items.use("step", at, how[-1], column, *gaps)
            items.frame.options["fill"] = (items.name(column), items.name(how[-1]))
    items.frame.steps += [
        step for step in ("dedup", "fill_mean", "fill_median") if items.take(step)
    ]


def _steps_of_numbers(items: Items) -> None:
    """10年ごと, in bins of 5, 10 bins."""
    for at in items.free("number"):
        figure, mark = items.figure(at), items.after(at)
        if figure is None or figure.value is None or mark is None:
            continue
        is_japanese = items.all[mark].is_japanese
        if not items.is_word(mark, "bins") and not (is_japanese and items.is_word(mark, "each")):
            continue
        if items.is_word(mark, "bins") and not is_japanese and items.has("chart.hist"):
            items.frame.options["bins"] = int(figure.value)
        else:
            column = items.near_measure(at)
            age = items.column_of_concept("age") if figure.unit == "歳" else None
            name = age if column is None else items.name(column)
            if name is None:
                continue
            items.use("group", column)
            if items.has("chart.hist"):
                items.doubt(1.0)  # its bars have no such borders
            add_group(items, Group(name, width=float(figure.value)))
            places = items.words("decade")
            items.use("group", *places)
            items.frame.options["is_decade"] = any(items.all[one].is_japanese for one in places)
        items.use("group", at, mark)
        items.take("divide_up", role="group")


def _limits(items: Items) -> None:
    for at in items.free("number"):
        figure = items.figure(at)
        if figure is not None and figure.value is not None and items.is_limit(at):
            items.frame.limit = int(figure.value)
            items.use("limit", at, at + 1 if items.text(at + 1) in set_of("counters") else None)


def _means(items: Items) -> None:
    """平均より高い店舗: groups (or rows) against the mean of all."""
    for at in items.words("above_mean", "below_mean", "mean"):
        than = items.after(at)
        more = None if than is None else items.after(than)
        op = ">" if items.is_word(at, "above_mean") else "<"
        if items.is_word(at, "mean"):  # 平均より重い
            if than is None or items.text(than) != "より" or not items.is_word(more, *_ORDER):
                continue
            op = ">" if items.is_word(more, "high", "many") else "<"
        column = items.near_measure(at)
        if column is None:
            continue
        items.use("condition", at, *((than, more) if items.is_word(at, "mean") else ()))
        levels = [("groups", 0.0), ("rows", 0.6)] if items.has_grouping() else [("rows", 0.0)]
        if items.choose(f"mean:{at}", levels) == "groups":
            items.frame.having.append(Having(None, items.name(column), op, "mean"))
        else:
            items.use("condition", column)
            items.frame.options["stat_condition"] = (items.name(column), op)


# ---- time against time ----

_GROWTH_UNITS: dict[str, tuple[TimeUnit, Literal["previous", "year_before"]]] = {
    **{word: (unit, "previous") for word, unit in BEFORE.items()},
    "year_before_month": ("month", "year_before"),
    "year_before_period": ("quarter", "year_before"),
}


def _growth(items: Items) -> None:
    frame, named = items.frame, time_word(items)
    if not items.scene.dates and not items.scene.years:
        return
    for at in items.words(*_GROWTH_UNITS):
        unit, beside = _GROWTH_UNITS[items.name(at)]
        if unit == "year" and items.has("grouped.month"):
            unit, beside = "month", "year_before"
        elif unit == "year" and named == "fiscal_year":
            unit = "fiscal_year"
        frame.growth = Growth(unit, beside)
        items.use("period", at)
        if beside == "year_before" or unit.endswith("year"):
            frame.absent += [] if _has_year_before(items) else [items.text(at)]
    direction = _direction(items)
    is_told = items.words("increase", "decrease", "change", "compare", "comparative")
    if frame.growth is None and is_told:
        _two_periods(items)
    rates = [at for at in items.words("change", "share") if _is_rate(items.text(at))]
    frame.options["is_rate"] = bool(rates)
    if frame.growth is not None:
        items.take("increase", "decrease", "change", "compare", "difference", "share", role="order")
        # 前月比 shows how much; へった店舗 asks which ones.
        if items.has_grouping() or any(
            items.is_kind(at, "word") and items.name(at).startswith(UNIT)
            for at in range(len(items.all))
        ):
            frame.direction = direction
    elif items.has("change", "increase", "decrease") and named is not None:
        items.take("change", "increase", "decrease", role="order")
        frame.growth = Growth(named, "previous")
        frame.direction = direction
        frame.is_trend = True


def _has_year_before(items: Items) -> bool:
    """Whether any date has rows that lie a year apart."""
    ends = [(first_date(one.profile), last_date(one.profile)) for one in items.scene.columns.values()]
    known = [(first, last) for first, last in ends if first is not None and last is not None]
    return not known or any((last - first).days >= _YEAR for first, last in known)


_YEAR = 360


def _is_rate(text: str) -> bool:
    return text.endswith("率") or "%" in text or "rate" in text or "percent" in text


def _direction(items: Items) -> Literal["increased", "decreased"] | None:
    """ふえた, へった; 前年同月を下回る."""
    more, less = bool(items.words("increase")), bool(items.words("decrease"))
    for at, item in enumerate(items.all):
        if not items.is_word(at, *_GROWTH_UNITS):
            continue
        behind, ahead = items.after(at), items.before(at)
        if items.is_word(ahead, "gt") and not item.is_japanese:
            items.use("order", ahead)  # over the previous month
        if behind is not None and items.text(behind) == "より":
            items.use("order", behind)
        elif items.is_word(behind, "gt", "lt"):
            items.use("order", behind)
            more |= items.is_word(behind, "gt")
            less |= items.is_word(behind, "lt")
    return None if more == less else "increased" if more else "decreased"


def _fiscal_start(items: Items) -> None:
    """年度は4月始まり: said of what is so anyway."""
    for at in items.free("when"):
        figure = items.figure(at)
        is_first = figure is not None and figure.moment.only == figure.moment.month == _FISCAL_START
        if is_first and items.text(at + 1) in set_of("beginnings"):
            items.use("period", at)


def _two_periods(items: Items) -> None:
    """8月とくらべて9月に, from one to the other, 7〜9月が4〜6月から: the later against the earlier."""
    frame = items.frame
    for date in items.scene.dates:
        said = [one for one in frame.conditions if isinstance(one, Compare) and one.col == date]
        among = [one for one in frame.conditions if isinstance(one, AnyOf)]
        equal = [str(one.value) for one in said if one.op == "=="]
        ends = [str(one.value) for one in said if one.op in (">=", "<=")]
        conditions: Sequence[Filter] = said
        if len(equal) != 2 and among and _dates_of(among[0], date):
            equal, conditions = _dates_of(among[0], date), among[:1]
        elif len(ends) == 4:
            equal = [text for text in (whole(*ends[:2]), whole(*ends[2:])) if text is not None]
        elif len(ends) == 2 and items.words("increase", "decrease", "change"):
            equal = ends
        found = apart(*sorted(equal)) if len(equal) == 2 else None
        if found is None or not found.periods:
            continue
        unit, periods, in_year = found
        named = time_word(items)
        if unit == "year" and named in ("month", "quarter"):
            unit, periods = named, in_year  # quarterly sales 2016 vs 2017
        is_year = periods == in_year and unit != "year" and not unit.endswith("_year")
        frame.growth = Growth(unit, "year_before" if is_year else "previous")
        frame.conditions = [one for one in frame.conditions if one not in conditions]
        frame.conditions.append(Compare(col=date, op="==", value=max(equal)))
        if periods not in (1, in_year):
            frame.options["earlier"] = min(equal)
        return


def _dates_of(one: AnyOf, date: str) -> list[str]:
    values = [part.value for part in one.any_of if isinstance(part, Compare) and part.col == date]
    return [str(value) for value in values] if len(values) == len(one.any_of) == 2 else []


# ---- charts ----


def _charts(items: Items) -> None:
    frame = items.frame
    if items.take("no_chart", role="chart"):
        frame.options["no_chart"] = True
        return
    for at in items.free("word"):
        if items.name(at).startswith(CHART):
            frame.chart = items.name(at).removeprefix(CHART)
            items.use("chart", at)
            signs = ("積み上げ", "積上", "stack")
            frame.is_stacked |= any(sign in items.text(at) for sign in signs)
    if items.take("chart", role="chart") and frame.chart is None:
        frame.chart = "any"
    if items.take("stacked", "normalized", role="chart"):
        frame.is_stacked = True
        frame.chart = frame.chart if frame.chart not in (None, "any") else "bar"
    for at in items.words("axis"):
        items.use("chart", at)
        near = items.near_column(at, lambda known: not known.is_date)
        is_x = "x" in items.text(at) or "横" in items.text(at)
        if is_x and near is not None and can_group(items, near):
            ahead = items.before(near)
            items.use("group", near, ahead if items.is_word(ahead, "count") else None)
            add_group(items, Group(items.name(near)))
    if frame.chart is not None:
        items.take("between", role="chart")
    for at in items.words("colour", "facet"):
        _marked_by(items, at)


def _marked_by(items: Items, at: int) -> None:
    """A column that colours or panels stand for."""

    def over(one: int) -> bool:
        return items.is_word(one, "each")

    items.use("chart", at)
    place = items.after(at, over=over)
    if items.all[at].is_japanese or not items.is_kind(place, "column"):
        place = items.before(at, over=over)
    if place is None or not items.is_kind(place, "column") or items.is_used(place):
        return
    beside = (items.before(place), items.after(place))
    items.use("chart", place, *(mark for mark in beside if items.is_word(mark, "each")))
    setattr(items.frame, items.name(at), items.name(place))


# ---- operations of their own ----


def _operations(items: Items) -> None:
    frame = items.frame
    _named_operation(items)
    items.take(*_TAKEN.get(frame.op or "", ()))
    if items.take("pivot"):
        frame.options["pivot"] = True
    frame.is_cumulative = items.take("cumulative")
    _value_rates(items)
    places = items.words("share") if frame.growth is None else []
    if items.take("pareto") | bool(places):
        items.use("measure", *places)
        frame.is_share = True
    if places:
        frame.options["parts"] = _parts_of_share(items, places[-1])
    if frame.op is not None and frame.op != "overview":
        _operands(items)


def _named_operation(items: Items) -> None:
    frame = items.frame
    for word in _SPECIAL:
        if frame.op is None and items.take(word):
            frame.op = word
    for word, method in _METHODS.items():
        for at in items.words(word):
            number = items.before(at, over=lambda one: items.text(one) in ("×", "x", "*", "の", "倍"))
            figure = items.figure(number) if items.is_kind(number, "number") else None
            if figure is not None and figure.value is not None:
                items.use("step", number)
                frame.options["threshold"] = float(figure.value)
            items.use("step", at)
            frame.options["method"] = method
    for word in _COEFFICIENTS:
        if items.take(word):
            if frame.options.get("method") in _COEFFICIENTS:
                frame.options["also_method"] = frame.options["method"]
            frame.op, frame.options["method"] = "correlation", word
    for at in items.free("word"):
        name = items.name(at)
        if name == "test" or name.startswith("test."):
            frame.op = "test"
            items.use("step", at)
            if name != "test":
                frame.options["test"] = name.removeprefix("test.")
    if frame.op is None and not items.free("column") and items.take("empty"):
        frame.op = "missingness"


def _rolling(items: Items) -> None:
    """3か月移動平均, a 7-day rolling average: before its number is taken for a condition."""
    for at in items.words("rolling"):
        number = items.before(at, over=lambda one: items.is_word(one, *_WINDOWS))
        figure = items.figure(number)
        if figure is not None and figure.value is not None:
            items.frame.rolling = int(figure.value)
            items.use("step", number)
        items.use("step", at)
        items.take("mean", role="step")


def _parts_of_share(items: Items, at: int) -> list[str]:
    """Whose share it is: 新宿店の売上に占める家電の割合, which share of tickets were late.

    What stands last before the word, or in English at the end; the others say of what.
    """
    told = {name: place for name, place in items.told.items() if name not in items.scene.dates}
    ordered = sorted(told, key=lambda name: -told[name])
    if any(told[name] > at for name in ordered) and not items.all[at].is_japanese:
        return ordered
    return sorted(ordered, key=lambda name: told[name] > at)


def _value_rates(items: Items) -> None:
    """キャンセル率, cancellation rate: the share of a value."""
    for at in range(len(items.all)):
        ahead = items.before(at)
        if items.is_used(at) or items.text(at) not in ("率", "rate") or ahead is None:
            continue
        if items.is_kind(ahead, "value", "part") and items.roles.get(ahead) == "condition":
            items.use("measure", at)
            items.frame.is_share = True
            items.frame.options["parts"] = _parts_of_share(items, at)


def _operands(items: Items) -> None:
    frame = items.frame
    for at in items.free("column"):
        items.use("measure", at)
        name = items.name(at)
        if at > 0 and items.text(at - 1) in set_of("all") and not items.is_measure(at):
            continue  # all contracts together
        is_row = items.scene.is_entity(name) and frame.op not in ("duplicates", "missingness")
        if not is_row and name not in frame.columns:
            frame.columns.append(name)


# ---- order ----


def _order(items: Items) -> None:
    frame = items.frame
    _adjectives(items)
    adjective = frame.options.get("adjective")
    descending = adjective == "desc" or bool(items.words("desc", "first_place"))
    ascending = adjective == "asc" or bool(items.words("asc", "last_place"))
    # Largest of what? Without a number only 多い and 少ない say it: they count.
    has_figure = frame.measures or frame.growth or frame.formula or frame.is_share
    is_counted = items.has("many", "few", "desc", "asc") or any(
        not items.all[at].is_japanese for at in items.words("most")
    )
    if not has_figure and not is_counted:
        return
    for at in items.words(*_ORDER):
        name, is_japanese = items.name(at), items.all[at].is_japanese
        if name in ("high", "low") and not _is_ranked(items, at):
            continue
        items.use("order", at)
        ahead = items.before(at)
        is_told = items.roles.get(-1 if ahead is None else ahead) == "order"
        if items.text(at) in ("first", "last") and is_told:
            frame.options["is_list"] = True  # youngest first
            continue
        beside = ahead if is_japanese else items.after(at)
        if beside is not None and items.is_measure(beside):
            frame.options["order_by"] = items.name(beside)  # 生産数の多いラインの材料費
        descending |= name in ("high", "top", "many") or (name == "most" and not is_japanese)
        ascending |= name in ("low", "bottom", "few")
        is_form = not is_japanese and name in ("high", "low", "many", "few", "most")
        if name in ("top", "bottom") and not is_japanese and items.text(at + 1)[-1:] != "s":
            is_form = True  # the top customer, not the top customers
        frame.is_superlative |= is_form or name in ("first_place", "last_place")
    frame.options["is_many"] = items.has("many", "few") or any(
        not items.all[at].is_japanese and items.is_word(at, "most") for at in items.roles
    )
    for at in filter(lambda one: ranks_groups(items, one), items.words("max", "min")):
        items.use("order", at)
        descending |= items.is_word(at, "max")
        ascending |= items.is_word(at, "min")
        frame.is_superlative = True
    frame.is_superlative |= items.has("most")
    if not (descending or ascending):
        is_told = "order" in items.roles.values() and items.has("order")
        if frame.limit is None and not is_told and not frame.is_superlative:
            return
        descending = True
    if descending and ascending and frame.limit is not None:
        items.doubt(UNREAD)  # the top and the bottom three: two lists
    is_list = items.has("order", "desc", "asc") or "is_list" in frame.options
    if is_list or frame.limit is not None or (descending and ascending):
        frame.is_superlative = False
    frame.ascending = ascending and not descending


def _is_ranked(items: Items, at: int) -> bool:
    """大きめ, long: no order, unless something else says one."""
    if not items.all[at].is_japanese:
        return items.text(at) not in set_of("base_forms")
    return items.text(at + 1) not in ("め", "目", "すぎる", "過ぎる")


def _adjectives(items: Items) -> None:
    """Heaviest: by weight. Youngest and oldest together: the least and the largest age."""
    said: dict[str, dict[str, list[int]]] = {}
    for at in items.free("word"):
        if items.name(at).startswith(ADJECTIVE):
            concept, order = items.name(at).removeprefix(ADJECTIVE).split(".")
            said.setdefault(concept, {}).setdefault(order, []).append(at)
    measures = items.frame.measures
    for concept, by_order in said.items():
        column = items.column_of_concept(concept)
        if column is None or not items.scene.columns[column].is_measure:
            continue
        if len(by_order) == 2:
            items.use("measure", *by_order["asc"], *by_order["desc"])
            add_measure(items, Measure(column, "min"))
            add_measure(items, Measure(column, "max"))
            continue
        ((order, places),) = by_order.items()
        items.use("order", *places)
        items.frame.is_superlative = True
        items.frame.options["adjective"] = order
        if not any(measure.column == column for measure in measures):
            measures.append(Measure(column))
        measures.sort(key=lambda measure: measure.column != column)


# ---- what is left ----


def _rest(items: Items) -> None:
    frame = items.frame
    if items.take("rows", role="rows") and not (frame.measures and items.has("how_much")):
        frame.wants_rows = True
    items.take("which", role="group")
    if items.take("who", role="group"):
        _person(items)
    if frame.growth or "compared" in frame.options:
        if items.take("comparative", role="group") and not frame.measures and not frame.formula:
            frame.measures.append(Measure(None, "count"))  # did one close more tickets
    frame.options["is_each"] = any(item.text in set_of("respectively") for item in items.all)
    frame.options["is_difference"] = bool(items.words("difference"))
    if items.take("compare", "difference", role="group"):
        frame.options["is_compared"] = True
    numbers = [one for one in frame.measures if one.column is not None and one.agg is None]
    if len(numbers) == 2 and not frame.growth and items.take("change", "increase", role="group"):
        frame.options["is_compared"] = True  # how does weight change with power?
    _per_period(items)
    for at in items.free("column"):
        _column_left(items, at)
    is_plain = not (frame.measures or frame.groups or frame.op or frame.is_share or frame.growth)
    if is_plain and frame.conditions and "rows" in items.roles.values():
        frame.wants_rows = True  # 値段が入っていない商品
    for at in items.free("word"):
        behind = at + 1
        if items.name(at).startswith(UNIT) and items.roles.get(behind) == "condition":
            items.use("condition", *([at] if items.figure(behind) else []))  # 月20時間を超える
        is_tail = items.text(at) in set_of("tails") and items.is_kind(items.before(at), "column")
        if items.name(at).startswith(UNIT) and (is_tail or items.text(at - 1) == "in"):
            items.use("measure", at)  # the resolved date; in hours
    for at in items.free("word"):
        if items.name(at).startswith(UNIT) and frame.op is None and items.scene.dates:
            if any(group.unit for group in frame.groups):
                items.use("group", at)
            else:
                time_group(items, at)


def _ranks_rows(items: Items, at: int) -> bool:
    """The ten largest sales with their customers: of rows, and a column that is shown."""
    limits = [place for place, role in items.roles.items() if role == "limit"]
    if not limits or items.all[at].is_japanese or at < limits[0] or items.frame.groups:
        return False
    noun = items.after(limits[0], over=lambda one: items.is_word(one, *_ORDER))
    return items.is_measure(noun) and not items.has("which", "who")


def _column_left(items: Items, at: int) -> None:
    """A noun without a mark: the rows, or groups that are asked for without saying so."""
    frame, known, rows = items.frame, items.known(at), items.scene.profile.rows
    is_ranked = frame.ascending is not None and not known.is_row(rows)
    is_entity = items.scene.is_entity(known.name)
    if frame.wants_rows and not frame.measures and known.profile.is_identifier:
        items.use("rows", at)
    elif at > 0 and items.text(at - 1) in set_of("all"):
        items.use("rows", at)  # 全部門の合計
    elif is_entity and (not is_ranked or frame.groups):
        frame.options["is_rows"] = True
        items.use("rows", at)
    elif _ranks_rows(items, at):
        items.use("rows", at)
        frame.wants_rows = True
    elif known.is_date:
        if frame.op is None:
            items.use("group", at)
            is_along = frame.is_trend or frame.chart or time_word(items)
            if not is_along and known.name not in items.told:
                item = items.all[at]
                if (item.is_japanese and item.sense.quality < 0.9) or _has_happened(items, at):
                    return  # 出荷, of 出荷日, are the rows
                items.doubt(1.0)
            _date_left(items, at)
    else:
        items.use("group", at)
        if known.profile.is_identifier:
            items.doubt(0.95)  # a name is better, where there is one
        is_asked = frame.ascending is not None or items.has("which", "who") or frame.direction
        if frame.is_share and not is_asked and not items.is_word(items.after(at), "share"):
            items.doubt(1.0)  # 資格を持っている社員の比率: by it, or of those who have it
        elif not is_asked and frame.op is None:
            items.doubt(0.4 if items.all[at].sense.quality >= 0.9 else 1.0)
        if known.name not in [group.column for group in frame.groups]:
            frame.groups.append(bins(items, known.name))


def _has_happened(items: Items, at: int) -> bool:
    """How many tickets were closed: those that have the date, and not by the date."""
    item, known = items.all[at], items.known(at)
    if item.is_japanese or not item.text.endswith("ed") or " " in item.text:
        return False
    if items.choose(f"happened:{at}", [(True, 0.0), (False, 1.0)]):
        if known.profile.missing:
            items.frame.conditions.append(Presence(col=known.name, op="not_null"))
        return True
    return False


def _per_period(items: Items) -> None:
    """1日あたり."""
    for at in items.words("per_period"):
        unit = items.before(at)
        figure = items.figure(unit)
        if figure is None or figure.value != 1 or figure.unit not in LENGTHS:
            continue
        column = date_of_groups(items)
        if column is not None:
            items.use("group", at, unit)
            add_group(items, Group(column, LENGTHS[figure.unit]))


def _person(items: Items) -> None:
    if any(items.is_category(at) for at in items.free("column")) or items.frame.groups:
        return
    columns = items.scene.columns
    found = [
        name
        for name, known in columns.items()
        if known.concepts & set_of("people") and known.profile.type == "text"
    ]
    names = [name for name in found if not columns[name].profile.is_identifier] or found
    names.sort(key=lambda name: not columns[name].is_row(items.scene.profile.rows))
    if names:
        name = items.choose("who", [(name, 0.6 * n) for n, name in enumerate(names[:3])])
        items.frame.groups.append(Group(name))


def _date_left(items: Items, at: int) -> None:
    name, groups = items.name(at), items.frame.groups
    if any(getattr(one, "col", None) == name for one in items.frame.conditions):
        return
    for index, group in enumerate(groups):
        if group.column == name:
            return
        if group.unit is not None:
            groups[index] = Group(name, group.unit)
            return
    add_group(items, Group(name, time_word(items) or natural_unit(items, name)))
