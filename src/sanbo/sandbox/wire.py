"""What the two sides say to each other: small JSON with its length in front, and descriptors."""

import array
import socket
import struct
from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from sanbo.kernel.messages import Language
from sanbo.sandbox.limits import Guard

MOST_DESCRIPTORS = 200
_HEAD = struct.Struct(">I")
_MOST_BYTES = 1 << 16


class Said(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Ready(Said):
    """The zygote, once: it has loaded its jobs and found out how strong the kernel's guards are."""

    guard: Guard = "limits"
    landlock_abi: int = 0
    failure: str = ""
    """The kind of exception that came up while the jobs were loaded; empty if none did."""


class Request(Said):
    """The parent, for each action. Descriptors: channel, job, report, output, then the inputs."""

    language: Language
    seconds: float
    memory_bytes: int
    output_bytes: int
    report_bytes: int
    preload: tuple[str, ...] = ()
    """Modules that the zygote loads before it forks, so that no child has to."""


class Started(Said):
    """The zygote, on the action's channel: from here on it must not be tried again."""

    forked: bool = True
    """False where the system has no room for another process."""


class Ended(Said):
    """The zygote, on the action's channel: the process is gone, and this is how."""

    exit_code: int
    """As `subprocess` counts: negative for the signal that ended it."""


class Gone(Exception):
    """The other side has closed the line, or does not speak as agreed."""


_Said = TypeVar("_Said", bound=Said)


def send(line: socket.socket, message: Said, descriptors: Sequence[int] = ()) -> None:
    body = message.model_dump_json().encode()
    data = _HEAD.pack(len(body)) + body
    try:
        sent = socket.send_fds(line, [data], descriptors) if descriptors else 0
        if sent < len(data):
            line.sendall(data[sent:])
    except OSError as error:
        raise Gone from error


def receive(line: socket.socket, kind: type[_Said]) -> _Said:
    return receive_with_descriptors(line, kind)[0]


def receive_with_descriptors(line: socket.socket, kind: type[_Said]) -> tuple[_Said, list[int]]:
    """A time-out of the line is a `TimeoutError`. The descriptors come with the first bytes."""
    try:
        head, descriptors = _receive_head(line)
        (size,) = _HEAD.unpack(head + _exactly(line, _HEAD.size - len(head)))
        if size > _MOST_BYTES:
            raise Gone
        return kind.model_validate_json(_exactly(line, size)), descriptors
    except TimeoutError:
        raise
    except (OSError, ValidationError) as error:
        raise Gone from error


def _receive_head(line: socket.socket) -> tuple[bytes, list[int]]:
    room = socket.CMSG_SPACE(MOST_DESCRIPTORS * array.array("i").itemsize)
    head, ancillary, _, _ = line.recvmsg(_HEAD.size, room)
    if not head:
        raise Gone
    found = array.array("i")
    for level, kind, data in ancillary:
        if (level, kind) == (socket.SOL_SOCKET, socket.SCM_RIGHTS):
            found.frombytes(data[: len(data) - len(data) % found.itemsize])
    return head, list(found)


def _exactly(line: socket.socket, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = line.recv(size)
        if not part:
            raise Gone
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


# ---- how a report begins -------------------------------------------------------------------------


# A process that ends early leaves none of them.
REPORT, PROBLEM, NO_MEMORY = b"R", b"P", b"M"
