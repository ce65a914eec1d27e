"""`agent.compare`: what changed between two documents."""

from collections.abc import Mapping, Sequence
from typing import Any

from typing_extensions import override

from sanbo.blocks.agent.calling import call
from sanbo.blocks.agent.outputs import by_port
from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.runs.model import FileRef
from sanbo.runs.workflow import Waiting

PORTS = ("changes", "summary", "table_md")


class CompareInputs(BlockInputs):
    old: FileRef | Sequence[FileRef] | None = None
    new: FileRef | Sequence[FileRef] | None = None
    old_text: str | None = None
    new_text: str | None = None
    collection: str | None = None
    old_document: str | None = None
    new_document: str | None = None
    id_column: str | None = None
    text_column: str | None = None
    every_chunk: bool = False
    fold_renumbered: bool = False


class Compare(EngineBlock[CompareInputs]):
    Inputs = CompareInputs

    @override
    async def run(
        self, given: CompareInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        sides = {"old": _files(given.old), "new": _files(given.new)}
        values: dict[str, Any] = given.model_dump(exclude={"old", "new"}) | sides
        return by_port(await call("comparison", values, context), PORTS)


def _files(side: FileRef | Sequence[FileRef] | None) -> list[dict[str, Any]]:
    files = [side] if isinstance(side, FileRef) else list(side or ())
    return [file.model_dump(mode="json") for file in files]
