"""What goes through the pipes between a process and its workers: a kind, a length, the content."""

import pickle
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Any

HEADER = struct.Struct(">cQ")
WORK = b"W"
BEGUN = b"B"
ANSWER = b"A"


@dataclass(frozen=True, slots=True)
class Work:
    fn: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    result: Any = None
    error: BaseException | None = None


def pack(content: object) -> bytes:
    return pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)


def unpack(data: bytes) -> Any:
    return pickle.loads(data)  # noqa: S301 - only between a process and those it has started


def send(pipe: IO[bytes], kind: bytes, content: bytes = b"") -> None:
    pipe.write(HEADER.pack(kind, len(content)))
    pipe.write(content)
    pipe.flush()


def receive(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    kind, size = HEADER.unpack(_exactly(pipe, HEADER.size))
    return kind, _exactly(pipe, size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data
