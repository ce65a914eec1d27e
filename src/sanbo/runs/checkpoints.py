"""Where graphs keep their state: LangGraph's own savers, beside the journal."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import sqlalchemy as sa
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool
from sqlalchemy.dialects import postgresql, sqlite

from sanbo.llm.tracing import forbid_tracing
from sanbo.storage.database import Database
from sanbo.storage.tables import run_threads

Saver = BaseCheckpointSaver[Any]


class Checkpoints:
    """The saver on disk, the one in memory, and which run has used which thread."""

    def __init__(self, database: Database, on_disk: Saver) -> None:
        self.on_disk = on_disk
        self.in_memory: Saver = InMemorySaver()
        self._database = database

    def use(self, run_id: str, thread_id: str) -> None:
        insert = (sqlite if self._database.is_sqlite else postgresql).insert(run_threads)
        with self._database.write() as connection:
            connection.execute(
                insert.on_conflict_do_nothing(), {"run_id": run_id, "thread_id": thread_id}
            )

    async def forget(self, run_id: str) -> None:
        """Removes the threads that this run alone has used."""
        others = sa.select(run_threads.c.thread_id).where(run_threads.c.run_id != run_id)
        query = sa.select(run_threads.c.thread_id).where(
            run_threads.c.run_id == run_id, run_threads.c.thread_id.not_in(others)
        )
        with self._database.read() as connection:
            threads = list(connection.execute(query).scalars())
        for thread_id in threads:
            await self.on_disk.adelete_thread(thread_id)
            await self.in_memory.adelete_thread(thread_id)


@asynccontextmanager
async def open_checkpoints(database: Database, workspace: Path) -> AsyncGenerator[Checkpoints]:
    forbid_tracing()  # graphs by rules never connect to a model, which would see to it
    if database.is_sqlite:
        # A file of its own: checkpoints and journal never wait for each other's lock.
        async with aiosqlite.connect(workspace / "checkpoints.db") as connection:
            await connection.execute("PRAGMA synchronous=NORMAL")
            saver = AsyncSqliteSaver(connection)
            await saver.setup()  # switches to WAL
            yield Checkpoints(database, saver)
        return
    url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    async with AsyncConnectionPool(
        url,
        min_size=1,
        max_size=8,
        open=False,
        kwargs={"autocommit": True, "prepare_threshold": 0, "row_factory": dict_row},
    ) as pool:
        saver = AsyncPostgresSaver(pool)  # pyright: ignore[reportArgumentType]
        await saver.setup()
        yield Checkpoints(database, saver)
