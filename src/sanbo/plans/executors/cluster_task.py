"""What a cluster's worker does for a call; it knows nothing of the cluster itself.

The block runs in a process of its own: one that hangs, crashes or lets no other thread in must
not keep the worker from telling its scheduler that it is alive.
"""

import threading

from sanbo import __version__
from sanbo.kernel.messages import use_language
from sanbo.kernel.problems import MissingDependency
from sanbo.plans.executors.call import BlockCall, Performed
from sanbo.plans.executors.killable_processes import KillableProcesses
from sanbo.plans.executors.outcomes import failed
from sanbo.plans.executors.performing import perform
from sanbo.plans.executors.wire import unpack

# How many there are at once is for the cluster to say: as many as the worker has threads.
MOST_PROCESSES = 256

_lock = threading.Lock()
_processes: KillableProcesses | None = None


def perform_sent(packed: bytes, version: str, timeout_ms: int | None) -> Performed:
    if version != __version__:
        # Not even the call may be readable here.
        other = MissingDependency("cluster_other_version", here=version, there=__version__)
        return Performed(problem=other.problem)
    try:
        seconds = None if timeout_ms is None else timeout_ms / 1000
        return _killable().submit_within(seconds, _perform_packed, packed).result()
    except Exception as error:  # noqa: BLE001 - told as the node's problem
        call: BlockCall = unpack(packed)
        with use_language(call.language):
            return failed(call, error, timeout_ms)


def _perform_packed(packed: bytes) -> Performed:
    return perform(unpack(packed))


def _killable() -> KillableProcesses:
    global _processes  # noqa: PLW0603 - one for each worker of the cluster
    with _lock:
        if _processes is None:
            _processes = KillableProcesses(MOST_PROCESSES)
        return _processes
