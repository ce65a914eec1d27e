"""What GRACE knows while it runs, as plain JSON: checkpoints hold no classes of ours."""

from typing import Annotated, Literal, TypedDict, TypeVar

from sanbo.runs.model import JsonObject

T = TypeVar("T")

Next = Literal["confirm_plan", "schedule", "send", "review", "ask", "replan", "finish"]
"""`send`: the steps that are ready, side by side."""


def merged(known: dict[str, T], new: dict[str, T]) -> dict[str, T]:
    """Steps that ran side by side each add their own."""
    return {**known, **new}


def last(_: JsonObject, new: JsonObject) -> JsonObject:
    """Steps that end together all write it; each is told from its own update."""
    return new


class GraceState(TypedDict, total=False):
    question: str
    collections: list[JsonObject]
    """`KnownCollection`s that a plan may search in."""
    fitted: JsonObject
    """The `Fitted` that scores in this run, also where feedback changes it meanwhile."""
    thresholds: JsonObject
    """The `ThresholdsUsed`."""
    plan: JsonObject
    """The `ExecutionPlan` that is followed now."""
    results: Annotated[dict[str, JsonObject], merged]
    """A `StepResult` by step, also of steps of earlier plans."""
    passages: Annotated[dict[str, list[JsonObject]], merged]
    """`FoundPassage`s by the step that found or cited them."""
    running: list[int]
    """Steps that are sent off next."""
    repaired: list[int]
    """Failed steps that a new plan has taken up."""
    confirmed: list[int]
    """Steps that a person has agreed to."""
    said: list[JsonObject]
    """What people `Said`, oldest first."""
    replans: list[JsonObject]
    interventions: list[JsonObject]
    draft: JsonObject
    """The best `Draft` up to now; empty where there is none that still counts."""
    pending: JsonObject
    """The `Pending` question to a person."""
    heard: JsonObject
    """A person's answer to it, as it was given."""
    cause: JsonObject
    """The `Cause` of the next replan."""
    ending: JsonObject
    """The `Ending`: how it ends."""
    next: Next
    result: JsonObject
    """An `ExecutionResult`."""
    shown: Annotated[JsonObject, last]
    """What the last node tells the journal."""


class StepTask(TypedDict):
    """What one step is sent off with."""

    step: JsonObject
    question: str
    collections: list[JsonObject]
    fitted: JsonObject
    thresholds: JsonObject
    steps: list[JsonObject]
    results: dict[str, JsonObject]
    passages: dict[str, list[JsonObject]]
    said: list[JsonObject]
