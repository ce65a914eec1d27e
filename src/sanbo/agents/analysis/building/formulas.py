"""Figures that a question defines of the sums of each group, limits on groups, bands of numbers."""

from itertools import pairwise
from typing import Any

from sanbo.agents.analysis.building.frame import Group, Having, Measure
from sanbo.agents.analysis.building.steps import (
    MOST_GROUPS,
    NotMeant,
    Steps,
    column_term,
    condition,
    metrics_of,
    plain,
    require,
)
from sanbo.agents.analysis.spec.filters import Compare, Filter
from sanbo.agents.analysis.spec.words import ROW_COUNT, Aggregate, metric_name

_MOST_BANDS = 500
Metrics = dict[str, list[Aggregate]]


class Formulas(Steps):
    def _binned(self, group: Group) -> Group:
        """Bands as a column of their own."""
        known = self.scene.columns.get(group.column)
        if known is None or not group.width:
            return group
        low, high, width = known.profile.minimum, known.profile.maximum, group.width
        if not isinstance(low, int | float) or not isinstance(high, int | float):
            raise NotMeant
        require(width > 0, (high - low) / width < _MOST_BANDS)
        edges = [low // width * width]
        while edges[-1] <= high:
            edges.append(edges[-1] + width)
        expression: dict[str, Any] = {"fn": "bin", "of": column_term(group.column), "edges": edges}
        if known.profile.type == "integer" and float(width).is_integer():
            expression["labels"] = [f"{a:g}–{b - 1:g}" for a, b in pairwise(edges)]
        name = f"{group.column}（{width:g}）"
        self.step(op="derive", name=name, expression=expression)
        return Group(name)

    # ---- limits on groups ----

    def _limited(self) -> list[Measure]:
        return [Measure(one.column, _agg(one)) for one in self.frame.having]

    def _group_conditions(self) -> tuple[Filter, ...]:
        pairs = zip(self._limited(), self.frame.having, strict=True)
        return tuple(
            condition(self._metric(measure), one.op, stat="mean")
            if one.value == "mean"
            else condition(self._metric(measure), one.op, value=plain(one.value))
            for measure, one in pairs
        )

    def _with_limits(
        self, metrics: Metrics, names: list[str]
    ) -> tuple[Metrics, tuple[Filter, ...]]:
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

    # ---- of sums ----

    def _of_sums(self) -> None:
        """粗利率: of the sums of each group."""
        frame, formula, time = self.frame, self.frame.formula, self._time
        assert formula is not None
        require(not (frame.having and time), not frame.growth, not frame.is_share)
        require(frame.chart in (None, "line", "bar") or not time)
        columns = [name for name in formula.columns if name != ROW_COUNT]
        aggs: dict[str, Aggregate] = {name: formula.agg(name) for name in columns}
        metrics = metrics_of([Measure(column, agg) for column, agg in aggs.items()])
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
        self.step(op="derive", name=formula.name, expression=formula.over(sums))
        if frame.ascending is not None:
            self._ranked(
                [formula.name], frame.limit or (1 if frame.is_superlative else MOST_GROUPS)
            )
        elif time is not None and frame.chart and len(self._names) < 2:
            colour = next(iter(self._names), None)
            self.add(kind=frame.chart, x=time.column, y=formula.name, color=colour)
        elif frame.chart == "bar" and len(self._names) == 1:
            self.add(kind="bar", x=self._names[0], y=formula.name)


def _agg(having: Having) -> Aggregate:
    return "count" if having.column is None else having.agg or "sum"
