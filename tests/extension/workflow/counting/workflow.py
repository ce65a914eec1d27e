"""Counting as a workflow: a text in, its letters and lines out."""

from collections.abc import Mapping
from typing import ClassVar

from pydantic import BaseModel, Field
from typing_extensions import override

from sanbo.kernel.messages import Language, tell
from sanbo.runs.fold import Snapshot
from sanbo.runs.parts import Fact, Facts, Parts
from sanbo.runs.presentation import whole
from sanbo.runs.workflow import Finished, RunContext, Workflow


class CountingInput(BaseModel):
    text: str = Field(min_length=1, json_schema_extra={"label": {"ja": "文章", "en": "Text"}})


class Counts(BaseModel):
    letters: int
    lines: int


class Counting(Workflow[CountingInput, Counts]):
    name = "counting"
    titles: ClassVar[Mapping[Language, str]] = {"ja": "字数を数える", "en": "Count letters"}
    descriptions: ClassVar[Mapping[Language, str]] = {
        "ja": "文章の字数と行数を数えます。",
        "en": "Counts the letters and lines of a text.",
    }
    input_model = CountingInput
    result_model = Counts

    @override
    async def advance(self, context: RunContext[CountingInput]) -> Finished[Counts]:
        async def count() -> Counts:
            lines = context.input.text.splitlines()
            return Counts(letters=sum(map(len, lines)), lines=len(lines))

        return Finished(await context.step("count", count, returns=Counts.model_validate))

    @override
    def present(self, seen: Snapshot, language: Language) -> Parts:
        counts = seen.run.result or {}
        facts = tuple(
            Fact(label=tell(f"counting.{name}", language), value=value)
            for name, value in counts.items()
        )
        return whole(seen.run, language, (Facts(id="counts", items=facts),) if facts else ())


WORKFLOW = Counting
