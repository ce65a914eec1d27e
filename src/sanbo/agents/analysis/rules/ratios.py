"""Figures that a question defines: of the sums of each group, or of each row.

Parts of a whole: of each group, or of the rows that a condition tells.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from sanbo.agents.analysis.rules.frame import Group, Measure, columns_of
from sanbo.agents.analysis.rules.steps import (
    MOST_GROUPS,
    NotMeant,
    Steps,
    column_term,
    condition,
    figure_fields,
    metrics_of,
    op_of,
    require,
)
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Contains, Filter
from sanbo.agents.analysis.spec.words import Aggregate, metric_name

_PARTS = ("==", "in", "contains", ">", ">=", "<", "<=", "is_null", "not_null")
"""Conditions that tell a part of the rows; what they leave out is no part."""


def _shown(one: Compare | Contains | Among) -> str:
    return ", ".join(map(str, one.value)) if isinstance(one, Among) else str(one.value)


class Shares(Steps):
    def _share(self) -> None:
        """Of each group in the whole; or of some rows, which a condition tells, within a group."""
        frame = self.frame
        measure = frame.measures[0] if frame.measures else Measure(None, "count")
        require(measure.column is None or measure.agg in ("sum", None))
        told = {name for one in self._filters if op_of(one) in _PARTS for name in columns_of(one)}
        single = {one.col for one in self._filters if isinstance(one, Compare) and one.op == "=="}
        # 点検結果が再清掃の率: of one value alone there are no parts.
        frame.groups = [group for group in frame.groups if group.column not in single]
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
            if frame.ascending:
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
        within = self._as_column(frame.groups[0]) if frame.groups else None
        known = self.scene.columns.get(part)
        is_number = known is None or known.is_measure
        is_joined = frame.options.get("is_only") or frame.options.get("is_either")
        is_one = any(isinstance(one, Among) for one in kept) and is_joined
        if is_one or is_number or not all(isinstance(one, Compare | Among) for one in kept):
            part, kept = self._as_truth(part, kept)
        whole = {"group_col": part, "value_col": measure.column, "within": within}
        whole |= {"zeros": True} if within else {}
        is_alone = within is None and frame.ascending is None and not is_number
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
            if isinstance(one, Contains) and one.op == "contains":
                test = {"fn": "contains", "of": column_term(part), "text": one.value}
                tests.append(test)
                continue
            require(isinstance(one, Compare) or (isinstance(one, Among) and one.op == "in"))
            assert isinstance(one, Compare | Among)
            values = one.value if isinstance(one, Among) else (one.value,)
            op = "==" if isinstance(one, Among) else one.op
            is_met: dict[str, Any] | None = None
            for value in values:
                right = {"fn": "constant", "value": value}
                test = {"fn": "compare", "left": column_term(part), "op": op, "right": right}
                if is_met is not None:  # one of several
                    always = {"fn": "constant", "value": True}
                    test = {"fn": "if", "condition": test, "then": always, "otherwise": is_met}
                is_met = test
            tests += [is_met] if is_met is not None else []
        never = {"fn": "constant", "value": False}
        tree = tests[0]
        for test in tests[1:]:
            tree = {"fn": "if", "condition": tree, "then": test, "otherwise": never}
        told = [one for one in kept if isinstance(one, Compare | Contains | Among)]
        name = " ".join(f"{part} {one.op} {_shown(one)}" for one in told)
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

    def _of_sums(self) -> None:
        """粗利率: of the sums of each group."""
        frame, formula, time = self.frame, self.frame.formula, self._time
        assert formula is not None
        require(not frame.having, not frame.growth, not frame.is_share)
        require("agg_of_formula" not in frame.options, "limited_formula" not in frame.options)
        require(frame.chart in (None, "any", "line", "bar") or not time)
        others = [one for one in frame.measures if one.agg not in ("sum", None)]
        aggs: dict[str, Aggregate] = {name: formula.agg(name) for name in formula.columns}
        metrics = metrics_of([*(Measure(column, agg) for column, agg in aggs.items()), *others])
        if time is not None:
            fields = {"date_col": time.column, "unit": time.unit, "by": self._names}
            self.step(op="resample", metrics=metrics, **fields)
        else:
            self.step(op="groupby_agg", group_cols=self._names, metrics=metrics)
        sums = {column: metric_name(column, agg) for column, agg in aggs.items()}
        rate = {"op": "derive", "name": formula.name, "expression": formula.over(sums)}
        if frame.ascending is None:
            self.step(**rate)
            if time is not None and frame.chart and len(self._names) < 2:
                kind = "line" if frame.chart == "any" else frame.chart
                colour = next(iter(self._names), None)
                self.add(kind=kind, x=time.column, y=formula.name, color=colour)
            return
        self.step(**rate)
        n = frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
        self._ranked([formula.name], n)
