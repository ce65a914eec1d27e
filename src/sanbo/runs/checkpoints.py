"""Where graphs keep their state: LangGraph's own savers, beside the journal."""

import asyncio
import sqlite3
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Awaitable,
    Callable,
    Generator,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path
from typing import Any

import aiosqlite
import sqlalchemy as sa
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.base import id as ids
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from typing_extensions import override

from sanbo.llm.engine import forbid_tracing
from sanbo.runs.threads import FILE
from sanbo.storage.database import BUSY_SECONDS, Database, insert_into, switch_to_wal
from sanbo.storage.failures import REFUSED, UNREACHABLE, storage_failure, told
from sanbo.storage.tables import run_threads, runs

Saver = BaseCheckpointSaver[Any]


class Checkpoints:
    """The saver on disk, the one in memory, and which run has used which thread."""

    def __init__(self, database: Database, on_disk: Saver) -> None:
        self.on_disk = on_disk
        self.in_memory: Saver = InMemorySaver()
        self._database = database

    def use(self, run_id: str, thread_id: str) -> None:
        insert = insert_into(run_threads, is_sqlite=self._database.is_sqlite)
        with self._database.write() as connection:
            connection.execute(
                insert.on_conflict_do_nothing(), {"run_id": run_id, "thread_id": thread_id}
            )

    def run_before(self, run_id: str) -> str | None:
        """The last successful run of the same conversation and workflow before this one."""
        this = sa.select(runs.c.conversation_id, runs.c.workflow).where(runs.c.run_id == run_id)
        with self._database.read() as connection:
            conversation_id, workflow = connection.execute(this).one()
            query = (
                sa.select(runs.c.run_id)
                .where(
                    runs.c.conversation_id == conversation_id,
                    runs.c.workflow == workflow,
                    runs.c.status == "succeeded",
                    runs.c.run_id < run_id,
                )
                .order_by(runs.c.run_id.desc())
                .limit(1)
            )
            return connection.execute(query).scalar_one_or_none()

    async def forget(self, run_id: str) -> None:
        """Removes the threads of a run."""
        for thread_id in await asyncio.to_thread(self._threads_of, run_id):
            await self.on_disk.adelete_thread(thread_id)
            await self.in_memory.adelete_thread(thread_id)

    def _threads_of(self, run_id: str) -> list[str]:
        query = sa.select(run_threads.c.thread_id).where(run_threads.c.run_id == run_id)
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())


async def copy_checkpoint(
    saver: Saver, source: RunnableConfig, thread_id: str, mark: Mapping[str, str]
) -> bool:
    """Makes a checkpoint of another thread this one's first; False when it is not there."""
    found = await saver.aget_tuple(source)
    if found is None:
        return False
    target: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    metadata: Any = {**found.metadata, **mark}
    await saver.aput(target, found.checkpoint, metadata, found.checkpoint["channel_versions"])
    return True


async def pack_checkpoint(saver: Saver, source: RunnableConfig) -> bytes:
    """The last of a thread, for a saver of another process."""
    found = await saver.aget_tuple(source)
    assert found is not None
    kind, data = saver.serde.dumps_typed((found.checkpoint, found.metadata))
    return b"\n".join((kind.encode(), data))


async def unpack_checkpoint(saver: Saver, packed: bytes, thread_id: str) -> None:
    """As the first one of this thread."""
    kind, _, data = packed.partition(b"\n")
    checkpoint, metadata = saver.serde.loads_typed((kind.decode(), data))
    target: RunnableConfig = {"configurable": {"thread_id": thread_id, "checkpoint_ns": ""}}
    await saver.aput(target, checkpoint, metadata, checkpoint["channel_versions"])


class LeasedSaver(Saver):
    """Writes for a run only while this process may: a late checkpoint would undo another's work.

    A machine that slept comes back in the middle of a node; LangGraph's savers know no lease.
    """

    def __init__(self, inner: Saver, check_lease: Callable[[], Awaitable[None]]) -> None:
        super().__init__(serde=inner.serde)
        self.inner = inner
        self.check_lease = check_lease

    @override
    def get_next_version(self, current: Any, channel: None) -> Any:
        return self.inner.get_next_version(current, channel)

    @override
    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        with store_errors():
            found = await self.inner.aget_tuple(config)
        if found is not None:
            _number_after(found.checkpoint["id"])
        return found

    @override
    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        with store_errors():
            async for found in self.inner.alist(config, filter=filter, before=before, limit=limit):
                yield found

    @override
    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        await self.check_lease()
        with store_errors():
            return await self.inner.aput(config, checkpoint, metadata, new_versions)

    @override
    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        await self.check_lease()
        with store_errors():
            await self.inner.aput_writes(config, writes, task_id, task_path)


def _number_after(checkpoint_id: str) -> None:
    """Whatever this process writes from now on counts as later than this checkpoint.

    The last of a thread is the one with the highest id, and ids hold the time by the clock of the
    machine that wrote them: where the first writer's was ahead, its successor's work would be lost.
    """
    reached = ids.UUID(checkpoint_id).time
    if reached > (ids._last_v6_timestamp or 0):
        # pyrefly: ignore[bad-assignment]
        ids._last_v6_timestamp = reached


@contextmanager
def store_errors() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise storage_failure(error, FILE) or told(REFUSED, FILE, error) from error
    except Exception as error:
        # By name: the driver of a database that nobody uses is not loaded.
        if not any(kind.__module__.partition(".")[0] == "psycopg" for kind in type(error).__mro__):
            raise
        raise storage_failure(error, FILE) or told(UNREACHABLE, "PostgreSQL", error) from error


def _prepare(file: Path) -> None:
    with closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
        switch_to_wal(connection.execute)


@asynccontextmanager
async def open_checkpoints(database: Database, file: Path) -> AsyncGenerator[Checkpoints]:
    """`file`: where they are beside SQLite; PostgreSQL has them in tables of its own."""
    forbid_tracing()  # graphs by rules never connect to a model, which would see to it
    if database.is_sqlite:
        # A file of its own: checkpoints and journal never wait for each other's lock.
        await asyncio.to_thread(_prepare, file)
        async with aiosqlite.connect(file, timeout=BUSY_SECONDS) as connection:
            await connection.execute("PRAGMA synchronous=NORMAL")
            saver = AsyncSqliteSaver(connection)
            await saver.setup()
            yield Checkpoints(database, saver)
        return
    # Its driver takes a tenth of a second to load, and a workspace's own file needs none of it.
    from sanbo.runs.postgres_checkpoints import open_saver  # noqa: PLC0415

    async with open_saver(database, store_errors) as saver:
        yield Checkpoints(database, saver)
