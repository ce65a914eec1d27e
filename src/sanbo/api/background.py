"""Long blocking work on the event loop: an iterator worked off in a thread, and closed there."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from typing import Any, TypeVar, cast

from sse_starlette.sse import AppStatus

from sanbo.kernel.problems import MissingDependency

# Of their own: whoever reads a hundred files must not keep others from reading one line.
WORKERS = 4

T = TypeVar("T")
_END = object()
_pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="background")


class Reader:
    """Who waits for the work: the work asks `is_gone` on its way, and then ends early.

    When the server is told to stop, everybody counts as gone: Python would wait for the threads.
    """

    def __init__(self) -> None:
        self._left = threading.Event()
        self.broke_off = False

    def leave(self) -> None:
        self._left.set()

    def is_gone(self) -> bool:
        """Asked by the work itself, in its thread."""
        # Set by the signal that stops the server; the streams of sse-starlette end by it, too.
        gone = self._left.is_set() or AppStatus.should_exit
        self.broke_off = self.broke_off or gone
        return gone


async def worked_off(items: Generator[T], reader: Reader) -> AsyncGenerator[T]:
    """What the generator gives, in the caller's language; who stops reading ends it.

    Work that a stopping server has cut short ends with a problem, never as if it were whole.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[object] = asyncio.Queue()

    def work() -> None:
        with closing(items):
            for item in items:
                loop.call_soon_threadsafe(arrived.put_nowait, item)
                if reader.is_gone():
                    return

    def end(done: asyncio.Future[Any]) -> None:
        if not done.cancelled():
            done.exception()  # where nobody reads any more, nobody else would look at it
        arrived.put_nowait(_END)

    working = loop.run_in_executor(_pool, copy_context().run, work)
    working.add_done_callback(end)
    try:
        while (item := await arrived.get()) is not _END:
            yield cast("T", item)
        await working
        if reader.broke_off:
            raise MissingDependency("api_stopping")
    finally:
        reader.leave()
        working.cancel()  # only has an effect while it waits for its turn
