"""A process that asks GRACE a question and is killed while the question to a person is open."""

import asyncio
import multiprocessing
import os
import signal
from pathlib import Path

from sanbo.agents.grace.workflow import Grace
from sanbo.kernel.settings import load_settings
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from tests.unit.agents.grace.office import COLLECTION

# The server from which processes are forked is shared with the conformance suite.
_processes = multiprocessing.get_context("forkserver")


def _ask_and_die(workspace: str, environment: dict[str, str], question: str) -> None:
    async def work() -> None:
        settings = load_settings(Path(workspace), environment)
        async with open_workbench(settings, (Grace(),)) as bench:
            given = {"question": question, "collection": COLLECTION}
            run = await bench.start(LOCAL, "grace", {**given})
            run = await bench.wait(LOCAL, run.run_id)
            assert run.status is Status.WAITING
            os.kill(os.getpid(), signal.SIGKILL)

    asyncio.run(work())


def ask_and_die(workspace: Path, environment: dict[str, str], question: str) -> int:
    """How the process ended; -9: killed."""
    process = _processes.Process(target=_ask_and_die, args=(str(workspace), environment, question))
    process.start()
    process.join(60)
    assert process.exitcode is not None, "the process hangs"
    return process.exitcode
