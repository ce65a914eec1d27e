"""`ui.diff_viewer`: shows a person what differs between two values, and asks for approval."""

import asyncio
import re
from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import JsonValue
from typing_extensions import override

from sanbo.blocks.block import BlockInputs, EngineBlock, EngineContext
from sanbo.blocks.spec import Text, text_of
from sanbo.blocks.ui.asking import ask
from sanbo.blocks.ui.differences import Difference, differences
from sanbo.documents.model import Source
from sanbo.kernel.messages import Language, tell
from sanbo.runs.fields import file_refs
from sanbo.runs.model import APPROVED, COMMENT, Question
from sanbo.runs.workflow import Waiting

MOST_SHOWN = 200
"""Differences in the question; all of them are in the output."""


class DiffViewerInputs(BlockInputs):
    before: JsonValue = None
    after: JsonValue = None
    message: Text | None = None


class DiffViewer(EngineBlock[DiffViewerInputs]):
    Inputs = DiffViewerInputs

    @override
    async def run(
        self, given: DiffViewerInputs, context: EngineContext
    ) -> Mapping[str, Any] | Waiting:
        before = await _readable(given.before, context)
        after = await _readable(given.after, context)
        found = await asyncio.to_thread(differences, before, after)
        answered = await ask(
            _question(text_of(given.message or {}, context.language), found, context.language),
            context,
        )
        if answered is None:
            return Waiting()
        counts = Counter(each.kind for each in found)
        return {
            "diffs": [each._asdict() for each in found],
            "approved": answered.answer[APPROVED],
            "metadata": {
                **answered.metadata,
                "comment": answered.answer.get(COMMENT),
                "added": counts["added"],
                "removed": counts["removed"],
                "changed": counts["changed"],
            },
        }


async def _readable(value: JsonValue, context: EngineContext) -> JsonValue:
    """A file is compared by its text."""
    files = file_refs(value) if isinstance(value, dict) and "file_id" in value else []
    if len(files) != 1:
        return value
    source = Source(name=files[0].name, data=await context.read(files[0]))
    document = await context.readers.read_apart(source)
    return document.text


def _place(path: str, language: Language) -> str:
    """`[3]` is what a person calls line 3."""
    if line := re.fullmatch(r"\[(\d+)\]", path):
        return tell("blocks_ui.diff.line", language, number=line[1])
    return path or tell("blocks_ui.diff.whole", language)


def _question(message: str, found: list[Difference], language: Language) -> Question:
    counts = Counter(each.kind for each in found)
    shown = [
        {
            tell("blocks_ui.diff.place", language): _place(each.path, language),
            tell("blocks_ui.diff.kind", language): tell(f"blocks_ui.diff.{each.kind}", language),
            tell("blocks_ui.diff.before", language): each.before,
            tell("blocks_ui.diff.after", language): each.after,
        }
        for each in found[:MOST_SHOWN]
    ]
    counted = tell(
        "blocks_ui.diff.counts" if found else "blocks_ui.diff.none",
        language,
        added=counts["added"],
        removed=counts["removed"],
        changed=counts["changed"],
        shown=len(shown),
        total=len(found),
    )
    return Question(
        mode="confirm",
        message=message or tell("blocks_ui.diff.asked", language),
        context={
            tell("blocks_ui.diff.summary", language): counted,
            tell("blocks_ui.diff.differences", language): [dict(row) for row in shown],
        },
    )
