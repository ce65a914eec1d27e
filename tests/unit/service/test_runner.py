"""The pool when things go wrong around it."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from sanbo.kernel.settings import load_settings
from sanbo.runs.journal import Journal
from sanbo.runs.model import Event, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from tests.workflows import WORKFLOWS

ENVIRONMENT = {"SANBO_LLM__PROVIDER": "rules"}


def test_a_run_goes_on_when_the_database_was_away_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Journal.append
    failures = iter([True, True, True])

    def sometimes(self: Journal, lease: Any, event: Event, status: Status) -> None:
        if event.seq and event.seq > 3 and next(failures, False):
            raise OperationalError("INSERT", {}, Exception("connection lost"))
        append(self, lease, event, status)

    async def work() -> None:
        async with open_workbench(load_settings(tmp_path, ENVIRONMENT), WORKFLOWS) as bench:
            run = await bench.start(LOCAL, "expenses", {"title": "出張", "limit": 100_000})
            for _ in range(100):
                run = await bench.get(LOCAL, run.run_id)
                if run.status.is_final:
                    break
                await asyncio.sleep(0.1)
            assert run.status is Status.SUCCEEDED

    monkeypatch.setattr(Journal, "append", sometimes)
    asyncio.run(work())
    assert next(failures, None) is None


def test_more_runs_than_the_pool_takes_wait_their_turn_and_can_be_cancelled(
    tmp_path: Path,
) -> None:
    settings = load_settings(tmp_path, ENVIRONMENT | {"SANBO_RUNS__MAX_CONCURRENT": "2"})

    async def work() -> None:
        async with open_workbench(settings, WORKFLOWS) as bench:
            given: dict[str, Any] = {"title": "x", "limit": 100_000, "step_seconds": 0.2}
            runs = [await bench.start(LOCAL, "expenses", given) for _ in range(6)]
            last = await bench.cancel(LOCAL, runs[-1].run_id)
            assert last.status is Status.CANCELLED
            assert last.steps == ()
            ended = [await bench.wait(LOCAL, run.run_id) for run in runs[:-1]]
            assert {run.status for run in ended} == {Status.SUCCEEDED}

    asyncio.run(work())


def test_stopping_the_process_leaves_runs_to_be_taken_up_at_the_next_start(
    tmp_path: Path,
) -> None:
    settings = load_settings(tmp_path, ENVIRONMENT)

    async def first() -> str:
        async with open_workbench(settings, WORKFLOWS) as bench:
            given: dict[str, Any] = {"title": "x", "limit": 100_000, "step_seconds": 0.3}
            run = await bench.start(LOCAL, "expenses", given)
            await asyncio.sleep(0.4)
            return run.run_id

    async def second(run_id: str) -> None:
        async with open_workbench(settings, WORKFLOWS) as bench:
            run = await bench.wait(LOCAL, run_id)
            assert run.status is Status.SUCCEEDED
            assert run.steps[0].attempt == 1

    asyncio.run(second(asyncio.run(first())))


def test_hundreds_of_runs_advance_in_one_process(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, ENVIRONMENT | {"SANBO_RUNS__MAX_CONCURRENT": "300"})

    async def work() -> None:
        async with open_workbench(settings, WORKFLOWS) as bench:
            runs = [await bench.start(LOCAL, "approval", {"topic": f"件名{n}"}) for n in range(200)]
            waiting = await asyncio.gather(*(bench.wait(LOCAL, run.run_id) for run in runs))
            assert {run.status for run in waiting} == {Status.WAITING}

    asyncio.run(asyncio.wait_for(work(), 120))
