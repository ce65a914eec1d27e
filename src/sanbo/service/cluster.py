"""Work on a Dask cluster: a server gives its workers whole segments of runs, and files to index.

Dask says where there is a place. What a segment has come to, and whether anybody works on it, is
in the database alone: a worker, a server or the scheduler may be gone at any moment. What is asked
of a worker is sent by name: it has a workbench of its own, on the same database.
"""

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from enum import StrEnum
from typing import Any, TypeVar

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from sanbo import __version__
from sanbo.kernel.problems import (
    Conflict,
    MissingDependency,
    NotFound,
    ProviderFailed,
    RunBusy,
    SanboError,
    StorageUnavailable,
)
from sanbo.plans.executors.cluster import (
    CONNECT_SECONDS,
    prepare_dask,
    scheduler_address,
)
from sanbo.plans.settings import BLOCK
from sanbo.retrieval.indexing import Outcome as Indexed
from sanbo.runs.journal import Lease
from sanbo.runs.model import FileRef, JsonObject
from sanbo.runs.writer import PLACEMENT, SEGMENTS
from sanbo.service.access import Caller
from sanbo.service.cluster_status import (
    PLACE,
    WorkerSeen,
    met,
    unreachable,
    workers_of,
)
from sanbo.service.collections import Collections
from sanbo.service.run_queue import Places
from sanbo.service.workbench import Workbench


class SegmentOutcome(StrEnum):
    DONE = "done"
    NOT_TAKEN = "not_taken"
    """Another process has it, it is gone, or this worker is about to stop."""
    OTHER_VERSION = "other_version"
    LOST = "lost"
    """By Dask; the database knows how far it came."""


class _Here:
    workbench: Workbench | None = None


def provide(workbench: Workbench | None) -> None:
    """With which what is sent to this process is done."""
    _Here.workbench = workbench


async def advance(
    version: str, run_id: str, holder: str, epoch: int
) -> tuple[SegmentOutcome, float]:
    """And when it came here, by the clock of this machine.

    `holder`, `epoch`: the lease of the server that has placed it, and gives it away.
    """
    came = time.time()
    if version != __version__:
        return SegmentOutcome.OTHER_VERSION, came
    bench = _Here.workbench
    if bench is None or not bench.accepts_runs:
        return SegmentOutcome.NOT_TAKEN, came
    try:
        await bench.runner.advance_given(Lease(run_id, holder, epoch))
    except (RunBusy, NotFound):
        return SegmentOutcome.NOT_TAKEN, came
    return SegmentOutcome.DONE, came


def index_files(
    version: str, owner: str, name: str, files: list[JsonObject], metadata: dict[str, str]
) -> list[Indexed]:
    """Files that this owner has uploaded, into a collection that every worker reaches."""
    bench = _Here.workbench
    if version != __version__:
        raise MissingDependency("cluster_other_version", here=version, there=__version__)
    if bench is None:  # about to stop
        raise ProviderFailed("cluster_lost", address="")
    given = [FileRef.model_validate(file) for file in files]
    return list(bench.collections.index_uploads(Caller(owner), name, given, metadata=metadata))


T = TypeVar("T")
logger = logging.getLogger(__name__)

LOOK_SECONDS = 1.0
URGENT = 100
"""Of what is sent to a worker whose places are all taken, this comes first."""
Labels = Mapping[str, float]


class Cluster:
    """Lives on the server's event loop; `keep` connects, and again where the connection is lost."""

    def __init__(self, name: str, needs: Mapping[str, Labels]) -> None:
        """`needs`: what workers must offer, by workflow."""
        self.name = name
        self.places = Places(0)
        self._away: SanboError | None = unreachable(name)
        self._refused: SanboError | None = None
        """Why what was sent last could not be placed."""
        self._workers: list[WorkerSeen] = []
        self._needs = needs
        self._connection: _Connection | None = None
        prepare_dask()

    @property
    def failure(self) -> SanboError | None:
        """Why nothing is placed now."""
        return self._away or self._refused

    async def until_met(self, workflow: str) -> None:
        """Until there is a worker that offers what it needs: it takes no place from others."""
        needed = self._needs.get(workflow, {})
        while needed and not met(needed, self._workers):  # noqa: ASYNC110 - it is asked anyway
            await asyncio.sleep(LOOK_SECONDS)

    async def keep(self) -> None:
        """For ever."""
        while True:
            try:
                await self._look()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
                if self._away is None:
                    logger.warning("the cluster %s does not answer: %s", self.name, error)
                self._fail(unreachable(self.name))
                await self._disconnect()
            await asyncio.sleep(LOOK_SECONDS)

    async def close(self) -> None:
        """What was placed goes on without this server."""
        self.places.resize(0)
        await self._disconnect()

    async def advance(self, lease: Lease, *, is_urgent: bool) -> bool:
        """Until a worker has advanced it as far as it goes; False where none has, or who knows."""
        if self._connection is None:
            return False
        sent = time.time()
        try:
            outcome, came = await self._connection.answer(
                advance,
                __version__,
                lease.run_id,
                lease.holder,
                lease.epoch,
                pure=False,
                priority=URGENT if is_urgent else 0,
                resources={PLACE: 1, **self._needs.get(lease.workflow, {})},
            )
            PLACEMENT.observe(max(0.0, came - sent))
        except FutureCancelledError:
            outcome = SegmentOutcome.LOST
        except KilledWorker:
            # Dask has tried it several times; it is tried again when the last lease has run out.
            logger.exception("run %s: workers ended while they had it", lease.run_id)
            outcome = SegmentOutcome.LOST
        except Exception as error:
            logger.exception("run %s could not be placed", lease.run_id)
            self._refused = ProviderFailed("cluster_refuses", address=self.name, reason=str(error))
            outcome = SegmentOutcome.LOST
        match outcome:
            case SegmentOutcome.DONE:
                self._refused = None
            case SegmentOutcome.OTHER_VERSION:
                self._refused = MissingDependency("cluster_workers_differ", version=__version__)
                logger.error("run %s was sent to a worker of another version", lease.run_id)
            case _:
                pass
        SEGMENTS.add(f"placed_{outcome}")
        return outcome is SegmentOutcome.DONE

    async def compute(self, function: Callable[..., T], *given: Any) -> T:
        """What a worker makes of it; a problem that passes where the cluster has lost it."""
        if self._connection is None:
            raise unreachable(self.name)
        try:
            return await self._connection.answer(function, *given, pure=False, resources={BLOCK: 1})
        except (FutureCancelledError, KilledWorker) as error:
            raise ProviderFailed("cluster_lost", address=self.name) from error

    async def _look(self) -> None:
        """How many places there are; that a scheduler answers is asked without the client."""
        self._workers = workers = await workers_of(self.name)
        if self._connection is None or not self._connection.is_alive:
            self.places.resize(0)  # whoever waits for one goes on waiting
            await self._disconnect()
            self._connection = await _connect(self.name)
        if not (places := sum(worker.places for worker in workers)):
            without = MissingDependency("cluster_idle", address=self.name, recoverable=True)
            self._fail(without)
            return
        self._away = None
        self.places.resize(places)

    def _fail(self, failure: SanboError) -> None:
        self._away = failure
        self._workers = []
        self.places.resize(0)

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()


class _Connection:
    """A client of Dask, and that it has ended: what was asked of it then may never be answered."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._has_ended = asyncio.Event()

    @property
    def is_alive(self) -> bool:
        return self._client.status == "running"

    async def answer(self, *work: Any, **how: Any) -> Any:
        """What a worker says to it; `FutureCancelledError` where nobody will."""
        asked = self._client.submit(*work, **how)
        answered = asyncio.ensure_future(asked.result())
        ended = asyncio.create_task(self._has_ended.wait())
        try:
            await asyncio.wait({answered, ended}, return_when=asyncio.FIRST_COMPLETED)
            if not answered.done():
                raise FutureCancelledError(asked.key, "the connection has ended")
            return answered.result()
        finally:
            answered.cancel()
            ended.cancel()

    async def close(self) -> None:
        self._has_ended.set()
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                await self._client.close(timeout=1)
        except Exception:  # noqa: BLE001 - it is gone either way
            logger.info("a connection was not closed in order")


async def _connect(name: str) -> _Connection:
    client = Client(
        scheduler_address(name), asynchronous=True, timeout=CONNECT_SECONDS, set_as_default=False
    )
    try:
        async with asyncio.timeout(CONNECT_SECONDS * 2):  # it may hang where the scheduler ends now
            return _Connection(await client)
    except BaseException:
        await _Connection(client).close()
        raise


FILES_AT_ONCE = 4
MOST_UNDER_WAY = 64
AGAIN_SECONDS = 1.0
PATIENCE_SECONDS = 120.0
"""So long nothing may come of it."""

PASSING = (ProviderFailed, Conflict, StorageUnavailable)
"""A cluster or a database that is away, and a collection into which others write."""

Portion = Sequence[FileRef]


class ClusterIndexing:
    """Workers read files and store their chunks, where the collection is on a server that all of
    them reach. Every few files are published by themselves: what was done stays, and what a worker
    that died had in hand is done by another."""

    def __init__(
        self, collections: Collections, cluster: Cluster, loop: asyncio.AbstractEventLoop
    ) -> None:
        self._collections = collections
        self._cluster = cluster
        self._loop = loop

    def index_uploads(
        self,
        caller: Caller,
        name: str,
        files: Sequence[FileRef],
        *,
        metadata: dict[str, str] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Generator[Indexed]:
        """As `Collections.index_uploads`; outcomes come as they are ready."""
        self._collections.check_uploads(caller, name, files)
        portions = portions_of(files)

        def send(portion: Portion) -> "Future[list[Indexed]]":
            work = self._cluster.compute(
                index_files,
                __version__,
                caller.owner,
                name,
                [file.model_dump() for file in portion],
                metadata or {},
            )
            return asyncio.run_coroutine_threadsafe(work, self._loop)

        return outcomes_of(portions, send, stopped)


def portions_of(files: Sequence[FileRef]) -> list[Portion]:
    """Files of one name stay together, in their order: the last of them is the one that counts."""
    by_name: dict[str, list[FileRef]] = {}
    for file in files:
        by_name.setdefault(file.name, []).append(file)
    found: list[list[FileRef]] = [[]]
    for same in by_name.values():
        if len(found[-1]) >= FILES_AT_ONCE:
            found.append([])
        found[-1] += same
    return [portion for portion in found if portion]


def outcomes_of(
    portions: Sequence[Portion],
    send: "Callable[[Portion], Future[list[Indexed]]]",
    stopped: Callable[[], bool],
) -> Generator[Indexed]:
    waiting = deque((portion, 0.0) for portion in portions)
    under_way: dict[Future[list[Indexed]], Portion] = {}
    until = time.monotonic() + PATIENCE_SECONDS
    try:
        while (waiting or under_way) and not stopped():
            while waiting and len(under_way) < MOST_UNDER_WAY:
                if waiting[0][1] > time.monotonic():
                    break
                portion, _ = waiting.popleft()
                under_way[send(portion)] = portion
            if not under_way:
                time.sleep(AGAIN_SECONDS)
                continue
            done, _ = wait(under_way, timeout=LOOK_SECONDS, return_when=FIRST_COMPLETED)
            for each in done:
                portion = under_way.pop(each)
                try:
                    outcomes = each.result()
                except SanboError as error:
                    if not isinstance(error, PASSING) or time.monotonic() > until:
                        raise
                    logger.warning("some files are sent again: %s", error)
                    waiting.append((portion, time.monotonic() + AGAIN_SECONDS))
                    continue
                until = time.monotonic() + PATIENCE_SECONDS
                yield from outcomes
    finally:
        for each in under_way:
            each.cancel()
