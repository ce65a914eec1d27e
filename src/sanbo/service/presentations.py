"""Runs as people look at them: read once, made into parts once, and followed while they work,
however many look on.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from sanbo.kernel.messages import Language, use_language
from sanbo.kernel.problems import NotFound
from sanbo.runs.fold import RunFold, Snapshot
from sanbo.runs.journal import Journal
from sanbo.runs.model import (
    Event,
    JsonObject,
    NodeComplete,
    NodeError,
    NodeSkipped,
    Path,
    Status,
    TextDelta,
)
from sanbo.runs.parts import Parts, PartsUpdate, Text
from sanbo.runs.presentation import present_run
from sanbo.runs.workflow import Workflow
from sanbo.service.feed import Shared
from sanbo.service.runner import Runner

REMEMBERED_FOLDS = 256
REMEMBERED_ITEMS = 2_000
"""Of a list in a result; longer ones would fill the memory of a server in a day."""
EVENTS_A_READ = 1000
EVENTS_AT_FIRST = 200
PAUSE_SECONDS = 0.25
"""Between two views: people see no more, and a large run takes its time to be presented."""

Follow = Callable[[], AsyncGenerator[Sequence[Shared]]]
Look = Callable[[Sequence[Shared]], Awaitable[Snapshot]]
"""At the run as it is, or as it is with what has just come."""
Present = Callable[[Snapshot], Awaitable[Parts]]


class FoldCache:
    """Of runs that somebody looks at. Only what is new is read: a page that looks every second at a
    run of 10,000 events would otherwise keep a core busy."""

    def __init__(
        self, journal: Journal, runner: Runner, is_followed: Callable[[str], bool]
    ) -> None:
        self._journal = journal
        self._runner = runner
        self._is_followed = is_followed
        self._folds: dict[str, RunFold] = {}

    def get(self, run_id: str) -> RunFold | None:
        return self._folds.get(run_id)

    async def read(self, run_id: str) -> RunFold:
        fold = self._folds.pop(run_id, None) or RunFold(for_viewing=True)
        self.remember(run_id, fold)
        # A part at a time: a run of 100,000 events is never in memory as a whole.
        is_all = False
        while not is_all:
            most = EVENTS_A_READ if fold.last_seq else EVENTS_AT_FIRST
            part = await self._runner.io(self._journal.read, run_id, fold.last_seq, most)
            is_all = len(part) < most
            for event in part:
                if (
                    event.seq or 0
                ) > fold.last_seq:  # another call may have read the same meanwhile
                    fold.apply(event)
            if most == EVENTS_AT_FIRST and not is_all:  # a long one
                begin = partial(self._runner.folds.begin, for_viewing=True)
                kept: RunFold = await self._runner.io(begin, run_id)
                if kept.last_seq > fold.last_seq:
                    fold = kept
                    self.remember(run_id, fold)
        self._runner.keep_fold(fold)
        if fold.start is None:  # deleted while we looked
            raise NotFound("run_not_found", run_id=run_id)
        if fold.completion is not None and _is_large(fold.completion.result):
            self._folds.pop(run_id, None)  # it is read again where somebody looks again
        return fold

    def remember(self, run_id: str, fold: RunFold) -> None:
        self._folds[run_id] = fold
        if len(self._folds) > REMEMBERED_FOLDS:
            unwatched = (each for each in self._folds if not self._is_followed(each))
            self._folds.pop(next(unwatched, run_id))

    def keep_up(self, run_id: str, events: Iterable[Event]) -> None:
        """What somebody follows need not be read out of the journal again."""
        if (fold := self._folds.get(run_id)) is not None:
            for event in events:
                if event.seq == fold.last_seq + 1:
                    fold.apply(event)

    def forget(self, run_id: str) -> None:
        self._folds.pop(run_id, None)


def _is_large(result: JsonObject | None) -> bool:
    return any(
        isinstance(value, list) and len(value) > REMEMBERED_ITEMS
        for value in (result or {}).values()
    )


class Change(NamedTuple):
    update: PartsUpdate
    json: bytes


class View:
    """All there is to see at one moment, and what of it is new to whom."""

    def __init__(self, run_id: str, seq: int, status: Status, parts: Parts) -> None:
        self.seq = seq
        self._run_id = run_id
        self._status = status
        self._parts = {part.id: part for part in parts}
        # Weak: each view would otherwise keep all those before it.
        self._changes: WeakKeyDictionary[View, asyncio.Future[Change | None]] = WeakKeyDictionary()

    async def since(self, shown: "View") -> Change | None:
        """What is new to those who have seen that; None where nothing is."""
        if (making := self._changes.get(shown)) is None:
            making = asyncio.ensure_future(asyncio.to_thread(self._change, shown))
            self._changes[shown] = making
        return await asyncio.shield(making)

    def _change(self, shown: "View") -> Change | None:
        before = shown._parts
        changed = tuple(part for part in self._parts.values() if before.get(part.id) != part)
        if not changed and list(self._parts) == list(before) and shown.seq == self.seq:
            return None
        update = PartsUpdate(
            run_id=self._run_id,
            seq=self.seq,
            status=self._status,
            ids=tuple(self._parts),
            parts=changed,
        )
        return Change(update, update.model_dump_json().encode())


NOTHING = View("", 0, Status.QUEUED, ())


class LiveParts:
    """Of one run in one language, for as long as somebody follows it."""

    def __init__(self, follow: Follow, look: Look, present: Present) -> None:
        self.followers = 0
        self.is_over = False
        self._view: View | None = None
        self._failure: Exception | None = None
        self._news = asyncio.Event()
        self._follow = follow
        self._look = look
        self._present = present
        self._working = asyncio.create_task(self._work())

    async def changes(
        self, first: Snapshot | None, at_least: int, silence: float | None
    ) -> AsyncGenerator[Change | None]:
        """What there was at `first`, what there is (no older than `at_least`), then what changes;
        None where nothing has for so long. Whoever takes its time sees next what there is then."""
        shown = NOTHING
        if first is not None:
            view = await self._seen(first, _Growing())
            if change := await view.since(shown):
                yield change
            shown = view
        while True:
            view = self._view
            if view is not None and view is not shown and (view.seq >= at_least or self.is_over):
                if change := await view.since(shown):
                    yield change
                shown = view
            elif self._failure is not None:
                raise self._failure
            elif self.is_over:
                return
            elif not await self._has_news(silence):
                yield None

    def stop(self) -> None:
        self._working.cancel()

    async def _work(self) -> None:
        try:
            growing = _Growing()
            pause = 0.0
            self._show(await self._seen(await self._look(()), growing))
            async with aclosing(self._follow()) as batches:
                async for batch in batches:
                    # Where we were behind and have looked at the end, what comes is not news.
                    if not any([growing.hear(each) or self._is_new(each) for each in batch]):
                        continue
                    self._show(await self._seen(await self._look(batch), growing))
                    pause = min(pause + PAUSE_SECONDS / 10, PAUSE_SECONDS)  # short runs: no wait
                    await asyncio.sleep(pause)  # what comes meanwhile is kept for us
            self._show(await self._seen(await self._look(()), _Growing()))
        except Exception as failure:  # noqa: BLE001 - whoever follows is told
            self._failure = failure
        finally:
            self.is_over = True
            self._tell()

    def _is_new(self, shared: Shared) -> bool:
        return self._view is None or (shared.event.seq or 0) > self._view.seq

    async def _seen(self, seen: Snapshot, growing: "_Growing") -> View:
        run = seen.run
        writing = () if run.status.is_final else growing.parts
        parts = (*await self._present(seen), *writing)
        return View(run.run_id, run.last_seq, run.status, parts)

    def _show(self, view: View) -> None:
        self._view = view
        self._tell()

    def _tell(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    async def _has_news(self, seconds: float | None) -> bool:
        try:
            async with asyncio.timeout(seconds):
                return await self._news.wait()
        except TimeoutError:
            return False


class _Growing:
    """What steps at work have said so far; it is in no journal."""

    def __init__(self) -> None:
        self._texts: dict[Path, str] = {}

    def hear(self, shared: Shared) -> bool:
        """True where there is another text, or one less."""
        path = shared.event.path
        match shared.event.payload:
            case TextDelta(text=text, so_far=so_far):
                self._texts[path] = text if so_far else self._texts.get(path, "") + text
                return True
            case NodeComplete() | NodeError() | NodeSkipped():
                return self._texts.pop(path, None) is not None
            case _:
                return False

    @property
    def parts(self) -> Parts:
        return tuple(
            Text(id=f"writing/{'/'.join(path)}", markdown=text, is_growing=True)
            for path, text in self._texts.items()
        )


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
