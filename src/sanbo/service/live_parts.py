"""What a run shows while it works: made and written out once, however many look on."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import NamedTuple
from weakref import WeakKeyDictionary

from sanbo.runs.fold import Snapshot
from sanbo.runs.model import NodeComplete, NodeError, NodeSkipped, Path, Status, TextDelta
from sanbo.runs.parts import Parts, PartsUpdate, Text
from sanbo.service.feed import Shared

PAUSE_SECONDS = 0.25
"""Between two views: people see no more, and a large run takes its time to be presented."""

Follow = Callable[[], AsyncGenerator[Sequence[Shared]]]
Look = Callable[[Sequence[Shared]], Awaitable[Snapshot]]
"""At the run as it is, or as it is with what has just come."""
Present = Callable[[Snapshot], Awaitable[Parts]]


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
