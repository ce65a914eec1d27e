"""Where graphs keep their state is opened when a graph needs it."""

import asyncio
from pathlib import Path

import pytest

from sanbo.kernel.problems import MissingDependency
from sanbo.kernel.settings import load_settings
from sanbo.runs.model import Status
from sanbo.runs.threads import FILE, GraphThreads
from sanbo.service.access import LOCAL
from sanbo.service.blocking import blocking_workbench
from sanbo.storage.database import Database
from tests.workflows import WORKFLOWS


def test_they_are_opened_once_and_not_before(tmp_path: Path) -> None:
    async def work() -> None:
        threads = GraphThreads(database, tmp_path)
        await threads.forget("a run without a graph")
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
