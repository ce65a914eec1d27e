"""The report as it is written: steps, pieces of text, and the run as it ended."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import strawberry
from pydantic import BaseModel

from sanbo.api.graphql.asking import Asking, Info
from sanbo.api.graphql.shapes import (
    AnyShownStep,
    ReportDone,
    ReportText,
    ReportUpdate,
    ShownAnswer,
    ShownDecide,
    ShownProblem,
    ShownRetrieve,
    ShownRun,
    StepBegun,
    StepDone,
    StepFailed,
    shaped,
)
from sanbo.runs.model import Event, NodeError, NodeStart, RunComplete, TextDelta
from sanbo.service import research

_SHAPES: dict[str, type[ShownRetrieve | ShownDecide | ShownAnswer]] = {
    "RetrieveStep": ShownRetrieve,
    "DecideStep": ShownDecide,
    "AnswerStep": ShownAnswer,
}


@strawberry.type
class Subscription:
    @strawberry.subscription
    async def report(
        self, info: Info, run_id: strawberry.ID, after: int = 0
    ) -> AsyncGenerator[ReportUpdate]:
        """Updates after `after`, the `seq` of the last one seen, until the run has ended."""
        asking = info.context
        await research.research_run(asking.workbench, asking.caller, run_id)
        following = asking.workbench.follow(asking.caller, run_id, max(0, after))
        async with aclosing(following) as events:
            async for event in events:
                update = await _update(asking, event)
                if update is not None:
                    yield update


async def _update(asking: Asking, event: Event) -> ReportUpdate | None:
    """What an event says to who reads the report; None where nothing."""
    seq = event.seq or 0
    match event.payload:
        case TextDelta(text=text, so_far=so_far):
            return ReportText(text=text, so_far=so_far)
        case NodeStart(title=title):
            return StepBegun(seq=seq, name=event.path[-1], title=title)
        case NodeError(error=problem):
            return StepFailed(seq=seq, name=event.path[-1], problem=ShownProblem.of(problem))
        case RunComplete():
            run = await asking.workbench.get(asking.caller, event.run_id)
            return ReportDone(seq=seq, run=ShownRun.of(run))
        case _:
            step = research.step_of(event)
            return None if step is None else StepDone(seq=seq, step=_shown(step))


def _shown(step: BaseModel) -> AnyShownStep:
    return shaped(_SHAPES[type(step).__name__], step)
