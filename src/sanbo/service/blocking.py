"""The workbench for threads: the same calls, made on the workbench's loop and waited for."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Generator, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from contextvars import copy_context
from typing import Any, TypeVar, cast

from sanbo.service.bootstrap import open_workbench
from sanbo.service.catalog import WORKFLOWS, AnyWorkflow, Workflows
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings

T = TypeVar("T")
_END = object()


class BlockingWorkbench:
    """`bench.call(bench.workbench.start(…))` from any thread but the loop's own."""

    def __init__(self, workbench: Workbench, loop: asyncio.AbstractEventLoop) -> None:
        self.workbench = workbench
        self._loop = loop
        self._is_closed = False

    def close(self) -> None:
        """From now on calls are refused: the loop is about to stop and would never answer."""
        self._is_closed = True

    def call(self, work: Coroutine[Any, Any, T]) -> T:
        """Runs on the loop in the caller's context, so that problems speak its language."""
        if self._is_closed:
            work.close()
            raise CancelledError
        outcome: Future[T] = Future()

        def begin() -> None:
            task = self._loop.create_task(work, context=context)
            task.add_done_callback(finish)
            outcome.add_done_callback(
                lambda done: (
                    self._loop.call_soon_threadsafe(task.cancel) if done.cancelled() else None
                )
            )

        def finish(task: asyncio.Task[T]) -> None:
            if outcome.cancelled():
                return
            if task.cancelled():
                outcome.cancel()
            elif (error := task.exception()) is not None:
                outcome.set_exception(error)
            else:
                outcome.set_result(task.result())

        context = copy_context()
        self._loop.call_soon_threadsafe(begin)
        try:
            return outcome.result()
        except BaseException:  # Ctrl-C here ends the work there
            outcome.cancel()
            raise

    def each(self, stream: AsyncGenerator[T]) -> Generator[T]:
        """One by one, what a stream of the workbench gives."""
        try:
            while (one := self.call(_next(stream))) is not _END:
                yield cast("T", one)
        finally:
            if not self._is_closed:
                self.call(stream.aclose())


async def _next(stream: AsyncGenerator[T]) -> T | object:
    return await anext(stream, _END)


@contextmanager
def blocking_workbench(
    settings: Settings,
    workflows: Workflows | Iterable[AnyWorkflow] = WORKFLOWS,
    *,
    takes_up_orphans: bool = False,
) -> Generator[BlockingWorkbench]:
    """A workbench on a loop of its own, in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="workbench", daemon=True)
    thread.start()
    opened = open_workbench(settings, workflows, takes_up_orphans=takes_up_orphans)

    def on_loop(work: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(work, loop).result()

    try:
        workbench = on_loop(opened.__aenter__())
        bench = BlockingWorkbench(workbench, loop)
        try:
            yield bench
        finally:
            bench.close()
            on_loop(_leave(opened))
            on_loop(_end_all())  # threads that still follow something are woken
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _end_all() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


async def _leave(opened: Any) -> None:
    await opened.__aexit__(None, None, None)
