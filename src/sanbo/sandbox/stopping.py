"""Ending an action from another thread: whoever waited for it does not any more."""

import asyncio
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import TypeVar

T = TypeVar("T")


class Stopped(Exception):
    """The action was ended because nobody waits for it."""


class Stop:
    """Set once, from any thread; then what is registered is called, and nothing starts any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._endings: list[Callable[[], None]] = []

    def set(self) -> None:
        with self._lock:
            self._is_set = True
            for end in self._endings:
                end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Generator[None]:
        """While it is entered, `set` calls `end`."""
        with self._lock:
            if self._is_set:
                raise Stopped
            self._endings.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._endings.remove(end)
            if self._is_set:
                raise Stopped


STOP: ContextVar[Stop | None] = ContextVar("STOP", default=None)
"""By which the actions of this thread can be ended."""


class StoppableThreads:
    """As many as work at once: the others wait in the queue, where they can be cancelled.

    The loop's own threads are for all: actions that wait for a place would take them away.
    """

    def __init__(self, count: int, name: str) -> None:
        self._threads = ThreadPoolExecutor(count, thread_name_prefix=name)

    async def run(self, work: Callable[[], T]) -> T:
        """Cancelled, it also ends the action that is at work."""
        stop = Stop()

        def working() -> T:
            STOP.set(stop)
            return work()

        context = copy_context()
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._threads, context.run, working)
        except asyncio.CancelledError:
            stop.set()
            raise

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
