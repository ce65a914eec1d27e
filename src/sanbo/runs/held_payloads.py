"""What events say beyond what may be written to disk: whole, in this process, until it ends."""

import threading
from collections import Counter, OrderedDict

from sanbo.runs.model import Payload


class HeldPayloads:
    """By run and number. Beyond its limit it forgets what was used longest ago."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit = limit_bytes
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[Payload, int]] = OrderedDict()
        self._runs: Counter[str] = Counter()
        self._lock = threading.Lock()

    def put(self, run_id: str, seq: int, payload: Payload, size: int) -> None:
        with self._lock:
            self._drop((run_id, seq))
            self._held[run_id, seq] = payload, size
            self._runs[run_id] += 1
            self._size += size
            while self._size > self._limit and len(self._held) > 1:
                self._drop(next(iter(self._held)))

    def get(self, run_id: str, seq: int) -> Payload | None:
        with self._lock:
            held = self._held.get((run_id, seq))
            if held is None:
                return None
            self._held.move_to_end((run_id, seq))
            return held[0]

    def has(self, run_id: str) -> bool:
        """Something of this run."""
        return run_id in self._runs

    def remove(self, run_id: str, seq: int | None = None) -> None:
        """Of one event, or of the whole run."""
        with self._lock:
            for key in [key for key in self._held if key[0] == run_id and seq in (None, key[1])]:
                self._drop(key)

    def _drop(self, key: tuple[str, int]) -> None:
        if (held := self._held.pop(key, None)) is not None:
            self._size -= held[1]
            self._runs[key[0]] -= 1
            if not self._runs[key[0]]:
                del self._runs[key[0]]
