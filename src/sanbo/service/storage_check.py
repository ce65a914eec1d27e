"""Whether something can be stored now: really written, but once a second, however many ask."""

import asyncio
import logging
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from math import inf
from pathlib import Path
from typing import Literal, get_args

from sqlalchemy.exc import SQLAlchemyError

from sanbo.kernel.problems import SanboError, StorageUnavailable
from sanbo.storage.blobs import Blobs
from sanbo.storage.database import Database
from sanbo.storage.failures import REFUSED, disk_failures, storage_failure, told

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


def _new_file(folder: Path) -> "tempfile._TemporaryFileWrapper[bytes]":  # pyright: ignore[reportPrivateUsage] - the type has no other name
    """A new one: to write over an old one needs no room."""
    return tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-")
