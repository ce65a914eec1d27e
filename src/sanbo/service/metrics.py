"""What this server has counted, and how its runs stand, as Prometheus reads it.

The journal is never looked through: what is not counted here is asked of the table of runs, by its
index on what has not ended, and at most once in a few seconds.
"""

import asyncio
import logging
import time
from collections.abc import Iterator
from math import inf
from typing import NamedTuple, get_args

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from sanbo import __version__
from sanbo.kernel.metrics import counted, gauge
from sanbo.kernel.problems import StorageFailure
from sanbo.runs.model import Status
from sanbo.service.feed import Streams
from sanbo.service.runner import Runner
from sanbo.service.storage_check import Part, StorageCheck
from sanbo.storage.database import Database
from sanbo.storage.statements import DatabaseTime
from sanbo.storage.tables import runs

logger = logging.getLogger(__name__)

FRESH_SECONDS = 5.0
_UNFINISHED = tuple(status for status in Status if not status.is_final)


class Standing(NamedTuple):
    number: int
    oldest_seconds: float


class Metrics:
    def __init__(
        self, database: Database, runner: Runner, storage: StorageCheck, streams: Streams
    ) -> None:
        self._database = database
        self._runner = runner
        self._storage = storage
        self._streams = streams
        self._standing: dict[str, Standing] = {}
        self._seen_at = -inf
        self._turn = asyncio.Lock()

    async def text(self) -> str:
        failing = (await self._storage.look()).failures
        async with self._turn:
            if time.monotonic() - self._seen_at > FRESH_SECONDS:
                try:
                    self._standing = await self._runner.io(self._look)
                    self._seen_at = time.monotonic()
                except (SQLAlchemyError, StorageFailure):
                    # That it is away is told; what was counted here is known all the same.
                    logger.warning("how runs stand could not be looked up")
                    self._standing = {}
        up = [({"part": part}, 0.0 if part in failing else 1.0) for part in get_args(Part)]
        return "\n".join(
            (
                *self._gauges(),
                *gauge("sanbo_storage_up", "Whether a part of the storage can be used.", up),
                *counted(),
                "",
            )
        )

    def _look(self) -> dict[str, Standing]:
        query = (
            sa.select(
                runs.c.status, sa.func.count(), DatabaseTime() - sa.func.min(runs.c.created_at)
            )
            .where(runs.c.status.in_(_UNFINISHED))
            .group_by(runs.c.status)
        )
        with self._database.read() as connection:
            return {
                status: Standing(count, max(0.0, age))
                for status, count, age in connection.execute(query)
            }

    def _gauges(self) -> Iterator[str]:
        yield from gauge("sanbo_info", "This server.", [({"version": __version__}, 1)])
        if self._standing or self._seen_at > -inf:
            none = Standing(0, 0.0)
            stand = {status: self._standing.get(status, none) for status in _UNFINISHED}
            counts = [
                ({"status": status.value}, float(each.number)) for status, each in stand.items()
            ]
            yield from gauge("sanbo_runs", "Runs that have not ended, on all servers.", counts)
            oldest = stand[Status.QUEUED].oldest_seconds
            name, text = "sanbo_queue_oldest_seconds", "How long the oldest queued run has waited."
            yield from gauge(name, text, [({}, oldest)])
        advancing = self._runner.places.taken
        waiting = max(0, len(self._runner.tasks) - advancing)
        states = [({"state": "advancing"}, float(advancing)), ({"state": "queued"}, float(waiting))]
        yield from gauge("sanbo_segments", "Runs in the hands of this server now.", states)
        yield from gauge("sanbo_streams", "Open event streams.", [({}, float(len(self._streams)))])
