"""`agent.research`: a cited report over a collection of documents."""

import asyncio
from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.agent.calling import call
from sanbo.blocks.agent.outputs import by_port
from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.runs.workflow import Waiting

PORTS = ("report_md", "answered", "citations", "cycles", "stop_reason", "queries", "partial")


class ResearchInputs(BlockInputs):
    question: str
    collection: str


class ResearchReport(EngineBlock[ResearchInputs]):
    Inputs = ResearchInputs

    @override
    async def run(
        self, given: ResearchInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        # A name that was misspelt is told before the agent begins.
        await asyncio.to_thread(context.run.place.library.info, given.collection)
        return by_port(await call("research", given.model_dump(), context), PORTS)
