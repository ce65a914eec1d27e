"""What a chart shows of the table, whichever steps lead to it: the columns behind its axes."""

from collections.abc import Mapping
from typing import NamedTuple

from analysis.expectations import Chart, Recipe

from sanbo.agents.analysis.spec.expressions import Bin, Column, DatePart
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    Cast,
    Cumulative,
    Derive,
    GroupbyAgg,
    Lag,
    Pivot,
    Resample,
    ShareRatio,
)
from sanbo.agents.analysis.spec.plots import Aggregated, Bar, Box, Hist, PlotSpec, Scatter
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Metrics, metric_name

BINNED = "bin"

Steps = Mapping[str, AnalysisSpec | PlotSpec]


class Axis(NamedTuple):
    """A column of the table itself; `agg` and `unit` as some step on the way has applied them."""

    column: str | None
    unit: str | None = None
    agg: str | None = None


class Drawn(NamedTuple):
    kind: str
    x: Axis
    y: Axis
    color: Axis | None
    facet: Axis | None
    is_stacked: bool

    @property
    def groups(self) -> set[str]:
        """All that the marks are told apart by."""
        axes = (self.x, self.color, self.facet)
        return {axis.column for axis in axes if axis is not None and axis.column is not None}


def drawn(plot: PlotSpec, steps: Steps) -> Drawn:
    def axis(name: str | None) -> Axis | None:
        return None if name is None else _trace(name, plot.input, steps)

    x, y = Axis(None), Axis(None)
    match plot:
        case Hist():
            x, y = axis(plot.x) or x, Axis(None, agg="count")
        case Scatter():
            x, y = axis(plot.x) or x, axis(plot.y) or y
        case Box():
            x, y = axis(plot.x) or x, axis(plot.y) or y
            x = x._replace(unit=plot.x_unit or x.unit)
        case Aggregated():
            x = axis(plot.x) or x
            x = x._replace(unit=plot.x_unit or x.unit)
            y = axis(plot.y) or Axis(None, agg="count")
            y = y._replace(agg=y.agg or plot.agg or "sum")
        case _:
            pass
    color, facet = axis(plot.color), axis(plot.facet)
    if color is not None and color.column in (x.column, facet.column if facet else None):
        color = None  # says again what stands there already
    is_stacked = isinstance(plot, Bar) and (plot.stacked or plot.normalized)
    return Drawn(plot.kind, x, y, color, facet, is_stacked)


def _trace(name: str, source: str, steps: Steps) -> Axis:  # noqa: PLR0911 - one for each step
    """Back to the table, through the steps that made the input."""
    if source == DATASET or source not in steps:
        return Axis(name)
    step = steps[source]
    match step:
        case GroupbyAgg() | Resample() if found := _measured(name, step.metrics):
            return found
        case Resample() if name == step.date_col:
            return _trace(name, step.input, steps)._replace(unit=step.unit)
        case ShareRatio() if name not in (step.group_col, step.within):
            return Axis(step.value_col, agg="sum" if step.value_col else "count")
        case Pivot() if name in step.rows:
            return _trace(name, step.input, steps)._replace(unit=step.row_unit)
        case Cumulative() if name not in _columns_before(step.input, steps, name):
            return _trace(step.column, step.input, steps)
        case Lag() if name.startswith(step.column) and name != step.column:
            return _trace(step.column, step.input, steps)
        case Derive() if name == step.name:
            return _expressed(step, steps)
        case Cast() if name == step.name:
            return _trace(step.column, step.input, steps)
        case _:
            return _trace(name, step.input, steps)


def _expressed(step: Derive, steps: Steps) -> Axis:
    """A column in steps or by period is still that column."""
    made = step.expression
    if isinstance(made, Bin | DatePart) and isinstance(made.of, Column):
        unit = made.part if isinstance(made, DatePart) else BINNED
        return _trace(made.of.name, step.input, steps)._replace(unit=unit)
    return Axis(step.name)


def _columns_before(source: str, steps: Steps, name: str) -> set[str]:
    """`name` alone, if the step's input had a column of this name."""
    step = steps.get(source)
    if isinstance(step, Resample):
        made = {metric_name(column, agg) for column, all_ in step.metrics.items() for agg in all_}
        return {name} & {*made, step.date_col, *step.by, *(() if made else (ROW_COUNT,))}
    if isinstance(step, GroupbyAgg):
        made = {metric_name(column, agg) for column, all_ in step.metrics.items() for agg in all_}
        return {name} & {*made, *step.group_cols, *(() if made else (ROW_COUNT,))}
    return {name} if not name.endswith("_cumulative") else set()


def _measured(name: str, metrics: Metrics) -> Axis | None:
    if name == ROW_COUNT and not metrics:
        return Axis(None, agg="count")
    for column, aggregates in metrics.items():
        for aggregate in aggregates:
            if name == metric_name(column, aggregate):
                return Axis(column, agg=aggregate)
    return None


# ---- the charts of our own questions ----


def shows(chart: Chart, found: Drawn) -> bool:
    color = found.color.column if found.color else None
    facet = found.facet.column if found.facet else None
    is_stacked = found.is_stacked if chart.stacked is not None else None
    if found.kind not in chart.kind or (facet, is_stacked) != (chart.facet, chart.stacked):
        return False
    if found.kind == "scatter":
        return {chart.x, chart.y} == {found.x.column, found.y.column} and color == chart.color
    groups = [(chart.x, chart.color)]
    if chart.swap_color:
        groups.append((chart.color or "", chart.x))
    return (
        (found.x.column, color) in groups and found.x.unit == chart.unit and _same_y(chart, found)
    )


def _same_y(chart: Chart, found: Drawn) -> bool:
    if found.kind == "box":
        return found.y.column == chart.y
    if chart.y is None:  # rows are counted, or the values of a column that has no gaps
        return found.y.agg == "count"
    return (found.y.column, found.y.agg) == (chart.y, chart.agg)


def figures_of(chart: Chart) -> Recipe | None:
    """The numbers behind the marks, where it draws one for each group."""
    if not set(chart.kind) <= {"line", "bar", "pie"}:
        return None
    along = f"{chart.x}@{chart.unit}" if chart.unit else chart.x
    group = [along, *(name for name in (chart.color, chart.facet) if name)]
    given = {"group": group, "column": chart.y, "agg": chart.agg or "count"}
    return Recipe.model_validate({**given, "filter": chart.filter})
