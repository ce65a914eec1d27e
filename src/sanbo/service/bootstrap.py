"""Puts the parts together: a workbench over a workspace, open for as long as the block lasts.

For threads, too: their calls are made on the workbench's loop and waited for.
"""

import asyncio
import logging
import threading
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator, Iterable
from concurrent.futures import CancelledError, Future
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from contextvars import copy_context
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from sanbo.connectors.http import protect_named
from sanbo.kernel.problems import InvalidInput, MissingDependency, SanboError, StorageFailure
from sanbo.kernel.settings import prepare_workspace
from sanbo.plans.running.scope import Environment
from sanbo.retrieval.engines import embedded
from sanbo.retrieval.engines.embedded import Shards
from sanbo.retrieval.tokens import words
from sanbo.runs.files import RunFiles
from sanbo.runs.journal import HELD_BYTES, Head, Journal
from sanbo.runs.leases import Leases
from sanbo.runs.model import Event
from sanbo.runs.secret_values import HeldPayloads, SecretAnswers
from sanbo.runs.threads import GraphThreads
from sanbo.runs.workflow import Workplace
from sanbo.sandbox.calls import Calls, provide, withdraw
from sanbo.sandbox.jobs import nothing
from sanbo.service.catalog import WORKFLOWS, AnyWorkflow, Workflows
from sanbo.service.collections import Collections
from sanbo.service.feed import BYTES_A_READ, Feed
from sanbo.service.runner import Runner
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from sanbo.storage.blob_place import open_blobs
from sanbo.storage.blobs import MemoryBlobs
from sanbo.storage.database import Database, open_database
from sanbo.storage.postgresql import Listener, Partitions, Signal
from sanbo.storage.sealed import Sealed, SealedBlobs, open_sealed

if TYPE_CHECKING:
    from sanbo.service.cluster import Cluster
    from sanbo.service.traces import Traces


logger = logging.getLogger(__name__)

WATCH_SECONDS = 0.3
POLL_SECONDS = 0.5
POLL_SECONDS_LISTENING = 5.0
"""What others do is told; what was not heard is found."""
SWEEP_SECONDS = 3.0
REMIND_SECONDS = 5.0
NOTICE_SECONDS = 15.0


@asynccontextmanager
async def open_workbench(
    settings: Settings,
    workflows: Workflows | Iterable[AnyWorkflow] = WORKFLOWS,
    *,
    takes_up_orphans: bool = True,
    now: Callable[[], float] = time.time,
) -> AsyncGenerator[Workbench]:
    """`takes_up_orphans`: whether runs that dead processes have left are taken up here, and what
    triggers are due is started. `now`: the clock of schedules."""
    async with AsyncExitStack() as stack:
        prepare_workspace(settings.workspace)
        database = await asyncio.to_thread(open_database, settings)
        stack.callback(database.close)
        threads = GraphThreads(database, settings.workspace)
        stack.push_async_callback(threads.close)
        if takes_up_orphans:  # one that stays
            await threads.opened()
        files, sealed = await asyncio.to_thread(_open_files, settings, database)
        stack.callback(files.blobs.close)
        leases = Leases(database, settings.workspace / "processes", settings.runs.lease_seconds)
        stack.callback(leases.close)
        journal = Journal(database, HeldPayloads(HELD_BYTES, sealed))
        collections = Collections(database, files, settings)
        stack.callback(collections.close)
        place = Workplace(
            files=files,
            threads=threads,
            settings=settings,
            database=database,
            library=collections.library,
            readers=collections.readers,
            secret_answers=SecretAnswers(sealed),
            sealed=sealed,
        )
        Environment(settings.plans).protect_all()
        protect_named(settings.connectors)
        by_name = Workflows.of(workflows)
        stack.callback(by_name.close)

        async def read_events(run_id: str, after: int, most: int) -> list[Event]:
            return await runner.io(journal.read, run_id, after, most, BYTES_A_READ)

        async def in_threads(work: Callable[[str], None], run_id: str) -> None:
            await runner.io(work, run_id)

        async def read_heads(run_ids: list[str]) -> dict[str, Head]:
            return await runner.io(journal.heads, run_ids)

        announce = None if database.is_sqlite else partial(in_threads, journal.follow)
        feed = Feed(read_events, read_heads, announce)
        traces = await asyncio.to_thread(_open_traces, settings.runs.traces_url, stack)
        runner = Runner(
            journal,
            leases,
            by_name,
            place,
            publish=feed.publish,
            settings=settings.runs,
            traces=traces,
            cluster=_open_cluster(settings, stack) if takes_up_orphans else None,
        )
        stack.push_async_callback(runner.stop)
        await asyncio.to_thread(_tidy, database, files, serves=takes_up_orphans)
        stack.push_async_callback(_stop, _repeat(runner.watch, WATCH_SECONDS))
        stack.push_async_callback(_stop, _follow_others(database, runner, feed))
        stack.push_async_callback(_stop, _repeat(partial(runner.io, _tidy, database, files), 3600))

        async def remind() -> None:
            now = await runner.io(database.time)
            for event in await runner.io(journal.remind, now):
                feed.publish(event)

        if takes_up_orphans:
            await runner.sweep()
            stack.push_async_callback(_stop, _repeat(runner.sweep, SWEEP_SECONDS))
            await remind()
            stack.push_async_callback(_stop, _repeat(remind, REMIND_SECONDS))
        workbench = Workbench(
            by_name,
            journal,
            runner=runner,
            feed=feed,
            place=place,
            collections=collections,
            now=now,
        )
        if takes_up_orphans:
            notices = _repeat(workbench.notices.tell_waiting, NOTICE_SECONDS)
            stack.push_async_callback(_stop, notices)
            clock = asyncio.create_task(workbench.triggers.clock.keep())
            stack.push_async_callback(_stop, clock)
        yield workbench


def _open_cluster(settings: Settings, stack: AsyncExitStack) -> "Cluster | None":
    if not settings.runs.cluster:
        return None
    if settings.database_url is None:
        raise InvalidInput("cluster_needs_postgresql")
    try:
        from sanbo.service.cluster import Cluster  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("dask", "distributed"):
            raise MissingDependency("cluster_not_installed") from None
        raise
    cluster = Cluster(settings.runs.cluster, settings.runs.cluster_needs)
    stack.push_async_callback(cluster.close)
    stack.push_async_callback(_stop, asyncio.create_task(cluster.keep()))
    return cluster


def _open_files(settings: Settings, database: Database) -> tuple[RunFiles, Sealed | None]:
    blobs = open_blobs(settings)
    sealed = open_sealed(settings.storage, database, blobs)
    most = settings.analysis.memory_mb << 20
    memory = MemoryBlobs(most) if sealed is None else SealedBlobs(most, sealed)
    return RunFiles(database, blobs, memory), sealed


def _tidy(database: Database, files: RunFiles, *, serves: bool = True) -> None:
    """Where a process begins, and once an hour in one that stays."""
    Partitions(database).prepare()
    if serves:
        files.tidy()
    else:
        files.expire_uploads()


def _open_traces(url: str | None, stack: AsyncExitStack) -> "Traces | None":
    if url is None:
        return None
    try:
        from sanbo.service.traces import Traces  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingDependency("telemetry_packages_missing", module=error.name or "") from None
    traces = Traces(url)
    stack.push_async_callback(asyncio.to_thread, traces.close)
    return traces


@asynccontextmanager
async def thinking_apart(workflows: Workflows, *, index_beside: bool) -> AsyncGenerator[None]:
    """For a process that serves others: no question that one asks keeps the others waiting.

    `index_beside`: the process that keeps embedded collections is there before the first is used.
    """
    kinds = workflows.values()
    thoughts = Calls(modules=[name for each in kinds for name in each.called_apart])
    # Places of their own: what takes minutes never keeps a question waiting.
    labours = Calls(modules=[name for each in kinds for name in each.worked_apart])
    warming = asyncio.create_task(_warm_up(thoughts))  # many servers never compare
    shards = Shards()
    provide(thoughts, labours)
    embedded.provide(shards)
    try:
        if index_beside:
            await asyncio.to_thread(shards.start)
        # The dictionary, which holds everyone up while it loads.
        await asyncio.to_thread(words, "辞書")
        yield
    finally:
        embedded.withdraw()
        withdraw()
        await _stop(warming)
        await asyncio.to_thread(shards.close)
        for calls in (thoughts, labours):
            await asyncio.to_thread(calls.close)


def _follow_others(database: Database, runner: Runner, feed: Feed) -> asyncio.Task[None]:
    """What other processes do with runs: heard where the database tells it, else looked for."""
    if database.is_sqlite:
        return _repeat(feed.poll, POLL_SECONDS)

    def hear(signal: Signal) -> None:
        if not runner.hear(signal):
            feed.hear(signal.run_id, signal.last_seq)

    async def look() -> None:
        nonlocal looked
        pause = POLL_SECONDS_LISTENING if listener.is_listening else POLL_SECONDS
        if time.monotonic() - looked >= pause:
            await feed.poll()
            looked = time.monotonic()

    async def both() -> None:
        looking = _repeat(look, POLL_SECONDS)
        try:
            await listener.listen()
        finally:
            await _stop(looking)

    looked = time.monotonic()
    listener = Listener(database.direct_url, hear, feed.poll)
    return asyncio.create_task(both())


async def _warm_up(calls: Calls) -> None:
    try:
        await calls.apart(nothing)
    except SanboError:
        # Whoever asks next tries again, and is told.
        logger.exception("guarded processes could not be started")


def _repeat(work: Callable[[], Awaitable[None]], seconds: float) -> asyncio.Task[None]:
    async def forever() -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
            except StorageFailure as error:
                # What is due is done at the next turn.
                logger.warning("background work is put off: %s", error)
            except Exception:
                logger.exception("background work failed")

    return asyncio.create_task(forever())


async def _stop(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


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
