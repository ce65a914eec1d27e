"""An expression as a list of steps: no recursion, which some providers' schemas can't say."""

from collections.abc import Sequence
from typing import Any, Literal

from sanbo.agents.analysis.model_thinking.said import Said
from sanbo.agents.analysis.spec.filters import CompareOp
from sanbo.agents.analysis.spec.listing import shown
from sanbo.agents.analysis.spec.words import TimeUnit
from sanbo.kernel.problems import InvalidInput
from sanbo.language.cells import parse_number

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
