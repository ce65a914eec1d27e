"""The pool when things go wrong around it."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError

from sanbo.kernel.problems import NotFound
from sanbo.runs.journal import Journal, Lease, Line
from sanbo.runs.leases import Leases
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL, OPERATOR, Caller
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.examples import is_thorough
from tests.patience import PATIENCE_SECONDS
from tests.workflows import WORKFLOWS
from tests.workflows.expenses import Expenses

ENVIRONMENT = {"SANBO_LLM__PROVIDER": "rules"}
MANY = 200 if is_thorough() else 60


def test_a_run_goes_on_when_the_database_was_away_for_a_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    append = Journal.append
    failures = iter([True, True, True])

    def sometimes(self: Journal, lease: Any, lines: Sequence[Line], *more: Any) -> None:
        if (lines[-1].event.seq or 0) > 3 and next(failures, False):
            raise OperationalError("INSERT", {}, Exception("connection lost"))
        append(self, lease, lines, *more)

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


def test_an_answer_is_worked_on_when_the_lease_could_not_be_had_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a process that looks for no orphans, as a command is."""
    acquire = Leases.acquire
    failures = iter([True, True])

    def sometimes(self: Leases, run_id: str) -> Lease:
        if next(failures, False):
            raise OperationalError("UPDATE", {}, Exception("database is locked"))
        return acquire(self, run_id)

    async def work() -> None:
        settings = load_settings(tmp_path, ENVIRONMENT)
        async with open_workbench(settings, WORKFLOWS, takes_up_orphans=False) as bench:
            run = await bench.start(LOCAL, "approval", {"topic": "出張"})
            await bench.wait(LOCAL, run.run_id)
            monkeypatch.setattr(Leases, "acquire", sometimes)
            await bench.answer(LOCAL, run.run_id, {"approved": True})
            run = await bench.wait(LOCAL, run.run_id)
            assert run.status is Status.SUCCEEDED

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))
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
            while not any(step.status == "succeeded" for step in run.steps):
                await asyncio.sleep(0.02)
                run = await bench.get(LOCAL, run.run_id)
            return run.run_id

    async def second(run_id: str) -> None:
        async with open_workbench(settings, WORKFLOWS) as bench:
            run = await bench.wait(LOCAL, run_id)
            assert run.status is Status.SUCCEEDED
            assert run.steps[0].attempt == 1

    asyncio.run(second(asyncio.run(first())))


def test_many_runs_advance_in_one_process(tmp_path: Path) -> None:
    settings = load_settings(tmp_path, ENVIRONMENT | {"SANBO_RUNS__MAX_CONCURRENT": "300"})

    async def work() -> None:
        async with open_workbench(settings, WORKFLOWS) as bench:
            given: list[dict[str, Any]] = [{"topic": f"件名{number}"} for number in range(MANY)]
            runs = [await bench.start(LOCAL, "approval", each) for each in given]
            waiting = await asyncio.gather(*(bench.wait(LOCAL, run.run_id) for run in runs))
            assert {run.status for run in waiting} == {Status.WAITING}

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_a_lease_under_which_nobody_works_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with open_workbench(load_settings(tmp_path, ENVIRONMENT), WORKFLOWS) as bench:
            run = await bench.start(LOCAL, "expenses", {"title": "x", "limit": 100_000})
            await bench.wait(LOCAL, run.run_id)

            async def fails(*_: object) -> None:
                raise RuntimeError("forgetting failed")

            with monkeypatch.context() as broken:
                broken.setattr(Expenses, "forget", fails)
                with pytest.raises(RuntimeError):
                    await bench.delete(LOCAL, run.run_id)
            await asyncio.sleep(1.5)
            await bench.delete(LOCAL, run.run_id)
            assert await bench.list(LOCAL) == []

    asyncio.run(work())


def test_a_run_that_failed_before_it_could_be_cancelled_can_be_resumed(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_workbench(load_settings(tmp_path, ENVIRONMENT), WORKFLOWS) as bench:
            given: dict[str, Any] = {"title": "x", "fail_at": "add", "limit": 100_000}
            run = await bench.start(LOCAL, "expenses", given)
            run = await bench.wait(LOCAL, run.run_id)
            with bench.access.database.write() as connection:
                connection.exec_driver_sql("UPDATE runs SET cancel_requested = 1")
            await bench.resume(LOCAL, run.run_id)
            run = await bench.wait(LOCAL, run.run_id)
            assert run.status is Status.FAILED

    asyncio.run(work())


def test_following_from_a_position_the_run_never_had_ends_with_the_run(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_workbench(load_settings(tmp_path, ENVIRONMENT), WORKFLOWS) as bench:
            run = await bench.start(LOCAL, "expenses", {"title": "x", "limit": 100_000})
            await bench.wait(LOCAL, run.run_id)
            rest = [event async for event in bench.follow(LOCAL, run.run_id, 999)]
            assert rest == []

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_a_replay_by_the_operator_leaves_the_owners_conversation_alone(tmp_path: Path) -> None:
    alice = Caller("alice")

    async def work() -> None:
        async with open_workbench(load_settings(tmp_path, ENVIRONMENT), WORKFLOWS) as bench:
            given: dict[str, Any] = {"title": "x", "limit": 100_000}
            run = await bench.start(alice, "expenses", given)
            await bench.wait(alice, run.run_id)
            replay = await bench.replay(OPERATOR, run.run_id, ("add",))
            assert replay.conversation_id != run.conversation_id
            for stranger in (LOCAL, OPERATOR):
                with pytest.raises(NotFound):
                    await bench.start(
                        stranger, "expenses", given, conversation_id=run.conversation_id
                    )
            await bench.start(alice, "expenses", given, conversation_id=run.conversation_id)

    asyncio.run(work())


def test_deleting_a_run_deletes_what_was_typed_for_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_workbench(load_settings(tmp_path, ENVIRONMENT), WORKFLOWS) as bench:
            run = await bench.start(LOCAL, "expenses", {"title": "x"})
            run = await bench.wait(LOCAL, run.run_id)
            key = run.open_interactions[0].state_key
            bench.drafts.save("local", key, {"reason": "社外秘"})
            await bench.delete(LOCAL, run.run_id)
            assert bench.drafts.load("local", key) is None

    asyncio.run(work())
