"""Runs as parts: made once for all who look at the same moment, and beside the loop."""

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any

from sanbo.kernel.messages import Language, use_language
from sanbo.runs.fold import Snapshot
from sanbo.runs.parts import Parts
from sanbo.runs.presentation import present_run
from sanbo.runs.workflow import Workflow
from sanbo.service.live_parts import Change, Follow, LiveParts, Look

MOST_KEPT = 64


@dataclass(frozen=True)
class Presented:
    seq: int
    parts: Parts


class Presentations:
    def __init__(self, workflows: Mapping[str, Workflow[Any, Any]]) -> None:
        self._workflows = workflows
        self._kept: dict[tuple[str, Language], Presented] = {}
        self._live: dict[tuple[str, Language], LiveParts] = {}

    async def of(self, seen: Snapshot, language: Language) -> Parts:
        key: tuple[str, Language] = (seen.run.run_id, language)
        seq = seen.run.last_seq
        kept = self._kept.pop(key, None)
        if kept is None or kept.seq != seq:
            # In a thread: the first of a workflow loads its code, and a large one takes a while.
            kept = Presented(seq, await asyncio.to_thread(self._present, seen, language))
        self._kept[key] = kept
        while len(self._kept) > MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        return kept.parts

    async def report(self, seen: Snapshot, language: Language) -> Parts:
        return await asyncio.to_thread(self._present, seen, language, for_report=True)

    def forget(self, run_id: str) -> None:
        for key in [key for key in self._kept if key[0] == run_id]:
            del self._kept[key]

    def _present(self, seen: Snapshot, language: Language, *, for_report: bool = False) -> Parts:
        workflow = self._workflows.get(seen.run.workflow)
        with use_language(language):
            if workflow is None:  # of another version of Sanbo
                return present_run(seen.run, language)
            show = workflow.report if for_report else workflow.present
            return show(seen, language)

    async def follow(
        self,
        follow: Follow,
        look: Look,
        language: Language,
        *,
        run_id: str,
        at_least: int,
        first: Snapshot | None = None,
        silence: float | None = None,
    ) -> AsyncGenerator[Change | None]:
        """As `LiveParts.changes`; all who follow a run in one language do so together."""
        key: tuple[str, Language] = (run_id, language)
        live = self._live.get(key)
        if live is None or live.is_over:
            live = self._live[key] = LiveParts(follow, look, partial(self.of, language=language))
        live.followers += 1
        try:
            async with aclosing(live.changes(first, at_least, silence)) as changes:
                async for change in changes:
                    yield change
        finally:
            live.followers -= 1
            if not live.followers:
                live.stop()
                if self._live.get(key) is live:
                    del self._live[key]

    def is_followed(self, run_id: str) -> bool:
        return any(key[0] == run_id for key in self._live)
