"""Samples, started for whoever wants to see one."""

import asyncio
from pathlib import Path

import pytest

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.catalog import WORKFLOWS
from sanbo.service.sample_runs import start_sample
from sanbo.settings import load_settings


def test_files_of_a_sample_are_given_and_decisions_are_left_to_people(tmp_path: Path) -> None:
    async def runs() -> tuple[Run, Run]:
        settings = load_settings(tmp_path / "workspace", {"SANBO_LLM__PROVIDER": "rules"})
        async with open_workbench(settings, WORKFLOWS) as bench:
            compared = await start_sample(bench, LOCAL, "comparison")
            planned = await start_sample(bench, LOCAL, "plan")
            done = await bench.wait(LOCAL, compared.run_id), await bench.wait(LOCAL, planned.run_id)
            with pytest.raises(NotFound):
                await start_sample(bench, LOCAL, "nothing")
            return done

    compared, planned = asyncio.run(runs())
    assert compared.status is Status.SUCCEEDED
    assert planned.status is Status.WAITING
    assert [question.mode for question in planned.open_interactions] == ["confirm"]
