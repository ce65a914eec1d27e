"""Jobs that can't be loaded."""

from collections.abc import Sequence
from typing import BinaryIO


def warm_up() -> None:
    raise RuntimeError("no")


def perform(job: bytes, inputs: Sequence[memoryview], output: BinaryIO) -> bytes:
    return b""
