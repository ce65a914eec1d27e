"""Content-addressed bytes: a blob's name is the SHA-256 of what is in it.

Whoever reads one can rely on that: bytes that were overwritten, cut off or rotted are never given
out as whole, and storing the same bytes again mends them. Where they are is one of the modules
`blob_place` and `object_blobs`.
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sqlalchemy.engine import Connection

from sanbo.kernel.problems import InvalidInput, NotFound, SanboError

PIECE = 1 << 20


@dataclass(frozen=True)
class Content:
    """Bytes that are read a piece at a time, from anywhere in them."""

    size: int
    pieces: Callable[[int, int], Iterator[bytes]]
    """Blocking, from the first position up to the second."""


class Blobs(Protocol):
    """Of files, `sha256` is what they are known to hold; with `move`, the file may be taken away.
    A store that does not answer, or refuses, is a `StorageFailure`."""

    @property
    def place(self) -> str:
        """As people are told it."""
        ...

    def put(self, data: bytes) -> str: ...
    def put_file(self, source: Path, *, sha256: str | None = None, move: bool = False) -> str: ...
    def get(self, sha256: str) -> bytes: ...
    def path(self, sha256: str) -> Path:
        """Of a file on this machine that holds these bytes now."""
        ...

    def content(self, sha256: str) -> Content:
        """For who hands the bytes on: nothing is held as a whole."""
        ...

    def remove(self, sha256: str) -> None: ...
    def incoming(self) -> AbstractContextManager[Path]:
        """Where a file may be written before its name is known; it goes at the end."""
        ...

    def check(self) -> None:
        """Raises what keeps blobs from being reached."""
        ...

    def sweep(self) -> None:
        """Removes what was left by processes that were killed, or need not be kept any longer."""
        ...

    def close(self) -> None: ...


def sha256_of(source: Path) -> str:
    with source.open("rb") as reader:
        return hashlib.file_digest(reader, "sha256").hexdigest()


def read_verified(source: Path, sha256: str) -> bytes:
    """The bytes of a blob, or a problem where they are others."""
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise damaged("/".join(source.parts[-3:]))
    return data


def key_of(sha256: str) -> str:
    """Its place below a folder or prefix; a name that is no hash leads nowhere."""
    if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
        raise missing(sha256[:80])
    return f"{sha256[:2]}/{sha256}"


def missing(sha256: str) -> NotFound:
    return NotFound("blob_missing", sha256=sha256)


def damaged(place: str) -> NotFound:
    return NotFound("blob_damaged", path=place)


def file_pieces(source: Path, start: int, end: int, piece: int = PIECE) -> Iterator[bytes]:
    with source.open("rb") as reader:
        reader.seek(start)
        while start < end and (data := reader.read(min(piece, end - start))):
            start += len(data)
            yield data


def checked(
    pieces: Iterator[bytes], sha256: str, otherwise: Callable[[], SanboError]
) -> Iterator[bytes]:
    """The same; the last one only where all of them are what they should be."""
    digest = hashlib.sha256()
    held: bytes | None = None
    for piece in pieces:
        if held is not None:
            yield held
        digest.update(piece)
        held = piece
    if digest.hexdigest() != sha256:
        raise otherwise()
    if held is not None:
        yield held


def changed_meanwhile() -> InvalidInput:
    return InvalidInput("blob_source_changed")


class MemoryBlobs:
    """Bytes that must not touch the disk, gone with the process.

    Beyond its limit it forgets what was used longest ago.
    """

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._blobs: OrderedDict[str, bytes] = OrderedDict()
        self._lock = threading.Lock()

    def put(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        with self._lock:
            if sha256 not in self._blobs:
                self._blobs[sha256] = data
                self._size += len(data)
            self._blobs.move_to_end(sha256)
            while self._size > self._limit and len(self._blobs) > 1:
                _, oldest = self._blobs.popitem(last=False)
                self._size -= len(oldest)
        return sha256

    def get(self, sha256: str) -> bytes | None:
        with self._lock:
            if sha256 in self._blobs:
                self._blobs.move_to_end(sha256)
            return self._blobs.get(sha256)

    def remove(self, sha256: str, within: Connection) -> None:
        """`within`: the transaction that knows that nobody needs it."""
        _ = within
        with self._lock:
            self._size -= len(self._blobs.pop(sha256, b""))

    def sweep(self) -> None:
        """Removes what need not be kept any longer."""
