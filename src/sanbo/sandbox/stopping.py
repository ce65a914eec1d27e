"""Ending an action from another thread: whoever waited for it does not any more."""

import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar


class Stopped(Exception):
    """The action was ended because nobody waits for it."""


class Stop:
    """Set once, from any thread; then what is registered is called, and nothing starts any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_set = False
        self._endings: list[Callable[[], None]] = []

    def set(self) -> None:
        with self._lock:
            self._is_set = True
            for end in self._endings:
                end()

    @contextmanager
    def ending(self, end: Callable[[], None]) -> Generator[None]:
        """While it is entered, `set` calls `end`."""
        with self._lock:
            if self._is_set:
                raise Stopped
            self._endings.append(end)
        try:
            yield
        finally:
            with self._lock:
                self._endings.remove(end)
            if self._is_set:
                raise Stopped


STOP: ContextVar[Stop | None] = ContextVar("STOP", default=None)
"""By which the actions of this thread can be ended."""
