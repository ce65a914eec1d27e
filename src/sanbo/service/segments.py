"""What a cluster's worker is asked to do: advance a run until it waits or ends; index some files.

Sent by name: the process that gets it has a workbench of its own, on the same database.
"""

import time
from enum import StrEnum

from sanbo import __version__
from sanbo.kernel.problems import MissingDependency, NotFound, ProviderFailed, RunBusy
from sanbo.retrieval.indexing import Outcome as Indexed
from sanbo.runs.journal import Lease
from sanbo.runs.model import FileRef, JsonObject
from sanbo.service.access import Caller
from sanbo.service.workbench import Workbench


class Outcome(StrEnum):
    DONE = "done"
    NOT_TAKEN = "not_taken"
    """Another process has it, it is gone, or this worker is about to stop."""
    OTHER_VERSION = "other_version"
    LOST = "lost"
    """By Dask; the database knows how far it came."""


class _Here:
    workbench: Workbench | None = None


def provide(workbench: Workbench | None) -> None:
    """With which what is sent to this process is done."""
    _Here.workbench = workbench


async def advance(version: str, run_id: str, holder: str, epoch: int) -> tuple[Outcome, float]:
    """And when it came here, by the clock of this machine.

    `holder`, `epoch`: the lease of the server that has placed it, and gives it away.
    """
    came = time.time()
    if version != __version__:
        return Outcome.OTHER_VERSION, came
    bench = _Here.workbench
    if bench is None or not bench.accepts_runs:
        return Outcome.NOT_TAKEN, came
    try:
        await bench.runner.advance_given(Lease(run_id, holder, epoch))
    except (RunBusy, NotFound):
        return Outcome.NOT_TAKEN, came
    return Outcome.DONE, came


def index_files(
    version: str, owner: str, name: str, files: list[JsonObject], metadata: dict[str, str]
) -> list[Indexed]:
    """Files that this owner has uploaded, into a collection that every worker reaches."""
    bench = _Here.workbench
    if version != __version__:
        raise MissingDependency("cluster_other_version", here=version, there=__version__)
    if bench is None:  # about to stop
        raise ProviderFailed("cluster_lost", address="")
    given = [FileRef.model_validate(file) for file in files]
    return list(bench.collections.index_uploads(Caller(owner), name, given, metadata=metadata))
