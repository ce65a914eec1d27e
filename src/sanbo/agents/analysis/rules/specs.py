"""From what a question asks for to operations in a row; each names whose result it takes."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

from pydantic import TypeAdapter

from sanbo.agents.analysis.rules.conversation import columns_of
from sanbo.agents.analysis.rules.frame import Chooser, Frame, Group, Having, Measure
from sanbo.agents.analysis.rules.scene import FEW, Scene
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filter, Presence
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Aggregate, metric_name

Spec = AnalysisSpec | PlotSpec
_SPEC = TypeAdapter[Spec](AnySpec)
_FILTER: TypeAdapter[Filter] = TypeAdapter(Filter)
ROWS = 100
"""Listed, where nothing says how many."""
_NEARLY_ALL = 0.97
MOST_GROUPS = 100_000
MOST_BARS = 60
_SUMMARY = ("count", "mean", "std", "min", "median", "max")
_PARTS = ("==", "in", "contains", ">", ">=", "<", "<=", "is_null", "not_null")
"""Conditions that tell a part of the rows; what they leave out is no part."""
_IN_A_YEAR = {"month": 12, "quarter": 4}


class NotMeant(Exception):
    """What was read can't be computed together."""


def specs_of(frame: Frame, scene: Scene, chooser: Chooser, first: int) -> tuple[Spec, ...]:
    """`first`: the number of the first result."""
    _require(not _contradict(frame.conditions))
    builder = _Builder(replace(frame), scene, chooser, first)
    builder.build()
    if not builder.made:
        raise NotMeant
    return tuple(builder.made)


def _contradict(conditions: Sequence[Filter]) -> bool:
    """空欄 and 入力済み of one column, or two of its values at once: no row is left."""
    said = {(one.col, one.op) for one in conditions if isinstance(one, Presence)}
    equal = [one for one in conditions if isinstance(one, Compare) and one.op == "=="]
    return any((column, "not_null") in said for column, op in said if op == "is_null") or any(
        one.col == other.col and one.value != other.value for one, other in combinations(equal, 2)
    )


def _require(*conditions: object) -> None:
    if not all(conditions):
        raise NotMeant


def _column(name: str) -> dict[str, Any]:
    return {"fn": "column", "name": name}


def _condition(column: str, op: str, **against: object) -> Filter:
    return _FILTER.validate_python({"col": column, "op": op, **against})


def _op(one: Filter) -> str:
    return "" if isinstance(one, AnyOf) else one.op


def _plain(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def _figure(measure: Measure, field: str) -> dict[str, Any]:
    """A measure in the two fields that most operations have for it."""
    return {field: measure.column, "agg": measure.agg if measure.column else None}


def _axis(group: Group, field: str = "x") -> dict[str, Any]:
    return {field: group.column, f"{field}_unit": group.unit}


def _metrics(measures: list[Measure]) -> dict[str, list[str]]:
    metrics: dict[str, list[str]] = {}
    for measure in measures:
        if measure.column is not None:
            metrics.setdefault(measure.column, []).append(measure.agg or "sum")
    return metrics


class _Builder:
    def __init__(self, frame: Frame, scene: Scene, chooser: Chooser, first: int) -> None:
        self.frame = frame
        self.scene = scene
        self.choose = chooser.choose
        self._chooser = chooser
        self.made: list[Spec] = []
        self._first = first
        self._input = DATASET
        self._filters: tuple[Filter, ...] = tuple(frame.conditions)
        if stat := frame.options.get("stat_condition"):
            self._filters += (_condition(*stat, stat="mean"),)

    # ---- adding ----

    def add(self, **fields: Any) -> str:
        """One more operation on what there is; conditions go with the first."""
        kind = "plot" if "kind" in fields else "analysis"
        data = {"type": kind, "input": self._input, "filters": self._filters, **fields}
        self.made.append(_SPEC.validate_python({k: v for k, v in data.items() if v is not None}))
        if kind == "analysis":
            self._filters = ()
        return f"r{self._first + len(self.made) - 1}"

    def beside(self, **fields: Any) -> None:
        """An operation on the same rows as the next one."""
        kept = self._filters
        self.add(**fields)
        self._filters = kept

    def step(self, **fields: Any) -> None:
        """An operation whose result the next one takes."""
        self._input = self.add(**fields)

    def _ranked(self, by: list[str], n: int, **fields: Any) -> None:
        ascending = bool(self.frame.ascending)
        self.add(**{"op": "top_rows", "by": by, "ascending": ascending, "n": n, **fields})

    def _taken(self, column: str) -> tuple[Filter, ...]:
        """The conditions on a column, which the operation itself is about."""
        taken = tuple(one for one in self._filters if getattr(one, "col", None) == column)
        self._filters = tuple(one for one in self._filters if one not in taken)
        return taken

    # ---- the whole ----

    def build(self) -> None:  # noqa: PLR0912 - one kind of answer after the other
        frame = self.frame
        for step in frame.steps:
            if step == "dedup":
                self.step(op="dedup")
            else:
                numbers, method = list(self.scene.measures), step.removeprefix("fill_")
                self.step(op="impute", columns=numbers, method=method)
        if fill := frame.options.get("fill"):
            self.step(op="impute", columns=[fill[0]], method=fill[1])
        if against := frame.options.get("against"):
            left, op, right, factor = against
            fn, sign = ("subtract", "−") if factor is None else ("divide", "÷")
            name = f"{left}{sign}{right}"
            kept, self._filters = self._filters, ()
            tree = {"fn": fn, "left": _column(left), "right": _column(right)}
            self.step(op="derive", name=name, expression=tree)
            self._filters = (*kept, _condition(name, op, value=factor or 0))
        if frame.formula is not None and self._formula():
            return
        if frame.op is not None:
            _require(frame.ascending is None, frame.limit is None, not frame.having)
            self._special(frame.op)
            return
        self._against_few()
        if frame.chart in (None, "any") and self._is_pair:
            frame.chart = "scatter"
        self._groups()
        self._measures()
        if frame.is_share:
            self._share()
        elif frame.growth is not None:
            self._growth()
        elif self._wants_rows:
            self._rows()
        elif frame.chart is not None and not self._needs_table:
            self._chart()
        elif self._time is not None:
            self._over_time(self._time)
        elif frame.options.get("pivot") and len(frame.groups) == 2:
            self._pivot(*frame.groups)
        else:
            self._grouped()

    def _against_few(self) -> None:
        """Average mpg against cylinders: a number of few different ones is grouped by."""
        frame = self.frame
        is_against = frame.options.get("is_compared") or frame.chart
        if frame.groups or len(frame.measures) != 2 or frame.chart == "scatter" or not is_against:
            return
        told = [one for one in frame.measures if one.agg is not None or one.column is None]
        names = [one.column for one in frame.measures if one not in told and one.column]
        column = self.scene.profile.column(names[0]) if len(told) == len(names) == 1 else None
        if column is not None and column.distinct <= FEW:
            frame.measures, frame.groups = told, [Group(column.name)]

    @property
    def _is_pair(self) -> bool:
        """Price against quantity: two numbers, nothing computed of them."""
        measures = self.frame.measures
        is_plain = all(one.column is not None and one.agg is None for one in measures)
        return len(measures) == 2 and is_plain and bool(self.frame.options.get("is_compared"))

    def _drawn(self) -> None:
        """A chart of what was computed costs nothing: one goes with groups and periods."""
        frame = self.frame
        if frame.options.get("no_chart") or len(frame.measures) != 1 or not frame.groups:
            return
        for group in frame.groups:
            column = self.scene.profile.column(group.column)
            if group.unit is None and (column is None or not 1 < column.distinct <= MOST_BARS):
                return
        kept, frame.chart = frame.chart, "any"
        with suppress(NotMeant):
            self._chart()
        frame.chart = kept

    @property
    def _time(self) -> Group | None:
        return next((group for group in self.frame.groups if group.unit is not None), None)

    @property
    def _names(self) -> list[str]:
        """Of the groups that are no periods."""
        return [group.column for group in self.frame.groups if group.unit is None]

    @property
    def _needs_table(self) -> bool:
        frame = self.frame
        return bool(frame.having or frame.is_cumulative or frame.rolling)

    # ---- groups and measures ----

    def _groups(self) -> None:
        frame = self.frame
        compared = frame.options.get("compared")
        is_new = compared not in [group.column for group in frame.groups]
        is_sum = any(measure.agg == "sum" for measure in frame.measures)
        left = {
            name
            for one in frame.conditions
            if _op(one) in ("!=", "not_in")
            for name in columns_of(one)
        }
        heads = [name for name in frame.options.get("own", ()) if name in left]
        # 千葉以外の都県: of all of them together, or of each.
        is_open = bool(heads) and not frame.groups and not is_sum
        if is_open and self.choose("others", [("all", 0.0), ("each", 0.6)]) == "each":
            frame.groups = [Group(heads[0])]
        is_list = frame.wants_rows and not frame.measures
        if compared and is_new and not frame.is_share and not is_list:
            is_sum = any(measure.agg == "sum" for measure in frame.measures)
            other = 0.5 if is_sum and not frame.options.get("is_compared") else 1.0
            options = [("apart", 0.0), ("together", other)]
            if frame.options.get("is_only"):
                options = [("together", 0.0), ("apart", 1.0)]
            adds = all(one.agg in ("sum", "count") for one in frame.measures) and frame.measures
            if adds and not frame.options.get("is_compared") and not frame.options.get("is_only"):
                options = [("apart", 0.0)]
                frame.options["total_of"] = compared  # both of them, and what they come to
            if self.choose("compared", options) == "apart":
                frame.groups = [*frame.groups, Group(compared)]
        frame.groups = [self._binned(group) for group in frame.groups]

    def _binned(self, group: Group) -> Group:
        known = self.scene.columns.get(group.column)
        if known is None or not (group.width or group.parts):
            return group
        expression: dict[str, Any] = {"fn": "bin", "of": _column(group.column)}
        if group.parts:
            expression |= {"count": group.parts, "quantiles": True}
        else:
            low, high, width = known.profile.minimum, known.profile.maximum, group.width or 1
            if not isinstance(low, int | float) or not isinstance(high, int | float):
                raise NotMeant
            edges = [low // width * width]
            while edges[-1] <= high and len(edges) < 500:
                edges.append(edges[-1] + width)
            expression["edges"] = edges
            if known.profile.type == "integer" and float(width).is_integer():
                is_decade = self.frame.options.get("is_decade") and width == 10
                expression["labels"] = [
                    f"{a:g}代" if is_decade else f"{a:g}–{b - 1:g}" for a, b in pairwise(edges)
                ]
        name = f"{group.column}（{group.width or group.parts:g}）"
        self.step(op="derive", name=name, expression=expression)
        return Group(name)

    def _measures(self) -> None:
        """What was not said: how a number is put together for a group."""
        frame = self.frame
        frame.options["told_aggregates"] = any(one.agg and one.column for one in frame.measures)
        wants_rows = self._wants_rows
        told = {one.column for one in frame.measures if one.agg}
        made: list[Measure] = []
        for measure in frame.measures:
            if measure.agg is not None or measure.column is None:
                made.append(replace(measure, agg=measure.agg or "count"))
            elif wants_rows and measure.column not in told:
                made.append(measure)
            elif measure.column not in told:  # 平均と合計: one alone goes with the other's column
                made.append(replace(measure, agg=self._agg(measure.column)))
        if not made and not wants_rows and (frame.groups or frame.conditions or frame.is_share):
            made = [self._guessed()]
            frame.is_count_guessed = made[0].column is None
        frame.measures = made

    def _guessed(self) -> Measure:
        """会議費を除いた月次推移: of what? Of the rows, or of the one number that adds up."""
        frame, columns = self.frame, self.scene.columns
        money = [name for name in self.scene.measures if columns[name].is_money]
        adding = [name for name in money if columns[name].adds]
        is_open = frame.is_trend and len(adding) == 1 and not frame.options.get("is_rows")
        options = [("", 0.0), *([(adding[0], 0.5)] if is_open and not frame.wants_rows else [])]
        name = self.choose("guessed", options)
        return Measure(name, "sum") if name else Measure(None, "count")

    def _agg(self, column: str) -> Aggregate:
        known = self.scene.columns.get(column)
        if known is None:
            return "sum"
        if self.frame.chart in ("scatter", "hist", "box"):
            return "mean"
        options: list[tuple[Aggregate, float]] = [("sum", 0.4), ("mean", 0.6)]
        if self.frame.options.get("is_many"):
            options = [("sum", 0.0), ("mean", 1.0)]  # the most guests
        if known.adds is True:
            options = [("sum", 0.0), ("mean", 1.2)]
        elif known.adds is False:
            end: Aggregate = "min" if self.frame.ascending else "max"
            options = [("mean", 0.0), (end, 1.0) if self.frame.is_superlative else ("sum", 1.5)]
        return self.choose(f"agg:{column}", options)

    @property
    def _wants_rows(self) -> bool:
        """Rows as they stand: a list, or the first of things that have one row each."""
        frame = self.frame
        is_else = frame.growth is not None or frame.is_share or frame.chart is not None
        if is_else or self._time or any(one.agg is not None for one in frame.measures):
            return False
        is_ranked = frame.ascending is not None and bool(frame.measures)
        if not frame.wants_rows and not is_ranked:
            return False
        if not frame.groups or any(map(self._is_row, frame.groups)):
            return True
        is_first = bool(frame.limit or frame.is_superlative)
        marked = frame.options.get("marked", ())
        if frame.options.get("adjective") and all(one.column in marked for one in frame.groups):
            return is_first  # 部署ごとの最年長
        if frame.wants_rows:
            return is_ranked and bool(frame.limit)
        return frame.options.get("is_rows", False) and is_first

    def _is_row(self, group: Group) -> bool:
        column = self.scene.profile.column(group.column)
        rows = self.scene.profile.rows
        return column is not None and column.distinct >= _NEARLY_ALL * (rows - column.missing)

    def _metric(self, measure: Measure | None = None) -> str:
        """The result's column that order and conditions look at."""
        if measure is None:
            by = self.frame.options.get("order_by")
            told = [one for one in self.frame.measures if one.column == by and by is not None]
            measure = (told or self.frame.measures)[0]
        if measure.column is None:
            return ROW_COUNT
        return metric_name(measure.column, measure.agg or "sum")

    def _formula(self) -> bool:
        """A figure that the question defines; whether that is the whole answer."""
        frame, formula = self.frame, self.frame.formula
        assert formula is not None
        is_mean = any(one.agg == "mean" for one in frame.measures)
        is_mean |= frame.options.get("mean_of_formula", False)
        # 差が大きい商品を3つ: rows in an order, and nothing is grouped.
        is_rows = frame.wants_rows or frame.options.get("is_rows") or frame.limit is not None
        ranks_rows = frame.ascending is not None and is_rows and not frame.groups
        level: str = formula.level
        if level == "open":
            levels = [("sums", 0.0), ("rows", 0.8 if frame.options.get("is_mean_per") else 1.0)]
            # The product of two totals is nothing: only what is divided may be of sums.
            if is_mean or ranks_rows or formula.tree["fn"] != "divide":
                levels = [("rows", 0.0), ("sums", 1.0)]
            level = self.choose("formula", levels)
        if level == "sums":
            self._groups()
            self._of_sums()
            return True
        self.step(op="derive", name=formula.name, expression=formula.tree)
        measures = [one for one in frame.measures if one.column not in (None, *formula.columns)]
        default: Aggregate = "mean" if formula.tree["fn"] == "divide" else "sum"
        agg: Aggregate | None = "mean" if is_mean else None if ranks_rows else default
        frame.measures = [*measures, Measure(formula.name, agg)]
        return False

    def _of_sums(self) -> None:
        """粗利率: of the sums of each group."""
        frame, formula, time = self.frame, self.frame.formula, self._time
        assert formula is not None
        _require(not frame.having, not frame.growth, not frame.is_share)
        _require(not (frame.chart and time))
        others = [one for one in frame.measures if one.agg not in ("sum", None)]
        aggs: dict[str, Aggregate] = {name: formula.agg(name) for name in formula.columns}
        metrics = _metrics([*(Measure(column, agg) for column, agg in aggs.items()), *others])
        if time is not None:
            fields = {"date_col": time.column, "unit": time.unit, "by": self._names}
            self.step(op="resample", metrics=metrics, **fields)
        else:
            self.step(op="groupby_agg", group_cols=self._names, metrics=metrics)
        sums = {column: metric_name(column, agg) for column, agg in aggs.items()}
        rate = {"op": "derive", "name": formula.name, "expression": formula.over(sums)}
        if frame.ascending is None:
            self.add(**rate)
            return
        self.step(**rate)
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([formula.name], n)

    # ---- kinds of answers ----

    def _sort(self) -> dict[str, Any] | None:
        if self.frame.ascending is None:
            return None
        return {"by": self._metric(), "ascending": self.frame.ascending}

    def _grouped(self) -> None:
        frame = self.frame
        _require(frame.measures)
        if (by := frame.options.get("counted_by")) and not frame.groups:
            self.add(kind="hist", x=by)  # the number of films by their length
            return
        names = [group.column for group in frame.groups]
        if frame.having:
            self._having(names)
            return
        counted = [m for m in frame.measures if m.agg == "nunique" and m.column in names]
        names = [name for name in names if name not in [one.column for one in counted]]
        metrics = _metrics(frame.measures)
        metrics |= {one.column or "": ["nunique"] for one in counted}
        per = self._per(names)
        if per is not None:
            self.step(op="groupby_agg", group_cols=names, metrics=metrics)
            self._ranked([self._metric()], frame.limit or 1, per=per)
            return
        if metrics and any(measure.column is None for measure in frame.measures):
            found = metrics.setdefault(names[0] if names else next(iter(metrics)), [])
            found += [] if "count" in found else ["count"]
        order = {"sort": self._sort(), "top_k": frame.limit} if names else {}
        periods = self._periods
        if periods and frame.options.get("is_each"):  # 上期と下期をそれぞれ
            rest = tuple(one for one in self._filters if one is not periods)
            for one in periods.any_of:
                self._filters = (*rest, one)
                self.beside(op="groupby_agg", group_cols=names, metrics=metrics, **order)
            return
        if frame.options.get("is_difference") and names == [frame.options.get("compared")]:
            by = {"by": self._metric(), "ascending": True}  # 正社員とパートの差
            self.step(op="groupby_agg", group_cols=names, metrics=metrics, sort=by)
            self.add(op="lag", column=self._metric())
            return
        self.beside(op="groupby_agg", group_cols=names, metrics=metrics, **order)
        if (apart := frame.options.get("total_of")) in names and frame.limit is None:
            rest = [name for name in names if name != apart]
            self.beside(op="groupby_agg", group_cols=rest, metrics=metrics)
        if names and not counted:
            self._drawn()

    @property
    def _periods(self) -> AnyOf | None:
        """Times of which one is met: 11月と12月."""
        dates = self.scene.dates
        for one in self._filters:
            if isinstance(one, AnyOf) and all(part.col in dates for part in one.any_of):
                return one
        return None

    def _per(self, names: list[str]) -> str | None:
        """店舗ごとに一番売れたカテゴリ: in each of the groups that are told as such."""
        frame = self.frame
        is_first = frame.limit is not None or (frame.is_superlative and frame.ascending is not None)
        if len(names) < 2 or not is_first:
            return None
        marked = [name for name in frame.options.get("marked", ()) if name in names]
        options = [(marked[0] if marked else names[0], 0.0), (None, 1.0)]
        if len(marked) != 1 and frame.limit is None:
            options = [(None, 0.0), (names[0], 0.6)]
        return self.choose("per", options)

    def _having(self, names: list[str]) -> None:
        """Groups that meet it, listed; or counted, where that is asked."""
        frame = self.frame
        _require(names)
        conditions, wanted = self._group_conditions()
        counted = [m for m in frame.measures if m.agg == "nunique" and m.column in names]
        measures = list(dict.fromkeys([*frame.measures, *wanted]))
        shown = [one for one in measures if one not in counted]
        shown = [one for one in shown if one.column is not None or len(measures) == 1] or measures
        frame.measures = sorted(shown, key=lambda one: one.column is None)
        metrics = _metrics(frame.measures)
        if metrics and any(one.column is None for one in wanted):
            # Rows are counted beside other figures, under the name of what is grouped by.
            metrics[names[0]] = [*metrics.get(names[0], []), "count"]
            rows = metric_name(names[0], "count")
            conditions = tuple(
                one.model_copy(update={"col": rows})
                if isinstance(one, Compare) and one.col == ROW_COUNT
                else one
                for one in conditions
            )
        self.step(op="groupby_agg", group_cols=names, metrics=metrics)
        self._filters = conditions
        if counted:
            self.add(op="groupby_agg", group_cols=[], metrics={})
        else:
            self._ranked([self._metric()], frame.limit or MOST_GROUPS)

    def _group_conditions(self) -> tuple[tuple[Filter, ...], list[Measure]]:
        wanted = [self._measure_of(having) for having in self.frame.having]
        pairs = zip(wanted, self.frame.having, strict=True)
        return tuple(
            _condition(self._metric(measure), one.op, stat="mean")
            if one.value == "mean"
            else _condition(self._metric(measure), one.op, value=_plain(one.value))
            for measure, one in pairs
        ), wanted

    def _measure_of(self, having: Having) -> Measure:
        if having.column is None:
            return Measure(None, "count")
        told: list[Aggregate] = [
            m.agg for m in self.frame.measures if m.column == having.column and m.agg
        ]
        agg: Aggregate = having.agg or (told[0] if told else self._agg(having.column))
        return Measure(having.column, agg)

    def _rows(self) -> None:
        frame = self.frame
        by = [measure.column for measure in frame.measures if measure.column][:1]
        if by and frame.ascending is not None:
            n = frame.limit or (1 if frame.is_superlative else ROWS)
            others = [group.column for group in frame.groups if not self._is_row(group)]
            self._ranked(by, n, per=others[0] if others else None)
        else:
            self.add(op="top_rows", n=frame.limit or ROWS)

    def _over_time(self, time: Group) -> None:
        frame, measure = self.frame, self.frame.measures[0]
        others = [group.column for group in frame.groups if group is not time]
        when: dict[str, Any] = {"op": "resample", "date_col": time.column, "unit": time.unit}
        when["by"] = others
        fields = {**when, "metrics": _metrics(frame.measures)}
        along = {"column": self._metric(), "order_by": time.column, "by": others}
        if self._is_mean_of_periods(measure):
            self.step(**when, metrics={measure.column: ["sum"]})
            total = metric_name(measure.column or "", "sum")
            sort = {"by": metric_name(total, "mean"), "ascending": bool(frame.ascending)}
            order = {"sort": sort, "top_k": frame.limit} if others and self._sort() else {}
            self.add(op="groupby_agg", group_cols=others, metrics={total: ["mean"]}, **order)
        elif frame.is_cumulative:
            self.step(**fields)
            self.add(op="cumulative", **along)
        elif frame.rolling:
            self.step(**fields)
            self.add(op="rolling", window=frame.rolling, **along)
        elif frame.options.get("pivot") and len(others) == 1:
            self._pivot(time, Group(others[0]))
        elif len(others) == 1 and (per := self._per([*others, time.column])) is not None:
            self.step(**fields)  # 店舗ごとに、一番少なかった月
            self._ranked([self._metric()], frame.limit or 1, per=per)
        elif frame.having:  # 月の売上が1,000万円以上だった月は何回: counted or listed
            conditions, wanted = self._group_conditions()
            _require(*(having.value != "mean" for having in frame.having))
            self.step(**when, metrics=_metrics(wanted))
            self._filters = conditions
            if any(one.column is None for one in frame.measures):
                self.add(op="groupby_agg", group_cols=others, metrics={})
            else:
                self.add(op="top_rows", n=MOST_GROUPS)
        else:
            # いちばん多かった日: of months all are shown in order, of days just the first.
            is_first = frame.is_superlative and frame.ascending is not None
            one = 1 if is_first and time.unit in ("day", "week", "hour") else None
            self.beside(**fields, sort=self._sort(), top_k=frame.limit or one)
            if frame.limit is None and one is None:
                self._drawn()

    def _is_mean_of_periods(self, measure: Measure) -> bool:
        """月平均: of the months' sums, rather than of the rows in each."""
        is_mean = measure.agg == "mean" and measure.column is not None
        if not is_mean or not self.frame.options.get("period_mean"):
            return False
        known = self.scene.columns.get(measure.column or "")
        adds = known is None or known.adds is not False
        options = [("of", 0.2), ("in", 0.6)] if adds else [("in", 0.2), ("of", 0.6)]
        return self.choose("period_mean", options) == "of"

    def _pivot(self, row: Group, column: Group) -> None:
        units = {"row_unit": row.unit, "column_unit": column.unit}
        figure = _figure(self.frame.measures[0], "value")
        self.add(op="pivot", rows=[row.column], columns=column.column, **figure, **units)

    def _share(self) -> None:
        """Of each group in the whole; or of some rows, which a condition tells, within a group."""
        frame = self.frame
        measure = frame.measures[0] if frame.measures else Measure(None, "count")
        _require(measure.column is None or measure.agg in ("sum", None))
        told = {name for one in self._filters if _op(one) in _PARTS for name in columns_of(one)}
        parts = [name for name in frame.options.get("parts", ()) if name in told]
        grouped = [group.column for group in frame.groups]
        options = [(name, 0.6 * n) for n, name in enumerate(parts[:3]) if name not in grouped]
        if frame.groups and (options or len(told) > 0):
            options.append(("", 1.0 if options else 0.0))
        part = self.choose("part", options) if options else ""
        if part:
            self._share_of(part, Measure(None, "count") if measure.column == part else measure)
            return
        _require(frame.groups)
        names = [self._as_column(group) for group in frame.groups[:2]]
        group, within = names[-1], names[0] if len(names) == 2 else None
        if frame.chart in ("pie", "any", "bar"):
            kind = "pie" if frame.chart == "any" else frame.chart
            figure = _figure(Measure(measure.column, "sum"), "y")
            normalized = True if kind == "bar" and within else None
            self.beside(op="share_ratio", group_col=group, value_col=measure.column, within=within)
            self.add(kind=kind, x=group, normalized=normalized, **figure)
        else:
            parts = {"value_col": measure.column, "within": within, "top_k": frame.limit}
            self.add(op="share_ratio", group_col=group, **parts)

    def _share_of(self, part: str, measure: Measure) -> None:
        """満足度が4以上の割合, キャンセル率: the rows that meet what is said of this column."""
        frame, kept = self.frame, self._taken(part)
        _require(len(frame.groups) <= 1)
        if frame.chart in ("pie", "bar", "any") and not frame.groups:
            kind = "pie" if frame.chart == "any" else frame.chart
            self.beside(op="share_ratio", group_col=part, value_col=measure.column)
            self.add(kind=kind, x=part, **_figure(Measure(measure.column, "sum"), "y"))
            return
        within = self._as_column(frame.groups[0]) if frame.groups else None
        known = self.scene.columns[part]
        if known.is_measure or not all(isinstance(one, Compare | Among) for one in kept):
            part, kept = self._as_truth(part, kept)
        whole = {"group_col": part, "value_col": measure.column, "within": within}
        is_alone = within is None and frame.ascending is None and not known.is_measure
        if is_alone and all(isinstance(one, Compare) and one.op == "==" for one in kept):
            self.add(op="share_ratio", **whole)  # with the other parts beside it
            return
        self.step(op="share_ratio", **whole)
        self._filters = kept
        self._ranked([] if frame.ascending is None else ["share"], frame.limit or MOST_GROUPS)

    def _as_truth(self, part: str, kept: Sequence[Filter]) -> tuple[str, tuple[Filter, ...]]:
        """Conditions on a column as a new one that is true where they hold."""
        tests: list[dict[str, Any]] = []
        for one in kept:
            _require(isinstance(one, Compare))
            assert isinstance(one, Compare)
            right = {"fn": "constant", "value": one.value}
            tests.append({"fn": "compare", "left": _column(part), "op": one.op, "right": right})
        never = {"fn": "constant", "value": False}
        tree = tests[0]
        for test in tests[1:]:
            tree = {"fn": "if", "condition": tree, "then": test, "otherwise": never}
        name = " ".join(f"{part} {one.op} {one.value}" for one in kept if isinstance(one, Compare))
        held, self._filters = self._filters, ()
        self.step(op="derive", name=name, expression=tree)
        self._filters = held
        return name, (Compare(col=name, op="==", value=True),)

    def _as_column(self, group: Group) -> str:
        """A period as a column of its own, for what knows no periods."""
        if group.unit is None:
            return group.column
        held, self._filters = self._filters, ()
        name = f"{group.column}（{group.unit}）"
        period = {"fn": "date_part", "of": _column(group.column), "part": group.unit}
        self.step(op="derive", name=name, expression=period)
        self._filters = held
        return name

    # ---- time against time ----

    def _growth(self) -> None:
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        if not self.scene.dates:  # years that stand as numbers: 1970, 1971
            _require(growth.unit == "year", self.scene.years, frame.measures, not frame.direction)
            year = self.scene.years[0]
            _require(set(self._names) <= {year}, not self._taken(year))
            metrics = _metrics(frame.measures[:1])
            self.step(op="groupby_agg", group_cols=[year], metrics=metrics)
            self.add(op="lag", column=self._metric(), order_by=year)
            return
        time, others, measure = self._time, self._names, self._grown()
        column = time.column if time else self.choose("date", self.scene.date_options)
        said = [one for one in self._filters if isinstance(one, Compare) and one.col == column]
        period = next((one for one in said if one.op == "=="), None)
        is_one = period is not None and (growth.unit.endswith("year") or len(str(period.value)) > 4)
        if is_one and time is not None and time.unit == growth.unit:
            time = None  # 2025年度 against the year before: two, and no series
        if (earlier := frame.options.get("earlier")) and period is not None:
            self._between(column, measure, others, (earlier, str(period.value)))
            return
        is_series = time is not None or frame.is_trend
        is_alone = not others and period is None
        if not is_series and is_alone and frame.direction is None:
            is_series = self.choose("growth", [(True, 0.2), (False, 0.5)])
        if is_series or (frame.direction and is_alone):
            self._series(column, measure, others)
            return
        self._filters = tuple(one for one in self._filters if one is not period)
        only = frame.direction if others else None
        is_least = frame.ascending or frame.direction == "decreased"
        is_ranked = frame.ascending is not None or frame.is_superlative
        sort = f"{self._change}_{'asc' if is_least else 'desc'}" if is_ranked else None
        self.add(
            op="compare_periods",
            date_col=column,
            unit=growth.unit,
            by=others,
            against=growth.against,
            period=str(period.value) if period is not None else None,
            only=only,
            top_k=frame.limit,
            sort=sort,
            **_figure(measure, "column"),
        )

    @property
    def _change(self) -> str:
        return "rate" if self.frame.options.get("is_rate") else "difference"

    def _between(
        self, column: str, measure: Measure, others: list[str], ends: tuple[str, str]
    ) -> None:
        """4月から9月にかけて: two periods that do not follow each other."""
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        self._taken(column)
        parts = [Compare(col=column, op="==", value=end) for end in ends]
        self._filters += (AnyOf(any_of=tuple(parts)),)
        when = {"date_col": column, "unit": growth.unit, "by": others}
        self.step(op="resample", metrics=_metrics([measure]), **when)
        metric = self._metric(measure)
        self.step(op="lag", column=metric, order_by=column, by=others)
        self._filters = (parts[1],)
        change = f"{metric}_{self._change}"
        if frame.direction is not None and others:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (_condition(change, op, value=0),)
        is_ranked = frame.ascending is not None or frame.is_superlative
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([change] if is_ranked else [], n, ascending=is_least)

    def _grown(self) -> Measure:
        """What grows, where nothing says so: a number that adds up, or rows."""
        frame, columns = self.frame, self.scene.columns
        if frame.measures and not frame.is_count_guessed:
            return frame.measures[0]
        adding = [name for name in self.scene.measures if columns[name].adds is not False]
        first = 0.0 if len(adding) == 1 else 0.5
        options = [(name, first + 0.2 * n) for n, name in enumerate(adding[:2])]
        name = self.choose("grown", [*options, ("", 1.0 if options else 0.0)])
        return Measure(name, "sum") if name else Measure(None, "count")

    def _series(self, column: str, measure: Measure, others: list[str]) -> None:
        """Each period beside the one before; only those that rose or fell, or the largest step."""
        frame, growth = self.frame, self.frame.growth
        assert growth is not None
        is_year = growth.against == "year_before"
        back = _IN_A_YEAR.get(growth.unit, 1) if is_year else 1
        # What a period is compared with may lie before the asked ones: they are chosen afterwards.
        asked = self._taken(column)
        when = {"date_col": column, "unit": growth.unit, "by": others}
        self.step(op="resample", metrics=_metrics([measure]), **when)
        metric = self._metric(measure)
        lag = {"column": metric, "order_by": column, "by": others, "periods": back}
        is_ranked = frame.is_superlative or frame.limit is not None
        if not asked and frame.direction is None and not is_ranked:
            self.add(op="lag", **lag)
            return
        self.step(op="lag", **lag)
        change = f"{metric}_{self._change}"
        self._filters = asked
        if frame.direction is not None and not is_ranked:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (_condition(change, op, value=0),)
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        n = (frame.limit or 1) if is_ranked else MOST_GROUPS
        self._ranked([change] if is_ranked else [], n, ascending=is_least)

    # ---- operations of their own ----

    def _special(self, op: str) -> None:  # noqa: PLR0912 - one after the other
        frame = self.frame
        known = self.scene.columns
        numbers = [one for one in frame.columns if one in known and known[one].is_measure]
        words = [name for name in frame.columns if name not in numbers] + self._names
        word = words[0] if words else None
        method = frame.options.get("method")
        match op:
            case "overview":
                self.add(op="dataset_overview")
            case "duplicates":
                self.add(op="duplicate_check", columns=frame.columns)
            case "missingness":
                self.add(op="missingness", columns=frame.columns)
            case "summary" if words and numbers:
                metrics = dict.fromkeys(numbers, _SUMMARY)
                self.add(op="groupby_agg", group_cols=words, metrics=metrics)
            case "summary":
                self.add(op="column_summary", columns=frame.columns)
            case "distribution" | "normality":
                self._distribution(op, numbers, words)
            case "outliers":
                _require(len(numbers) == 1)
                threshold = frame.options.get("threshold")
                fields = {"method": method, "by": word, "threshold": threshold}
                self.add(op="outliers", column=numbers[0], **fields)
            case "correlation":
                _require(len(numbers) != 1, numbers or not words)
                if word is not None and word not in frame.options.get("marked", ()):
                    self._chooser.cost += 1.0
                pairs = {"columns": numbers, "only_named": len(numbers) > 1 or None}
                also = frame.options.get("also_method")
                self.beside(op="correlation_matrix", method=method, by=word, **pairs)
                if also is not None:
                    self.beside(op="correlation_matrix", method=also, **pairs)
                if len(numbers) == 2:
                    marks = {"color": word or frame.colour, "facet": frame.facet}
                    self.add(kind="scatter", x=numbers[0], y=numbers[1], **marks)
            case "test":
                self._test(numbers, words)
            case "normalize":
                _require(numbers)
                self.add(op="normalize", columns=numbers, method=method)
            case _:
                _require(op == "cohort", self.scene.dates, words)
                self.add(op="cohort", id_col=word, date_col=self.scene.dates[0], as_share=True)

    def _distribution(self, op: str, numbers: list[str], words: list[str]) -> None:
        chart = self.frame.chart
        number, word = next(iter(numbers), None), next(iter(words), None)
        axes = {"y": number, "x": word} if chart == "box" else {"x": number, "color": word}
        if not numbers:
            _require(words)
            self.add(op="groupby_agg", group_cols=words, metrics={})
        elif chart is not None:
            self.add(kind="hist" if chart == "any" else chart, **axes)
        else:
            test = "shapiro" if op == "normality" else None
            columns = {"columns": numbers, "by": words}
            self.beside(op="distribution", normality=test, **columns)
            if len(numbers) == 1 and op == "distribution" and len(words) < 2:
                self.add(kind="hist", **axes)

    def _test(self, numbers: list[str], words: list[str]) -> None:
        test, compared = self.frame.options.get("test"), self.frame.options.get("compared")
        groups = None
        if compared:
            words = [compared]
            taken = self._taken(compared)
            groups = next((one.value for one in taken if isinstance(one, Among)), None)
        if test == "chi2" or (not numbers and len(words) == 2):
            _require(len(words) == 2)
            self.add(op="compare_groups", value_col=words[0], group_col=words[1], test="chi2")
            return
        _require(len(numbers) == 1, len(words) == 1)
        fields = {"value_col": numbers[0], "group_col": words[0], "groups": groups}
        self.add(op="compare_groups", test=test, **fields)

    # ---- charts ----

    def _is_along(self, group: Group) -> bool:
        known = self.scene.columns.get(group.column)
        return group.unit is not None or (known is not None and known.is_year)

    def _natural_chart(self, numbers: list[str]) -> str:
        groups = self.frame.groups
        if any(map(self._is_along, groups)):
            return "line"
        is_told = self.frame.options.get("told_aggregates")
        if len(numbers) == 2 and len(groups) < 2 and not is_told:
            return "scatter"
        return "hist" if not groups and len(numbers) == 1 else "bar"

    def _chart(self) -> None:
        frame, groups, kind = self.frame, self.frame.groups, self.frame.chart or "any"
        measures = [measure for measure in frame.measures if measure.column is not None]
        numbers = list(dict.fromkeys(measure.column or "" for measure in measures))
        kind = self._natural_chart(numbers) if kind == "any" else kind
        if not groups and frame.colour and kind in ("bar", "line"):
            groups, frame.colour = [Group(frame.colour)], None
        if frame.chart in ("any", "bar") and not groups and len(numbers) == 1:
            kind = "hist"  # bars of one number: how often it is what
        first = groups[0].column if groups else None
        fields: dict[str, Any] = {"kind": kind, "color": frame.colour, "facet": frame.facet}
        match kind:
            case "heatmap":
                _require(len(groups) == 2, len(frame.measures) == 1)
                fields = {"kind": kind, **_axis(groups[0]), **_axis(groups[1], "by")}
                fields |= _figure(frame.measures[0], "y")
            case "scatter":
                _require(len(numbers) == 2)
                fields |= {"x": numbers[0], "y": numbers[1]}
                if frame.options.get("is_apart") and frame.facet is None:
                    fields["facet"] = first
                else:
                    fields["color"] = frame.colour or first
            case "hist" if not numbers and len(groups) == 1:
                fields = {"kind": "bar", "x": first}
            case "hist":
                _require(len(numbers) == 1)
                if frame.options.get("told_aggregates"):
                    names, metrics = [one.column for one in groups], _metrics(frame.measures)
                    self.beside(op="groupby_agg", group_cols=names, metrics=metrics)
                bins = frame.options.get("bins")
                fields |= {"x": numbers[0], "color": frame.colour or first, "bins": bins}
            case "box":
                _require(len(numbers) == 1)
                fields |= {"y": numbers[0], **(_axis(groups[0]) if groups else {})}
            case _:
                _require(groups, len(measures) <= 1)
                fields |= self._bars(kind, groups)
        self.add(**fields)

    def _bars(self, kind: str, groups: list[Group]) -> dict[str, Any]:
        frame = self.frame
        axis = next(filter(self._is_along, groups), groups[0])
        others = [group.column for group in groups if group is not axis]
        _require(len(others) <= 1, not (others and frame.colour))
        fields = {**_axis(axis), **_figure(frame.measures[0], "y")}
        fields["color"] = others[0] if others else frame.colour
        if kind == "bar":
            fields |= {"stacked": frame.is_stacked or None, "top_k": frame.limit}
            if frame.ascending is not None:
                fields["sort"] = "value_asc" if frame.ascending else "value_desc"
        return fields
