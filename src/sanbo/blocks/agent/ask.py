"""`agent.ask`: an answer that knows how sure it is; a person is asked where it is not."""

from collections.abc import Mapping
from typing import Any

from typing_extensions import override

from sanbo.blocks.agent.calling import call
from sanbo.blocks.agent.outputs import by_port
from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.runs.workflow import Waiting

PORTS = (
    "answer_md",
    "answered",
    "confidence",
    "decision",
    "factors",
    "plan",
    "steps",
    "sources",
    "replans",
    "interventions",
    "cancelled",
)


class AskInputs(BlockInputs):
    question: str
    collection: str | None = None


class Ask(EngineBlock[AskInputs]):
    Inputs = AskInputs

    @override
    async def run(self, given: AskInputs, context: EngineContext) -> Mapping[str, Any] | Waiting:
        return by_port(await call("grace", given.model_dump(), context), PORTS)
