"""Content-addressed bytes: a blob's name is the SHA-256 of what is in it."""

import hashlib
import os
import secrets
from collections.abc import Iterable
from pathlib import Path

from sanbo.kernel.problems import NotFound
from sanbo.storage.failures import disk_failures


def sha256_of(source: Path) -> str:
    with source.open("rb") as reader:
        return hashlib.file_digest(reader, "sha256").hexdigest()


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

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
        if target.exists():
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
        return self.path(sha256).read_bytes()

    def path(self, sha256: str) -> Path:
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
