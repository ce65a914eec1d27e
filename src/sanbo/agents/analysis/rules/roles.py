"""Which part each word plays: steps, conditions, groups, charts, operations, order."""

from collections.abc import Sequence

from sanbo.agents.analysis.rules.changes import read_fiscal_start, read_growth
from sanbo.agents.analysis.rules.conditions import read_conditions
from sanbo.agents.analysis.rules.formula import read_formula
from sanbo.agents.analysis.rules.frame import UNREAD, Chooser, Frame, Group, Having, Measure
from sanbo.agents.analysis.rules.groups import UNIT, add_group, can_group, read_groups
from sanbo.agents.analysis.rules.items import AGGREGATES, ORDER, Items
from sanbo.agents.analysis.rules.lexicon import ADJECTIVE, CHART, set_of
from sanbo.agents.analysis.rules.measures import add_measure, ranks_groups, read_measures
from sanbo.agents.analysis.rules.quantities import PERIODS, compare
from sanbo.agents.analysis.rules.remainder import absent, read_rest
from sanbo.agents.analysis.rules.scene import Scene
from sanbo.agents.analysis.rules.senses import Item
from sanbo.agents.analysis.rules.times import BEFORE
from sanbo.agents.analysis.rules.tokens import forms
from sanbo.agents.analysis.spec.words import Aggregate

_SPECIAL = (
    "overview", "duplicates", "missingness", "correlation", "outliers", "normality",
    "distribution", "summary", "cohort", "normalize",
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


def read_roles(items: Sequence[Item], scene: Scene, chooser: Chooser) -> Frame:
    reader = Items(items, scene, chooser)
    _scope(reader)
    _steps(reader)
    _steps_of_numbers(reader)
    _rolling(reader)
    _thresholds(reader)
    _limits(reader)
    _means(reader)
    _order_of_days(reader)
    read_formula(reader)
    read_fiscal_start(reader)
    read_conditions(reader)
    read_growth(reader)
    _charts(reader)
    read_groups(reader)
    _operations(reader)
    if reader.frame.op is None:
        read_measures(reader)
    _order(reader)
    read_rest(reader)
    frame = reader.frame
    frame.conditions = [
        one for n, one in enumerate(frame.conditions) if one not in frame.conditions[:n]
    ]
    _both(reader)
    is_whole = bool(frame.measures) or frame.limit is not None or reader.has("which", "who")
    frame.refers = reader.has("same", "instead") or (reader.text(0) == "and" and not is_whole)
    is_split = reader.has("divide_up") and bool(frame.groups) and not frame.measures
    frame.is_added = reader.has("also") or is_split  # それを費目別に分けて: also by it
    reader.done()
    frame.absent = [reader.text(at) for at in absent(reader)]
    return frame


def _both(items: Items) -> None:
    """Shops that sold both of two: a row has one of them, and none tells who has both."""
    frame, compared = items.frame, items.frame.options.get("compared")
    marked = frame.options.get("marked", ())
    sought = [one for one in frame.groups if one.unit is None and one.column not in marked]
    is_of_several = any(one.column != compared for one in sought) or any(
        one.agg == "nunique" for one in frame.measures
    )
    if compared and is_of_several and items.has("both"):
        items.doubt(1.0)


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
        figure, mark = items.figure(at), _mark_of_steps(items, at)
        if figure is None or figure.value is None or mark is None:
            continue
        is_counted = items.text(mark) in _SEVERAL and mark > at and not figure.unit
        is_counted |= items.is_word(items.before(mark), "count")
        drawn = items.words("chart.hist", "distribution")
        if drawn and not items.has("decade"):
            value = float(figure.value)
            items.frame.options["steps"] = {"bins": int(value)} if is_counted else {"width": value}
        else:
            column = items.near_measure(at)
            age = items.column_of_concept("age") if figure.unit == "歳" else None
            name = age if column is None else items.name(column)
            if name is None:
                continue
            items.use("group", column)
            add_group(items, Group(name, width=float(figure.value)))
            places = items.words("decade")
            items.use("group", *places)
            items.frame.options["is_decade"] = any(items.all[one].is_japanese for one in places)
        items.use("group", *range(min(at, mark), max(at, mark) + 1))
        before = items.before(min(at, mark))
        items.use("group", before if items.is_word(before, "each", "count") else None)
        items.take("divide_up", role="group")


_SEVERAL = frozenset(("bins", "buckets", "bands", "groups"))


def _mark_of_steps(items: Items, at: int) -> int | None:
    """The word beside a number that makes steps of it: bins of 5, bin width 5, 5-minute bins."""
    behind = items.after(at, over=lambda one: items.text(one - 1) == "-")  # 5-minute
    if behind is not None and items.is_word(behind, "bins"):
        return behind
    if behind is not None and items.is_word(behind, "each") and items.all[behind].is_japanese:
        return behind
    ahead = items.before(at, over=lambda one: items.text(one) in ("size", "width"))
    is_ahead = items.is_word(ahead, "bins") and not items.all[at].is_japanese
    return ahead if is_ahead and not items.is_word(behind, "quantile_bins") else None


def _limits(items: Items) -> None:
    for at in items.free("number"):
        figure = items.figure(at)
        if figure is not None and figure.value is not None and items.is_limit(at):
            items.frame.limit = int(figure.value)
            noun = items.after(at)
            if noun is not None and items.is_category(noun):
                items.frame.options["limited"] = items.name(noun)
            if figure.unit in ("人", "名") and _are_people(items):
                items.frame.options["is_rows"] = True  # 各部署の残業時間上位2名
                items.doubt(1.0 if items.has("people", "count") else 0.0)  # 上位10人の部署別人数
            items.use("limit", at, at + 1 if items.text(at + 1) in set_of("counters") else None)
            japanese = [one for one in items.words("sum") if items.all[one].is_japanese]
            ahead = range(max(0, at - 3), at)
            items.frame.options["is_summed"] = any(one > at for one in japanese) or (
                bool(items.words("sum")) and any(items.text(one) == "of" for one in ahead)
            )


def _are_people(items: Items) -> bool:
    """Whether each row is one."""
    columns = items.scene.columns.values()
    return any(
        one.concepts & set_of("people") and items.scene.is_entity(one.name) for one in columns
    )


def _means(items: Items) -> None:
    """平均より高い店舗: groups (or rows) against the mean of all."""
    for at in items.words("above_mean", "below_mean", "mean"):
        than = items.after(at)
        more = None if than is None else items.after(than)
        op = ">" if items.is_word(at, "above_mean") else "<"
        if items.is_word(at, "mean"):  # 平均より重い
            if than is None or items.text(than) != "より" or not items.is_word(more, *ORDER):
                continue
            op = ">" if items.is_word(more, "high", "many") else "<"
        column = items.near_measure(at)
        if column is None:
            continue
        items.use("condition", at, *((than, more) if items.is_word(at, "mean") else ()))
        is_period = any(items.is_word(one, *PERIODS) for one in range(len(items.all)))
        is_grouped = items.has_grouping() or is_period  # 燃料費が平均より高い月
        levels = [("groups", 0.0), ("rows", 0.6)] if is_grouped else [("rows", 0.0)]
        if items.choose(f"mean:{at}", levels) == "groups":
            items.frame.having.append(Having(None, items.name(column), op, "mean"))
        else:
            items.use("condition", column)
            items.frame.options["stat_condition"] = (items.name(column), op)


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
            if frame.chart == "scatter" and items.text(at).endswith("s"):
                frame.options["is_apart"] = True  # scatter plots by rating
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
        if frame.chart == "scatter":
            frame.options["is_compared"] = True
        elif is_x and near is not None and can_group(items, near):
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
    if not can_group(items, place):
        items.frame.options["is_apart"] = items.is_word(at, "facet")  # small multiples of a number
        return
    beside = (items.before(place), items.after(place))
    items.use("chart", place, *(mark for mark in beside if items.is_word(mark, "each")))
    setattr(items.frame, items.name(at), items.name(place))


# ---- operations of their own ----


def _is_share_of_groups(items: Items, at: int) -> bool:
    """佐藤さんの商品別の売上構成比, share of sales by product: what the groups make up."""
    if items.all[at].is_japanese:
        ahead = items.before(at, over=items.is_measure)
        return ahead is not None and items.roles.get(ahead) == "group"
    figure, ahead = items.after(at), items.before(at)
    is_of_one = items.is_kind(ahead, "value")  # Anna's share of sales by region: within each
    is_grouped = items.is_measure(figure) and items.is_word(items.after(figure or 0), "each")
    return is_grouped and not is_of_one


def _operations(items: Items) -> None:
    frame = items.frame
    _named_operation(items)
    items.take(*_TAKEN.get(frame.op or "", ()))
    if items.take("pivot"):
        frame.options["pivot"] = True
    frame.is_cumulative = items.take("cumulative")
    _value_rates(items)
    if frame.formula is not None and frame.formula.tree["fn"] == "divide":
        items.take("share", "divide", role="measure")  # 遅延の割合は、遅延件数÷配送件数
    places = items.words("share") if frame.growth is None else []
    if items.take("pareto") | bool(places):
        items.use("measure", *places)
        frame.is_share = True
    if places:
        frame.options["parts"] = _parts_of_share(items, places[-1])
        frame.options["is_share_of_groups"] = _is_share_of_groups(items, places[-1])
    if frame.op is not None and frame.op != "overview":
        _operands(items)


def _named_operation(items: Items) -> None:
    frame = items.frame
    for at in items.words("duplicates"):
        if items.is_measure(items.before(at)) and not items.all[at].is_japanese:
            items.doubt(UNREAD)  # renewed more than once: what a column counts
    for word in _SPECIAL:
        if word == "distribution" and items.has(*_SPREADS):
            items.take(word, role="measure")  # ばらつき（標準偏差）
        elif frame.op is None and items.take(word):
            frame.op = word
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


_SPREADS = ("std", "var", "range", "q10", "q25", "q75", "q90")


def _thresholds(items: Items) -> None:
    """1.5 x IQR: before its number is taken for a condition."""
    frame = items.frame
    for word, method in _METHODS.items():
        for at in items.words(word):
            number = items.before(
                at, over=lambda one: items.text(one) in ("×", "x", "*", "の", "倍")
            )
            if not items.is_kind(number, "number") and items.has("outliers"):  # above 3
                number = items.after(at, over=lambda one: items.is_word(one, "gt", "ge"))
            figure = items.figure(number) if items.is_kind(number, "number") else None
            if number is not None and figure is not None and figure.value is not None:
                items.use("step", *range(min(number, at), max(number, at) + 1))
                frame.options["threshold"] = float(figure.value)
            items.use("step", at)
            frame.options["method"] = method


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
        if items.is_kind(ahead, "column") and not items.is_used(ahead):
            known = items.known(ahead)
            value = known.truth(is_true=True)
            if value is not None:  # resolution rate, where each is resolved or not
                items.use("condition", ahead)
                items.condition(ahead, compare(known.name, "==", value))
        if items.is_kind(ahead, "value", "part", "column") and (
            items.roles.get(ahead) == "condition"
        ):
            items.use("measure", at)
            items.frame.is_share = True
            items.frame.options["parts"] = _parts_of_share(items, at)
            value = items.all[ahead].sense.value
            others = items.scene.columns[value.column].profile.values if value else ()
            if value and any(one.startswith(value.value) and one != value.value for one in others):
                items.doubt(1.0)  # 内定率, where 内定辞退 is another: with those, or without


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


def _order_of_days(items: Items) -> None:
    """一番古い品目, newest first: by a day; 入庫日が早い順 where that is the column beside it."""
    frame = items.frame
    is_of_age = items.column_of_concept("age") is None
    for at in items.free("word"):
        name = items.name(at)
        is_old = name == "oldest" or (is_of_age and name == f"{ADJECTIVE}age.desc")
        is_said = name == "newest" or is_old
        behind = items.after(at)
        is_japanese = items.all[at].is_japanese
        is_said |= items.is_latest(at)
        if items.text(at - 1) == "より" or (is_japanese and items.has("ge", "gt", "le", "lt")):
            continue  # older than, not the oldest
        if not is_said and items.text(at) not in set_of("of_days"):
            continue
        beside = items.before(
            at, over=lambda one: items.is_word(one, "most") or _is_of_date(items, one)
        )
        if not (items.is_kind(beside, "column") and items.known(beside or 0).is_date):
            beside = items.near_column(at, lambda known: known.is_date) if is_said else None
        column = items.name(beside) if beside is not None else None
        if column is None and is_said and items.scene.dates:
            column = items.choose("date", items.scene.date_options(items.said))
        tails = [one for one in range(len(items.all)) if _is_of_date(items, one)]
        is_along = any(
            items.name(one).startswith(("unit.", "grouped.")) and one not in tails
            for one in items.free("word")
        )
        if column is None or is_along or items.has(*AGGREGATES, "count", "trend"):
            continue
        items.use("order", at, beside, *tails)
        items.take("most", "order", role="order")
        is_early = is_old or items.text(at)[:1] == "早" or items.text(at) == "first"
        frame.options |= {"by_day": column, "is_rows": True}
        frame.ascending = is_early
        is_list = "順" in items.text(at) or items.text(at).endswith(" first") or frame.limit
        is_list = is_list or (not is_japanese and items.text(_at(behind)).endswith("s"))
        if is_japanese and not is_list and not items.has("most"):
            items.doubt(UNREAD)  # 古い品目: how old?
        frame.is_superlative = not is_list
        return


def _is_of_date(items: Items, at: int) -> bool:
    """入庫|日, of 最終入庫日."""
    is_behind = at > 0 and items.is_kind(at - 1, "column") and items.known(at - 1).is_date
    return is_behind and items.is_word(at, "unit.day")


def _order(items: Items) -> None:
    frame = items.frame
    frame.options["is_reversed"] = items.take("reverse", role="order")
    if "by_day" in frame.options:
        return
    _adjectives(items)
    adjective = frame.options.get("adjective")
    is_of_bad = _is_of_bad(items)
    descending = adjective == "desc" or bool(items.words("desc", "first_place"))
    ascending = adjective == "asc" or bool(items.words("asc", "last_place"))
    # Largest of what? Without a number only 多い and 少ない say it: they count.
    if not (frame.measures or frame.growth or frame.formula or frame.is_share):
        _judged_by(items)
    has_figure = frame.measures or frame.growth or frame.formula or frame.is_share
    is_counted = items.has("many", "few", "desc", "asc") or any(
        not items.all[at].is_japanese for at in items.words("most")
    )
    said = range(len(items.all))
    names = any(items.is_kind(at, "column", "value", "part") for at in said)
    goes_on = frame.is_empty and not names and not items.has("which", "who")  # just the top three
    if not has_figure and not is_counted and not goes_on:
        return
    for at in items.words(*ORDER):
        name, is_japanese = items.name(at), items.all[at].is_japanese
        if (name in ("high", "low") and not _is_ranked(items, at)) or _is_of_time(items, at):
            continue
        items.use("order", at)
        if _is_of_list(items, at) or not _of_figure(items, at):
            continue
        descending |= name in ("high", "top", "many") or (name == "most" and not is_japanese)
        ascending |= name in ("low", "bottom", "few")
        is_place = name in ("first_place", "last_place")
        frame.is_superlative |= is_place or _is_superlative(items, at)
    frame.options["is_many"] = items.has("many", "few", "how_much") or any(
        not items.all[at].is_japanese and items.is_word(at, "most") for at in items.roles
    )
    for at in filter(lambda one: ranks_groups(items, one), items.words("max", "min")):
        items.use("order", at)
        descending |= items.is_word(at, "max")
        ascending |= items.is_word(at, "min")
        frame.is_superlative = True
    frame.is_superlative |= items.has("most")
    if not (descending or ascending):
        if frame.limit is None and not _is_told_order(items) and not frame.is_superlative:
            return
        descending = True
    if descending and ascending and frame.limit is not None:
        items.doubt(UNREAD)  # the top and the bottom three: two lists
    items.take("only", role="order")
    is_list = items.has("order", "desc", "asc") or "is_list" in frame.options
    if is_list or frame.limit is not None or (descending and ascending):
        frame.is_superlative = False
    frame.ascending = (ascending and not descending) != is_of_bad


def _is_told_order(items: Items) -> bool:
    """Sorted, and nothing says how; 予算と実績を並べたグラフ: beside each other."""
    said = [at for at in range(len(items.all)) if items.is_word(at, "order")]
    if items.frame.chart and len(items.frame.measures) > 1:
        said = [at for at in said if items.text(at) != "並べ"]
    is_told = bool(said) and "order" in items.roles.values()
    return is_told and not items.frame.options["is_reversed"]


def _is_of_list(items: Items, at: int) -> bool:
    """Youngest first, largest amount first, heaviest on top: an order of all."""
    ahead = items.before(at)
    if items.text(at) in ("first", "last") and items.is_measure(ahead):
        ahead = items.before(ahead or 0)
    is_list = items.text(at) in ("first", "last") and items.roles.get(_at(ahead)) == "order"
    is_list |= items.text(at) == "top" and "on" in (items.text(at - 1), items.text(at - 2))
    if is_list:
        items.frame.options["is_list"] = True
    return is_list


def _at(place: int | None) -> int:
    return -1 if place is None else place


def _of_figure(items: Items, at: int) -> bool:
    """Of which number an order is; whether there is one, and not just the largest of each."""
    frame, name, is_japanese = items.frame, items.name(at), items.all[at].is_japanese
    beside = items.before(at) if is_japanese else items.after(at)
    if beside is None or not items.is_measure(beside):
        return True
    column = items.name(beside)
    if name in ("high", "low") and not is_japanese and _is_of_each(items):
        known = [one.column for one in frame.measures]
        if column in known:
            frame.measures[known.index(column)] = Measure(column, _EXTREMES[name])
            return False
    noun = items.after(beside)
    is_row = not is_japanese and items.is_word(noun, "rows") and name in _SINGLED
    if is_row and not items.text(_at(noun)).endswith("s"):
        frame.options |= {"is_one_row": True, "is_rows": True}  # the top maths student
        frame.is_superlative = frame.limit is None
    if name not in ("top", "bottom") or "order_by" not in frame.options:
        frame.options["order_by"] = column  # 生産数の多いラインの材料費
    return True


_EXTREMES: dict[str, Aggregate] = {"high": "max", "low": "min"}
_SINGLED = ("high", "low", "top", "bottom")


def _is_superlative(items: Items, at: int) -> bool:
    name, text = items.name(at), items.text(at)
    if items.all[at].is_japanese:
        if text not in ("トップ", "ワースト") or items.text(at + 1) != "の":
            return False
        noun = items.after(at)
        items.frame.options["is_one_row"] = items.is_word(noun, "rows")  # 数学トップの生徒
        return items.is_category(noun) or items.is_word(noun, "rows")  # 売上トップの商品
    if name in ("top", "bottom"):
        return items.text(at + 1)[-1:] != "s"  # the top customer, not the top customers
    return name in ("high", "low", "many", "few", "most")


def _is_of_bad(items: Items) -> bool:
    """Worst fail rate first: of what is bad the most is the worst."""
    frame, places = items.frame, range(len(items.all))
    if not any(items.text(at) in set_of("good_or_bad") for at in items.words(*ORDER)):
        return False
    if frame.is_share and not frame.measures:
        said = {items.text(at) for at in places if items.is_kind(at, "value", "part")}
    else:
        columns = [one.column for one in frame.measures if one.column]
        said = {*forms(columns[0])} if len(set(columns)) == 1 else set[str]()
    return not said.isdisjoint(set_of("bad"))


def _judged_by(items: Items) -> None:
    """Which store did best, the 3 largest invoices, the longest ticket: by the one number that
    can be meant."""
    places = [at for at in items.words("high", "low") if not items.all[at].is_japanese]
    said = {items.text(at) for at in places}
    nouns = [items.after(at) for at in places]
    is_of_row = any(items.is_word(noun, "rows") for noun in nouns) and not items.has("each")
    columns = [one for one in items.scene.columns.values() if one.is_measure]
    money = [one.name for one in columns if one.is_money and one.adds is not False]
    money = [name for name in money if not any(own in name for own in money if own != name)]
    found: list[str] = []
    is_first = items.frame.limit is not None and items.has("top", "bottom")
    if is_first and len(money) == 1 and "limited" in items.frame.options:
        options = [(money[0], 0.4), ("", 0.7)]  # the top 3 customers: by what they paid, or often
        if name := items.choose("ranked_by", options):
            add_measure(items, Measure(name))
        return
    if said & {"best", "worst"}:
        is_of_groups = any(map(items.is_category, range(len(items.all))))
        if items.has("which") and is_of_groups:
            found = [one.name for one in columns if one.concepts & {"sales", "profit"}]
    elif said & {"longest", "shortest"} and is_of_row:
        found = [one.name for one in columns if one.concepts & set_of("durations")]
    elif said & {"largest", "biggest", "smallest", "highest", "lowest"} and is_of_row:
        found = money
    if len(found) == 1:
        items.doubt(1.0 if said & {"best", "worst"} else 0.3)  # a figure that is told, and offered
        add_measure(items, Measure(found[0]))


def _is_of_each(items: Items) -> bool:
    """The highest salary per department: all groups are told as such, and none is looked for."""
    frame, marked = items.frame, items.frame.options.get("marked", ())
    is_told = bool(frame.groups) and all(one.column in marked for one in frame.groups)
    is_told &= len(frame.measures) == 1 and not any(one.unit for one in frame.groups)
    is_told &= not (items.has("high") and items.has("low"))
    is_told &= not any(items.name(at).startswith(UNIT) for at in items.free("word"))
    is_sought = items.has("which", "who", "rows") or frame.limit is not None or frame.wants_rows
    is_sought |= any(items.is_category(at) for at in items.free("column"))
    return is_told and bool(frame.options.get("is_apart")) and not is_sought


def _is_ranked(items: Items, at: int) -> bool:
    """大きめ, long: no order, unless something else says one."""
    if not items.all[at].is_japanese:
        return items.text(at) not in set_of("base_forms")
    return items.text(at + 1) not in ("め", "目", "すぎる", "過ぎる")


def _is_of_time(items: Items, at: int) -> bool:
    """The first week of December, the year before last."""
    if items.text(at) not in ("first", "last"):
        return False
    behind = items.after(at)
    is_unit = behind is not None and items.name(behind).startswith(UNIT)
    return is_unit or items.is_word(items.before(at), *BEFORE)


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
        if column is None and concept == "price":
            money = [one for one in items.scene.measures if items.scene.columns[one].is_money]
            column = money[0] if len(money) == 1 else None  # the most expensive shipments
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
