"""The journal's table on PostgreSQL: a partition for the runs of each month, made ahead of time.

By ranges of run ids, which begin with their time: a run's events are in one partition, however
long it takes, and every statement finds it. Old months are dropped, not deleted row by row. What
fits into none is in the default one, so that no event is ever refused for want of a partition.
SQLite has one table, and none of this.
"""

import logging
import random
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, NamedTuple, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from sanbo.kernel.problems import StorageFailure
from sanbo.storage.database import Database
from sanbo.storage.statements import DatabaseTime

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
