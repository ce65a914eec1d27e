"""What PostgreSQL alone does for a workspace: signals to all processes, a partition for each month.

What a statement does to a run is told in its own transaction: nothing is told that was not
committed, and it costs no round trip. On SQLite, processes look.

The journal has a partition for the runs of each month, made ahead of time, by ranges of run ids,
which begin with their time: a run's events are in one partition, however long it takes, and every
statement finds it. Old months are dropped, not deleted row by row. What fits into none is in the
default one, so that no event is ever refused for want of a partition. SQLite has one table.
"""

import asyncio
import logging
import random
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sanbo.kernel.problems import StorageFailure
from sanbo.storage.database import Database, DatabaseTime
from sanbo.storage.tables import runs

CHANNEL = "sanbo_runs"
FOLLOWED_SECONDS = 120.0
"""For so long every event of a run is told after somebody has asked for it."""
AGAIN_SECONDS = 1.0
GONE = -1
_KEPT_ALIVE = {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3"}
"""A server that is gone without a word is noticed within half a minute."""

Telling = sa.ColumnElement[str | None]
"""To be returned by the statement that changes a run."""


class Signal(NamedTuple):
    run_id: str
    last_seq: int
    """`GONE` where the run was deleted."""
    wants_cancel: bool = False


def _telling(*words: object) -> Telling:
    text = sa.func.concat_ws(_word(" "), runs.c.run_id, *words)
    return sa.cast(sa.func.pg_notify(_word(CHANNEL), text), sa.Text)


def _word(text: str) -> sa.ColumnElement[str]:
    """In the statement itself, which takes no parameters but its own."""
    return sa.literal_column(f"'{text}'")


TELLING = _telling(runs.c.last_seq)
TELLING_CANCEL = _telling(runs.c.last_seq, _word("cancel"))
TELLING_GONE = _telling(_word(str(GONE)))
TELLING_FOLLOWERS: Telling = sa.case((runs.c.followed_until > DatabaseTime(), TELLING))
"""Commits that tell something queue up for each other: of most events nobody need be told."""


def read_signal(text: str) -> Signal:
    run_id, last_seq, *rest = text.split(" ")
    return Signal(run_id, int(last_seq), wants_cancel=bool(rest))


class Listener:
    """One connection of this process, made anew where it is lost."""

    def __init__(
        self,
        address: sa.URL,
        hear: Callable[[Signal], None],
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        """`catch_up`: looks for what was told while nobody listened."""
        self.is_listening = False
        query = {**_KEPT_ALIVE, **address.query}
        self._address = address.set(drivername="postgresql", query=query)
        self._hear = hear
        self._catch_up = catch_up

    async def listen(self) -> None:
        """For ever."""
        from psycopg import Error  # noqa: PLC0415 - few have PostgreSQL

        while True:
            try:
                await self._listen_once()
            except (Error, OSError) as error:
                logger.warning("nobody tells what other processes do: %s", type(error).__name__)
            except Exception:
                logger.exception("what other processes do could not be heard")
            finally:
                self.is_listening = False
            await asyncio.sleep(AGAIN_SECONDS)

    async def _listen_once(self) -> None:
        from psycopg import AsyncConnection  # noqa: PLC0415

        address = self._address.render_as_string(hide_password=False)
        async with await AsyncConnection.connect(address, autocommit=True) as connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            self.is_listening = True
            await self._catch_up()
            async for told in connection.notifies():
                self._hear(read_signal(told.payload))


logger = logging.getLogger(__name__)

T = TypeVar("T")

MONTHS_AHEAD = 2
LOCK_MS = 200
"""Others queue up behind whoever waits for a whole table, so nobody waits for long."""
VACUUM_MS = 5000
TRIES = 20
_LOCKED = frozenset({"55P03", "40P01"})  # not got in time; a deadlock
_PARTITIONS = """
SELECT inhrelid::regclass::text AS name, pg_get_expr(relpartbound, inhrelid) AS bounds
FROM pg_inherits JOIN pg_class ON pg_class.oid = inhrelid
WHERE inhparent = to_regclass('events')
"""


class Partition(NamedTuple):
    name: str
    since: str
    """The first run id that it may have."""
    until: str
    """The first that it may not."""

    def has(self, run_id: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
        return (run_id >= self.since) & (run_id < self.until)


class Partitions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def past(self) -> list[Partition]:
        """Those of months that are over; the oldest first."""
        if self._database.is_sqlite:
            return []
        with self._database.read() as connection:
            now = first_id(now_in(connection))
            return [each for each in _partitions(connection) if each.until <= now]

    def prepare(self) -> None:
        """Makes those of this month and the next ones, where they are missing."""
        if self._database.is_sqlite:
            return
        try:
            with self._database.write() as connection:
                while _missing(connection):
                    briefly(connection, partial(_make, connection), tries=5)
        except (StorageFailure, SQLAlchemyError):
            # What comes meanwhile is in the default one, and moves from there.
            logger.warning("no partitions for the months to come are made", exc_info=True)

    def drop(self, partition: Partition, others: sa.Select[Any]) -> bool:
        """With all events in it; False, and nothing happens, where there are such `others`.

        Nobody appends to it while that is looked at; to the others, nobody while it goes.
        """

        def work() -> bool:
            connection.exec_driver_sql(f"LOCK TABLE {partition.name} IN SHARE ROW EXCLUSIVE MODE")
            if connection.execute(others.limit(1)).first() is not None:
                return False
            connection.exec_driver_sql(f"DROP TABLE {partition.name}")
            return True

        with self._database.write() as connection:
            return briefly(connection, work, table=partition.name)


def briefly(
    connection: Connection, work: Callable[[], T], tries: int = TRIES, table: str = ""
) -> T:
    """`work` in a transaction of its own, again and again until it gets its locks at once.

    `table`: one that it needs for itself, and that may be being vacuumed. Vacuuming gives way to
    who waits for a second; for this lock nobody else has to.
    """
    for left in reversed(range(tries)):
        try:
            if table:
                connection.exec_driver_sql(f"SET LOCAL lock_timeout = {VACUUM_MS}")
                connection.exec_driver_sql(f"LOCK TABLE {table} IN SHARE UPDATE EXCLUSIVE MODE")
            connection.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_MS}")
            done = work()
            connection.commit()
        except DBAPIError as error:
            connection.rollback()
            if not left or getattr(error.orig, "sqlstate", None) not in _LOCKED:
                raise
        else:
            return done
        time.sleep(random.uniform(0.1, 1.0))  # noqa: S311 - whoever waited has its turn
    raise AssertionError


def first_id(moment: datetime) -> str:
    """Less than the id of every run that begins then or later, and of no earlier one."""
    return f"run_{int(moment.timestamp() * 1000):012x}"


def month_after(moment: datetime) -> datetime:
    return (_month(moment) + timedelta(days=31)).replace(day=1)


def _month(moment: datetime) -> datetime:
    return moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)


def now_in(connection: Connection) -> datetime:
    return datetime.fromtimestamp(connection.execute(sa.select(DatabaseTime())).scalar_one(), UTC)


def _partitions(connection: Connection) -> list[Partition]:
    """But for the default one, from the oldest to the newest."""
    found: list[Partition] = []
    for name, bounds in connection.exec_driver_sql(_PARTITIONS):
        match bounds.split("'")[1::2]:
            case [until]:
                found.append(Partition(name, "", until))
            case [since, until]:
                found.append(Partition(name, since, until))
            case _:
                pass
    return sorted(found, key=lambda each: each.until)


def _missing(connection: Connection) -> list[Partition]:
    known = [each.until for each in _partitions(connection)]
    last = max(known, default="")
    month = _month(now_in(connection))
    missing: list[Partition] = []
    for _ in range(MONTHS_AHEAD + 1):
        after = month_after(month)
        since, until = max(first_id(month), last), first_id(after)
        if since < until:
            missing.append(Partition(f"events_{month:%Y_%m}", since, until))
        month = after
    return missing


def _make(connection: Connection) -> None:
    """The first that is missing, with what has come into the default one meanwhile."""
    connection.exec_driver_sql("SELECT pg_advisory_xact_lock(5213909)")
    for name, since, until in _missing(connection)[:1]:  # another server may have been first
        run = connection.exec_driver_sql
        run(f"CREATE TABLE {name} (LIKE events)")
        # In the order in which whoever appends takes them.
        run("LOCK TABLE runs IN SHARE ROW EXCLUSIVE MODE")
        of_month = f"FROM events_default WHERE run_id >= '{since}' AND run_id < '{until}'"
        if run(f"SELECT 1 {of_month} LIMIT 1").first() is not None:
            # Who reads, too: one that had chosen the default one would find nothing there.
            run("LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
            run(f"INSERT INTO {name} SELECT * {of_month}")
            run(f"DELETE {of_month}")
        bounds = f"FROM ('{since}') TO ('{until}')"
        run(f"ALTER TABLE events ATTACH PARTITION {name} FOR VALUES {bounds}")
