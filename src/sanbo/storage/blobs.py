"""Content-addressed bytes: a blob's name is the SHA-256 of what is in it.

Whoever reads one can rely on that: a file that was overwritten, cut off or rotted is never given
out, and storing the same bytes again mends it.
"""

import hashlib
import os
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from pathlib import Path

from sanbo.kernel.problems import NotFound
from sanbo.storage.failures import disk_failures

MOST_REMEMBERED = 4096
SETTLED_NS = 2_000_000_000
"""Two changes that are closer may have the same time in the file system."""

_Stamp = tuple[int, int, int, int]


def sha256_of(source: Path) -> str:
    with source.open("rb") as reader:
        return hashlib.file_digest(reader, "sha256").hexdigest()


def read_verified(source: Path, sha256: str) -> bytes:
    """The bytes of a blob, or a problem where they are others."""
    data = source.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise _damaged(source)
    return data


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._verified = _Verified()

    def put(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        self._store(sha256, [data])
        return sha256

    def put_file(self, source: Path) -> str:
        """Stores a file without holding it in memory."""
        sha256 = sha256_of(source)
        with source.open("rb") as reader:
            self._store(sha256, iter(lambda: reader.read(1 << 20), b""))
        return sha256

    def _store(self, sha256: str, pieces: Iterable[bytes]) -> None:
        target = self._path(sha256)
        if target.exists() and self._verified.is_sound(target, sha256):
            return
        partial = target.with_name(f".{sha256}.{secrets.token_hex(4)}")
        with disk_failures(self.folder):
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                with partial.open("wb") as writer:
                    writer.writelines(pieces)
                    writer.flush()
                    os.fsync(writer.fileno())
                partial.replace(target)  # readers see all of it or nothing
            finally:
                partial.unlink(missing_ok=True)

    def get(self, sha256: str) -> bytes:
        return read_verified(self._found(sha256), sha256)

    def path(self, sha256: str) -> Path:
        """Of a file that holds these bytes now. Blocking: a file is read whole at first."""
        target = self._found(sha256)
        if not self._verified.is_sound(target, sha256):
            raise _damaged(target)
        return target

    def _found(self, sha256: str) -> Path:
        target = self._path(sha256)
        if not target.exists():
            raise NotFound("blob_missing", sha256=sha256)
        return target

    def remove(self, sha256: str) -> None:
        self._path(sha256).unlink(missing_ok=True)

    def _path(self, sha256: str) -> Path:
        if len(sha256) != 64 or not set(sha256) <= set("0123456789abcdef"):
            raise NotFound("blob_missing", sha256=sha256[:80])
        return self.folder / sha256[:2] / sha256


class _Verified:
    """Which files were read whole and found right, and have not been touched since."""

    def __init__(self) -> None:
        self._stamps: OrderedDict[str, _Stamp] = OrderedDict()
        self._lock = threading.Lock()

    def is_sound(self, file: Path, sha256: str) -> bool:
        before = _stamp(file)
        with self._lock:
            if self._stamps.get(sha256) == before:
                self._stamps.move_to_end(sha256)
                return True
        if sha256_of(file) != sha256:
            return False
        if _is_settled(before) and _stamp(file) == before:
            with self._lock:
                self._stamps[sha256] = before
                while len(self._stamps) > MOST_REMEMBERED:
                    self._stamps.popitem(last=False)
        return True


def _stamp(file: Path) -> _Stamp:
    found = file.stat()
    # Who overwrites a file can set back when that was, but not when that was done.
    return found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _is_settled(stamp: _Stamp) -> bool:
    return time.time_ns() - max(stamp[2:]) > SETTLED_NS


def _damaged(file: Path) -> NotFound:
    # In the workspace, so that it is found in a backup.
    return NotFound("blob_damaged", path="/".join(file.parts[-3:]))


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

    def remove(self, sha256: str) -> None:
        with self._lock:
            self._size -= len(self._blobs.pop(sha256, b""))
