"""Where graphs keep their state: opened with the first graph, for it brings LangGraph along."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from sanbo.storage.database import Database
from sanbo.storage.failures import REFUSED, storage_failure, told
from sanbo.storage.tables import run_threads

if TYPE_CHECKING:
    from sanbo.runs.checkpoints import Checkpoints

    Opening = Callable[[Database, Path], AbstractAsyncContextManager[Checkpoints]]

FILE = "checkpoints.db"


class GraphThreads:
    """Of one process, for all its runs."""

    def __init__(self, database: Database, workspace: Path) -> None:
        self._database = database
        self._file = workspace / FILE
        self._turn = asyncio.Lock()
        self._stack = AsyncExitStack()
        self._opened: Checkpoints | None = None

    async def opened(self) -> "Checkpoints":
        async with self._turn:
            if self._opened is None:
                self._opened = await self._open()
            return self._opened

    async def _open(self) -> "Checkpoints":
        opening = await asyncio.to_thread(_load)
        try:
            return await self._stack.enter_async_context(opening(self._database, self._file))
        except sqlite3.Error as error:
            place = str(self._file.absolute())
            raise storage_failure(error, place) or told(REFUSED, place, error) from error

    async def forget(self, run_ids: Sequence[str]) -> None:
        """Removes the threads that these runs alone have used."""
        for run_id in await asyncio.to_thread(self._with_threads, run_ids):
            await (await self.opened()).forget(run_id)

    def _with_threads(self, run_ids: Sequence[str]) -> set[str]:
        query = sa.select(run_threads.c.run_id).where(run_threads.c.run_id.in_(run_ids))
        with self._database.read() as connection:
            return set(connection.execute(query).scalars())

    async def close(self) -> None:
        await self._stack.aclose()


def _load() -> "Opening":
    from sanbo.runs.checkpoints import open_checkpoints  # noqa: PLC0415 - see above

    return open_checkpoints
