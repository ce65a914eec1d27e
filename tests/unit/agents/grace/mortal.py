"""A process that asks GRACE a question and is killed while the question to a person is open."""

import asyncio
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from sanbo.agents.grace.workflow import Grace
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.settings import load_settings
from tests.patience import PATIENCE_SECONDS
from tests.unit.agents.grace.office import COLLECTION


async def _ask_and_die(workspace: Path, environment: dict[str, str], question: str) -> None:
    async with open_workbench(load_settings(workspace, environment), (Grace(),)) as bench:
        given = {"question": question, "collection": COLLECTION}
        run = await bench.start(LOCAL, "grace", {**given})
        run = await bench.wait(LOCAL, run.run_id)
        assert run.status is Status.WAITING
        os.kill(os.getpid(), signal.SIGKILL)


def ask_and_die(workspace: Path, environment: dict[str, str], question: str) -> int:
    """How the process ended; -9: killed."""
    # No multiprocessing: it would load the main module, which is the page's after tests of pages.
    command = [sys.executable, "-m", "tests.unit.agents.grace.mortal", str(workspace), question]
    told = json.dumps(environment).encode()
    return subprocess.run(command, input=told, timeout=PATIENCE_SECONDS, check=False).returncode


if __name__ == "__main__":
    asyncio.run(_ask_and_die(Path(sys.argv[1]), json.load(sys.stdin), sys.argv[2]))
