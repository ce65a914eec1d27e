"""Files on their way: nobody sees them, and of a process that was killed none stays.

Each process has a folder of its own and holds its lock; what stands in the folder of a process
whose lock nobody holds was left behind.
"""

import os
import secrets
import shutil
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

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
