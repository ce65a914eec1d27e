"""The worker pool: advances runs, keeps their leases, takes up what dead processes left."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from traceback import format_tb
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError

from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import (
    MissingDependency,
    NotFound,
    RunBusy,
    SanboError,
    StorageFailure,
    StorageUnavailable,
    Unexpected,
)
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal, Lease, LeaseLost
from sanbo.runs.kept_folds import KeptFolds
from sanbo.runs.leases import Leases
from sanbo.runs.model import Event, JsonObject, RunComplete, RunWaiting, Status
from sanbo.runs.settings import RunSettings
from sanbo.runs.workflow import (
    Finished,
    RunContext,
    Waiting,
    Workflow,
    Workplace,
    as_sanbo_error,
)
from sanbo.runs.writer import ENDED, LEASES_LOST, SEGMENTS, TAKEN_UP, Publish, RunEnded, RunWriter
from sanbo.service.run_queue import Places
from sanbo.storage.postgresql import Signal

if TYPE_CHECKING:
    from sanbo.service.cluster import Cluster
    from sanbo.service.traces import Traces

logger = logging.getLogger(__name__)
T = TypeVar("T")
LONG = 200
"""Of a list in a result: from here on it is written down item by item."""

MANY_SETBACKS = 3


class Runner:
    def __init__(
        self,
        journal: Journal,
        leases: Leases,
        workflows: Mapping[str, Workflow[Any, Any]],
        place: Workplace,
        *,
        publish: Publish,
        settings: RunSettings,
        traces: "Traces | None" = None,
        cluster: "Cluster | None" = None,
    ) -> None:
        self.journal = journal
        self.leases = leases
        self.folds = KeptFolds(journal)
        self.workflows = workflows
        self.place = place
        self.publish = publish if traces is None else _telling(traces, publish)
        self._traces = traces
        self.settings = settings
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self._writers: dict[str, RunWriter] = {}
        self._cancelled: set[str] = set()
        self._once_more: dict[str, bool] = {}
        """Runs to be looked at when their task ends, and whether somebody waits for that."""
        self.cluster = cluster
        self._placed: set[str] = set()
        """Runs that were given to the cluster: what is to be done with them is done there."""
        self.is_stopping = False
        self._renewed = 0.0
        self._in_use: Counter[str] = Counter()
        self._setbacks: dict[str, int] = {}
        self.trouble: dict[str, StorageFailure] = {}
        """What keeps runs from going on, where it has done so several times."""
        self._due: dict[str, float] = {}
        self.places = Places(settings.max_concurrent)
        # The journal's threads: a database that is slow for a moment never stops the loop.
        self.loop = asyncio.get_running_loop()
        self.executor = ThreadPoolExecutor(max_workers=8, thread_name_prefix="journal")

    async def io(self, work: Callable[..., T], *args: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self.executor, work, *args)

    def schedule(
        self,
        run_id: str,
        lease: Lease | None = None,
        opening: Sequence[Event] = (),
        *,
        is_urgent: bool = False,
    ) -> None:
        """Advances a run on the pool; `opening` is all that there is of a new one.

        `is_urgent`: somebody has just answered, and waits.
        """
        if run_id in self.tasks:
            # It may just have looked for the last time: it is looked at once more when it ends.
            self._once_more[run_id] = self._once_more.get(run_id, False) or is_urgent
            if run_id in self._writers:
                self._writers[run_id].look()
            return
        advancing = self._advance(run_id, lease, opening, is_urgent=is_urgent)
        self.tasks[run_id] = task = asyncio.create_task(advancing, name=f"run {run_id}")
        task.add_done_callback(lambda done: self._done(run_id, done))

    def _done(self, run_id: str, task: asyncio.Task[None]) -> None:
        self.tasks.pop(run_id, None)
        self._cancelled.discard(run_id)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("run %s stopped advancing", run_id, exc_info=error)
        is_urgent = self._once_more.pop(run_id, None)
        if is_urgent is not None and not self.is_stopping:
            self.schedule(run_id, is_urgent=is_urgent)

    def works_on(self, run_id: str) -> bool:
        """In this process: not one that was given to the cluster."""
        return run_id in self.tasks and run_id not in self._placed

    @contextmanager
    def holding(self, run_id: str) -> Generator[None]:
        """While the block lasts, `watch` leaves a lease that is used outside a task alone."""
        self._in_use[run_id] += 1
        try:
            yield
        finally:
            self._in_use[run_id] -= 1
            if not self._in_use[run_id]:
                del self._in_use[run_id]

    async def cancel(self, run_id: str) -> None:
        """Ends a run within a second: at once here, or by telling the process that has it."""
        await self.io(self.leases.request_cancel, run_id)
        if run_id in self.tasks:
            self._cancel_here(run_id)  # where it is placed, its worker has heard it
            await asyncio.wait([self.tasks[run_id]], timeout=1)
            return
        with self.holding(run_id):
            try:
                lease = await self.io(self.leases.acquire, run_id)
            except RunBusy:
                return  # its holder looks for the request
            await self._cancel_under(lease)

    async def _cancel_under(self, lease: Lease) -> None:
        fold = await self._fold(lease)
        if not fold.status.is_final:
            await self._complete(self._writer(lease, fold), Status.CANCELLED)
        await self.io(self.leases.release, lease)

    def _cancel_here(self, run_id: str, *, is_held: bool = False) -> None:
        """Not what a worker of the cluster has, which is told too; `is_held`: none has it yet."""
        # A second time, what ends it would be cancelled.
        if run_id not in self._cancelled and (is_held or run_id not in self._placed):
            self._cancelled.add(run_id)
            self.tasks[run_id].cancel()

    async def advance_given(self, given: Lease) -> None:
        """A run that a server has placed here, until it waits or ends."""
        run_id = given.run_id
        while (before := self.tasks.get(run_id)) is not None:
            await asyncio.wait([before])
        with self.holding(run_id):
            lease = await self.io(self.leases.take, given)
            self.schedule(run_id, lease)
        await asyncio.wait([self.tasks[run_id]])
        self.place.secret_answers.leave(run_id)

    async def _advance(
        self, run_id: str, lease: Lease | None, opening: Sequence[Event], *, is_urgent: bool
    ) -> None:
        try:
            if lease is None:
                lease = await self.io(self.leases.acquire, run_id)
            if self.cluster is not None and not self._stays_here(lease):
                await self._place(self.cluster, lease, is_urgent=is_urgent)
                return
            async with self.places.one(lease.owner, is_urgent=is_urgent):
                await self._advance_until_idle(lease, opening)
            SEGMENTS.add("done")
            self._setbacks.pop(run_id, None)
            self.trouble.pop(run_id, None)
        except (RunBusy, NotFound) as error:
            SEGMENTS.add("not_ours")
            logger.info("run %s is not advanced here: %s", run_id, error)
        except LeaseLost:
            SEGMENTS.add("lease_lost")
            LEASES_LOST.add()
            logger.warning("run %s was taken over by another process", run_id)
        except (StorageFailure, SQLAlchemyError) as error:
            SEGMENTS.add("storage_failed")
            # `watch` gives the lease back and takes the run up again, later each time.
            self._setbacks[run_id] = self._setbacks.get(run_id, 0) + 1
            if self._setbacks[run_id] >= MANY_SETBACKS and isinstance(error, StorageFailure):
                self.trouble[run_id] = error
            logger.exception("run %s: the storage failed; it is taken up again", run_id)
            if lease is None:  # which `watch` would not see
                self.loop.call_later(self._pause(run_id), self._try_again, run_id, is_urgent)
        except asyncio.CancelledError:
            if run_id not in self._cancelled or self.is_stopping:
                raise  # this process is stopping; the run is taken up at the next start
            # Cancelled before it had begun; without a lease, `watch` sees the request.
            if lease is not None:
                with suppress(LeaseLost):  # a worker has just taken it, and sees the request
                    await self._cancel_under(lease)

    def _try_again(self, run_id: str, is_urgent: bool) -> None:
        if not self.is_stopping:
            self.schedule(run_id, is_urgent=is_urgent)

    def _pause(self, run_id: str) -> float:
        """The longer, the more often it has failed."""
        return min(30, 0.3 * 2 ** min(self._setbacks.get(run_id, 0), 7))

    def _stays_here(self, lease: Lease) -> bool:
        """What of it is in the memory of this process alone, no other can have."""
        workflow = self.workflows.get(lease.workflow)
        if workflow is None or self.place.secret_answers.are_shared:
            return workflow is None
        return (
            workflow.keeps_in_memory(self.place.settings)
            or self.journal.holds_more(lease.run_id)
            or self.place.secret_answers.has(lease.run_id)
        )

    async def _place(self, cluster: "Cluster", lease: Lease, *, is_urgent: bool) -> None:
        await cluster.until_met(lease.workflow)
        async with cluster.places.one(lease.owner, is_urgent=is_urgent):
            self._placed.add(lease.run_id)
            try:
                is_done = await cluster.advance(lease, is_urgent=is_urgent)
            finally:
                self._placed.discard(lease.run_id)
        if is_done:
            self.leases.hand_over(lease)
            self.place.secret_answers.leave(lease.run_id)
            self._setbacks.pop(lease.run_id, None)
            self.trouble.pop(lease.run_id, None)
        else:  # where it is still this process's, it is placed again
            await self.io(self.leases.let_go, lease.run_id)

    async def _advance_until_idle(self, lease: Lease, opening: Sequence[Event]) -> None:
        fold, seen = self._opened(opening) if opening else await self._fold(lease), -1
        while True:
            if fold.status.is_final or (fold.status is Status.WAITING and self._rests(fold, seen)):
                # An answer or a cancel request that came in since is seen here.
                if await self.io(self.leases.release, lease, fold.last_seq):
                    await self.io(self.folds.rest, fold)
                    return
                if await self.io(self.leases.wants_cancel, lease.run_id):
                    await self._complete(self._writer(lease, fold), Status.CANCELLED)
                fold = await self._fold(lease)
                continue
            fold = await self._work_under(lease, fold)
            seen = fold.last_seq

    def _opened(self, opening: Sequence[Event]) -> RunFold:
        fold = RunFold.of(opening)
        fold.is_as_stored = not self.journal.holds_more(fold.run_id)
        return fold

    async def _fold(self, lease: Lease) -> RunFold:
        return await self.io(self._read_fold, lease.run_id)

    def _read_fold(self, run_id: str) -> RunFold:
        return self.folds.whole(run_id, for_viewing=False)

    def keep_fold(self, fold: RunFold) -> None:
        """Of a long run that somebody looks at and of which none was kept."""
        if self.folds.is_due(fold) and not self.is_stopping:
            self.executor.submit(self.folds.keep, fold.run_id)

    async def _work_under(self, lease: Lease, fold: RunFold) -> RunFold:
        writer = self._writers[lease.run_id] = self._writer(lease, fold)
        try:
            await self._work(writer)
            await writer.settle()
        finally:
            del self._writers[lease.run_id]
        return writer.fold

    def _rests(self, fold: RunFold, seen: int) -> bool:
        """Whether a run that waits was looked at up to its end, or can't work while it waits."""
        workflow = self.workflows.get(fold.start.workflow if fold.start else "")
        return workflow is None or not workflow.has_branches or fold.last_seq == seen

    def _writer(self, lease: Lease, fold: RunFold) -> RunWriter:
        return RunWriter(
            self.journal,
            lease,
            fold,
            publish=self.publish,
            executor=self.executor,
            folds=self.folds,
        )

    async def _work(self, writer: RunWriter) -> None:
        start = writer.fold.start
        assert start is not None
        run_id = writer.lease.run_id
        if self._traces is not None:
            self._traces.know(run_id, start.workflow)
        with use_language(start.language):
            try:
                # In a thread: the first run of a workflow loads its code.
                workflow = await asyncio.to_thread(self.workflows.get, start.workflow)
                if workflow is None:
                    raise MissingDependency("workflow_not_found", workflow=start.workflow)
                writer.kept = partial(workflow.kept, settings=self.place.settings)
                given = workflow.input_model.model_validate(start.input)
                seen = writer.fold.last_seq
                outcome = await workflow.advance(RunContext(writer, self.place, given))
                await self._take(outcome, writer, seen)
            except asyncio.CancelledError:
                if self.is_stopping:
                    raise
                if run_id in self._cancelled:
                    await self._complete(writer, Status.CANCELLED)
                else:  # something inside cancelled itself: that is a defect like any other
                    failure = Unexpected("unexpected", kind="CancelledError", reference=run_id)
                    await self._complete(writer, Status.FAILED, failure=failure)
            except (LeaseLost, StorageUnavailable):
                raise
            except Exception as error:  # noqa: BLE001 - it becomes the run's
                failure = as_sanbo_error(error, run_id)
                if isinstance(failure, Unexpected):
                    self._log(start.workflow, run_id, error)
                await self._complete(writer, Status.FAILED, failure=failure)

    def _log(self, workflow: str, run_id: str, error: Exception) -> None:
        """Of work that must not touch the disk where it failed, but not the words: they may quote
        what was worked on."""
        if self.workflows[workflow].keeps_in_memory(self.place.settings):
            place = "".join(format_tb(error.__traceback__))
            logger.error("run %s failed unexpectedly: %s\n%s", run_id, type(error), place)
        else:
            logger.error("run %s failed unexpectedly", run_id, exc_info=error)

    async def _take(self, outcome: Finished[Any] | Waiting, writer: RunWriter, seen: int) -> None:
        if isinstance(outcome, Finished):
            result = await asyncio.to_thread(in_pieces, outcome.result)
            await self._complete(writer, Status.SUCCEEDED, result=result)
        elif writer.fold.last_seq == seen and writer.fold.status is not Status.WAITING:
            if not writer.fold.open_interactions:
                # It did nothing and waits for nobody: it would do so again for ever.
                raise Unexpected("unexpected", kind="Waiting", reference=writer.lease.run_id)
            # Steps that a dead process had begun can't go on before somebody answers.
            await writer.append((), RunWaiting(seen=seen))

    async def _complete(
        self,
        writer: RunWriter,
        status: Status,
        *,
        result: Any = None,
        failure: SanboError | None = None,
    ) -> None:
        if status is Status.SUCCEEDED:
            await writer.settle()  # so that all its warnings are counted
        elapsed = datetime.now(UTC) - writer.fold.created_at
        completion = RunComplete.trusted(  # a result may be large: it was checked when it was made
            status=status,
            result=result,
            problem=failure.problem if failure else None,
            warnings=sum(1 for _ in writer.fold.warnings()),
            # Another machine, of another clock, may have begun it.
            total_duration_ms=max(0, int(elapsed.total_seconds() * 1000)),
        )
        with suppress(RunEnded):  # a cancel that came while the end was being written
            await writer.append_large((), completion)
            assert writer.fold.start is not None
            ENDED.add(writer.fold.start.workflow, status)
        if status is not Status.FAILED:  # which may be taken up again
            await self.io(self.place.secret_answers.forget, [writer.lease.run_id])

    async def watch(self) -> None:
        """Renews leases, and sees what other processes want: a cancel, an answer."""
        if not self.leases.holds_any:
            return
        now = asyncio.get_running_loop().time()
        if now - self._renewed >= self.settings.lease_seconds / 3:
            await self.io(self.leases.renew)
            self._renewed = now
        for run_id, held in (await self.io(self.leases.held)).items():
            if run_id in self.tasks:
                if held.wants_cancel:
                    self._cancel_here(run_id, is_held=True)
                writer = self._writers.get(run_id)
                if writer is not None and held.last_seq > writer.stored_seq:
                    writer.look()
            elif run_id not in self._in_use:
                await self._pick_up(run_id)

    def hear(self, signal: Signal) -> bool:
        """What `watch` would see later; True where it was this process's own event."""
        if signal.wants_cancel and signal.run_id in self.tasks:
            self._cancel_here(signal.run_id)
        writer = self._writers.get(signal.run_id)
        if writer is not None and signal.last_seq > writer.fold.last_seq:
            writer.look()
            return False
        return writer is not None

    async def _pick_up(self, run_id: str) -> None:
        """A lease under which nobody works: what used it has failed. The run goes on, or rests."""
        now = asyncio.get_running_loop().time()
        if now < self._due.setdefault(run_id, now + self._pause(run_id)):
            return
        del self._due[run_id]
        await self.io(self.leases.let_go, run_id)
        self.schedule(run_id)

    async def sweep(self) -> None:
        """Takes up what nobody alive advances."""
        for run_id in await self.io(self.leases.orphans):
            if run_id not in self.tasks:
                TAKEN_UP.add()
            self.schedule(run_id)

    async def stop(self) -> None:
        """Lets go of all runs; they go on from their journals, elsewhere or later."""
        self.is_stopping = True
        tasks = list(self.tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self.executor.shutdown(wait=True)


def _telling(traces: "Traces", publish: Publish) -> Publish:
    def publish_and_tell(event: Event) -> None:
        publish(event)
        traces.take(event)

    return publish_and_tell


def in_pieces(result: BaseModel) -> JsonObject:
    """As `model_dump(mode="json")`, but a long list item by item: others get turns between."""
    fields = type(result).model_fields
    long = {
        name
        for name in fields
        if isinstance(value := getattr(result, name), tuple | list)
        and len(cast("list[object]", value)) > LONG
        and all(isinstance(item, BaseModel) for item in cast("list[object]", value))
    }
    rest = result.model_dump(mode="json", exclude=long)
    return {
        name: [item.model_dump(mode="json") for item in getattr(result, name)]
        if name in long
        else rest[name]
        for name in fields
        if name in long or name in rest
    } | rest
