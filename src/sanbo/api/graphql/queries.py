"""Looking back: runs, a run, a citation's place, notes, collections."""

import asyncio

import strawberry

from sanbo.api.graphql.asking import Asking, Info
from sanbo.api.graphql.shapes import (
    ShownCollection,
    ShownNote,
    ShownPlace,
    ShownRun,
    shaped,
)
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.service import notes, research
from sanbo.service.catalog import RESEARCH

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
        found = await notes.notes(asking.workbench, asking.caller, session)
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
