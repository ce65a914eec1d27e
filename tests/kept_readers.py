"""Reading processes that outlive the workbench that started them: starting one takes a second.

That a closed workbench ends its own is checked in `tests/unit/documents/test_reading.py`.
"""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from typing_extensions import override

from sanbo.documents import reading
from sanbo.sandbox.calls import Calls
from sanbo.sandbox.limits import Limits

_kept: list["_KeptCalls"] = []


class _KeptCalls(Calls):
    @override
    def close(self) -> None:
        """The next workbench takes it over."""


def _take(limits: Limits, *, at_once: int | None = None) -> Calls:
    if not _kept:
        _kept.append(_KeptCalls(limits, at_once=at_once))
    return _kept[0]


@contextmanager
def kept() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "Calls", _take)
        yield
    end_all()


@contextmanager
def as_shipped() -> Generator[None]:
    """For tests of the processes themselves: none is left over, and none is kept."""
    end_all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "Calls", Calls)
        yield


def end_all() -> None:
    while _kept:
        Calls.close(_kept.pop())
