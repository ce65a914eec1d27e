"""Whether something can be stored now: really written, but once a second, however many ask."""

import asyncio
import logging
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from sanbo.kernel.problems import SanboError, StorageUnavailable
from sanbo.storage.database import Database
from sanbo.storage.failures import REFUSED, disk_failures, told

logger = logging.getLogger(__name__)

FRESH_SECONDS = 1.0
PATIENCE_SECONDS = 5


@dataclass(frozen=True)
class Finding:
    failure: SanboError | None = None
    is_migrated: bool = False
    """Whether the tables are those of this version of Sanbo."""


class StorageCheck:
    """Of the database and of the workspace's disk, which has the files."""

    def __init__(self, database: Database, workspace: Path) -> None:
        self._database = database
        self._workspace = workspace
        self._begun = 0.0
        self._looking: asyncio.Task[Finding] | None = None

    async def look(self) -> Finding:
        now = asyncio.get_running_loop().time()
        is_old = now - self._begun >= FRESH_SECONDS
        if self._looking is None or (is_old and self._looking.done()):
            self._begun = now
            self._looking = asyncio.create_task(asyncio.to_thread(self._store))
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return await asyncio.shield(self._looking)
        except TimeoutError:
            place = self._database.place
            return Finding(
                StorageUnavailable("storage_slow", place=place, seconds=PATIENCE_SECONDS)
            )

    def _store(self) -> Finding:
        try:
            with disk_failures(self._workspace), _new_file(self._workspace) as file:
                file.write(b".")
                file.flush()
            return Finding(is_migrated=self._database.can_store())
        except SanboError as failure:
            logger.error("nothing can be stored: %s", failure)
            return Finding(failure)
        except SQLAlchemyError as error:
            logger.exception("nothing can be stored")
            return Finding(self._database.failure(error))
        except OSError as error:  # the workspace was moved away, say
            logger.exception("nothing can be stored")
            return Finding(told(REFUSED, str(self._workspace.absolute()), error))


def _new_file(folder: Path) -> "tempfile._TemporaryFileWrapper[bytes]":  # pyright: ignore[reportPrivateUsage] - the type has no other name
    """A new one: to write over an old one needs no room."""
    return tempfile.NamedTemporaryFile(dir=folder, prefix=".probe-")
