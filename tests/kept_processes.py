"""Processes that outlive the workbench that started them, or are not needed: each takes seconds.

That a closed workbench ends its own is checked in `tests/unit/documents/test_reading.py` and in
`tests/unit/agents/analysis/test_datasets.py`; that a chart's picture is made apart, in
`tests/unit/agents/analysis/charts/test_pictures.py`.
"""

import threading
from collections.abc import Generator
from contextlib import contextmanager

import pytest
from typing_extensions import override

from sanbo.agents.analysis import datasets
from sanbo.agents.analysis.charts.picture import PictureFormat, Theme, picture
from sanbo.agents.analysis.export import figures
from sanbo.blocks.file import sources
from sanbo.documents import reading
from sanbo.sandbox.calls import Calls
from sanbo.sandbox.client import Sandbox
from sanbo.sandbox.limits import DEFAULT, Limits

_readers: list["_KeptCalls"] = []
_one_at_a_time = threading.Lock()
_sandboxes: dict[Limits, "_KeptSandbox"] = {}


class _KeptCalls(Calls):
    @override
    def close(self) -> None:
        """The next workbench takes it over."""


class _KeptSandbox(Sandbox):
    @override
    def close(self) -> None:
        """As above."""


def _reader(limits: Limits, *, at_once: int | None = None) -> Calls:
    if not _readers:
        _readers.append(_KeptCalls(limits, at_once=at_once))
    return _readers[0]


def _sandbox(jobs: str, limits: Limits = DEFAULT) -> Sandbox:
    """What computes with a person's tables; one for each limit that a test sets."""
    if limits not in _sandboxes:
        _sandboxes[limits] = _KeptSandbox(jobs, limits)
    return _sandboxes[limits]


def _picture(vega: bytes, form: PictureFormat, theme: Theme = "light") -> bytes:
    with _one_at_a_time:
        return picture(vega, form, theme)


@contextmanager
def kept() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "Calls", _reader)
        patch.setattr(datasets, "Sandbox", _sandbox)
        patch.setattr(figures, "picture_apart", _picture)
        yield
    _end_readers()
    while _sandboxes:
        Sandbox.close(_sandboxes.popitem()[1])


@contextmanager
def as_shipped() -> Generator[None]:
    """For tests of the processes themselves: no reader is left over, and nothing is kept."""
    _end_readers()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "Calls", Calls)
        patch.setattr(datasets, "Sandbox", Sandbox)
        yield


def _end_readers() -> None:
    vars(sources)["_of_process"].clear()  # blocks have taken the same over, and start anew
    while _readers:
        Calls.close(_readers.pop())
