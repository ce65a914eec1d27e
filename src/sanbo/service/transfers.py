"""Threads in which files come and go: whoever sends a large one keeps nobody else waiting."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import ParamSpec, TypeVar

from sanbo.storage.blobs import Content

__all__ = ["Content", "Transfers"]

P = ParamSpec("P")
T = TypeVar("T")
AT_ONCE = 8


class Transfers:
    def __init__(self) -> None:
        # Neither the journal's threads nor the loop's own: an object store may be minutes away.
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="transfer")

    async def io(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """With the caller's context: problems speak its language."""
        context = copy_context()

        def done() -> T:
            return context.run(work, *args, **kwargs)

        return await asyncio.get_running_loop().run_in_executor(self._threads, done)
