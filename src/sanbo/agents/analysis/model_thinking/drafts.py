"""Specs in the form a model fills them in: flat, small, and sayable in every provider's schema.

A free map, a tuple or a tree has no form in strict JSON Schema, and the schema of all operations
together is 70 KB. So each operation has a draft of its own, made from its spec's fields: metrics
are a list, filters have one shape, an expression is a list of steps. What is left open is null.
"""

from collections.abc import Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, create_model

from sanbo.agents.analysis.model_thinking.said import Said
from sanbo.agents.analysis.model_thinking.steps import Step, expression_of
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import CHARTS, OPERATIONS, OPERATORS, read_spec
from sanbo.agents.analysis.spec.words import Aggregate, Sort

Value = str | int | float | bool
_OWN = frozenset({"type", "input", "filters", "expression"})
_ROWS = ("*", "")
"""What models write as the column of a row count."""


class Metric(Said):
    column: str
    aggregate: Aggregate


class Order(Said):
    by: str
    ascending: bool


class Condition(Said):
    col: str
    op: Literal[OPERATORS]  # pyright: ignore[reportInvalidTypeForm] - made from the vocabulary
    values: list[Value]


@cache
def draft_of(operation: str, inputs: tuple[str, ...]) -> type[BaseModel]:
    """The model's form of one operation or chart, on the tables that there are."""
    spec = OPERATIONS.get(operation) or CHARTS[operation]
    told = "op" if operation in OPERATIONS else "kind"
    fields: dict[str, Any] = {"input": (Literal[inputs], ...)}
    for name, field in spec.model_fields.items():
        if name in _OWN or name == told:
            continue
        kind = _drafted(field.annotation)
        fields[name] = (kind, ...) if field.is_required() else (kind | None, None)
    if operation == "derive":
        fields["steps"] = (list[Step], ...)
    fields["filters"] = (list[Condition], [])
    fields["any_of"] = (list[Condition], [])
    return create_model(operation, __base__=Said, **fields)


def spec_of(operation: str, draft: BaseModel) -> AnalysisSpec | PlotSpec:
    """Validated as any spec from outside is; `InvalidInput` where the draft says nonsense."""
    told = draft.model_dump(mode="json", exclude_none=True)
    told["op" if operation in OPERATIONS else "kind"] = operation
    told["type"] = "analysis" if operation in OPERATIONS else "plot"
    filters = [_condition(each) for each in told.pop("filters")]
    alternatives = [_condition(each) for each in told.pop("any_of")]
    if len(alternatives) == 1:
        filters += alternatives
    elif alternatives:
        filters.append({"any_of": alternatives})
    told["filters"] = filters
    if "metrics" in told:
        told["metrics"] = _metrics(told["metrics"])
    if "steps" in told:
        told["expression"] = expression_of(cast("Sequence[Step]", getattr(draft, "steps", ())))
        del told["steps"]
    return read_spec(told)


def _condition(told: dict[str, Any]) -> dict[str, Any]:
    col, op, values = told["col"], told["op"], told["values"]
    match op:
        case "is_null" | "not_null" | "is_outlier" | "not_outlier":
            return {"col": col, "op": op}
        case "in":
            return {"col": col, "op": op, "value": values}
        case "==" if len(values) > 1:  # means one of them
            return {"col": col, "op": "in", "value": values}
        case _ if len(values) == 1:
            return {"col": col, "op": op, "value": values[0]}
        case _:
            return {"col": col, "op": op}  # is refused: the value is missing


def _metrics(told: list[dict[str, str]]) -> dict[str, list[str]]:
    if all(each["column"] in _ROWS and each["aggregate"] == "count" for each in told):
        return {}
    metrics: dict[str, list[str]] = {}
    for each in told:
        metrics.setdefault(each["column"], []).append(each["aggregate"])
    return {column: list(dict.fromkeys(aggregates)) for column, aggregates in metrics.items()}


def _drafted(annotation: Any) -> Any:
    """The same type without tuples, maps and marks."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _drafted(get_args(annotation)[0])
    if origin is tuple:
        return list[_drafted(get_args(annotation)[0])]
    if origin is dict:
        return list[Metric]
    if origin in (Union, UnionType):
        arms = [_drafted(arm) for arm in get_args(annotation) if arm is not type(None)]
        return Union[tuple(arms)]  # noqa: UP007 - of a list that is made here
    return Order if annotation is Sort else annotation
