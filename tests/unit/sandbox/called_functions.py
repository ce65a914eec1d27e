"""Functions for `calls` to call."""

import os
from collections.abc import Iterator, Sequence

from pydantic import BaseModel

from sanbo.kernel.problems import InvalidInput


class Sum(BaseModel):
    numbers: tuple[int, ...]
    total: float


_warm: list[int] = []


def warm_up() -> None:
    _warm.append(os.getpid())


def added(numbers: Sequence[int]) -> Sum:
    return Sum(numbers=tuple(numbers), total=float(sum(numbers)))


def processes() -> tuple[int, int]:
    """Its own, and the one that loaded this module."""
    return os.getpid(), _warm[0]


def refused(name: str) -> None:
    raise InvalidInput("archive_entry_link", name=name)


def endless() -> None:
    while True:
        pass


def greedy() -> int:
    return len(bytearray(1 << 34))


def repeated(times: int, data: memoryview) -> Iterator[bytes]:
    for _ in range(times):
        yield bytes(data)


def never_done() -> Iterator[bytes]:
    while True:
        yield b""
