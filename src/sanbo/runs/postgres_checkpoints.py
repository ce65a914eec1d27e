"""LangGraph's saver on PostgreSQL, with the tables that it needs."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractContextManager, asynccontextmanager
from typing import Any

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncConnection
from psycopg.rows import dict_row
from psycopg_pool import AsyncConnectionPool

from sanbo.storage.database import Database


@asynccontextmanager
async def open_saver(
    database: Database, store_errors: Callable[[], AbstractContextManager[None]]
) -> AsyncGenerator[AsyncPostgresSaver]:
    url, direct_url = (
        address.set(drivername="postgresql").render_as_string(hide_password=False)
        for address in (database.url, database.direct_url)
    )
    threshold = None if database.is_pooled else 0
    kwargs: dict[str, Any] = {
        "autocommit": True,
        "prepare_threshold": threshold,
        "row_factory": dict_row,
    }
    async with AsyncConnectionPool(
        url,
        min_size=1,
        max_size=8,
        open=False,
        check=AsyncConnectionPool.check_connection,
        kwargs=kwargs,
    ) as pool:
        # pyrefly: ignore[bad-argument-type]
        saver = AsyncPostgresSaver(pool)
        with store_errors():
            async with await AsyncConnection.connect(direct_url, **kwargs) as connection:
                # Of processes that start at once, one makes the tables and the others find them.
                # They look again and again: an index built concurrently waits for whoever waits
                # in a lock.
                while not await _locked(connection):  # noqa: ASYNC110 - the lock is the database's
                    await asyncio.sleep(0.05)
                try:
                    # pyrefly: ignore[bad-argument-type]
                    await AsyncPostgresSaver(connection).setup()
                finally:
                    await connection.execute("SELECT pg_advisory_unlock(5213908)")
        yield saver


async def _locked(connection: Any) -> bool:
    row = await (
        await connection.execute("SELECT pg_try_advisory_lock(5213908) AS locked")
    ).fetchone()
    return bool(row["locked"])
