"""How many runs there may be: who has enough under way is told so, and loses nothing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import TooMany
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL, Caller
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import load_settings
from tests.workflows import WORKFLOWS

SLOW: dict[str, Any] = {"title": "x", "limit": 100_000, "step_seconds": 30}
OTHER = Caller("someone")


def test_one_owner_may_have_so_many_under_way_and_others_have_theirs(tmp_path: Path) -> None:
    async def work() -> None:
        environment = {"SANBO_RUNS__QUEUE_PER_OWNER": "2"}
        async with open_workbench(load_settings(tmp_path, environment), WORKFLOWS) as bench:
            first, _ = [await bench.start(LOCAL, "expenses", SLOW) for _ in range(2)]
            with pytest.raises(TooMany) as refused:
                await bench.start(LOCAL, "expenses", SLOW)
            assert refused.value.problem.text_id == "queue_full"
            assert refused.value.problem.recoverable
            await bench.start(OTHER, "expenses", SLOW)
            await bench.cancel(LOCAL, first.run_id)
            await bench.start(LOCAL, "expenses", SLOW)

    asyncio.run(work())


def test_who_waits_for_a_person_is_not_counted(tmp_path: Path) -> None:
    async def work() -> None:
        environment = {"SANBO_RUNS__QUEUE_PER_WORKFLOW": '{"approval": 1}'}
        async with open_workbench(load_settings(tmp_path, environment), WORKFLOWS) as bench:
            run = await bench.start(LOCAL, "approval", {"topic": "一"})
            await _waits(bench, run.run_id)
            await bench.start(LOCAL, "approval", {"topic": "二", "step_seconds": 30})
            with pytest.raises(TooMany) as refused:
                await bench.start(OTHER, "approval", {"topic": "三"})
            assert refused.value.problem.text_id == "queue_of_workflow_full"
            lines = await asyncio.to_thread(bench.queue.lines)
            assert [(each.owner, each.workflow, each.queued + each.running) for each in lines] == [
                (LOCAL.owner, "approval", 1)
            ]

    asyncio.run(work())


def test_what_has_ended_lately_is_counted(tmp_path: Path) -> None:
    async def work() -> int:
        async with open_workbench(load_settings(tmp_path, {}), WORKFLOWS) as bench:
            for _ in range(3):
                run = await bench.start(LOCAL, "expenses", {"title": "x", "limit": 100_000})
                await bench.wait(LOCAL, run.run_id)
            await bench.start(LOCAL, "expenses", SLOW)
            return await asyncio.to_thread(bench.queue.ended_recently)

    assert asyncio.run(work()) == 3


async def _waits(bench: Workbench, run_id: str) -> None:
    assert (await bench.wait(LOCAL, run_id)).status is Status.WAITING
