"""The columns that a spec names, found by the marks on its fields.

Whether a column can be used as a spec uses it: dates where dates are needed, also numbers.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import UnionType
from typing import Annotated, Any, NamedTuple, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel

from sanbo.agents.analysis.profile import NUMERIC, TEMPORAL, ValueType
from sanbo.agents.analysis.spec import expressions
from sanbo.agents.analysis.spec import operations as op
from sanbo.agents.analysis.spec.filters import AnyOf
from sanbo.agents.analysis.spec.plots import Aggregated, Box, PlotSpec, Scatter
from sanbo.agents.analysis.spec.words import NUMERIC_AGGREGATES, ColumnMark, Need, refused

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
                getattr(value, name), Annotated[field.annotation, None, *field.metadata], visit
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
