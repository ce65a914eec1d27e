"""Hundreds of test modules are loaded in every worker: what costs most of that is done once."""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock


@contextmanager
def one_goes_first(config: pytest.Config) -> Generator[None]:
    """In a fresh clone pytest has yet to rewrite the assertions of each module, and keeps what it
    made: one worker does so, the others wait for it and read it."""
    if not hasattr(config, "workerinput"):  # the only process, or the one that gives out the tests
        yield
        return
    marker = Path(str(config.getoption("basetemp"))).parent / "collected"
    with FileLock(f"{marker}.lock") as lock:
        if marker.exists():
            lock.release()
        yield
        marker.touch()


@contextmanager
def without_garbage() -> Generator[None]:
    """What thousands of collected tests hold is not looked through again and again."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)
        gc.enable()
