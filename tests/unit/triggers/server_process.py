"""A server's workbench in a process of its own, whose time stands in a file."""

import asyncio
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from sanbo.service import trigger_clock
from sanbo.service.bootstrap import open_workbench
from sanbo.service.trigger_clock import TriggerClock
from sanbo.settings import load_settings
from sanbo.triggers.store import Triggers


def die(*_: Any, **__: Any) -> Any:
    os.kill(os.getpid(), signal.SIGKILL)


def serve(
    workspace: Path, clock: Path, environment: dict[str, str], dies_at: str, channel: Connection
) -> None:
    """Until it is killed: with `claimed` after it has claimed what is due, with `begun` after it
    has begun the run."""
    trigger_clock.LOOK_SECONDS = 0.1
    if dies_at == "claimed":
        # pyrefly: ignore[method-assign]
        TriggerClock._start = die
    elif dies_at == "begun":
        # pyrefly: ignore[method-assign]
        Triggers.settle = die

    def now() -> float:
        return float(clock.read_text("utf-8"))

    async def work() -> None:
        async with open_workbench(load_settings(workspace, environment), now=now):
            channel.send("ready")
            await asyncio.Event().wait()

    asyncio.run(work())
