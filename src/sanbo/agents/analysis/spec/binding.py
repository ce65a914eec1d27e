"""A spec bound to the tables it speaks of: every name found, every type and value fitting.

The columns that a spec names, found by the marks on its fields.

Whether a column can be used as a spec uses it: dates where dates are needed, also numbers.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from sanbo.agents.analysis.profile import (
    NUMERIC,
    TEMPORAL,
    ColumnProfile,
    DatasetProfile,
    TableProfile,
    ValueType,
)
from sanbo.agents.analysis.spec import expressions
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filters
from sanbo.agents.analysis.spec.operations import (
    AnalysisSpec,
    CompareGroups,
    GroupbyAgg,
    Resample,
)
from sanbo.agents.analysis.spec.plots import Aggregated, Box, PlotSpec, Scatter
from sanbo.agents.analysis.spec.words import (
    CANDIDATES,
    DATASET,
    NUMERIC_AGGREGATES,
    ROW_COUNT,
    ColumnMark,
    Need,
    Scalar,
    Sort,
    alike,
    metric_name,
    refused,
    written_span,
)
from sanbo.kernel.messages import has_text, tell
from sanbo.kernel.nearest import nearest
from sanbo.tables.values import as_boolean, as_number, text_of

M = TypeVar("M", bound=BaseModel)
Visit = Callable[[str, Need | None], str]


def with_columns(spec: M, rename: Callable[[str], str]) -> M:
    """The spec with each column's name replaced by what `rename` gives for it."""
    return cast("M", _visited(spec, None, lambda name, _: rename(name)))


def columns_of(spec: BaseModel) -> list[str]:
    """The names that stand in a spec, each once, in their order."""
    return list(dict.fromkeys(name for name, _ in _named(spec)))


def needs_of(spec: BaseModel) -> Iterator[tuple[str, Need]]:
    """Columns that must hold numbers or dates by their marks alone."""
    for name, need in _named(spec):
        if need is not None:
            yield name, need


def _named(spec: BaseModel) -> list[tuple[str, Need | None]]:
    found: list[tuple[str, Need | None]] = []

    def keep(name: str, need: Need | None) -> str:
        found.append((name, need))
        return name

    _visited(spec, None, keep)
    return found


def _visited(value: Any, annotation: Any, visit: Visit) -> Any:
    if isinstance(value, BaseModel):
        fields = type(value).model_fields.items()
        after = {
            # Pydantic takes the outermost `Annotated` apart: its marks stand in `metadata`.
            name: _visited(
                getattr(value, name),
                # pyrefly: ignore[not-a-type]
                Annotated[field.annotation, None, *field.metadata],
                visit,
            )
            for name, field in fields
        }
        changed = {name: one for name, one in after.items() if one != getattr(value, name)}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, str):
        mark = _mark(annotation)
        return value if mark is None else visit(value, mark.need)
    if isinstance(value, tuple):
        inner = _inner(annotation, tuple)
        items = cast("tuple[Any, ...]", value)
        return tuple(_visited(item, inner[0] if inner else Any, visit) for item in items)
    if isinstance(value, Mapping):
        return _keys(cast("Mapping[str, Any]", value), _inner(annotation, dict), visit)
    return value


def _keys(value: Mapping[str, Any], inner: Sequence[Any], visit: Visit) -> Mapping[str, Any]:
    mark = _mark(inner[0]) if inner else None
    if mark is None:
        return value
    renamed: dict[str, Any] = {}
    for key, items in value.items():
        name = visit(key, mark.need)  # two spellings of one column come together
        if isinstance(items, tuple):
            both = (*renamed.get(name, ()), *cast("tuple[Any, ...]", items))
            renamed[name] = tuple(dict.fromkeys(both))
        else:
            renamed[name] = items
    return renamed


def _mark(annotation: Any) -> ColumnMark | None:
    if get_origin(annotation) is Annotated:
        inner, *marks = get_args(annotation)
        own = next((mark for mark in marks if isinstance(mark, ColumnMark)), None)
        return own or _mark(inner)
    if get_origin(annotation) in (Union, UnionType):
        return next((mark for arm in get_args(annotation) if (mark := _mark(arm))), None)
    return None


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
        raise refused(text_id, fitting, column=use.column, purpose=_in_words(use.purpose))


def _in_words(purpose: str) -> str:
    kinds = ("analysis_result.aggregate", "analysis_chip.op", "analysis_chip.kind")
    known = [f"{kind}.{purpose}" for kind in kinds if has_text(f"{kind}.{purpose}")]
    return tell(known[0]) if known else purpose


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
