"""A server that stops lets its runs go before it ends the processes that they think in."""

import asyncio
from pathlib import Path

import psutil

from sanbo.agents.comparison.workflow import Comparison
from sanbo.runs.model import JsonObject, Status
from sanbo.sandbox import calls
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench, thinking_apart
from sanbo.service.catalog import Workflows
from sanbo.settings import load_settings

OLD = "\n\n".join(f"第{n}条 甲は第{n}号の業務を{n}日以内に行う。" for n in range(1, 3001))
NEW = "\n\n".join(f"第{n}条 乙は第{n}号の書類を{n}日後に渡す。" for n in range(1, 3001))


def test_a_run_that_compares_while_the_server_stops_goes_on_at_the_next_start(
    tmp_path: Path,
) -> None:
    settings = load_settings(tmp_path, {"SANBO_LLM__PROVIDER": "rules"})

    async def stopped_at_work() -> str:
        workflows = Workflows.of((Comparison(),))
        async with (
            thinking_apart(workflows, index_beside=False),
            open_workbench(settings, workflows) as bench,
        ):
            given: JsonObject = {"old_text": OLD, "new_text": NEW}
            run = await bench.start(LOCAL, "comparison", given)
            assert calls._of_server is not None
            zygote = calls._of_server.labours.sandbox
            pid = await asyncio.to_thread(lambda: zygote.pid)
            while not psutil.Process(pid).children():
                await asyncio.sleep(0.01)
            return run.run_id

    async def status(run_id: str) -> Status:
        kinds = (Comparison(),)
        async with open_workbench(settings, kinds, takes_up_orphans=False) as bench:
            return (await bench.get(LOCAL, run_id)).status

    assert asyncio.run(status(asyncio.run(stopped_at_work()))) is Status.RUNNING
