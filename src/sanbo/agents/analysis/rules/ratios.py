"""Figures that a question defines: of the sums of each group, or of each row.

Parts of a whole: of each group, or of the rows that a condition tells.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sanbo.agents.analysis.rules.frame import Group, Having, Measure, columns_of
from sanbo.agents.analysis.rules.steps import (
    MOST_GROUPS,
    NotMeant,
    Steps,
    column_term,
    condition,
    figure_fields,
    metrics_of,
    named_by,
    op_of,
    plain,
    require,
)
from sanbo.agents.analysis.spec.filters import (
    Among,
    AnyOf,
    Compare,
    Contains,
    Filter,
    Presence,
)
from sanbo.agents.analysis.spec.phrases import describe
from sanbo.agents.analysis.spec.words import ROW_COUNT, Aggregate, metric_name

_PARTS = ("==", "in", "contains", ">", ">=", "<", "<=", "is_null", "not_null")
"""Conditions that tell a part of the rows; what they leave out is no part."""
_OPPOSITES = ("not_contains", "not_in", "not_null")


def truth_of(conditions: Sequence[Filter]) -> tuple[str, dict[str, Any]]:
    """A column that is true where all of them hold: its name, and how it is calculated."""
    require(conditions)
    never = {"fn": "constant", "value": False}
    tree, *others = (_test(one) for one in conditions)
    for test in others:
        tree = {"fn": "if", "condition": tree, "then": test, "otherwise": never}
    return "・".join(map(describe, conditions)), tree


def _test(one: Filter) -> dict[str, Any]:
    """A condition as an expression."""
    column = {} if isinstance(one, AnyOf) else column_term(one.col)
    match one:
        case AnyOf():
            return _either([_test(part) for part in one.any_of])
        case Compare():
            return _compared(column, one.op, one.value)
        case Contains(op="contains" | "not_contains"):
            met = {"fn": "contains", "of": column, "text": one.value}
        case Presence():
            met = {"fn": "is_missing", "of": column}
        case Among():
            met = _either([_compared(column, "==", value) for value in one.value])
        case _:
            raise NotMeant
    return _compared(met, "==", value=False) if one.op in _OPPOSITES else met


def _either(tests: list[dict[str, Any]]) -> dict[str, Any]:
    always = {"fn": "constant", "value": True}
    made = tests[0]
    for test in tests[1:]:
        made = {"fn": "if", "condition": test, "then": always, "otherwise": made}
    return made


def _compared(left: object, op: str, value: object) -> dict[str, Any]:
    right = {"fn": "constant", "value": value}
    return {"fn": "compare", "left": left, "op": op, "right": right}


class Shares(Steps):
    def _share(self) -> None:
        """Of each group in the whole; or of some rows, which a condition tells, within a group."""
        frame = self.frame
        measure = frame.measures[0] if frame.measures else Measure(None, "count")
        require(measure.column is None or measure.agg in ("sum", None))
        if rate := frame.options.get("rate"):  # 未入金の割合: of what is blank, or not so
            self._share_of_truth(*self._as_truth(rate), measure)
            return
        told = {name for one in self._filters if op_of(one) in _PARTS for name in columns_of(one)}
        single = {one.col for one in self._filters if isinstance(one, Compare) and one.op == "=="}
        # 点検結果が再清掃の率: of one value alone there are no parts.
        frame.groups = [one for one in frame.groups if one.unit or one.column not in single]
        parts = [name for name in frame.options.get("parts", ()) if name in told]
        grouped = [group.column for group in frame.groups]
        if name := frame.options.get("against_column"):
            parts = [name, *parts]
        options = [(name, 0.6 * n) for n, name in enumerate(parts[:3]) if name not in grouped]
        if frame.options.get("is_share_of_groups"):  # 令和6年度の款別の構成比
            options = [("", 0.0), *((name, cost + 1.0) for name, cost in options)]
        elif frame.groups and (options or len(told) > 0):
            options.append(("", 1.0 if options else 0.0))
        part = self.choose("part", options) if options else ""
        if part:
            self._share_of(part, Measure(None, "count") if measure.column == part else measure)
            return
        require(frame.groups)
        names = [self._as_column(group) for group in frame.groups[:2]]
        group, within = names[-1], names[0] if len(names) == 2 else None
        if frame.chart in ("pie", "any", "bar"):
            kind = "pie" if frame.chart == "any" else frame.chart
            figure = figure_fields(Measure(measure.column, "sum"), "y")
            normalized = True if kind == "bar" and within else None
            self.beside(op="share_ratio", group_col=group, value_col=measure.column, within=within)
            self.add(kind=kind, x=group, normalized=normalized, **figure)
        else:
            parts = {"group_col": group, "value_col": measure.column, "within": within}
            if frame.options.get("is_total"):  # 上位3社で売上の何割
                require(within is None, frame.limit)
                self.step(op="share_ratio", **parts)
                n, ascending = frame.limit, bool(frame.ascending)
                self.step(op="top_rows", by=["share"], ascending=ascending, n=n)
                self.add(op="groupby_agg", group_cols=[], metrics={"share": ["sum"]})
            elif frame.ascending:
                self.step(op="share_ratio", **parts)
                self._ranked(["share"], frame.limit or MOST_GROUPS)
            else:
                self.add(op="share_ratio", top_k=frame.limit, **parts)

    def _share_of(self, part: str, measure: Measure) -> None:
        """満足度が4以上の割合, キャンセル率: the rows that meet what is said of this column."""
        frame, kept = self.frame, self._taken(part)
        require(len(frame.groups) <= 1)
        if frame.chart in ("pie", "bar", "any") and not frame.groups:
            kind = "pie" if frame.chart == "any" else frame.chart
            self.beside(op="share_ratio", group_col=part, value_col=measure.column)
            self.add(kind=kind, x=part, **figure_fields(Measure(measure.column, "sum"), "y"))
            return
        known = self.scene.columns.get(part)
        is_number = known is None or known.is_measure
        is_joined = frame.options.get("is_only") or frame.options.get("is_either")
        is_one = any(isinstance(one, Among) for one in kept) and is_joined
        if is_one or is_number or not all(isinstance(one, Compare | Among) for one in kept):
            part, kept = self._as_truth(kept)
        self._share_of_truth(part, kept, measure)

    def _share_of_truth(self, part: str, kept: tuple[Filter, ...], measure: Measure) -> None:
        frame = self.frame
        require(len(frame.groups) <= 1)
        within = self._as_column(frame.groups[0]) if frame.groups else None
        whole = {"group_col": part, "value_col": measure.column, "within": within}
        whole |= {"zeros": True} if within else {}
        self.step(op="share_ratio", **whole)
        self._filters = kept
        by = [] if frame.ascending is None else ["share"]
        if frame.chart in ("bar", "line", "any") and within:
            self.step(op="top_rows", by=by, ascending=bool(frame.ascending), n=MOST_GROUPS)
            kind = "bar" if frame.chart == "any" else frame.chart
            self.add(kind=kind, x=within, y="share")
        else:
            self._ranked(by, frame.limit or MOST_GROUPS)

    def _as_truth(self, kept: Sequence[Filter]) -> tuple[str, tuple[Filter, ...]]:
        """Conditions as a new column that is true where they hold."""
        name, tree = truth_of(kept)
        held, self._filters = self._filters, ()
        self.step(op="derive", name=name, expression=tree)
        self._filters = held
        return name, (Compare(col=name, op="==", value=True),)

    def _as_column(self, group: Group) -> str:
        """A period as a column of its own, for what knows no periods."""
        if group.unit is None:
            return group.column
        held, self._filters = self._filters, ()
        name = named_by(group.column, group.unit)
        period = {"fn": "date_part", "of": column_term(group.column), "part": group.unit}
        self.step(op="derive", name=name, expression=period)
        self._filters = held
        return name


class Ratios(Steps):
    def _groups(self) -> None:
        frame = self.frame
        compared = frame.options.get("compared")
        is_new = compared not in [group.column for group in frame.groups]
        is_sum = any(measure.agg == "sum" for measure in frame.measures)
        left = {
            name
            for one in frame.conditions
            if op_of(one.any_of[0] if isinstance(one, AnyOf) else one) in ("!=", "not_in")
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
        expression: dict[str, Any] = {"fn": "bin", "of": column_term(group.column)}
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

    def _formula(self) -> bool:
        """A figure that the question defines; whether that is the whole answer."""
        frame, formula = self.frame, self.frame.formula
        assert formula is not None
        told: Aggregate | None = frame.options.get("agg_of_formula")
        is_mean = any(one.agg == "mean" for one in frame.measures)
        is_mean |= frame.options.get("mean_of_formula", False)
        # 差が大きい商品を3つ: rows in an order, and nothing is grouped.
        is_rows = frame.wants_rows or frame.options.get("is_rows") or frame.limit is not None
        ranks_rows = frame.ascending is not None and is_rows and not frame.groups
        level: str = formula.level
        if level == "open":
            levels = [("sums", 0.0), ("rows", 0.8 if frame.options.get("is_mean_per") else 1.0)]
            # The product of two totals is nothing: only what is divided may be of sums.
            is_of_rows = is_mean or told or ranks_rows or "limited_formula" in frame.options
            if is_of_rows or formula.tree["fn"] != "divide":
                levels = [("rows", 0.0), ("sums", 1.0)]
            level = self.choose("formula", levels)
        if formula.product is not None:
            name = formula.columns[0]
            self.step(op="derive", name=name, expression=formula.product)
        if level == "sums":
            self._groups()
            self._of_sums()
            return True
        self.step(op="derive", name=formula.name, expression=formula.tree)
        if limit := frame.options.get("limited_formula"):
            op, value = limit
            self._filters = (*self._filters, condition(formula.name, op, value=value))
            return False
        measures = [one for one in frame.measures if one.column not in (None, *formula.columns)]
        is_level = formula.tree["fn"] in ("divide", "date_difference")
        default: Aggregate = "mean" if is_level else "sum"
        agg: Aggregate | None = "mean" if is_mean else None if ranks_rows else default
        both: list[Aggregate] = ["mean"] if is_mean else []
        both += [told] if told else []
        frame.measures = [*measures, *(Measure(formula.name, one) for one in both or [agg])]
        return False

    # ---- limits on groups ----

    def _limited(self) -> list[Measure]:
        return [self._measure_of(having) for having in self.frame.having]

    def _group_conditions(self) -> tuple[Filter, ...]:
        pairs = zip(self._limited(), self.frame.having, strict=True)
        return tuple(
            condition(self._metric(measure), one.op, stat="mean")
            if one.value == "mean"
            else condition(self._metric(measure), one.op, value=plain(one.value))
            for measure, one in pairs
        )

    def _with_limits(
        self, metrics: dict[str, list[Aggregate]], names: list[str]
    ) -> tuple[dict[str, list[Aggregate]], tuple[Filter, ...]]:
        """With the figures that groups are held against."""
        wanted, conditions = self._limited(), self._group_conditions()
        for measure in wanted:
            if measure.column is not None:
                aggs = metrics.setdefault(measure.column, [])
                aggs += [measure.agg or "sum"] if (measure.agg or "sum") not in aggs else []
        if not metrics or all(one.column is not None for one in wanted):
            return metrics, conditions
        # Rows are counted beside other figures, under the name of what is grouped by.
        metrics[names[0]] = [*metrics.get(names[0], []), "count"]
        rows = metric_name(names[0], "count")
        return metrics, tuple(
            one.model_copy(update={"col": rows})
            if isinstance(one, Compare) and one.col == ROW_COUNT
            else one
            for one in conditions
        )

    def _measure_of(self, having: Having) -> Measure:
        if having.column is None:
            return Measure(None, "count")
        told: list[Aggregate] = [
            m.agg for m in self.frame.measures if m.column == having.column and m.agg
        ]
        agg: Aggregate = having.agg or (told[0] if told else self._agg(having.column))
        return Measure(having.column, agg)

    def _of_sums(self) -> None:
        """粗利率: of the sums of each group."""
        frame, formula, time = self.frame, self.frame.formula, self._time
        assert formula is not None
        require(not (frame.having and time), not frame.growth, not frame.is_share)
        require("agg_of_formula" not in frame.options, "limited_formula" not in frame.options)
        require(frame.chart in (None, "any", "line", "bar") or not time)
        others = [one for one in frame.measures if one.agg not in ("sum", None)]
        columns = [name for name in formula.columns if name != ROW_COUNT]
        aggs: dict[str, Aggregate] = {name: formula.agg(name) for name in columns}
        metrics = metrics_of([*(Measure(column, agg) for column, agg in aggs.items()), *others])
        if ROW_COUNT in formula.columns:
            metrics[columns[0]].append("count")
        if time is not None:
            fields = {"date_col": time.column, "unit": time.unit, "by": self._names}
            self.step(op="resample", metrics=metrics, **fields)
        else:
            require(not frame.having or self._names)
            metrics, limits = self._with_limits(metrics, self._names)
            self.step(op="groupby_agg", group_cols=self._names, metrics=metrics)
            self._filters = limits
        sums = {column: metric_name(column, agg) for column, agg in aggs.items()}
        sums[ROW_COUNT] = metric_name(columns[0], "count")
        rate = {"op": "derive", "name": formula.name, "expression": formula.over(sums)}
        if frame.ascending is None:
            self.step(**rate)
            if time is not None and frame.chart and len(self._names) < 2:
                kind = "line" if frame.chart == "any" else frame.chart
                colour = next(iter(self._names), None)
                self.add(kind=kind, x=time.column, y=formula.name, color=colour)
            elif frame.chart in ("any", "bar") and len(self._names) == 1:
                self.add(kind="bar", x=self._names[0], y=formula.name)
            return
        self.step(**rate)
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([formula.name], n)
