"""Long blocking work on the event loop: an iterator worked off in a thread, and closed there."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from typing import Any, TypeVar, cast

# Of their own: whoever reads a hundred files must not keep others from reading one line.
WORKERS = 4

T = TypeVar("T")
_END = object()
_pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="background")


async def worked_off(items: Generator[T]) -> AsyncGenerator[T]:
    """What the generator gives, in the caller's language; who stops reading ends it.

    It ends after the item it is at: a generator can't be closed while it works.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[object] = asyncio.Queue()
    nobody_reads = threading.Event()

    def work() -> None:
        with closing(items):
            for item in items:
                if nobody_reads.is_set():
                    return
                loop.call_soon_threadsafe(arrived.put_nowait, item)

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
    finally:
        nobody_reads.set()
        working.cancel()  # only has an effect while it waits for its turn
