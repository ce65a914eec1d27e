"""The reading processes of this process: files of strangers are never read where blocks run."""

import atexit
import os
import threading

from sanbo.documents.reading import Readers

READERS = min(2, os.cpu_count() or 1)
_lock = threading.Lock()
_of_process: dict[int, Readers] = {}


def shared_readers() -> Readers:
    """One set a process, also in a process that began as a copy of this one."""
    with _lock:
        process = os.getpid()
        if process not in _of_process:
            _of_process.clear()  # those of the process that this one is a copy of are not ours
            _of_process[process] = Readers(count=READERS)
            atexit.register(_close, process)
        return _of_process[process]


def _close(process: int) -> None:
    if process == os.getpid() and process in _of_process:
        _of_process.pop(process).close()
