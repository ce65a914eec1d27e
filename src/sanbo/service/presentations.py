"""Runs as parts: made once for all who look at the same moment, and beside the loop."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sanbo.kernel.messages import Language, use_language
from sanbo.runs.fold import Snapshot
from sanbo.runs.model import NodeComplete, NodeError, NodeSkipped, Path, TextDelta
from sanbo.runs.parts import Part, Parts, PartsUpdate, Text
from sanbo.runs.presentation import present_run
from sanbo.runs.workflow import Workflow
from sanbo.service.feed import Shared

MOST_KEPT = 64
PAUSE_SECONDS = 0.25
"""Between two updates: people see no more, and a large run takes its time to be presented."""

Look = Callable[[Sequence[Shared]], Awaitable[Snapshot]]
"""At the run as it is, or as it is with what has just come."""


@dataclass(frozen=True)
class Presented:
    seq: int
    parts: Parts


class Presentations:
    def __init__(self, workflows: Mapping[str, Workflow[Any, Any]]) -> None:
        self._workflows = workflows
        self._kept: dict[tuple[str, Language], Presented] = {}

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
        batches: AsyncIterator[Sequence[Shared]],
        look: Look,
        language: Language,
        first: Snapshot | None = None,
    ) -> AsyncGenerator[PartsUpdate | None]:
        """What there is (or was at `first`), then what changes, a few times a second; None where
        nothing does."""
        shown = _Shown()
        growing = _Growing()
        pause = 0.0
        if first is not None:
            yield await self._update(first, shown, growing, language)
        yield await self._update(await look(()), shown, growing, language)
        async for batch in batches:
            if not batch:
                yield None
                continue
            for shared in batch:
                growing.hear(shared)
            yield await self._update(await look(batch), shown, growing, language)
            pause = min(pause + PAUSE_SECONDS / 10, PAUSE_SECONDS)  # a short run is not held up
            await asyncio.sleep(pause)  # what comes meanwhile is kept for us
        yield await self._update(await look(()), shown, _Growing(), language)

    async def _update(
        self, seen: Snapshot, shown: "_Shown", growing: "_Growing", language: Language
    ) -> PartsUpdate | None:
        """`shown` is what the reader has; afterwards it has what there is."""
        writing = () if seen.run.status.is_final else growing.parts
        now = {part.id: part for part in (*await self.of(seen, language), *writing)}
        changed = tuple(part for part in now.values() if shown.parts.get(part.id) != part)
        if not changed and list(now) == list(shown.parts) and shown.seq == seen.run.last_seq:
            return None
        shown.parts, shown.seq = now, seen.run.last_seq
        return PartsUpdate(
            run_id=seen.run.run_id,
            seq=seen.run.last_seq,
            status=seen.run.status,
            ids=tuple(now),
            parts=changed,
        )


class _Shown:
    """What one reader has."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {}
        self.seq = 0


class _Growing:
    """What steps at work have said so far; it is in no journal."""

    def __init__(self) -> None:
        self._texts: dict[Path, str] = {}

    def hear(self, shared: Shared) -> None:
        path = shared.event.path
        match shared.event.payload:
            case TextDelta(text=text, so_far=so_far):
                self._texts[path] = text if so_far else self._texts.get(path, "") + text
            case NodeComplete() | NodeError() | NodeSkipped():
                self._texts.pop(path, None)
            case _:
                pass

    @property
    def parts(self) -> Parts:
        return tuple(
            Text(id=f"writing/{'/'.join(path)}", markdown=text, is_growing=True)
            for path, text in self._texts.items()
        )
