"""The limits that every Unix has: address space, files, processor time."""

import math
import os
import resource
from contextlib import suppress
from pathlib import Path

from sanbo.sandbox.wire import Request

_FILES = 64
# The parent's clock is the limit; this one is for a process whose parent is gone.
_SPARE_SECONDS = 2


def limit_self(request: Request, inputs: int) -> None:
    """Call it after the inputs are mapped: they do not count."""
    seconds = math.ceil(request.seconds) + _SPARE_SECONDS
    largest_file = max(request.output_bytes, request.report_bytes + 1)
    wanted = {
        resource.RLIMIT_CPU: seconds,
        resource.RLIMIT_FSIZE: largest_file,
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: _FILES + inputs,
        resource.RLIMIT_NPROC: 0,
        resource.RLIMIT_MEMLOCK: 0,
    }
    size = _address_space()
    if size is not None:
        wanted[resource.RLIMIT_AS] = size + request.memory_bytes
    for kind, most in wanted.items():
        with suppress(ValueError):  # the limit in force is lower already
            resource.setrlimit(kind, (most, most))


def _address_space() -> int | None:
    """Bytes that this process has mapped; None where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[0]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
