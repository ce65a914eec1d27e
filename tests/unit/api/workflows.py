"""Small workflows for the tests of the API: many steps, files in, artifacts out, a defect."""

import asyncio
from collections.abc import Sequence
from typing import ClassVar

from pydantic import BaseModel
from typing_extensions import override

from sanbo.runs.model import Event, FileRef, JsonObject, Path
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow
from tests.workflows import WORKFLOWS as SHARED


class LedgerInput(BaseModel):
    entries: int = 10
    step_seconds: float = 0.0


class LedgerResult(BaseModel):
    total: int


class Ledger(Workflow[LedgerInput, LedgerResult]):
    """As many steps as wanted, each with a word streamed beside it."""

    name = "ledger"
    titles: ClassVar = {"ja": "台帳", "en": "Ledger"}
    descriptions: ClassVar = {"ja": "多くの手順", "en": "Many steps"}
    input_model = LedgerInput
    result_model = LedgerResult

    @override
    async def advance(self, context: RunContext[LedgerInput]) -> Finished[LedgerResult] | Waiting:
        async def entry() -> int:
            context.say(f"記帳{number}", "entry")
            await asyncio.sleep(context.input.step_seconds)
            return number

        total = 0
        for number in range(context.input.entries):
            total += await context.step(f"entry-{number}", entry, title=f"{number}行目")
        return Finished(LedgerResult(total=total))


class PapersInput(BaseModel):
    name: str = "報告書.md"
    media_type: str = "text/markdown"
    text: str = "# 報告"
    source: FileRef | None = None


class PapersResult(BaseModel):
    name: str


class Papers(Workflow[PapersInput, PapersResult]):
    """Keeps one artifact of any name and type, and may be given a file."""

    name = "papers"
    titles: ClassVar = {"ja": "書類", "en": "Papers"}
    descriptions: ClassVar = {"ja": "書類を作ります。", "en": "Makes a paper."}
    input_model = PapersInput
    result_model = PapersResult

    @override
    async def advance(self, context: RunContext[PapersInput]) -> Finished[PapersResult] | Waiting:
        given = context.input
        await context.keep(given.name, given.media_type, given.text.encode())
        return Finished(PapersResult(name=given.name))

    @override
    def kept_in_replay(
        self, history: Sequence[Event], step: Path, given: JsonObject
    ) -> list[Event]:
        raise RuntimeError("a defect, with a secret detail")


WORKFLOWS = (*SHARED, Ledger(), Papers())
