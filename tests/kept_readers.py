"""Reading processes that outlive the workbench that started them: starting one takes half a second.

That a closed workbench ends its own is checked in `tests/unit/documents/test_reading.py`.
"""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from typing_extensions import override

from sanbo.documents import reading
from sanbo.documents.reading import _ReadingProcess  # pyright: ignore[reportPrivateUsage]

MOST = 2

_idle: list["_KeptProcess"] = []


class _KeptProcess(_ReadingProcess):
    @override
    def end(self) -> None:
        # One that was killed at its work, or is worn out, ends as always.
        if self.is_fit and self._process.poll() is None and len(_idle) < MOST:
            _idle.append(self)
        else:
            super().end()


def _take() -> _ReadingProcess:
    try:
        return _idle.pop()
    except IndexError:
        return _KeptProcess()


@contextmanager
def kept() -> Generator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_ReadingProcess", _take)
        yield
    end_all()


@contextmanager
def as_shipped() -> Generator[None]:
    """For tests of the processes themselves: none is left over, and none is kept."""
    end_all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "_ReadingProcess", _ReadingProcess)
        yield


def end_all() -> None:
    while _idle:
        _ReadingProcess.end(_idle.pop())
