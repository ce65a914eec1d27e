"""A spec bound to the tables it speaks of: every name found, every type and value fitting."""

import math
from collections.abc import Callable, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from sanbo.agents.analysis.execution.spans import read_span
from sanbo.agents.analysis.profile import ColumnProfile, DatasetProfile, TableProfile
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filters
from sanbo.agents.analysis.spec.fitness import check_fitness
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
    ColumnMark,
    Scalar,
    Sort,
    alike,
    listed,
    metric_name,
    shown,
)
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.values import as_boolean, as_number, text_of

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


M = TypeVar("M", bound=BaseModel)
Rename = Callable[[str], str]


def with_columns(spec: M, rename: Rename) -> M:
    """The spec with each column's name replaced by what `rename` gives for it."""
    return cast("M", _renamed(spec, type(spec), rename))


def columns_of(spec: BaseModel) -> list[str]:
    """The names that stand in a spec, each once, in their order."""
    names: dict[str, None] = {}

    def note(name: str) -> str:
        names[name] = None
        return name

    with_columns(spec, note)
    return list(names)


def _renamed(value: Any, annotation: Any, rename: Rename) -> Any:
    if isinstance(value, BaseModel):
        return _renamed_model(value, rename)
    if isinstance(value, str):
        return rename(value) if _is_marked(annotation) else value
    if isinstance(value, tuple):
        inner = _inner(annotation, tuple)
        items = cast("tuple[Any, ...]", value)
        return tuple(_renamed(item, inner[0] if inner else Any, rename) for item in items)
    if isinstance(value, Mapping):
        return _renamed_keys(cast("Mapping[str, Any]", value), _inner(annotation, dict), rename)
    return value


def _renamed_model(model: BaseModel, rename: Rename) -> BaseModel:
    changed: dict[str, Any] = {}
    for name, field in type(model).model_fields.items():
        before = getattr(model, name)
        # Pydantic takes the outermost `Annotated` apart: its marks stand in `metadata`.
        kind: Any = field.annotation
        for mark in field.metadata:
            kind = Annotated[kind, mark]
        after = _renamed(before, kind, rename)
        if after != before:
            changed[name] = after
    return model.model_copy(update=changed) if changed else model


def _renamed_keys(
    value: Mapping[str, Any], inner: Sequence[Any], rename: Rename
) -> Mapping[str, Any]:
    if not inner or not _is_marked(inner[0]):
        return value
    renamed: dict[str, Any] = {}
    for key, items in value.items():
        name = rename(key)  # two spellings of one column come together
        if isinstance(items, tuple):
            both = (*renamed.get(name, ()), *cast("tuple[Any, ...]", items))
            renamed[name] = tuple(dict.fromkeys(both))
        else:
            renamed[name] = items
    return renamed


def _is_marked(annotation: Any) -> bool:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        return any(isinstance(mark, ColumnMark) for mark in marks) or _is_marked(inner)
    if get_origin(annotation) in (Union, UnionType):
        return any(_is_marked(arm) for arm in get_args(annotation))
    return False


def _inner(annotation: Any, container: type) -> Sequence[Any]:
    """`X` of `tuple[X, ...]`, key and value of a dict, through `Annotated` and `| None`."""
    origin = get_origin(annotation)
    if origin is container:
        return get_args(annotation)
    if origin is Annotated:
        return _inner(get_args(annotation)[0], container)
    if origin in (Union, UnionType):
        found = (_inner(arm, container) for arm in get_args(annotation))
        return next((inner for inner in found if inner), ())
    return ()


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
    if column is None:
        return value
    if column.is_numeric:
        return _number(value, column)
    if column.is_temporal:
        return _moment(value, column)
    if column.type == "boolean":
        return _truth(value, column)
    if column.type == "text" and exact:
        return _word(value, column)
    return value


def _number(value: Scalar, column: ColumnProfile) -> Scalar:
    number = as_number(value)
    if number is not None and math.isfinite(number):
        return value
    raise InvalidInput(
        "analysis_value_no_number",
        value=shown(value),
        column=shown(column.name),
        details={"column": column.name, "value": shown(value), "type": column.type},
    )


def _moment(value: Scalar, column: ColumnProfile) -> Scalar:
    """A year may come as a number: 2025."""
    text = str(value) if isinstance(value, str) or type(value) is int else ""
    if read_span(text) is not None:
        return text
    raise InvalidInput(
        "analysis_value_no_date",
        value=shown(value),
        column=shown(column.name),
        details={"column": column.name, "value": shown(value), "type": column.type},
    )


def _truth(value: Scalar, column: ColumnProfile) -> bool:
    truth = as_boolean(value)
    if truth is None:
        raise _unknown(value, column, ["true", "false"])
    return truth


def _word(value: Scalar, column: ColumnProfile) -> Scalar:
    text = text_of(value)  # models write 3.0 for a code 3
    # Where not all values are known, or none is, only the rows themselves can tell.
    if not column.is_whole or not column.values or text in column.values:
        return text
    same = alike(text, column.values)
    if same is None:
        raise _unknown(value, column, nearest(text, column.values, CANDIDATES, least=0))
    return same


def _unknown(value: Scalar, column: ColumnProfile, candidates: list[str]) -> InvalidInput:
    return InvalidInput(
        "analysis_value_unknown",
        value=shown(value),
        column=shown(column.name),
        candidates=listed(candidates),
        details={"column": column.name, "value": shown(value), "candidates": candidates},
    )
