"""A server's workbench in a process of its own, whose time stands in a file.

`python -m tests.unit.triggers.server_process WORKSPACE CLOCK [dies_at]`: with `claimed` it is
killed after it has claimed what is due, with `begun` after it has begun the run.
"""

import asyncio
import os
import signal
import sys
from pathlib import Path
from typing import Any

from sanbo.service import trigger_clock
from sanbo.service.bootstrap import open_workbench
from sanbo.service.trigger_clock import TriggerClock
from sanbo.settings import load_settings
from sanbo.triggers.store import Triggers


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


async def serve(workspace: Path, clock: Path) -> None:
    def now() -> float:
        return float(clock.read_text("utf-8"))

    async with open_workbench(load_settings(workspace), now=now):
        print("ready", flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    trigger_clock.LOOK_SECONDS = 0.1
    if sys.argv[3:] == ["claimed"]:
        TriggerClock._start = die  # pyright: ignore[reportPrivateUsage]
    elif sys.argv[3:] == ["begun"]:
        Triggers.settle = die
    asyncio.run(serve(Path(sys.argv[1]), Path(sys.argv[2])))
