"""Specs in the form a model fills them in: flat, small, and sayable in every provider's schema.

A free map, a tuple or a tree has no form in strict JSON Schema, and the schema of all operations
together is 70 KB. So each operation has a draft of its own, made from its spec's fields: metrics
are a list, filters have one shape, an expression is a list of steps. What is left open is null.
"""

from collections.abc import Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, create_model

from sanbo.agents.analysis.decision import NextAction, OutOfScope
from sanbo.agents.analysis.spec.filters import CompareOp
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.agents.analysis.spec.reading import CHARTS, OPERATIONS, OPERATORS, read_spec
from sanbo.agents.analysis.spec.words import Aggregate, Sort, TimeUnit, shown
from sanbo.kernel.problems import InvalidInput
from sanbo.language.cells import parse_number


def _without_titles(schema: dict[str, Any]) -> None:
    """They repeat the names: a fifth of a schema that servers put into the prompt."""
    schema.pop("title", None)
    for field in schema.get("properties", {}).values():
        field.pop("title", None)


class Said(BaseModel):
    model_config = ConfigDict(json_schema_extra=_without_titles)


NOTHING = "none"


class Choice(Said):
    rationale: str
    next_action: NextAction
    operation: str = NOTHING
    questions: list[str] = Field(default_factory=list[str])
    assumptions: list[str] = Field(default_factory=list[str])
    scope: OutOfScope | None = None
    suggestions: list[str] = Field(default_factory=list[str])


@cache
def choice_schema(*, may_finalize: bool, may_act: bool) -> type[Choice]:
    """Only what is possible now can be chosen: no conclusion before there is a result."""
    actions = ["act"] * may_act + ["finalize"] * may_finalize + ["ask", "out_of_scope"]
    fields: dict[str, Any] = {
        "next_action": (Literal[tuple(actions)], ...),
        "operation": (Literal[(*OPERATIONS, *CHARTS, NOTHING)], NOTHING),
    }
    return create_model("Choice", __base__=Choice, **fields)


Function = Literal[
    "add",
    "subtract",
    "multiply",
    "divide",
    "power",
    "modulo",
    "log",
    "abs",
    "sqrt",
    "negate",
    "round",
    "floor",
    "ceil",
    "zscore",
    "min_max",
    "rank",
    "share",
    "date_part",
    "date_difference",
    "bin",
    "length",
    "contains",
    "text_part",
    "join",
    "compare",
    "if",
]
_NAMES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(
        ("add", "subtract", "multiply", "divide", "power", "modulo", "compare"), ("left", "right")
    ),
    "date_difference": ("start", "end"),
    "if": ("condition", "then", "otherwise"),
}
"""What a function calls its inputs; all others have one, `of`."""
_OPTIONS: dict[str, dict[str, str]] = {
    "date_part": {"part": "unit"},
    "date_difference": {"unit": "unit"},
    "compare": {"op": "compare"},
    "contains": {"text": "text"},
    "join": {"separator": "text"},
    "bin": {"edges": "edges", "labels": "labels", "count": "count"},
    "log": {"base": "base"},
    "text_part": {"start": "start", "length": "length"},
    "round": {"digits": "digits"},
    **{name: {"by": "by"} for name in ("zscore", "min_max", "rank", "share")},
}
"""Fields of the expression, and the step's field that gives them."""
_MOST_STEPS = 20


class Operand(Said):
    kind: Literal["column", "number", "text", "step"]
    value: str


class Step(Said):
    fn: Function
    inputs: list[Operand]
    unit: TimeUnit | Literal["minutes", "hours", "days", "weeks", "months", "years"] | None = None
    """Of date_part and date_difference."""
    compare: CompareOp | None = None
    text: str | None = None
    """That `contains` looks for; the separator of `join`."""
    edges: list[float] | None = None
    labels: list[str] | None = None
    count: int | None = None
    """Of bins."""
    digits: int | None = None
    start: int | None = None
    length: int | None = None
    base: Literal["e", "2", "10"] | None = None
    by: str | None = None
    """The column in whose groups `zscore`, `min_max`, `rank` and `share` are taken."""


def expression_of(steps: Sequence[Step]) -> dict[str, Any]:
    """The tree whose root is the last step. The same branch is shared, never copied."""
    if not 1 <= len(steps) <= _MOST_STEPS:
        raise InvalidInput("analysis_steps_count", limit=_MOST_STEPS)
    made: list[dict[str, Any]] = []
    for number, step in enumerate(steps, 1):
        made.append(_node(step, [_operand(each, made, number) for each in step.inputs]))
    return made[-1]


def _operand(operand: Operand, made: Sequence[dict[str, Any]], number: int) -> dict[str, Any]:
    match operand.kind:
        case "column":
            return {"fn": "column", "name": operand.value}
        case "text":
            return {"fn": "constant", "value": operand.value}
        case "number":
            value = parse_number(operand.value)
            if value is None:
                raise InvalidInput("analysis_steps_number", value=shown(operand.value))
            return {"fn": "constant", "value": value}
        case "step":
            text = operand.value.strip().removeprefix("step").strip()
            if not text.isascii() or not text.isdecimal() or not 1 <= int(text[:4]) < number:
                raise InvalidInput("analysis_steps_order", value=shown(operand.value))
            return made[int(text) - 1]


def _node(step: Step, inputs: list[dict[str, Any]]) -> dict[str, Any]:
    node: dict[str, Any] = {"fn": step.fn}
    if step.fn == "join":
        node["parts"] = inputs
    else:
        # Too few are refused as missing fields, too many as unknown ones.
        names = (*_NAMES.get(step.fn, ("of",)), *(f"input_{n}" for n in range(len(inputs))))
        node |= dict(zip(names, inputs, strict=False))
    return node | {name: value for name, value in _options(step).items() if value is not None}


def _options(step: Step) -> dict[str, Any]:
    """Only those of this function: models like to fill in what nobody asked for."""
    options = {name: getattr(step, told) for name, told in _OPTIONS.get(step.fn, {}).items()}
    if options.get("edges"):
        options["count"] = None  # the edges say it
    return {name: None if value == [] else value for name, value in options.items()}


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
