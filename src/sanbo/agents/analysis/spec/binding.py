"""A spec bound to the tables it speaks of: every name found, every type and value fitting."""

from collections.abc import Mapping
from typing import TypeVar, cast

from sanbo.agents.analysis.profile import DatasetProfile, TableProfile
from sanbo.agents.analysis.spec.column_names import with_columns
from sanbo.agents.analysis.spec.fitness import check_fitness
from sanbo.agents.analysis.spec.given_values import fitting_value, with_values
from sanbo.agents.analysis.spec.listing import CANDIDATES, alike, listed, shown
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    CompareGroups,
    GroupbyAgg,
    Resample,
)
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.words import DATASET, ROW_COUNT, Sort, metric_name
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput

S = TypeVar("S", bound=AnalysisSpec | PlotSpec)


def bind(spec: S, tables: Mapping[str, TableProfile]) -> S:
    """`tables`: the dataset under `dataset`, results under r1, r2 … Nothing is guessed."""
    source = _input(spec.input, tables)
    table = tables[source]

    def column(name: str) -> str:
        return _known(name, table)

    bound = with_columns(spec.model_copy(update={"input": source}), column)
    check_fitness(bound, table)
    update: dict[str, object] = {"filters": with_values(bound.filters, table)}
    if isinstance(bound, GroupbyAgg | Resample) and bound.sort is not None:
        update["sort"] = _sort(bound.sort, bound)
    if isinstance(bound, CompareGroups):
        group = table.column(bound.group_col)
        update["groups"] = tuple(fitting_value(value, group) for value in bound.groups)
    return cast("S", bound.model_copy(update=update))


def _input(name: str, tables: Mapping[str, TableProfile]) -> str:
    if name in tables:
        return name
    dataset = tables.get(DATASET)
    if isinstance(dataset, DatasetProfile) and name in (dataset.dataset_id, dataset.name):
        return DATASET
    same = alike(name, tables)
    if same is not None:
        return same
    candidates = nearest(name, tables, CANDIDATES, least=0)
    raise InvalidInput(
        "analysis_input_unknown",
        input=shown(name),
        candidates=listed(candidates) or "–",
        details={"input": shown(name), "candidates": candidates},
    )


def _known(name: str, table: TableProfile) -> str:
    names = [column.name for column in table.columns]
    if name in names:
        return name
    same = alike(name, names)
    if same is not None:
        return same
    candidates = nearest(name, names, CANDIDATES, least=0)
    raise InvalidInput(
        "analysis_column_unknown",
        column=shown(name),
        candidates=listed(candidates) or "–",
        details={"column": shown(name), "candidates": candidates},
    )


def _sort(sort: Sort, spec: GroupbyAgg | Resample) -> Sort:
    """By a column of the result; a measured column's own name means its only aggregate."""
    keys = spec.group_cols if isinstance(spec, GroupbyAgg) else (spec.date_col, *spec.by)
    made = [metric_name(column, each) for column, all_ in spec.metrics.items() for each in all_]
    names = [*keys, *(made or [ROW_COUNT])]
    same = sort.by if sort.by in names else alike(sort.by, names)
    if same is None:
        measured = alike(sort.by, spec.metrics)
        aggregates = spec.metrics[measured] if measured is not None else ()
        if measured is None or len(aggregates) != 1:
            candidates = nearest(sort.by, names, CANDIDATES, least=0)
            raise InvalidInput(
                "analysis_sort_unknown",
                column=shown(sort.by),
                candidates=listed(candidates),
                details={"column": shown(sort.by), "candidates": candidates},
            )
        same = metric_name(measured, aggregates[0])
    return sort.model_copy(update={"by": same})
