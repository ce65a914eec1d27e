"""The schema: asking, stopping, looking back, and the report as it is written."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

import strawberry
from graphql import GraphQLError
from pydantic import BaseModel
from strawberry.extensions import MaxTokensLimiter
from strawberry.schema.exceptions import InvalidOperationTypeError
from strawberry.types import ExecutionResult
from strawberry.types.graphql import OperationType
from typing_extensions import override

from sanbo.api.graphql.limits import MOST_TOKENS, Problems, WithinLimits
from sanbo.api.graphql.shapes import (
    AnyShownStep,
    ReportDone,
    ReportText,
    ReportUpdate,
    ShownAnswer,
    ShownCollection,
    ShownDecide,
    ShownNote,
    ShownPlace,
    ShownProblem,
    ShownRetrieve,
    ShownRun,
    StepBegun,
    StepDone,
    StepFailed,
    shaped,
)
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import Event, NodeError, NodeStart, RunComplete, TextDelta
from sanbo.service import research
from sanbo.service.access import Caller
from sanbo.service.catalog import RESEARCH
from sanbo.service.workbench import Workbench


@dataclass(frozen=True)
class Asking:
    workbench: Workbench
    caller: Caller


Info = strawberry.Info[Asking, None]


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def deep_research(
        self,
        info: Info,
        question: str,
        collection: str | None = None,
        session: strawberry.ID | None = None,
    ) -> ShownRun:
        """Starts a research and returns at once; `report` streams it. Without a collection, it
        looks where its session did, or in the only one."""
        asking = info.context
        if collection is None:
            bench, caller = asking.workbench, asking.caller
            collection = await research.usual_collection(bench, caller, session)
        given = {"question": question, "collection": collection}
        run = await asking.workbench.start(
            asking.caller, RESEARCH, {**given}, conversation_id=session
        )
        return ShownRun.of(run)

    @strawberry.mutation
    async def cancel_research(self, info: Info, run_id: strawberry.ID) -> ShownRun:
        asking = info.context
        await research.research_run(asking.workbench, asking.caller, run_id)
        return ShownRun.of(await asking.workbench.cancel(asking.caller, run_id))

    @strawberry.mutation
    async def delete_notes(self, info: Info, session: strawberry.ID) -> int:
        """How many notes there were."""
        asking = info.context
        return await research.delete_notes(asking.workbench, asking.caller, session)


MAX_PAGE = 50


@strawberry.type
class Query:
    @strawberry.field
    async def runs(
        self, info: Info, limit: int = 20, before: strawberry.ID | None = None
    ) -> list[ShownRun]:
        """Newest first; `before` is the id of the last run of the page before."""
        if not 1 <= limit <= MAX_PAGE:
            raise InvalidInput("graphql_limit", most=MAX_PAGE)
        asking = info.context
        listed = await asking.workbench.list(
            asking.caller, workflow=RESEARCH, before=before, limit=limit
        )
        found = await asyncio.gather(*(_found(asking, each.run_id) for each in listed))
        return [run for run in found if run is not None]

    @strawberry.field
    async def run(self, info: Info, id: strawberry.ID) -> ShownRun:
        asking = info.context
        return ShownRun.of(await research.research_run(asking.workbench, asking.caller, id))

    @strawberry.field
    async def citation(self, info: Info, run_id: strawberry.ID, number: int) -> ShownPlace:
        """The passage that `[number]` of a report stands in."""
        asking = info.context
        place = await research.citation_place(asking.workbench, asking.caller, run_id, number)
        return ShownPlace.of(place)

    @strawberry.field
    async def notes(self, info: Info, session: strawberry.ID) -> list[ShownNote]:
        asking = info.context
        found = await research.notes(asking.workbench, asking.caller, session)
        return [ShownNote.of(note) for note in found]

    @strawberry.field
    async def collections(self, info: Info) -> list[ShownCollection]:
        infos = await asyncio.to_thread(info.context.workbench.collections.all)
        return [shaped(ShownCollection, each) for each in infos]


async def _found(asking: Asking, run_id: str) -> ShownRun | None:
    try:
        return ShownRun.of(await asking.workbench.get(asking.caller, run_id))
    except NotFound:  # deleted since it was listed
        return None


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


class _Schema(strawberry.Schema):
    @override
    async def execute(self, *given: Any, **named: Any) -> ExecutionResult:
        """For one answer; what has several is streamed."""
        named["allowed_operation_types"] = (OperationType.QUERY, OperationType.MUTATION)
        try:
            return await super().execute(*given, **named)
        except InvalidOperationTypeError:
            raise InvalidInput("graphql_subscription") from None

    @override
    def process_errors(self, errors: list[GraphQLError], *_args: Any, **_named: Any) -> None:
        """`Problems` logs what is ours to know; a caller's mistake is no line in our log."""


def create_schema() -> strawberry.Schema:
    return _Schema(
        Query,
        Mutation,
        Subscription,
        extensions=[Problems, WithinLimits, partial(MaxTokensLimiter, max_token_count=MOST_TOKENS)],
    )
