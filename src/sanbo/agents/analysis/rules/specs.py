"""From what a question asks for to operations in a row; each names whose result it takes."""

from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

from pydantic import TypeAdapter

from sanbo.agents.analysis.rules.frame import Chooser, Frame, Group, Having, Measure
from sanbo.agents.analysis.rules.scene import FEW, Scene
from sanbo.agents.analysis.spec.filters import Among, Compare, CompareStat, Filter
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import AnySpec, PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Aggregate, metric_name

Spec = AnalysisSpec | PlotSpec
_SPEC = TypeAdapter[Spec](AnySpec)
ROWS = 100
"""Listed, where nothing says how many."""
_NEARLY_ALL = 0.97
MOST_GROUPS = 100_000
MOST_BARS = 60


class NotMeant(Exception):
    """What was read can't be computed together."""


def specs_of(frame: Frame, scene: Scene, chooser: Chooser, first: int) -> tuple[Spec, ...]:
    """`first`: the number of the first result."""
    builder = _Builder(replace(frame), scene, chooser, first)
    builder.build()
    if not builder.made:
        raise NotMeant
    return tuple(builder.made)


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
            column, op = stat
            self._filters += (
                CompareStat.model_validate({"col": column, "op": op, "stat": "mean"}),
            )

    # ---- adding ----

    def add(self, **fields: Any) -> str:
        """One more operation on what there is; conditions go with the first."""
        kind = "plot" if "kind" in fields else "analysis"
        data = {"type": kind, "input": self._input, "filters": self._filters, **fields}
        self.made.append(_SPEC.validate_python({k: v for k, v in data.items() if v is not None}))
        result = f"r{self._first + len(self.made) - 1}"
        if kind == "analysis":
            self._filters = ()
        return result

    def step(self, **fields: Any) -> None:
        """An operation whose result the next one takes."""
        self._input = self.add(**fields)

    # ---- the whole ----

    def build(self) -> None:  # noqa: PLR0912
        frame = self.frame
        for step in frame.steps:
            if step == "dedup":
                self.step(op="dedup")
            else:
                numbers = list(self.scene.measures)
                self.step(op="impute", columns=numbers, method=step.removeprefix("fill_"))
        if fill := frame.options.get("fill"):
            self.step(op="impute", columns=[fill[0]], method=fill[1])
        if against := frame.options.get("against"):
            left, op, right = against
            name = f"{left}−{right}"
            of = {"left": {"fn": "column", "name": left}, "right": {"fn": "column", "name": right}}
            kept, self._filters = self._filters, ()
            self.step(op="derive", name=name, expression={"fn": "subtract", **of})
            self._filters = (*kept, Compare.model_validate({"col": name, "op": op, "value": 0}))
        if frame.formula is not None and self._formula():
            return
        if frame.op is not None:
            self._special(frame.op)
            return
        self._against_few()
        if frame.chart in (None, "any") and self._is_pair:
            frame.chart = "scatter"
        self._groups()
        self._measures()
        if frame.is_share and not self._is_time:
            self._share()
        elif frame.growth is not None:
            self._growth()
        elif self._wants_rows:
            self._rows()
        elif frame.chart is not None and not self._needs_table:
            self._chart()
        elif self._is_time:
            self._over_time()
        elif frame.options.get("pivot") and len(frame.groups) == 2:
            self._pivot()
        else:
            self._grouped()

    def _against_few(self) -> None:
        """Average mpg against cylinders: a number of few different ones is grouped by."""
        frame = self.frame
        is_against = frame.options.get("is_compared") or frame.chart
        if frame.groups or len(frame.measures) != 2 or frame.chart == "scatter" or not is_against:
            return
        told = [one for one in frame.measures if one.agg is not None or one.column is None]
        open_ = [one for one in frame.measures if one.agg is None and one.column is not None]
        if len(told) == 1 and len(open_) == 1:
            column = self.scene.profile.column(open_[0].column or "")
            if column is not None and column.distinct <= FEW:
                frame.measures, frame.groups = told, [Group(column.name)]

    @property
    def _is_pair(self) -> bool:
        """Price against quantity: two numbers, nothing computed of them."""
        measures = self.frame.measures
        return (
            len(measures) == 2
            and all(one.column is not None and one.agg is None for one in measures)
            and bool(self.frame.options.get("is_compared"))
        )

    def _drawn(self) -> None:
        """A chart of what was computed costs nothing: one goes with groups and periods."""
        frame = self.frame
        if frame.options.get("no_chart") or len(frame.measures) != 1 or not frame.groups:
            return
        profile = self.scene.profile
        for group in frame.groups:
            column = profile.column(group.column)
            if group.unit is None and (column is None or not 1 < column.distinct <= MOST_BARS):
                return
        kept = frame.chart
        frame.chart = "any"
        with suppress(NotMeant):
            self._chart()
        frame.chart = kept

    @property
    def _is_time(self) -> bool:
        return any(group.unit is not None for group in self.frame.groups)

    @property
    def _needs_table(self) -> bool:
        frame = self.frame
        return bool(frame.having or frame.is_cumulative or frame.rolling)

    # ---- groups and measures ----

    def _groups(self) -> None:
        frame = self.frame
        compared = frame.options.get("compared")
        names = [group.column for group in frame.groups]
        if compared and compared not in names and not frame.is_share:
            is_sum = any(measure.agg == "sum" for measure in frame.measures)
            other = 0.5 if is_sum and not frame.options.get("is_compared") else 1.0
            options = [("apart", 0.0), ("together", other)]
            if frame.options.get("is_only"):
                options = [("together", 0.0), ("apart", 1.0)]
            how = self.choose("compared", options)
            if how == "apart":
                frame.groups = [*frame.groups, Group(compared)]
        groups: list[Group] = []
        for group in frame.groups:
            groups.append(self._binned(group))
        frame.groups = groups

    def _binned(self, group: Group) -> Group:
        known = self.scene.columns.get(group.column)
        if known is None or not (group.width or group.parts):
            return group
        of = {"fn": "column", "name": group.column}
        name = f"{group.column}（{group.width or group.parts:g}）"
        if group.parts:
            expression: dict[str, Any] = {
                "fn": "bin",
                "of": of,
                "count": group.parts,
                "quantiles": True,
            }
        else:
            low, high, width = known.profile.minimum, known.profile.maximum, group.width or 1
            if not isinstance(low, int | float) or not isinstance(high, int | float):
                raise NotMeant
            start = low // width * width
            edges = [start]
            while edges[-1] <= high and len(edges) < 500:
                edges.append(edges[-1] + width)
            expression = {"fn": "bin", "of": of, "edges": edges}
            if known.profile.type == "integer" and float(width).is_integer():
                pairs = pairwise(edges)
                expression["labels"] = [f"{low:g}–{high - 1:g}" for low, high in pairs]
        self.step(op="derive", name=name, expression=expression)
        return Group(name)

    def _measures(self) -> None:
        """What was not said: how a number is put together for a group."""
        frame = self.frame
        frame.options["told_aggregates"] = any(one.agg and one.column for one in frame.measures)
        made: list[Measure] = []
        # 平均と合計: an aggregate alone goes with the column that another has.
        for measure in frame.measures:
            if measure.agg is not None or measure.column is None:
                made.append(replace(measure, agg=measure.agg or "count"))
                continue
            if any(one.column == measure.column and one.agg for one in frame.measures):
                continue
            if self._wants_rows_of(measure):
                made.append(measure)
                continue
            made.append(replace(measure, agg=self._agg(measure.column)))
        if (
            not made
            and not self._wants_rows
            and (frame.groups or frame.conditions or frame.is_share)
        ):
            made = [Measure(None, "count")]
            frame.is_count_guessed = True
        frame.measures = made

    def _agg(self, column: str) -> Aggregate:
        if column not in self.scene.columns:
            return "sum"
        known = self.scene.columns[column]
        if self.frame.chart in ("scatter", "hist", "box"):
            return "mean"
        if known.adds is True:
            return self.choose(f"agg:{column}", [("sum", 0.0), ("mean", 1.2)])
        if known.adds is False:
            options: list[tuple[Aggregate, float]] = (
                [("mean", 0.0), ("max", 0.9)]
                if self.frame.is_superlative
                else [("mean", 0.0), ("sum", 1.5)]
            )
            return self.choose(f"agg:{column}", options)
        return self.choose(f"agg:{column}", [("sum", 0.4), ("mean", 0.6)])

    def _wants_rows_of(self, measure: Measure) -> bool:
        return self._wants_rows and measure.agg is None

    @property
    def _wants_rows(self) -> bool:
        """Rows as they stand: a list, or the first of things that have one row each."""
        frame = self.frame
        if frame.growth is not None or frame.is_share or frame.chart is not None or self._is_time:
            return False
        if any(measure.agg is not None for measure in frame.measures):
            return False
        if frame.wants_rows:
            is_ranked = frame.ascending is not None and bool(frame.measures) and frame.limit
            return not frame.groups or self._is_each_row or bool(is_ranked)
        if frame.ascending is not None and frame.measures:
            is_rows = frame.options.get("is_rows", False) and (frame.limit or frame.is_superlative)
            return not frame.groups or self._is_each_row or bool(is_rows)
        return False

    @property
    def _is_each_row(self) -> bool:
        return any(map(self._is_row, self.frame.groups))

    def _is_row(self, group: Group) -> bool:
        column = self.scene.profile.column(group.column)
        rows = self.scene.profile.rows
        return column is not None and column.distinct >= _NEARLY_ALL * (rows - column.missing)

    def _metrics(self) -> dict[str, list[str]]:
        metrics: dict[str, list[str]] = {}
        for measure in self.frame.measures:
            if measure.column is not None and measure.agg is not None:
                metrics.setdefault(measure.column, []).append(measure.agg)
        return metrics

    def _metric(self, measure: Measure | None = None) -> str:
        """The result's column that order and conditions look at."""
        measure = measure or self.frame.measures[0]
        if measure.column is None:
            return ROW_COUNT
        return metric_name(measure.column, measure.agg or "sum")

    def _formula(self) -> bool:
        """A figure that the question defines; whether that is the whole answer."""
        frame, formula = self.frame, self.frame.formula
        assert formula is not None
        is_mean = any(one.agg == "mean" for one in frame.measures)
        is_mean |= frame.options.get("mean_of_formula", False)
        level: str = formula.level
        if level == "open":
            sums, rows = ("sums", 0.0), ("rows", 1.0)
            if is_mean or self._ranks_rows or formula.tree["fn"] in ("subtract", "add"):
                sums, rows = ("sums", 1.0), ("rows", 0.0)
            level = self.choose("formula", sorted((sums, rows), key=lambda one: one[1]))
        if level == "sums":
            self._groups()
            self._of_sums()
            return True
        self.step(op="derive", name=formula.name, expression=formula.tree)
        measures = [one for one in frame.measures if one.column not in (None, *formula.columns)]
        default: Aggregate | None = "mean" if formula.tree["fn"] == "divide" else "sum"
        if self._ranks_rows:
            default = None
        frame.measures = [*measures, Measure(formula.name, "mean" if is_mean else default)]
        return False

    @property
    def _ranks_rows(self) -> bool:
        """差が大きい商品を3つ: rows in an order, and nothing is grouped."""
        frame = self.frame
        is_rows = frame.wants_rows or bool(frame.options.get("is_rows"))
        is_ranked = frame.ascending is not None and (is_rows or frame.limit is not None)
        return is_ranked and not frame.groups

    def _of_sums(self) -> None:
        """粗利率: of the sums of each group."""
        frame, formula = self.frame, self.frame.formula
        assert formula is not None
        if frame.having or frame.growth or frame.is_share or (frame.chart and self._is_time):
            raise NotMeant
        metrics = {column: ["sum"] for column in formula.columns}
        for measure in frame.measures:
            if measure.column is not None and measure.agg not in ("sum", None):
                metrics.setdefault(measure.column, []).append(measure.agg)
        time = next((group for group in frame.groups if group.unit is not None), None)
        others = [group.column for group in frame.groups if group.unit is None]
        if time is not None:
            fields = {"date_col": time.column, "unit": time.unit, "by": others}
            self.step(op="resample", metrics=metrics, **fields)
        else:
            self.step(op="groupby_agg", group_cols=others, metrics=metrics)
        sums = {column: metric_name(column, "sum") for column in formula.columns}
        expression = formula.over(sums)
        if frame.ascending is None:
            self.add(op="derive", name=formula.name, expression=expression)
            return
        self.step(op="derive", name=formula.name, expression=expression)
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self.add(op="top_rows", by=[formula.name], ascending=frame.ascending, n=n)

    # ---- kinds of answers ----

    def _sort(self) -> dict[str, Any] | None:
        if self.frame.ascending is None:
            return None
        return {"by": self._metric(), "ascending": self.frame.ascending}

    @property
    def _top(self) -> int | None:
        return self.frame.limit

    def _grouped(self) -> None:
        frame = self.frame
        if not frame.measures:
            raise NotMeant
        if (by := frame.options.get("counted_by")) and not frame.groups:
            self.add(kind="hist", x=by)  # the number of films by their length
            return
        names = [group.column for group in frame.groups]
        has_rows = any(measure.column is None for measure in frame.measures)
        metrics = self._metrics()
        counted = [m for m in frame.measures if m.agg == "nunique" and m.column in names]
        if frame.having:
            self._having(names)
            return
        for measure in counted:
            metrics.pop(measure.column or "", None)
            names = [name for name in names if name != measure.column]
            metrics[measure.column or ""] = ["nunique"]
        if len(names) >= 2 and frame.limit is not None:
            how = self.choose("per", [("each", 0.0), ("all", 1.0)])
            if how == "each":
                self.step(op="groupby_agg", group_cols=names, metrics=metrics)
                self.add(
                    op="top_rows",
                    by=[self._metric()],
                    ascending=bool(frame.ascending),
                    n=frame.limit,
                    per=names[0],
                )
                return
        if has_rows and metrics:
            column = names[0] if names else next(iter(metrics))
            metrics.setdefault(column, [])
            if "count" not in metrics[column]:
                metrics[column].append("count")
        filters, source = self._filters, self._input
        self.add(
            op="groupby_agg",
            group_cols=names,
            metrics=metrics,
            sort=self._sort() if names else None,
            top_k=self._top if names else None,
        )
        self._filters, self._input = filters, source
        if names and not counted:
            self._drawn()

    def _having(self, names: list[str]) -> None:
        frame = self.frame
        measures = list(frame.measures)
        conditions: list[dict[str, Any]] = []
        counted = [m for m in measures if m.agg == "nunique" and m.column in names]
        for having in frame.having:
            measure = self._measure_of(having)
            if measure not in measures:
                measures.append(measure)
            if having.value == "mean":
                conditions.append({"col": self._metric(measure), "op": having.op, "stat": "mean"})
            else:
                conditions.append(
                    {"col": self._metric(measure), "op": having.op, "value": having.value}
                )
        if not names:
            raise NotMeant
        frame.measures = [
            m
            for m in measures
            if m not in counted
            and not (m.column is None and len(measures) > 1 and not frame.options.get("x"))
        ] or measures
        frame.measures.sort(key=lambda m: m.column is None)
        self.step(op="groupby_agg", group_cols=names, metrics=self._metrics())
        if counted:
            self._filters = tuple(_filter(one) for one in conditions)
            self.add(op="groupby_agg", group_cols=[], metrics={})
            return
        self._filters = tuple(_filter(one) for one in conditions)
        ascending = bool(frame.ascending)
        self.add(
            op="top_rows", by=[self._metric()], ascending=ascending, n=frame.limit or MOST_GROUPS
        )

    def _having_over_time(self, time: Group, others: list[str]) -> None:
        """月の売上が1,000万円以上だった月は何回: periods that meet it, counted or listed."""
        frame = self.frame
        wanted = [self._measure_of(having) for having in frame.having]
        conditions = [
            {"col": self._metric(measure), "op": having.op, "value": having.value}
            for measure, having in zip(wanted, frame.having, strict=True)
            if having.value != "mean"
        ]
        if len(conditions) != len(frame.having):
            raise NotMeant
        metrics: dict[str, list[str]] = {}
        for measure in wanted:
            if measure.column is not None and measure.agg is not None:
                metrics.setdefault(measure.column, []).append(measure.agg)
        self.step(op="resample", date_col=time.column, unit=time.unit, metrics=metrics, by=others)
        self._filters = tuple(_filter(one) for one in conditions)
        if any(measure.column is None for measure in frame.measures):
            self.add(op="groupby_agg", group_cols=others, metrics={})
        else:
            self.add(op="top_rows", n=MOST_GROUPS)

    def _measure_of(self, having: Having) -> Measure:
        if having.column is None:
            return Measure(None, "count")
        agg: Aggregate | None = having.agg or next(
            (m.agg for m in self.frame.measures if m.column == having.column), None
        )
        return Measure(having.column, agg or self._agg(having.column))

    def _rows(self) -> None:
        frame = self.frame
        by = [measure.column for measure in frame.measures if measure.column][:1]
        if by and frame.ascending is not None:
            n = frame.limit or (1 if frame.is_superlative else ROWS)
            others = [group.column for group in frame.groups if not self._is_row(group)]
            self.add(
                op="top_rows",
                by=by,
                ascending=frame.ascending,
                n=n,
                per=others[0] if others else None,
            )
        else:
            self.add(op="top_rows", n=frame.limit or ROWS)

    def _over_time(self) -> None:
        frame = self.frame
        time = next(group for group in frame.groups if group.unit is not None)
        others = [group.column for group in frame.groups if group is not time]
        metrics = self._metrics()
        needs_more = frame.is_cumulative or frame.rolling
        sort = self._sort() if not needs_more else None
        fields: dict[str, Any] = {
            "date_col": time.column,
            "unit": time.unit,
            "metrics": metrics,
            "by": others,
        }
        measure = frame.measures[0]
        if measure.agg == "mean" and measure.column and frame.options.get("period_mean"):
            known = self.scene.columns.get(measure.column)
            adds = known is None or known.adds is not False
            how = self.choose(
                "period_mean", [("of", 0.2), ("in", 0.6)] if adds else [("in", 0.2), ("of", 0.6)]
            )
            if how == "of":
                self.step(
                    op="resample",
                    date_col=time.column,
                    unit=time.unit,
                    metrics={measure.column: ["sum"]},
                    by=others,
                )
                self.add(
                    op="groupby_agg",
                    group_cols=others,
                    metrics={metric_name(measure.column, "sum"): ["mean"]},
                )
                return
        if needs_more:
            self.step(op="resample", **fields)
            if frame.is_cumulative:
                self.add(op="cumulative", column=self._metric(), order_by=time.column, by=others)
            else:
                self.add(
                    op="rolling",
                    column=self._metric(),
                    order_by=time.column,
                    by=others,
                    window=frame.rolling,
                )
        elif frame.options.get("pivot") and len(others) == 1:
            measure = frame.measures[0]
            self.add(
                op="pivot",
                rows=[time.column],
                row_unit=time.unit,
                columns=others[0],
                value=measure.column,
                agg=measure.agg if measure.column else None,
            )
        elif frame.is_superlative and len(others) == 1 and not frame.limit:
            self.step(op="resample", **fields)  # 店舗ごとに、一番少なかった月
            ascending = bool(frame.ascending)
            self.add(op="top_rows", by=[self._metric()], ascending=ascending, n=1, per=others[0])
        elif frame.having:
            self._having_over_time(time, others)
        else:
            filters, source = self._filters, self._input
            self.add(op="resample", **fields, sort=sort, top_k=frame.limit)
            self._filters, self._input = filters, source
            if frame.limit is None:
                self._drawn()

    def _pivot(self) -> None:
        measure = self.frame.measures[0]
        row, column = self.frame.groups
        self.add(
            op="pivot",
            rows=[row.column],
            columns=column.column,
            value=measure.column,
            agg=measure.agg if measure.column else None,
            row_unit=row.unit,
            column_unit=column.unit,
        )

    def _share(self) -> None:
        frame = self.frame
        measure = frame.measures[0] if frame.measures else Measure(None, "count")
        part = frame.options.get("single")
        if len(self._filters) > 1 and not frame.groups:
            self._chooser.cost += 1.0  # which of the conditions is the part?
        if part is not None and part not in [group.column for group in frame.groups]:
            how = self.choose("part", [("part", 0.0), ("only", 1.0)])
            if how == "part":
                kept = [one for one in self._filters if getattr(one, "col", None) == part]
                self._filters = tuple(one for one in self._filters if one not in kept)
                is_plain = frame.chart is None and measure.agg in ("sum", "count", None)
                if len(frame.groups) == 1 and is_plain:
                    within = frame.groups[0].column
                    self.step(
                        op="share_ratio", group_col=part, value_col=measure.column, within=within
                    )
                    self._filters = tuple(kept)
                    n = frame.limit or MOST_GROUPS
                    ascending = bool(frame.ascending)
                    by = [] if frame.ascending is None else ["share"]
                    self.add(op="top_rows", by=by, ascending=ascending, n=n)
                    return
                frame.groups = [*frame.groups, Group(part)]
        elif not frame.groups and len(self._filters) == 1 and isinstance(self._filters[0], Compare):
            self._share_of_rows(self._filters[0])
            return
        if not frame.groups:
            single = frame.options.get("single") or frame.options.get("compared")
            if single is None:
                raise NotMeant
            self._filters = tuple(
                one for one in self._filters if getattr(one, "col", None) != single
            )
            frame.groups = [Group(single)]
        if measure.column is not None and measure.agg not in ("sum", None):
            raise NotMeant
        group = frame.groups[-1]
        within = frame.groups[0].column if len(frame.groups) == 2 else None
        if frame.chart in ("pie", "any", "bar"):
            kind = "pie" if frame.chart == "any" else frame.chart
            self.add(
                kind=kind,
                x=group.column,
                y=measure.column,
                agg="sum" if measure.column else None,
                normalized=True if kind == "bar" and within else None,
            )
            return
        self.add(op="share_ratio", group_col=group.column, value_col=measure.column, within=within)

    def _share_of_rows(self, condition: Compare) -> None:
        """満足度が4以上の割合: of all rows."""
        known = self.scene.columns.get(condition.col)
        if known is None or not known.is_measure:
            raise NotMeant
        name = f"{condition.col} {condition.op} {condition.value}"
        left = {"fn": "column", "name": condition.col}
        right = {"fn": "constant", "value": condition.value}
        self._filters = ()
        self.step(
            op="derive",
            name=name,
            expression={"fn": "compare", "left": left, "op": condition.op, "right": right},
        )
        self.step(op="share_ratio", group_col=name)
        self._filters = (Compare(col=name, op="==", value=True),)
        self.add(op="top_rows", n=1)

    def _growth(self) -> None:
        frame = self.frame
        assert frame.growth is not None
        if not self.scene.dates:
            self._growth_of_years()
            return
        time = next((group for group in frame.groups if group.unit is not None), None)
        column = time.column if time else self.choose("date", self.scene.date_options)
        others = [group.column for group in frame.groups if group.unit is None]
        measure = self._grown()
        unit = frame.growth.unit
        period = next(
            (
                one
                for one in self._filters
                if isinstance(one, Compare) and one.col == column and one.op == "=="
            ),
            None,
        )
        if period is not None and time is not None and time.unit == unit:
            time = None  # 2025年度 against the year before: two, and no series
        is_series = time is not None or frame.is_trend
        if not is_series and not others and period is None and frame.direction is None:
            is_series = self.choose("growth", [(True, 0.2), (False, 0.5)])
        if is_series or (frame.direction and not others and period is None):
            self._series(column, measure, others)
            return
        self._filters = tuple(one for one in self._filters if one is not period)
        self.add(
            op="compare_periods",
            date_col=column,
            unit=unit,
            column=measure.column,
            agg=measure.agg if measure.column else None,
            by=others,
            against=frame.growth.against,
            period=str(period.value) if period is not None else None,
            only=frame.direction,
            top_k=frame.limit,
            sort=None
            if frame.ascending is None and not frame.is_superlative
            else (
                "difference_asc"
                if frame.ascending or frame.direction == "decreased"
                else "difference_desc"
            ),
        )

    def _grown(self) -> Measure:
        """What grows, where nothing says so: a number that adds up, or rows."""
        frame = self.frame
        if frame.measures and not frame.is_count_guessed:
            return frame.measures[0]
        adding = [
            name for name in self.scene.measures if self.scene.columns[name].adds is not False
        ]
        first = 0.0 if len(adding) == 1 else 0.5
        options = [(name, first + 0.2 * n) for n, name in enumerate(adding[:2])]
        name = self.choose("grown", [*options, ("", 1.0 if options else 0.0)])
        return Measure(name, "sum") if name else Measure(None, "count")

    def _series(self, column: str, measure: Measure, others: list[str]) -> None:
        """Each period beside the one before; only those that rose or fell, or the largest step."""
        frame = self.frame
        assert frame.growth is not None
        unit, against = frame.growth.unit, frame.growth.against
        back = {"month": 12, "quarter": 4}.get(unit, 1) if against == "year_before" else 1
        # What a period is compared with may lie before the asked ones: they are chosen afterwards.
        asked = tuple(one for one in self._filters if getattr(one, "col", None) == column)
        self._filters = tuple(one for one in self._filters if one not in asked)
        self.step(op="resample", date_col=column, unit=unit, by=others, metrics=_of(measure))
        metric = self._metric(measure)
        change = f"{metric}_difference"
        lag = {"column": metric, "order_by": column, "by": others, "periods": back}
        is_ranked = frame.is_superlative or frame.limit is not None
        if not asked and frame.direction is None and not is_ranked:
            self.add(op="lag", **lag)
            return
        self.step(op="lag", **lag)
        self._filters = asked
        if frame.direction is not None and not is_ranked:
            op = "<" if frame.direction == "decreased" else ">"
            self._filters += (_filter({"col": change, "op": op, "value": 0}),)
        is_least = bool(frame.ascending) or frame.direction == "decreased"
        self.add(
            op="top_rows",
            by=[change] if is_ranked else [],
            ascending=is_least,
            n=(frame.limit or 1) if is_ranked else MOST_GROUPS,
        )

    def _growth_of_years(self) -> None:
        """Years that stand as numbers: 1970, 1971."""
        frame = self.frame
        years = self.scene.years
        assert frame.growth is not None
        if frame.growth.unit != "year" or not years or frame.direction or not frame.measures:
            raise NotMeant
        others = [group.column for group in frame.groups if group.column != years[0]]
        if others or any(getattr(one, "col", None) == years[0] for one in self._filters):
            raise NotMeant
        measure = frame.measures[0]
        self.step(op="groupby_agg", group_cols=[years[0]], metrics=_of(measure))
        self.add(op="lag", column=self._metric(measure), order_by=years[0])

    # ---- operations of their own ----

    def _special(self, op: str) -> None:  # noqa: PLR0912, PLR0915
        frame = self.frame
        columns = frame.columns
        numbers = [
            name
            for name in columns
            if name in self.scene.columns and self.scene.columns[name].is_measure
        ]
        words = [name for name in columns if name not in numbers] + [
            g.column for g in frame.groups if g.unit is None
        ]
        method = frame.options.get("method")
        if frame.ascending is not None or frame.limit is not None or frame.having:
            raise NotMeant
        match op:
            case "overview":
                self.add(op="dataset_overview")
            case "duplicates":
                self.add(op="duplicate_check", columns=columns)
            case "missingness":
                self.add(op="missingness", columns=columns)
            case "summary":
                if words and numbers:
                    stats = ["count", "mean", "std", "min", "median", "max"]
                    self.add(
                        op="groupby_agg", group_cols=words, metrics=dict.fromkeys(numbers, stats)
                    )
                else:
                    self.add(op="column_summary", columns=columns)
            case "distribution" | "normality":
                if not numbers and words:
                    self.add(op="groupby_agg", group_cols=words, metrics={})
                elif frame.chart is not None and numbers:
                    self.add(
                        kind="hist" if frame.chart == "any" else frame.chart,
                        **_axes(frame.chart, numbers[0], words),
                    )
                elif numbers:
                    normality = "shapiro" if op == "normality" else None
                    filters = self._filters
                    self.add(op="distribution", columns=numbers, by=words, normality=normality)
                    if len(numbers) == 1 and op == "distribution" and len(words) < 2:
                        self._filters = filters
                        self.add(kind="hist", **_axes("hist", numbers[0], words))
                else:
                    raise NotMeant
            case "outliers":
                if len(numbers) != 1:
                    raise NotMeant
                self.add(
                    op="outliers", column=numbers[0], method=method, by=words[0] if words else None
                )
            case "correlation":
                if words and not numbers:
                    raise NotMeant
                if len(numbers) == 1:
                    raise NotMeant
                filters = self._filters
                self.add(
                    op="correlation_matrix",
                    columns=numbers,
                    only_named=len(numbers) > 1 or None,
                    method=method,
                    by=words[0] if words else None,
                )
                if also := frame.options.get("also_method"):
                    self._filters = filters
                    self.add(
                        op="correlation_matrix",
                        columns=numbers,
                        only_named=len(numbers) > 1 or None,
                        method=also,
                    )
                if len(numbers) == 2:
                    self._filters = filters
                    self.add(
                        kind="scatter",
                        x=numbers[0],
                        y=numbers[1],
                        color=words[0] if words else frame.colour,
                        facet=frame.facet,
                    )
            case "test":
                self._test(numbers, words)
            case "normalize":
                if not numbers:
                    raise NotMeant
                self.add(op="normalize", columns=numbers, method=method)
            case "cohort":
                dates = self.scene.dates
                if not dates or not words:
                    raise NotMeant
                self.add(op="cohort", id_col=words[0], date_col=dates[0], as_share=True)
            case _:
                raise NotMeant

    def _test(self, numbers: list[str], words: list[str]) -> None:
        frame = self.frame
        test = frame.options.get("test")
        compared = frame.options.get("compared")
        groups = None
        if compared and not words:
            words = [compared]
        if compared in words:
            groups = next(
                (
                    one.value
                    for one in self._filters
                    if isinstance(one, Among) and one.col == compared
                ),
                None,
            )
            self._filters = tuple(
                one for one in self._filters if getattr(one, "col", None) != compared
            )
        if test == "chi2" or (not numbers and len(words) == 2):
            if len(words) != 2:
                raise NotMeant
            self.add(op="compare_groups", value_col=words[0], group_col=words[1], test="chi2")
            return
        if len(numbers) != 1 or len(words) != 1:
            raise NotMeant
        self.add(
            op="compare_groups", value_col=numbers[0], group_col=words[0], test=test, groups=groups
        )

    # ---- charts ----

    def _is_year(self, group: Group) -> bool:
        known = self.scene.columns.get(group.column)
        return known is not None and known.is_year

    def _chart(self) -> None:  # noqa: PLR0912, PLR0915
        frame = self.frame
        measures = [measure for measure in frame.measures if measure.column is not None]
        numbers = list(dict.fromkeys(measure.column for measure in measures))
        groups = frame.groups
        kind = frame.chart
        if kind == "any":
            if self._is_time or any(map(self._is_year, groups)):
                kind = "line"
            elif len(numbers) == 2 and len(groups) < 2 and not frame.options.get("told_aggregates"):
                kind = "scatter"
            elif not groups and len(numbers) == 1:
                kind = "hist"
            else:
                kind = "bar"
        if not groups and frame.colour and kind in ("bar", "line"):
            groups, frame.colour = [Group(frame.colour)], None
        if frame.chart in ("any", "bar") and not groups and len(numbers) == 1:
            kind = "hist"  # bars of one number: how often it is what
        extra: dict[str, Any] = {"color": frame.colour, "facet": frame.facet}
        match kind:
            case "heatmap":
                if len(groups) != 2 or len(frame.measures) != 1:
                    raise NotMeant
                first, second = groups
                measure = frame.measures[0]
                self.add(
                    kind="heatmap",
                    x=first.column,
                    x_unit=first.unit,
                    by=second.column,
                    by_unit=second.unit,
                    y=measure.column,
                    agg=measure.agg if measure.column else None,
                )
            case "scatter":
                if len(numbers) != 2:
                    raise NotMeant
                other = groups[0].column if groups else None
                apart = other if frame.options.get("is_apart") and frame.facet is None else None
                colour = frame.colour or (other if apart is None else None)
                self.add(
                    kind="scatter",
                    x=numbers[0],
                    y=numbers[1],
                    color=colour,
                    facet=apart or frame.facet,
                )
            case "hist":
                if len(numbers) != 1:
                    if not numbers and len(groups) == 1:
                        self.add(kind="bar", x=groups[0].column)
                        return
                    raise NotMeant
                colour = frame.colour or (groups[0].column if groups else None)
                if frame.options.get("told_aggregates"):
                    filters = self._filters
                    self.add(
                        op="groupby_agg",
                        group_cols=[g.column for g in groups],
                        metrics=self._metrics(),
                    )
                    self._filters = filters
                self.add(
                    kind="hist",
                    x=numbers[0],
                    color=colour,
                    facet=frame.facet,
                    bins=frame.options.get("bins"),
                )
            case "box":
                if len(numbers) != 1:
                    raise NotMeant
                x = groups[0] if groups else None
                self.add(
                    kind="box",
                    y=numbers[0],
                    x=x.column if x else None,
                    x_unit=x.unit if x else None,
                    **extra,
                )
            case _:
                if not groups or len(measures) > 1:
                    raise NotMeant
                time = [group for group in groups if group.unit is not None or self._is_year(group)]
                axis = time[0] if time else groups[0]
                others = [group for group in groups if group is not axis]
                if len(others) > 1 or (others and frame.colour):
                    raise NotMeant
                measure = frame.measures[0]
                fields: dict[str, Any] = {
                    "kind": kind,
                    "x": axis.column,
                    "x_unit": axis.unit,
                    "y": measure.column,
                    "agg": measure.agg if measure.column else None,
                    "color": others[0].column if others else frame.colour,
                    "facet": frame.facet,
                }
                if kind == "bar":
                    fields["stacked"] = frame.is_stacked or None
                    fields["top_k"] = frame.limit
                    if frame.ascending is not None:
                        fields["sort"] = "value_asc" if frame.ascending else "value_desc"
                self.add(**fields)


def _filter(data: dict[str, Any]) -> Filter:
    return _FILTER.validate_python(data)


_FILTER: TypeAdapter[Filter] = TypeAdapter(Filter)


def _of(measure: Measure) -> dict[str, list[str]]:
    return {} if measure.column is None else {measure.column: [measure.agg or "sum"]}


def _axes(kind: str | None, number: str, words: list[str]) -> dict[str, Any]:
    if kind == "box":
        return {"y": number, "x": words[0] if words else None}
    return {"x": number, "color": words[0] if words else None}
