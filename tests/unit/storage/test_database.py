import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy.exc import IntegrityError

from sanbo.kernel.problems import InvalidSettings, MissingDependency, StorageUnavailable
from sanbo.settings import Settings
from sanbo.storage import database as database_module
from sanbo.storage.database import Database, open_database, touch
from sanbo.storage.tables import NOTE_PARTITIONS, metadata, runs, tokens
from tests.patience import PATIENCE_SECONDS


def test_the_migrations_make_exactly_the_tables_that_the_code_uses(settings: Settings) -> None:
    database = open_database(settings)
    with database.read() as connection:
        context = MigrationContext.configure(connection, opts={"include_name": _is_no_partition})
        assert compare_metadata(context, metadata) == []
    database.close()


def _is_no_partition(name: str | None, kind: str, _parents: object) -> bool:
    is_of_journal = kind == "table" and (name or "").startswith("events_")
    return name not in NOTE_PARTITIONS and not is_of_journal


def test_notes_of_research_stand_together_by_session(settings: Settings) -> None:
    database = open_database(settings)
    key = sa.inspect(database.engine).get_pk_constraint("research_notes")["constrained_columns"]
    assert key[0] == "session_id"
    with database.read() as connection:
        if database.is_sqlite:
            made = "SELECT sql FROM sqlite_master WHERE name = 'research_notes'"
            assert "WITHOUT ROWID" in connection.exec_driver_sql(made).scalar_one()
        else:
            parts = (
                "SELECT inhrelid::regclass::text FROM pg_inherits"
                " WHERE inhparent = 'research_notes'::regclass"
            )
            assert set(connection.exec_driver_sql(parts).scalars()) == set(NOTE_PARTITIONS)
    database.close()


def test_migrating_twice_changes_nothing(settings: Settings) -> None:
    database = open_database(settings)
    database.migrate()
    with database.read() as connection:
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        assert version.scalars().all() == ["0015"]
    database.close()


def test_several_databases_migrate_side_by_side_in_one_process(tmp_path: Path) -> None:
    def migrated(number: int) -> str:
        database = Database.in_workspace(tmp_path / str(number), None)
        database.migrate()
        with database.read() as connection:
            return str(MigrationContext.configure(connection).get_current_revision())

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(migrated, range(8)))) == 1


def test_one_that_is_up_to_date_takes_no_lock(tmp_path: Path) -> None:
    """Every command looks; another process may be in the middle of a long write."""
    Database.in_workspace(tmp_path, None).migrate()
    busy, looking = Database.in_workspace(tmp_path, None), Database.in_workspace(tmp_path, None)
    with busy.write():
        looking.migrate()


def test_runs_from_before_they_had_titles_are_named_by_what_they_were_given(tmp_path: Path) -> None:
    database = Database.in_workspace(tmp_path, None)
    config = Config()
    config.set_main_option("script_location", "sanbo.storage:migrations")
    with database.write() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0004")
        for run_id, given in (
            ("asked", '{"question": "売上は\\nいくらですか"}'),
            ("planned", '{"plan_id": "closing", "source": {}}'),
            ("other", "{}"),
        ):
            connection.exec_driver_sql(
                "INSERT INTO runs VALUES (?, 'w', 'c', 'o', 'failed', 1, 0, 0, 1, NULL, NULL, 0)",
                (run_id,),
            )
            connection.exec_driver_sql(
                "INSERT INTO events VALUES (?, 1, 0, 1, '[]', ?)",
                (run_id, f'{{"event": "run_start", "input": {given}}}'),
            )
    database.migrate()
    with database.read() as connection:
        titles = connection.execute(sa.select(runs.c.run_id, runs.c.title)).all()
    assert {row.run_id: row.title for row in titles} == {
        "asked": "売上は いくらですか",
        "planned": "closing",
        "other": "",
    }
    database.close()


def test_a_write_that_fails_leaves_nothing_behind(settings: Settings) -> None:
    database = open_database(settings)
    row = {"name": "n", "hash": "h", "created_at": 0.0}
    with pytest.raises(IntegrityError), database.write() as connection:
        connection.execute(sa.insert(tokens), [row, row])
    with database.read() as connection:
        assert connection.execute(sa.select(tokens)).all() == []
    with database.write() as connection:
        connection.execute(sa.insert(tokens), row)
    with database.read() as connection:
        assert len(connection.execute(sa.select(tokens)).all()) == 1
    database.close()


def test_sqlite_is_in_wal_mode_and_keeps_foreign_keys(tmp_path: Path) -> None:
    database = Database.in_workspace(tmp_path, None)
    with database.read() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
    database.close()


def test_a_database_out_of_reach_is_a_problem_without_the_password() -> None:
    database = Database("postgresql://me:himitsu-pw@127.0.0.1:1/none?connect_timeout=2")
    with pytest.raises(MissingDependency) as refused:
        database.migrate()
    problem = refused.value.problem
    assert "SANBO_DATABASE_URL" in problem.hint
    assert "127.0.0.1" in problem.message
    assert "himitsu" not in problem.model_dump_json() + database.description


@pytest.mark.parametrize(
    "url",
    ["mysql://host/db", "no address", "", "oracle://x:himitsu@y/z", "postgresql://h:himitsu/db"],
)
def test_an_address_of_no_database_we_know_is_a_problem(url: str) -> None:
    with pytest.raises(InvalidSettings) as refused:
        Database(url)
    assert "postgresql://" in refused.value.problem.hint
    assert "himitsu" not in refused.value.problem.model_dump_json()


def test_the_description_holds_nothing_but_the_place() -> None:
    database = Database("postgresql://me:a@b@h:5433/db?password=Secret12345&options=x")
    assert database.description == "postgresql://h:5433/db"


def test_a_damaged_file_is_a_problem_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "sanbo.db").write_bytes(b"no database " * 100)
    with pytest.raises(MissingDependency) as refused:
        Database.in_workspace(tmp_path, None).migrate()
    assert refused.value.problem.text_id == "database_damaged"
    assert str(tmp_path / "sanbo.db") in refused.value.problem.hint


def test_a_folder_in_the_place_of_the_file_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "sanbo.db").mkdir()
    with pytest.raises(MissingDependency) as refused:
        Database.in_workspace(tmp_path, None).migrate()
    assert refused.value.problem.text_id == "database_file_refused"


def test_a_workspace_may_have_any_name(tmp_path: Path) -> None:
    database = Database.in_workspace(tmp_path / "何? 100%25 #1", None)
    database.migrate()
    database.close()
    assert (tmp_path / "何? 100%25 #1" / "sanbo.db").is_file()


@pytest.mark.parametrize("new_environment", ["postgresql"], indirect=True)
def test_what_a_frozen_machine_has_locked_is_taken_back(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database_module, "FROZEN_SECONDS", 1)
    frozen, other = open_database(settings), open_database(settings)
    taken, done = threading.Event(), threading.Event()

    def freeze() -> None:
        with frozen.write() as connection:
            touch(connection)
            taken.set()
            assert done.wait(PATIENCE_SECONDS)
            touch(connection)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(freeze)
        assert taken.wait(PATIENCE_SECONDS)
        with other.write() as connection:  # waits for the row, and gets it
            touch(connection)
        done.set()
        with pytest.raises(StorageUnavailable):
            held.result()
    with frozen.write() as connection:  # in another connection
        touch(connection)
    frozen.close()
    other.close()
