"""Where graphs keep their state is opened when a graph needs it."""

import asyncio
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from sanbo.kernel.problems import MissingDependency, StorageUnavailable
from sanbo.runs import checkpoints
from sanbo.runs.model import Status
from sanbo.runs.threads import FILE, GraphThreads
from sanbo.service import runner
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import blocking_workbench
from sanbo.settings import load_settings
from sanbo.storage.database import Database
from tests.patience import PATIENCE_SECONDS
from tests.workflows import WORKFLOWS


def test_they_are_opened_once_and_not_before(tmp_path: Path) -> None:
    async def work() -> None:
        threads = GraphThreads(database, tmp_path)
        await threads.forget(["a run without a graph"])
        assert not (tmp_path / FILE).exists()
        one, two = await asyncio.gather(threads.opened(), threads.opened())
        assert one is two
        assert (tmp_path / FILE).exists()
        await threads.close()

    database = Database.in_workspace(tmp_path, None)
    database.migrate()
    asyncio.run(work())
    database.close()


def test_a_damaged_file_is_a_problem_that_names_it(tmp_path: Path) -> None:
    async def work() -> None:
        with pytest.raises(MissingDependency) as refusal:
            await GraphThreads(database, tmp_path).opened()
        assert refusal.value.problem.text_id == "database_damaged"
        assert str(tmp_path / FILE) in refusal.value.problem.message

    database = Database.in_workspace(tmp_path, None)
    (tmp_path / FILE).write_bytes(b"no database " * 100)
    asyncio.run(work())
    database.close()


def test_a_run_says_so_and_others_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database " * 100)
    with blocking_workbench(load_settings(tmp_path, {}), WORKFLOWS) as bench:
        work = bench.workbench
        run = bench.call(work.start(LOCAL, "approval", {"topic": "稟議"}))
        run = bench.call(work.wait(LOCAL, run.run_id))
        assert run.status is Status.FAILED
        assert run.problem is not None
        assert FILE in run.problem.message
        assert bench.call(work.start(LOCAL, "expenses", {"title": "出張"})).run_id


def test_a_file_that_somebody_has_locked_fails_no_run_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "BUSY_SECONDS", 0.05)
    with blocking_workbench(load_settings(tmp_path, {}), WORKFLOWS) as bench:
        work = bench.workbench
        with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode=WAL")
            other.execute("BEGIN IMMEDIATE")
            run = bench.call(work.start(LOCAL, "approval", {"topic": "稟議"}))
            tasks = work._runner.tasks
            deadline = time.monotonic() + PATIENCE_SECONDS
            while run.run_id in tasks and time.monotonic() < deadline:
                time.sleep(0.01)
            assert run.run_id not in tasks  # it has met the lock
            assert not bench.call(work.get(LOCAL, run.run_id)).status.is_final
            other.execute("ROLLBACK")
        run = bench.call(asyncio.wait_for(work.wait(LOCAL, run.run_id), PATIENCE_SECONDS))
    assert (run.status, run.problem) == (Status.WAITING, None)


def test_who_follows_a_run_at_the_command_line_is_told_what_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkpoints, "BUSY_SECONDS", 0.05)
    monkeypatch.setattr(runner, "MANY_SETBACKS", 1)
    with blocking_workbench(load_settings(tmp_path, {}), WORKFLOWS) as bench:
        work = bench.workbench
        with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode=WAL")
            other.execute("BEGIN IMMEDIATE")
            run = bench.call(work.start(LOCAL, "approval", {"topic": "稟議"}))
            with pytest.raises(StorageUnavailable) as met:
                list(bench.each(bench.workbench.follow(LOCAL, run.run_id, while_it_can=True)))
            other.execute("ROLLBACK")
        assert met.value.problem.text_id == "database_busy"
        assert not bench.call(work.get(LOCAL, run.run_id)).status.is_final
