"""Who is at work: when nobody is and somebody waits, only a person can help; answers wake."""

import asyncio
from collections.abc import Awaitable, Coroutine
from typing import Any, TypeVar

from typing_extensions import override

from sanbo.runs.model import Event, InteractionAnswered, Path

T = TypeVar("T")


class Activity:
    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._working = 0
        self.idle: asyncio.Future[None] = self._loop.create_future()
        """Done when nothing is at work any more."""

    def enter(self) -> None:
        self._working += 1

    def leave(self) -> None:
        self._working -= 1
        if self._working == 0:
            # Behind whoever was just woken: that one counts again before this looks.
            self._loop.call_soon(self._look)

    async def away(self, awaited: Awaitable[T]) -> T:
        """Waits without counting as at work; what is awaited wakes this task directly."""
        self.leave()
        try:
            return await awaited
        finally:
            self.enter()

    def _look(self) -> None:
        if self._working == 0 and not self.idle.done():
            self.idle.set_result(None)


class LimitedActivity(Activity):
    """Of all that is inside one node: its clock stands still while only people are waited for."""

    def __init__(self, around: Activity, limit: asyncio.Timeout, seconds: float) -> None:
        """Made by the task that works on the node: that one is at work in it, as it is around."""
        super().__init__()
        self._around = around
        self._limit = limit
        self._left = seconds
        self._since = self._loop.time()
        self._working = 1
        self._wind()

    @override
    def enter(self) -> None:
        self._around.enter()
        self._working += 1
        if self._working == 1:
            self._since = self._loop.time()
            self._wind()

    @override
    def leave(self) -> None:
        self._around.leave()
        self._working -= 1
        if self._working == 0:
            self._left -= self._loop.time() - self._since
            self._wind()

    def _wind(self) -> None:
        if not self._limit.expired():
            self._limit.reschedule(self._since + self._left if self._working else None)


class Team:
    """Tasks side by side: the first failure ends all of them."""

    def __init__(self, activity: Activity) -> None:
        self._activity = activity
        self._tasks: set[asyncio.Task[None]] = set()
        self._left = 0
        self._done: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @property
    def is_over(self) -> bool:
        """Whether one has failed, or all have ended."""
        return self._done.done()

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Also by a member, before it ends."""
        self._activity.enter()
        self._left += 1
        task = asyncio.create_task(self._do(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def finish(self) -> None:
        """Returns when all have ended; raises what the first one raised."""
        if not self._left:
            return
        try:
            await self._activity.away(self._done)
        except BaseException:
            await self._stop()
            raise

    async def _do(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - raised by `finish`
            if not self._done.done():
                self._done.set_exception(error)
        finally:
            self._left -= 1
            if self._left == 0 and not self._done.done():
                self._done.set_result(None)
            self._activity.leave()

    async def _stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


class Answers:
    def __init__(self) -> None:
        self._listeners: dict[Path, asyncio.Event] = {}

    def listen(self, node: Path) -> asyncio.Event:
        """Set when a question at or below the node is answered."""
        return self._listeners.setdefault(node, asyncio.Event())

    def stop_listening(self, node: Path) -> None:
        self._listeners.pop(node, None)

    def hear(self, event: Event) -> None:
        if not isinstance(event.payload, InteractionAnswered):
            return
        for depth in range(1, len(event.path) + 1):
            listener = self._listeners.get(event.path[:depth])
            if listener is not None:
                listener.set()
