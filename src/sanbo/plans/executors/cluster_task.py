"""What a cluster's worker does for a call; of the cluster it knows whether that is still wanted."""

import threading
import traceback
from concurrent.futures import wait
from typing import Any, cast

from sanbo import __version__
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import MissingDependency, SanboError, TimedOut, Unexpected
from sanbo.plans.executors.call import BlockCall, Performed
from sanbo.plans.executors.killable_processes import KillableProcesses
from sanbo.plans.executors.performance import perform
from sanbo.plans.executors.worker import Overdue, WorkerDied, unpack


def failed(call: BlockCall, error: Exception, timeout_ms: int | None = None) -> Performed:
    """In the current language."""
    match error:
        case SanboError():
            return Performed(problem=error.problem)
        case Overdue():
            slow = TimedOut("block_slow", node=call.node, limit=_shown(timeout_ms or 0))
            return Performed(problem=slow.problem)
        case WorkerDied():
            ended = Unexpected("block_process_ended", node=call.node, how=error.how)
            return Performed(problem=ended.problem)
        case _:
            kind = type(error).__name__
            defect = Unexpected(
                "block_defect", block=call.block, node=call.node, kind=kind, reason=str(error)[:300]
            )
            told = "".join(traceback.format_exception(error))
            return Performed(problem=defect.problem, defect=told)


def _shown(milliseconds: int) -> str:
    return f"{milliseconds / 1000:.10g}"


# How many there are at once is for the cluster to say: as many as the worker has threads.
MOST_PROCESSES = 256
LOOK_SECONDS = 0.5

_lock = threading.Lock()
_processes: KillableProcesses | None = None


def perform_sent(packed: bytes, version: str, timeout_ms: int | None) -> Performed:
    if version != __version__:
        # Not even the call may be readable here.
        other = MissingDependency("cluster_other_version", here=version, there=__version__)
        return Performed(problem=other.problem)
    try:
        seconds = None if timeout_ms is None else timeout_ms / 1000
        future = _killable().submit_within(seconds, _perform_packed, packed)
        is_wanted = True
        while is_wanted and not wait([future], LOOK_SECONDS).done:
            is_wanted = _is_wanted()
        if not is_wanted:
            future.cancel()  # its process ends, and with it whatever that has begun
        return future.result()
    except Exception as error:  # noqa: BLE001 - told as the node's problem
        call: BlockCall = unpack(packed)
        with use_language(call.language):
            return failed(call, error, timeout_ms)


def _is_wanted() -> bool:
    """A thread can't be stopped from outside: what was cancelled is found out here."""
    from distributed import get_worker  # noqa: PLC0415 - there on a worker alone

    worker = cast("Any", get_worker())
    task = worker.state.tasks.get(worker.get_current_task())
    return task is not None and task.state != "cancelled"


def _perform_packed(packed: bytes) -> Performed:
    return perform(unpack(packed))


def _killable() -> KillableProcesses:
    global _processes  # noqa: PLW0603 - one for each worker of the cluster
    with _lock:
        if _processes is None:
            _processes = KillableProcesses(MOST_PROCESSES)
        return _processes
