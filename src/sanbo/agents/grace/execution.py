"""A run of GRACE at any moment, from its events: what front ends draw."""

from collections.abc import Iterable
from typing import cast

from pydantic import ValidationError

from sanbo.agents.grace.schemas import ExecutionState, Status, StepResult
from sanbo.runs.model import Event, JsonObject, NodeComplete, RunStart

STEP = "step"


def execution_of(events: Iterable[Event]) -> ExecutionState:
    """Steps tell of themselves; every other node tells the whole."""
    state = ExecutionState(question="", phase="planning")
    for event in events:
        payload = event.payload
        if isinstance(payload, RunStart):
            state = _asked(state, payload)
        elif isinstance(payload, NodeComplete) and isinstance(payload.outputs, dict):
            name = event.path[-1] if event.path else ""
            state = told(state, name, cast("JsonObject", payload.outputs))
    return state


def execution_told(given: JsonObject, outputs: Iterable[tuple[str, JsonObject]]) -> ExecutionState:
    """The same, from what its nodes have told in their order."""
    question = given.get("question")
    known = question if isinstance(question, str) else ""
    state = ExecutionState(question=known, phase="planning")
    for node, output in outputs:
        state = told(state, node, output)
    return state


def _asked(state: ExecutionState, start: RunStart) -> ExecutionState:
    question = start.input.get("question")
    known = question if isinstance(question, str) else state.question
    return state.model_copy(update={"question": known})


def told(state: ExecutionState, node: str, outputs: JsonObject) -> ExecutionState:
    """After a node has ended."""
    try:
        if node != STEP:
            return ExecutionState.model_validate(outputs)
        return _with(state, StepResult.model_validate(outputs))
    except ValidationError:  # recorded by another version of Sanbo
        return state


def _with(state: ExecutionState, result: StepResult) -> ExecutionState:
    others = [each for each in state.results if each.step_id != result.step_id]
    results = sorted((*others, result), key=lambda each: each.step_id)
    statuses: dict[int, Status] = {**state.statuses, result.step_id: result.status}
    return state.model_copy(update={"results": tuple(results), "statuses": statuses})
