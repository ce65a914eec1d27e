"""A process with all that it has started, also what has left its group (Linux)."""

import ctypes
import os
import signal
from contextlib import suppress
from pathlib import Path

_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """From now on this process is the parent of all that is started below it, however deep."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_family(pid: int) -> None:
    """The youngest first: as long as its parent lives, a process's number is no other's."""
    family = [pid]
    for each in family:  # grows on the way
        _signal(each, signal.SIGSTOP)  # what stands still starts nothing more
        family += _children(each)
    for each in reversed(family):
        _signal(each, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for listed in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):  # it has just ended
            found += map(int, listed.read_text().split())
    return found


def _signal(pid: int, what: signal.Signals) -> None:
    with suppress(OSError):
        os.kill(pid, what)
