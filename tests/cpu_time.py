"""What a piece of work costs, by the clock of this thread alone.

The collector of garbage is held meanwhile: looking through what thousands of other tests left, it
takes more than the work that is measured.
"""

import gc
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def uncollected() -> Generator[None]:
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def timed(work: Callable[[], T]) -> tuple[T, float]:
    with uncollected():
        began = time.thread_time()
        made = work()
        return made, time.thread_time() - began


def least_seconds(work: Callable[[], object], tries: int = 3) -> float:
    """A machine with other work can slow a thread down once, hardly every time."""
    return min(timed(work)[1] for _ in range(tries))
