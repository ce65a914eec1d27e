"""How a server stands: whether something can be stored, and what it has counted, for Prometheus.

The journal is never looked through: what is not counted here is asked of the table of runs, by its
index on what has not ended, and at most once in a few seconds.
"""

import asyncio
import logging
import tempfile
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError

from sanbo import __version__
from sanbo.kernel.metrics import counted, gauge
from sanbo.kernel.problems import SanboError, StorageFailure, StorageUnavailable
from sanbo.runs.model import Status
from sanbo.service.feed import Streams
from sanbo.service.runner import Runner
from sanbo.storage.blobs import Blobs
from sanbo.storage.database import Database, DatabaseTime
from sanbo.storage.failures import REFUSED, disk_failures, storage_failure, told
from sanbo.storage.tables import runs

__all__ = ["REFUSED", "StorageCheck", "disk_failures", "storage_failure", "told"]


logger = logging.getLogger(__name__)

FRESH_SECONDS = 1.0
"""Whoever asks within this time hears what the last look found; in the second half of it the next
look is begun, so that nobody who asks again and again has to wait for the disk."""
PATIENCE_SECONDS = 5

Part = Literal["workspace", "database", "blobs"]


@dataclass(frozen=True)
class Finding:
    failures: Mapping[Part, SanboError] = field(default_factory=dict[Part, SanboError])
    """What can't be used now, and why."""
    is_migrated: bool = False
    """Whether the tables are those of this version of Sanbo."""


class StorageCheck:
    """Of the database, of the blobs, and of the workspace's disk."""

    def __init__(self, database: Database, blobs: Blobs, workspace: Path) -> None:
        self._database = database
        self._blobs = blobs
        self._workspace = workspace
        self._found = Finding()
        self._found_at = -inf
        self._looking: asyncio.Future[Finding] | None = None
        self._looking_at: Part = "workspace"
        # Its own: the loop's threads may all be waiting for what is stored slowly.
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="storage-check")

    async def look(self) -> Finding:
        loop = asyncio.get_running_loop()
        age = loop.time() - self._found_at
        if self._looking is None and age >= FRESH_SECONDS / 2:
            take = partial(self._take, loop.time())
            self._looking = asyncio.ensure_future(loop.run_in_executor(self._thread, self._store))
            self._looking.add_done_callback(take)
        if age < FRESH_SECONDS or self._looking is None:
            return self._found
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.shield(self._looking)
        except TimeoutError:
            part = self._looking_at
            place = self._workspace.name if part == "workspace" else self._database.place
            if part == "blobs":
                place = self._blobs.place
            slow = StorageUnavailable("storage_slow", place=place, seconds=PATIENCE_SECONDS)
            return Finding({part: slow}, is_migrated=self._found.is_migrated)

    def _take(self, begun: float, done: "asyncio.Future[Finding]") -> None:
        self._looking = None
        if not done.cancelled():
            self._found, self._found_at = done.result(), begun

    def _store(self) -> Finding:
        failures: dict[Part, SanboError] = {}
        is_migrated = False
        for part in get_args(Part):
            self._looking_at = part
            try:
                match part:
                    case "workspace":
                        with disk_failures(self._workspace), _new_file(self._workspace) as file:
                            file.write(b".")
                            file.flush()
                    case "database":
                        is_migrated = self._database.can_store()
                    case _:
                        self._blobs.check()
            except SanboError as failure:
                logger.error("nothing can be stored: %s", failure)
                failures[part] = failure
            except SQLAlchemyError as error:
                logger.exception("nothing can be stored")
                failures[part] = self._database.failure(error)
            except OSError as error:  # the workspace was moved away, say
                logger.exception("nothing can be stored")
                failures[part] = told(REFUSED, str(self._workspace.absolute()), error)
        return Finding(failures, is_migrated)


def _new_file(folder: Path) -> "tempfile._TemporaryFileWrapper[bytes]":
    """A new one: to write over an old one needs no room."""
    return tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-")


COUNTED_SECONDS = 5.0
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
            if time.monotonic() - self._seen_at > COUNTED_SECONDS:
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
