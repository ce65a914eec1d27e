"""Bytes that must not touch the disk: content-addressed like blobs, and gone with the process."""

import hashlib
import threading
from collections import OrderedDict


class MemoryBlobs:
    """Beyond its limit it forgets what was used longest ago."""

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
