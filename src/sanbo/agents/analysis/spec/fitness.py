"""Whether a column can be used as a spec uses it: dates where dates are needed, also numbers."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple, cast

from pydantic import BaseModel

from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec import expressions
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.columns import needs_of
from sanbo.agents.analysis.spec.filters import AnyOf
from sanbo.agents.analysis.spec.plots import Aggregated, Box, PlotSpec, Scatter
from sanbo.agents.analysis.spec.words import NUMERIC_AGGREGATES, Need, refused

_NUMBERS: tuple[ValueType, ...] = (*NUMERIC, "boolean", "empty")
"""True and false add up to a count; a column without any value fits everywhere."""
_FIT: dict[Need, tuple[ValueType, ...]] = {
    "number": _NUMBERS,
    "date": (*TEMPORAL, "empty"),
    "amount": (*_NUMBERS, *TEMPORAL),
}


class Use(NamedTuple):
    column: str
    need: Need
    purpose: str
    """The word of the spec that needs it: sum, month, outliers."""


def check_fitness(spec: op.AnalysisSpec | PlotSpec, kinds: Mapping[str, ValueType]) -> None:
    """`kinds`: of the columns of its input, which are known to exist."""
    for use in uses(spec):
        if kinds[use.column] in _FIT[use.need]:
            continue
        fitting = [name for name, kind in kinds.items() if kind in _FIT[use.need]][:5]
        text_id = "analysis_column_no_date" if use.need == "date" else "analysis_column_no_number"
        raise refused(text_id, fitting, column=use.column, purpose=use.purpose)


def uses(spec: op.AnalysisSpec | PlotSpec) -> Iterator[Use]:
    """What each column must hold: by the field's mark, and by what the spec does with it."""
    conditions = [
        part for one in spec.filters for part in (one.any_of if isinstance(one, AnyOf) else (one,))
    ]
    for condition in conditions:
        yield from (Use(name, need, condition.op) for name, need in needs_of(condition))
    purpose = spec.op if isinstance(spec, op.Analysis) else spec.kind
    bare = spec.model_copy(update={"filters": ()})
    yield from (Use(name, need, purpose) for name, need in needs_of(bare))
    yield from _by_aggregate(spec)
    match spec:
        case op.Pivot():
            yield from _timely(spec.rows[0], spec.row_unit)
            yield from _timely(spec.columns, spec.column_unit)
        case op.Cumulative(kind="sum" | "share" | "max" | "min"):
            yield Use(spec.column, "number", spec.op)
        case op.CompareGroups() if spec.test not in ("auto", "chi2"):
            yield Use(spec.value_col, "number", spec.test)
        case op.Derive():
            yield from _of_expression(spec.expression)
        case op.Impute():
            for column, method in spec.by_column.items():
                if method in ("mean", "median"):
                    yield Use(column, "number", method)
        case Aggregated() | Box():
            yield from _timely(spec.x, spec.x_unit)
            if isinstance(spec, Box) or (spec.y is not None and spec.agg is None):
                yield Use(spec.y or "", "number", spec.kind)
        case Scatter(size=str(column)):
            yield Use(column, "number", "size")
        case _:
            pass


def _timely(column: str | None, unit: str | None) -> Iterator[Use]:
    if column is not None and unit is not None:
        yield Use(column, "date", unit)


def _by_aggregate(spec: op.AnalysisSpec | PlotSpec) -> Iterator[Use]:
    match spec:
        case op.GroupbyAgg() | op.Resample():
            asked = [(column, each) for column, all_ in spec.metrics.items() for each in all_]
        case op.Pivot(value=str(column)) | Aggregated(y=str(column)):
            asked = [(column, spec.agg)]
        case op.ComparePeriods(column=str(column)):  # a change is a difference of numbers
            asked = [(column, "sum" if spec.agg not in ("count", "nunique") else spec.agg)]
        case _:
            asked = []
    for column, aggregate in asked:
        if aggregate in NUMERIC_AGGREGATES:
            yield Use(column, "number", aggregate)


def _of_expression(expression: BaseModel) -> Iterator[Use]:
    """Columns that stand directly under a function; what a function gives is checked where run."""
    match expression:
        case expressions.DatePart() | expressions.DateDifference():
            need: Need | None = "date"
        case expressions.Log() | expressions.Numeric():
            need = "number"
        case expressions.Arithmetic():
            need = "amount"
        case _:
            need = None
    for name in type(expression).model_fields:
        part: object = getattr(expression, name)
        for child in cast("tuple[object, ...]", part) if isinstance(part, tuple) else (part,):
            if isinstance(child, expressions.Column):
                if need is not None:
                    yield Use(child.name, need, str(getattr(expression, "fn", "")))
            elif isinstance(child, BaseModel):
                yield from _of_expression(child)
