"""Where a workspace has its blobs, by its settings: in a folder of this machine or one that several
machines share, or in an object store.

Nobody sees files on their way. Each process has a folder of its own for them and holds its lock;
what stands in the folder of a process whose lock nobody holds was left behind.
"""

import hashlib
import os
import secrets
import shutil
import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from tempfile import NamedTemporaryFile
from urllib.parse import urlsplit

from filelock import FileLock, Timeout
from typing_extensions import override

from sanbo.kernel.problems import InvalidSettings, MissingDependency
from sanbo.settings import Settings
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


class Incoming:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock: FileLock | None = None
        self._mine: Path | None = None
        self._making = threading.Lock()

    @contextmanager
    def file(self) -> Generator[Path]:
        """A place for a file that is not there yet; whatever is left in it at the end goes."""
        path = (self._mine or self._own_folder()) / secrets.token_hex(8)
        try:
            yield path
        finally:
            path.unlink(missing_ok=True)

    def _own_folder(self) -> Path:
        with self._making, disk_failures(self.folder):
            while self._mine is None:
                self.folder.mkdir(parents=True, exist_ok=True)
                name = f"{os.getpid():x}-{secrets.token_hex(4)}.lock"
                self._lock = FileLock(self.folder / name, thread_local=False)
                self._lock.acquire()
                # Unless another process has swept the lock away before it was taken.
                if Path(self._lock.lock_file).exists():
                    _folder_of(self._lock).mkdir()
                    self._mine = _folder_of(self._lock)
            return self._mine

    def sweep(self) -> None:
        """Removes what processes that are no more have left."""
        for lock_file in self.folder.glob("*.lock"):
            if self._lock is not None and lock_file == Path(self._lock.lock_file):
                continue
            lock = FileLock(lock_file, timeout=0)
            try:
                with lock:
                    _remove(lock)
            except Timeout:
                continue  # its process lives

    def close(self) -> None:
        with self._making:
            if self._lock is not None:
                _remove(self._lock)
                self._lock.release()
                self._lock = self._mine = None


def _folder_of(lock: FileLock) -> Path:
    return Path(lock.lock_file).with_suffix("")


def _remove(lock: FileLock) -> None:
    shutil.rmtree(_folder_of(lock), ignore_errors=True)
    Path(lock.lock_file).unlink(missing_ok=True)


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


SCHEMES = ("s3", "gs", "az", "azure", "abfs", "abfss")


def open_blobs(settings: Settings) -> Blobs:
    place = settings.storage.blobs
    if place is None:
        return FolderBlobs(settings.workspace / "blobs")
    if "://" not in place:
        folder = Path(place)
        with disk_failures(folder):  # one that is not connected, say
            folder.mkdir(parents=True, exist_ok=True)
        return FolderBlobs(folder)
    scheme, address = urlsplit(place).scheme, urlsplit(place)
    if scheme not in SCHEMES or not address.hostname or "@" in address.netloc or address.query:
        raise InvalidSettings("blobs_address_invalid", schemes="、".join(SCHEMES))
    try:
        from sanbo.storage.object_blobs import ObjectBlobs  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise MissingDependency("blobs_packages_missing", module=error.name or "") from None
    # What stands here is elsewhere, too: it need not survive a power cut.
    cache = FolderBlobs(settings.workspace / "cache" / "blobs", survives_power_cut=False)
    return ObjectBlobs(place, cache, settings.storage.cache_mb << 20)
