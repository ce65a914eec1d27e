"""A spec bound to the tables it speaks of: every name found, every type and value fitting."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeVar, cast

from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile
from sanbo.agents.analysis.spec.columns import check_fitness, with_columns
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filters
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    CompareGroups,
    GroupbyAgg,
    Resample,
)
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.words import (
    CANDIDATES,
    DATASET,
    ROW_COUNT,
    Scalar,
    Sort,
    alike,
    metric_name,
    refused,
    written_span,
)
from sanbo.kernel.nearest import nearest
from sanbo.tables.values import as_boolean, as_number, text_of

S = TypeVar("S", bound=AnalysisSpec | PlotSpec)


def bind(spec: S, tables: Mapping[str, TableProfile]) -> S:
    """`tables`: the dataset under `dataset`, results under r1, r2 … Nothing is guessed."""
    source = _input(spec.input, tables)
    table = tables[source]

    names = [column.name for column in table.columns]

    def column(name: str) -> str:
        return _found(name, names, "analysis_column_unknown")

    bound = with_columns(spec.model_copy(update={"input": source}), column)
    check_fitness(bound, {column.name: column.type for column in table.columns})
    update: dict[str, object] = {"filters": with_values(bound.filters, table)}
    if isinstance(bound, GroupbyAgg | Resample) and bound.sort is not None:
        update["sort"] = _sort(bound.sort, bound)
    if isinstance(bound, CompareGroups):
        group = table.column(bound.group_col)
        update["groups"] = tuple(fitting_value(value, group) for value in bound.groups)
    return cast("S", bound.model_copy(update=update))


def _input(name: str, tables: Mapping[str, TableProfile]) -> str:
    dataset = tables.get(DATASET)
    if isinstance(dataset, DatasetProfile) and name in (dataset.dataset_id, dataset.name):
        return DATASET
    return _found(name, list(tables), "analysis_input_unknown", "input")


def _found(name: str, known: Sequence[str], text_id: str, field: str = "column") -> str:
    """As it stands, or but for width and case; else the nearest are named."""
    same = name if name in known else alike(name, known)
    if same is None:
        raise refused(text_id, nearest(name, known, CANDIDATES, least=0), **{field: name})
    return same


def _sort(sort: Sort, spec: GroupbyAgg | Resample) -> Sort:
    """By a column of the result; a measured column's own name means its only aggregate."""
    keys = spec.group_cols if isinstance(spec, GroupbyAgg) else (spec.date_col, *spec.by)
    made = [metric_name(column, each) for column, all_ in spec.metrics.items() for each in all_]
    names = [*keys, *(made or [ROW_COUNT])]
    measured = alike(sort.by, spec.metrics)
    aggregates = spec.metrics[measured] if measured is not None else ()
    if sort.by not in names and alike(sort.by, names) is None and len(aggregates) == 1:
        return sort.model_copy(update={"by": metric_name(measured or "", aggregates[0])})
    return sort.model_copy(update={"by": _found(sort.by, names, "analysis_sort_unknown")})


_EXACT = ("==", "!=")
_Condition = TypeVar("_Condition")


def with_values(filters: Filters, table: TableProfile) -> Filters:
    """Values in the spelling of their columns."""
    return tuple(
        each.model_copy(update={"any_of": tuple(_condition(inner, table) for inner in each.any_of)})
        if isinstance(each, AnyOf)
        else _condition(each, table)
        for each in filters
    )


def _condition(condition: _Condition, table: TableProfile) -> _Condition:
    if isinstance(condition, Compare):
        column = table.column(condition.col)
        exact = condition.op in _EXACT
        value = fitting_value(condition.value, column, exact=exact)
        return condition.model_copy(update={"value": value})
    if isinstance(condition, Among):
        column = table.column(condition.col)
        values = tuple(fitting_value(value, column) for value in condition.value)
        return condition.model_copy(update={"value": values})
    return condition


def fitting_value(value: Scalar, column: ColumnProfile | None, *, exact: bool = True) -> Scalar:
    """As the column spells it; `InvalidInput` where it can't be a value of this column."""
    match column:
        case ColumnProfile(is_numeric=True):
            return _number(value, column)
        case ColumnProfile(is_temporal=True):
            return _moment(value, column)
        case ColumnProfile(type="boolean"):
            return _truth(value, column)
        case ColumnProfile(type="text") if exact:
            return _word(value, column)
        case _:
            return value


def _number(value: Scalar, column: ColumnProfile) -> Scalar:
    number = as_number(value)
    if number is None or not math.isfinite(number):
        raise refused("analysis_value_no_number", value=value, column=column.name)
    return value


def _moment(value: Scalar, column: ColumnProfile) -> Scalar:
    """A year may come as a number: 2025."""
    text = str(value) if isinstance(value, str) or type(value) is int else ""
    if written_span(text) is None:
        raise refused("analysis_value_no_date", value=value, column=column.name)
    return text


def _truth(value: Scalar, column: ColumnProfile) -> bool:
    truth = as_boolean(value)
    if truth is None:
        candidates = ["true", "false"]
        raise refused("analysis_value_unknown", candidates, value=value, column=column.name)
    return truth


def _word(value: Scalar, column: ColumnProfile) -> Scalar:
    text = text_of(value)  # models write 3.0 for a code 3
    # Where not all values are known, or none is, only the rows themselves can tell.
    if not column.is_whole or not column.values or text in column.values:
        return text
    same = alike(text, column.values)
    if same is None:
        near = nearest(text, column.values, CANDIDATES, least=0)
        raise refused("analysis_value_unknown", near, value=value, column=column.name)
    return same
