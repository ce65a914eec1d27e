"""Runs on a Dask cluster: a server gives its workers whole segments, and goes on without them.

Dask says where there is a place. What a segment has come to, and whether anybody works on it, is
in the database alone: a worker, a server or the scheduler may be gone at any moment.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from distributed import Client
from distributed.client import FutureCancelledError
from distributed.scheduler import KilledWorker

from sanbo import __version__
from sanbo.kernel.problems import MissingDependency, ProviderFailed, SanboError
from sanbo.plans.executors.scheduler import (
    CONNECT_SECONDS,
    prepare_dask,
    scheduler_address,
)
from sanbo.plans.settings import BLOCK
from sanbo.runs.journal import Lease
from sanbo.runs.measures import PLACEMENT, SEGMENTS
from sanbo.service.cluster_status import (
    PLACE,
    WorkerSeen,
    met,
    unreachable,
    workers_of,
)
from sanbo.service.places import Places
from sanbo.service.segments import Outcome, advance

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
            outcome = Outcome.LOST
        except KilledWorker:
            # Dask has tried it several times; it is tried again when the last lease has run out.
            logger.exception("run %s: workers ended while they had it", lease.run_id)
            outcome = Outcome.LOST
        except Exception as error:
            logger.exception("run %s could not be placed", lease.run_id)
            self._refused = ProviderFailed("cluster_refuses", address=self.name, reason=str(error))
            outcome = Outcome.LOST
        match outcome:
            case Outcome.DONE:
                self._refused = None
            case Outcome.OTHER_VERSION:
                self._refused = MissingDependency("cluster_workers_differ", version=__version__)
                logger.error("run %s was sent to a worker of another version", lease.run_id)
            case _:
                pass
        SEGMENTS.add(f"placed_{outcome}")
        return outcome is Outcome.DONE

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
