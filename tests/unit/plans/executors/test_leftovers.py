"""A process that ends, however it ends, leaves nothing of its workers behind."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.patience import PATIENCE_SECONDS

SCRIPT = """
import asyncio, sys
from pathlib import Path
from sanbo.plans.settings import PlanSettings
from sanbo.plans.executors.executors import Executors
from tests.unit.plans.executors.blocks import call

async def main():
    executors = Executors(PlanSettings(max_workers=2))
    workspace = Path(sys.argv[1])
    idle = await executors.run(call(workspace, "about"), executor="processes")
    print(idle.outputs["value"]["pid"], flush=True)
    threads = asyncio.create_task(executors.run(call(workspace, "sleep", 600)))
    hang = call(workspace, "hang", note=sys.argv[2])
    await executors.run(hang, executor="processes")

try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_process_that_started_them(
    workspace: Path, tmp_path: Path, how: signal.Signals
) -> None:
    pids = tmp_path / "pids"
    parent = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(workspace), str(pids)],
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert parent.stdout is not None
    try:
        started = [int(parent.stdout.readline())]
        _wait(lambda: pids.exists() and len(pids.read_text().split()) == 2)
        started += [int(pid) for pid in pids.read_text().split()]
        # As a terminal does it: to the whole group in front; the workers are not in it.
        os.killpg(parent.pid, how)
        assert parent.wait(timeout=PATIENCE_SECONDS) != 0
        _wait(lambda: not any(_is_alive(pid) for pid in started))
    finally:
        parent.kill()
        parent.stdout.close()


def _wait(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < deadline, "it never came about"
        time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
