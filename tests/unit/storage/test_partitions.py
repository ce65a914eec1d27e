"""The journal's partitions on PostgreSQL: made ahead by whoever comes, and out of an old table."""

import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from sanbo.kernel.problems import StorageFailure
from sanbo.runs.journal import Journal, line_of, recorded
from sanbo.runs.leases import Leases
from sanbo.runs.model import NodeStart, Status
from sanbo.settings import load_settings
from sanbo.storage import postgresql
from sanbo.storage.database import Database
from sanbo.storage.postgresql import Partition, Partitions, first_id, month_after
from sanbo.storage.tables import events, runs
from tests.unit.runs.test_fold import START

pytestmark = pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)

NOW = datetime.now(UTC)
NEXT = month_after(NOW)
MONTHS = [f"events_{month:%Y_%m}" for month in (NOW, NEXT, month_after(NEXT))]


@pytest.fixture
def open_another(
    new_environment: Callable[[], dict[str, str]], tmp_path: Path
) -> Generator[Callable[[], Database]]:
    """Connections to one database that has no tables yet."""
    settings = load_settings(tmp_path / "w", new_environment())
    assert settings.database_url is not None
    url = settings.database_url.get_secret_value()
    opened: list[Database] = []

    def another() -> Database:
        opened.append(Database(url))
        return opened[-1]

    yield another
    for database in opened:
        database.close()


@pytest.fixture
def database(open_another: Callable[[], Database]) -> Database:
    database = open_another()
    database.migrate()
    return database


def _upgrade(database: Database, version: str) -> None:
    config = Config()
    config.set_main_option("script_location", "sanbo.storage:migrations")
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, version)


class _Writer:
    """Of one run, as a server has it."""

    def __init__(self, database: Database, folder: Path, run_id: str) -> None:
        self.journal = Journal(database)
        self.leases = Leases(database, folder / "processes", 60)
        self.lease = self.leases.for_new_run(run_id)
        self.journal.create(
            self.lease, self.leases.until, [recorded(run_id, 1, (), START)], Status.RUNNING
        )
        self.seq = 1

    def append(self) -> None:
        event = recorded(self.lease.run_id, self.seq + 1, ("a",), NodeStart(key="a"))
        self.journal.append(self.lease, [line_of(event)], Status.RUNNING)
        self.seq += 1


def _places(database: Database) -> dict[str, int]:
    """How many events are where."""
    query = sa.select(sa.literal_column("tableoid::regclass::text", sa.Text), sa.func.count())
    with database.read() as connection:
        rows = connection.execute(query.select_from(events).group_by(sa.text("1")))
        # pyrefly: ignore[bad-return]
        return {name: count for name, count in rows}


def _names(database: Database) -> list[str]:
    query = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'events'::regclass"
    with database.read() as connection:
        return sorted(connection.exec_driver_sql(query).scalars())


def _id(moment: datetime) -> str:
    return f"{first_id(moment)}{'0' * 12}"


def test_of_servers_that_start_at_once_each_month_is_made_by_one(
    database: Database, open_another: Callable[[], Database], caplog: pytest.LogCaptureFixture
) -> None:
    servers = [Partitions(open_another()) for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(Partitions.prepare, servers))
    assert _names(database) == [*MONTHS, "events_default"]
    assert not caplog.records
    assert servers[0].past() == []


def test_months_come_as_time_goes_on(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    made = Partitions(database)
    made.prepare()

    def later(_: object) -> datetime:
        return NEXT + timedelta(days=3)

    monkeypatch.setattr(postgresql, "now_in", later)
    made.prepare()
    last = month_after(month_after(NEXT))
    assert _names(database) == [*MONTHS, f"events_{last:%Y_%m}", "events_default"]
    assert [each.name for each in made.past()] == MONTHS[:1]


def test_what_came_before_its_month_was_made_moves_there(
    database: Database, tmp_path: Path
) -> None:
    writers = [_Writer(database, tmp_path, run_id) for run_id in (_id(NOW), _id(NEXT), "run_odd")]
    for writer in writers:
        writer.append()
    assert _places(database) == {"events_default": 6}
    Partitions(database).prepare()
    assert _places(database) == {MONTHS[0]: 2, MONTHS[1]: 2, "events_default": 2}
    for writer in writers:
        writer.append()
        assert len(writer.journal.read(writer.lease.run_id)) == 3


def test_nobody_reads_less_while_events_move(
    database: Database, open_another: Callable[[], Database], tmp_path: Path
) -> None:
    writer = _Writer(database, tmp_path, _id(NOW))
    with database.write() as connection:  # so many that readers come in between
        connection.exec_driver_sql(
            "INSERT INTO events SELECT run_id, n, time, epoch, path, payload"
            " FROM events, generate_series(2, 20000) AS n"
        )
    reading = Journal(open_another())
    is_over = threading.Event()
    seen: set[int] = set()

    def read() -> None:
        while not is_over.is_set():
            seen.add(len(reading.read(writer.lease.run_id, limit=1)))

    with ThreadPoolExecutor(3) as threads:
        readers = [threads.submit(read) for _ in range(3)]
        Partitions(database).prepare()
        is_over.set()
        for reader in readers:
            reader.result()
    assert _places(database) == {MONTHS[0]: 20_000}
    assert seen == {1}


def test_no_event_is_refused_where_no_month_can_be_made(
    database: Database,
    open_another: Callable[[], Database],
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    writer = _Writer(database, tmp_path, _id(NOW))
    monkeypatch.setattr(postgresql, "LOCK_MS", 20)
    with open_another().write() as busy:
        busy.exec_driver_sql("SELECT 1 FROM events_default LIMIT 1")
        Partitions(database).prepare()
        assert "no partitions" in caplog.text
        writer.append()
    assert _places(database) == {"events_default": 2}


def test_a_month_that_somebody_reads_is_not_dropped_nor_waited_for(
    database: Database,
    open_another: Callable[[], Database],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = Partitions(database)
    made.prepare()
    writer = _Writer(database, tmp_path, _id(NOW))
    month = Partition(MONTHS[0], first_id(NOW), first_id(NEXT))
    nobody = sa.select(runs.c.run_id).where(sa.false())
    monkeypatch.setattr(postgresql, "LOCK_MS", 20)

    def write(_: float) -> None:
        writer.append()

    monkeypatch.setattr(postgresql.time, "sleep", write)
    with open_another().read() as reader:
        reader.execute(sa.select(events.c.seq)).all()
        with pytest.raises(StorageFailure):
            made.drop(month, nobody)
    assert _places(database) == {MONTHS[0]: writer.seq}
    assert writer.seq > 10  # between one try and the next
    somebody = sa.select(runs.c.run_id)
    assert not made.drop(month, somebody)
    assert made.drop(month, nobody)
    assert _places(database) == {}


def test_an_old_journal_is_divided_while_a_server_writes(
    open_another: Callable[[], Database], tmp_path: Path
) -> None:
    before = open_another()
    _upgrade(before, "0012")
    old = _Writer(before, tmp_path, _id(NOW - timedelta(days=400)))
    writer = _Writer(before, tmp_path, _id(NOW))
    with before.write() as connection:
        connection.exec_driver_sql("GRANT SELECT ON events TO pg_monitor, PUBLIC")
    is_over = threading.Event()

    def write() -> None:
        while not is_over.is_set():
            writer.append()
            assert writer.journal.read(writer.lease.run_id, after=writer.seq - 1)

    with ThreadPoolExecutor(1) as threads:
        writing = threads.submit(write)
        after = open_another()
        after.migrate()
        is_over.set()
        writing.result()
    writer.append()
    assert _names(after) == ["events_before", "events_default"]
    assert _places(after) == {"events_before": old.seq + writer.seq}
    seqs = [event.seq for event in writer.journal.read(writer.lease.run_id)]
    assert seqs == list(range(1, writer.seq + 1))
    # What comes later has months of its own, and nothing that was there is moved.
    Partitions(after).prepare()
    until = month_after(NEXT)
    assert _names(after) == [f"events_{until:%Y_%m}", "events_before", "events_default"]
    late = _Writer(after, tmp_path, _id(until))
    assert _places(after)[f"events_{until:%Y_%m}"] == late.seq
    with after.read() as connection:
        for who in ("pg_monitor", "public"):
            may = f"SELECT has_table_privilege('{who}', 'events', 'SELECT')"
            assert connection.exec_driver_sql(may).scalar_one()
        checks = "SELECT count(*) FROM pg_constraint WHERE contype = 'c' AND conname ~ '^events'"
        assert connection.exec_driver_sql(checks).scalar_one() == 0
    after.close()
    # A run goes with its events, wherever they are.
    old.journal.delete([old.lease.run_id])
    assert sum(_places(before).values()) == writer.seq + late.seq


def test_a_migration_that_was_killed_is_done_again(
    open_another: Callable[[], Database], tmp_path: Path
) -> None:
    database = open_another()
    _upgrade(database, "0012")
    writer = _Writer(database, tmp_path, _id(NOW))
    with database.write() as connection:  # long ago
        check = f"CHECK (run_id < '{first_id(NOW)}') NOT VALID"
        connection.exec_driver_sql(f"ALTER TABLE events ADD CONSTRAINT events_before {check}")
    _upgrade(database, "0013")
    writer.append()
    with database.write() as connection:  # and before its version was written down
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0012'")
    database.migrate()
    writer.append()
    assert _places(database) == {"events_before": 3}


def test_of_servers_that_start_at_once_one_migrates(
    open_another: Callable[[], Database], tmp_path: Path
) -> None:
    _upgrade(open_another(), "0012")
    writer = _Writer(open_another(), tmp_path, _id(NOW))
    servers = [open_another() for _ in range(4)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(Database.migrate, servers))
    writer.append()
    assert _places(servers[0]) == {"events_before": 2}
