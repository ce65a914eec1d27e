"""Whether a column can be used as a spec uses it: dates where dates are needed, also numbers."""

from collections.abc import Iterator
from typing import Literal, NamedTuple, cast

from pydantic import BaseModel

from sanbo.agents.analysis.profile import ColumnProfile, TableProfile, ValueType
from sanbo.agents.analysis.spec.expressions import (
    Arithmetic,
    Column,
    DateDifference,
    DatePart,
    Log,
    Numeric,
)
from sanbo.agents.analysis.spec.filters import AnyOf, CompareStat, Filters, Outlying
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    Cohort,
    CompareGroups,
    ComparePeriods,
    CorrelationMatrix,
    Cumulative,
    Derive,
    Distribution,
    GroupbyAgg,
    Impute,
    Lag,
    Normalize,
    Outliers,
    Pivot,
    Resample,
    Rolling,
    ShareRatio,
)
from sanbo.agents.analysis.spec.plots import Aggregated, Box, PlotSpec, Scatter
from sanbo.agents.analysis.spec.words import NUMERIC_AGGREGATES, Metrics, listed, shown
from sanbo.kernel.problems import InvalidInput

Need = Literal["number", "date", "amount"]
"""`amount`: what can be added or subtracted; a date's difference is the executor's to judge."""

_FIT: dict[Need, frozenset[ValueType]] = {
    # True and false add up to a count; a column without any value fits everywhere.
    "number": frozenset({"integer", "number", "percent", "currency", "boolean", "empty"}),
    "date": frozenset({"date", "datetime", "empty"}),
    "amount": frozenset(
        {"integer", "number", "percent", "currency", "boolean", "empty", "date", "datetime"}
    ),
}


class Use(NamedTuple):
    column: str
    need: Need
    purpose: str
    """The word of the spec that needs it: sum, month, outliers."""


def check_fitness(spec: AnalysisSpec | PlotSpec, table: TableProfile) -> None:
    """The columns are known to exist."""
    for use in (*_of_filters(spec.filters), *_of_spec(spec)):
        column = table.column(use.column)
        if column is not None and column.type not in _FIT[use.need]:
            raise _unfit(use, column, table)


def _unfit(use: Use, column: ColumnProfile, table: TableProfile) -> InvalidInput:
    fitting = [each.name for each in table.columns if each.type in _FIT[use.need]][:5]
    return InvalidInput(
        "analysis_column_no_date" if use.need == "date" else "analysis_column_no_number",
        column=shown(column.name),
        purpose=use.purpose,
        candidates=listed(fitting) or "–",
        details={"column": column.name, "type": column.type, "candidates": fitting},
    )


def _of_filters(filters: Filters) -> Iterator[Use]:
    for each in filters:
        for condition in each.any_of if isinstance(each, AnyOf) else (each,):
            if isinstance(condition, Outlying):
                yield Use(condition.col, "number", condition.op)
            if isinstance(condition, CompareStat):
                yield Use(condition.col, "number", condition.stat)


def _of_metrics(metrics: Metrics) -> Iterator[Use]:
    for column, aggregates in metrics.items():
        for aggregate in aggregates:
            if aggregate in NUMERIC_AGGREGATES:
                yield Use(column, "number", aggregate)


def _of_spec(spec: AnalysisSpec | PlotSpec) -> Iterator[Use]:  # noqa: PLR0912 - one for each
    match spec:
        case GroupbyAgg():
            yield from _of_metrics(spec.metrics)
        case Resample():
            yield Use(spec.date_col, "date", spec.unit)
            yield from _of_metrics(spec.metrics)
        case Pivot():
            yield from _of_pivot(spec)
        case ComparePeriods():
            yield Use(spec.date_col, "date", spec.unit)
            if spec.column is not None:
                yield from _of_metrics({spec.column: (spec.agg,)})
                yield Use(spec.column, "number", spec.op)
        case Cohort():
            yield Use(spec.date_col, "date", spec.unit)
            if spec.value_col is not None:
                yield Use(spec.value_col, "number", "sum")
        case CompareGroups():
            if spec.test not in ("auto", "chi2"):
                yield Use(spec.value_col, "number", spec.test)
        case Derive():
            yield from _of_expression(spec.expression)
        case Aggregated():
            yield from _of_marks(spec)
        case Box():
            yield Use(spec.y, "number", "box")
            if spec.x is not None and spec.x_unit is not None:
                yield Use(spec.x, "date", spec.x_unit)
        case _:
            yield from (Use(column, "number", word) for column, word in _numbers(spec))


def _numbers(spec: AnalysisSpec | PlotSpec) -> Iterator[tuple[str, str]]:
    """Columns that must be numbers and nothing else."""
    match spec:
        case ShareRatio(value_col=str(column)):
            yield column, spec.op
        case Cumulative(kind="sum" | "share") | Lag() | Rolling() | Outliers():
            yield spec.column, spec.op
        case Distribution() | CorrelationMatrix() | Normalize():
            yield from ((column, spec.op) for column in spec.columns)
        case Impute():
            for column, method in spec.by_column.items():
                if method in ("mean", "median"):
                    yield column, method
        case Scatter(size=str(column)):
            yield column, "size"
        case _:
            pass


def _of_pivot(spec: Pivot) -> Iterator[Use]:
    if spec.row_unit is not None:
        yield Use(spec.rows[0], "date", spec.row_unit)
    if spec.column_unit is not None:
        yield Use(spec.columns, "date", spec.column_unit)
    if spec.value is not None and spec.agg in NUMERIC_AGGREGATES:
        yield Use(spec.value, "number", spec.agg)


def _of_marks(spec: Aggregated) -> Iterator[Use]:
    if spec.x_unit is not None:
        yield Use(spec.x, "date", spec.x_unit)
    if spec.y is not None and (spec.agg is None or spec.agg in NUMERIC_AGGREGATES):
        yield Use(spec.y, "number", spec.agg or "y")


def _of_expression(expression: BaseModel) -> Iterator[Use]:
    """Columns that stand directly under a function; what a function gives is checked where run."""
    match expression:
        case DatePart() | DateDifference():
            need: Need | None = "date"
        case Log() | Numeric():
            need = "number"
        case Arithmetic():
            need = "amount"
        case _:
            need = None
    for name in type(expression).model_fields:
        part: object = getattr(expression, name)
        children = cast("tuple[object, ...]", part) if isinstance(part, tuple) else (part,)
        for child in children:
            if isinstance(child, Column):
                if need is not None:
                    yield Use(child.name, need, str(getattr(expression, "fn", "")))
            elif isinstance(child, BaseModel):
                yield from _of_expression(child)
