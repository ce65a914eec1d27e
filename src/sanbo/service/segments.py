"""What a cluster's worker is asked to do: advance a run until it waits or ends.

Sent by name: the process that gets it has a runner of its own, on the same database.
"""

from enum import StrEnum

from sanbo import __version__
from sanbo.kernel.problems import NotFound, RunBusy
from sanbo.runs.journal import Lease
from sanbo.service.runner import Runner


class Outcome(StrEnum):
    DONE = "done"
    NOT_TAKEN = "not_taken"
    """Another process has it, it is gone, or this worker is about to stop."""
    OTHER_VERSION = "other_version"
    LOST = "lost"
    """By Dask; the database knows how far it came."""


class _Here:
    runner: Runner | None = None


def provide(runner: Runner | None) -> None:
    """Who advances what is sent to this process."""
    _Here.runner = runner


async def advance(version: str, run_id: str, holder: str, epoch: int) -> tuple[Outcome, float]:
    """And when it was begun, by the clock of this machine.

    `holder`, `epoch`: the lease of the server that has placed it, and gives it away.
    """
    if version != __version__:
        return Outcome.OTHER_VERSION, 0
    runner = _Here.runner
    if runner is None or runner.is_stopping:
        return Outcome.NOT_TAKEN, 0
    try:
        return Outcome.DONE, await runner.advance_given(Lease(run_id, holder, epoch))
    except (RunBusy, NotFound):
        return Outcome.NOT_TAKEN, 0
