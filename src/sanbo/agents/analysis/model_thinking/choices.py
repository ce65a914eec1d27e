"""The model's first word: what to do next, and with which operation."""

from functools import cache
from typing import Any, Literal

from pydantic import Field, create_model

from sanbo.agents.analysis.decision import NextAction, OutOfScope
from sanbo.agents.analysis.model_thinking.said import Said
from sanbo.agents.analysis.spec.reading import CHARTS, OPERATIONS

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
