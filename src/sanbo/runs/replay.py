"""Replaying from a step: which events of the earlier run stand."""

from collections.abc import Sequence

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import (
    Event,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
    NodeComplete,
    NodeSkipped,
    NodeStart,
    Path,
    RunComplete,
    RunStart,
    RunWaiting,
)


def first_start(history: Sequence[Event], step: Path) -> Event:
    for event in history:
        if isinstance(event.payload, NodeStart) and event.path == step:
            return event
    raise NotFound("step_not_found", step="/".join(step))


def finished_before(history: Sequence[Event], step: Path) -> list[Event]:
    """All that was finished when the step first started; what was in flight then starts anew."""
    end = first_start(history, step).seq or 0
    return only_finished([event for event in history if (event.seq or 0) < end])


def only_finished(history: Sequence[Event]) -> list[Event]:
    """Without steps that have not ended, their questions, and the frame of the run itself."""
    ended = {
        (event.path, event.payload.key)
        for event in history
        if isinstance(event.payload, NodeComplete | NodeSkipped)
    }
    asked = {
        event.payload.interaction.interaction_id
        for event in history
        if isinstance(event.payload, InteractionOpen) and (event.path, event.payload.key) in ended
    }

    def stands(event: Event) -> bool:
        payload = event.payload
        match payload:
            case RunStart() | RunWaiting() | RunComplete() | InteractionDue():
                return False
            case InteractionAnswered():
                return payload.interaction_id in asked
            case _:
                key = getattr(payload, "key", None)
                return key is None or (event.path, key) in ended

    return [event for event in history if stands(event)]
