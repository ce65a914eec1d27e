"""`ui.placeholder` (old): says something to whoever watches and hands a value on."""

from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.blocks.spec import Text, text_of
from sanbo.runs.workflow import Waiting


class PlaceholderInputs(BlockInputs):
    message: Text | None = None
    output_method: str | None = None
    value: JsonValue = None


class Placeholder(EngineBlock[PlaceholderInputs]):
    Inputs = PlaceholderInputs

    @override
    async def run(
        self, given: PlaceholderInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        if given.message:
            context.run.say(f"{text_of(given.message, context.language)}\n")
        return {"value": given.value}
