"""What a block prints in a thread goes to the log without secrets, never over a person's screen.

Nor into what a program reads from there: `--json` writes to the same place.
"""

import logging
import sys
import threading
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any, TextIO

from sanbo.kernel.secrets import redact

logger = logging.getLogger(__name__)

LONGEST_LINE = 2000
_lock = threading.Lock()
_here = threading.local()
_printing = 0
_in_place: list[tuple[str, "_Divided"]] = []


class _Divided:
    """Standard output or error: a block's words are logged, all others pass through."""

    def __init__(self, own: TextIO) -> None:
        self.own = own

    def write(self, text: str) -> int:
        block: str | None = getattr(_here, "block", None)
        if block is None:
            return self.own.write(text)
        *lines, _here.rest = (_here.rest + text).split("\n")
        for line in lines:
            _log(block, line)
        if len(_here.rest) > LONGEST_LINE:
            _log(block, _here.rest)
            _here.rest = ""
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.own, name)


@contextmanager
def printed_to_log(block: str) -> Generator[None]:
    """For this thread, while a block computes in it."""
    _put_in_place()
    _here.block, _here.rest = block, ""
    try:
        yield
    finally:
        _log(block, _here.rest)
        _here.block = None
        _take_away()


def _put_in_place() -> None:
    global _printing  # noqa: PLW0603 - a process has one standard output
    with _lock:
        _printing += 1
        if _printing > 1:
            return
        for name in ("stdout", "stderr"):
            divided = _Divided(getattr(sys, name))
            setattr(sys, name, divided)
            _in_place.append((name, divided))


def _take_away() -> None:
    global _printing  # noqa: PLW0603
    with _lock:
        _printing -= 1
        if _printing:
            return
        for name, divided in _in_place:
            if getattr(sys, name) is divided:  # nobody else has put something in its place
                setattr(sys, name, divided.own)
        _in_place.clear()


def _log(block: str, text: str) -> None:
    if text.strip():
        logger.info("%s: %s", block, redact(text)[:LONGEST_LINE])
