"""Blobs in a folder of this machine, or one that several machines share."""

import hashlib
import os
import threading
import time
from collections import OrderedDict
from collections.abc import Iterable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile

from typing_extensions import override

from sanbo.storage.blobs import (
    Blobs,
    Content,
    changed_meanwhile,
    checked,
    damaged,
    file_pieces,
    key_of,
    missing,
    read_verified,
    sha256_of,
)
from sanbo.storage.failures import disk_failures
from sanbo.storage.incoming import Incoming

MOST_REMEMBERED = 4096
SETTLED_NS = 2_000_000_000
"""Two changes that are closer may have the same time in the file system."""

_Stamp = tuple[int, int, int, int]


class FolderBlobs(Blobs):
    def __init__(self, folder: Path, *, survives_power_cut: bool = True) -> None:
        self.folder = folder
        self._survives_power_cut = survives_power_cut
        self._verified = _Verified()
        # In the same file system, so that a file gets its name in one step.
        self._incoming = Incoming(folder / "incoming")

    @property
    @override
    def place(self) -> str:
        return str(self.folder.absolute())

    @override
    def put(self, data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        if not self._has(sha256):
            self._store(sha256, [data])
        return sha256

    @override
    def put_file(self, source: Path, *, sha256: str | None = None, move: bool = False) -> str:
        sha256 = sha256 or sha256_of(source)
        if self._has(sha256):
            return sha256
        if move:
            with disk_failures(self.folder):
                with source.open("rb+") as written:
                    self._sync(written.fileno())
                self._name(source, sha256)
        else:
            pieces = file_pieces(source, 0, source.stat().st_size)
            self._store(sha256, checked(pieces, sha256, changed_meanwhile))
        return sha256

    def _has(self, sha256: str) -> bool:
        target = self._path(sha256)
        return target.exists() and self._verified.is_sound(target, sha256)

    def _store(self, sha256: str, pieces: Iterable[bytes]) -> None:
        with disk_failures(self.folder), self._incoming.file() as partial_file:
            with partial_file.open("wb") as writer:
                writer.writelines(pieces)
                writer.flush()
                self._sync(writer.fileno())
            self._name(partial_file, sha256)

    def _sync(self, file: int) -> None:
        if self._survives_power_cut:
            os.fsync(file)

    def _name(self, file: Path, sha256: str) -> None:
        target = self._path(sha256)
        target.parent.mkdir(parents=True, exist_ok=True)
        file.replace(target)  # readers see all of it or nothing

    @override
    def get(self, sha256: str) -> bytes:
        return read_verified(self._found(sha256), sha256)

    @override
    def path(self, sha256: str) -> Path:
        """Blocking: a file is read whole at first."""
        target = self._found(sha256)
        if not self._verified.is_sound(target, sha256):
            raise damaged("/".join(target.parts[-3:]))  # so that it is found in a backup
        return target

    @override
    def content(self, sha256: str) -> Content:
        path = self.path(sha256)
        return Content(path.stat().st_size, partial(file_pieces, path))

    def _found(self, sha256: str) -> Path:
        target = self._path(sha256)
        if not target.exists():
            raise missing(sha256)
        return target

    @override
    def remove(self, sha256: str) -> None:
        self._path(sha256).unlink(missing_ok=True)

    @override
    def incoming(self) -> AbstractContextManager[Path]:
        return self._incoming.file()

    @override
    def check(self) -> None:
        if self.folder.is_dir():
            with disk_failures(self.folder), NamedTemporaryFile(dir=self.folder) as probe:
                probe.write(b".")
                probe.flush()

    @override
    def sweep(self) -> None:
        self._incoming.sweep()

    @override
    def close(self) -> None:
        self._incoming.close()

    def _path(self, sha256: str) -> Path:
        return self.folder / key_of(sha256)


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
