"""Asking, stopping, and deleting notes."""

import strawberry

from sanbo.api.graphql.asking import Info
from sanbo.api.graphql.shapes import ShownRun
from sanbo.service import notes, research
from sanbo.service.catalog import RESEARCH


@strawberry.type
class Mutation:
    @strawberry.mutation
    async def deep_research(
        self, info: Info, question: str, collection: str, session: strawberry.ID | None = None
    ) -> ShownRun:
        """Starts a research and returns at once; `report` streams it."""
        asking = info.context
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
        return await notes.delete_notes(asking.workbench, asking.caller, session)
