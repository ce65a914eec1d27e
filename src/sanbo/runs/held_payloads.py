"""What events say beyond what may be written: whole, in this process until it ends, and for other
servers where the settings have a key for that."""

import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from sanbo.runs.model import Event, Payload
from sanbo.storage.sealed import Sealed

EVENT = "event/"


class Held(NamedTuple):
    event: Event
    size: int


class HeldPayloads:
    """By run and number. Beyond its limit it forgets what was used longest ago."""

    def __init__(self, limit_bytes: int, sealed: Sealed | None = None) -> None:
        self._limit = limit_bytes
        self._sealed = sealed
        self._size = 0
        self._held: OrderedDict[tuple[str, int], tuple[Payload, int]] = OrderedDict()
        self._runs: Counter[str] = Counter()
        self._lock = threading.Lock()

    def put(self, run_id: str, held: Iterable[Held]) -> None:
        pieces: dict[str, bytes] = {}
        for event, size in held:
            assert event.seq is not None
            self._put((run_id, event.seq), event.payload, size)
            if self._sealed is not None:
                name = _name(event.seq, event.time.timestamp())
                pieces[name] = event.payload.model_dump_json().encode()
        if self._sealed is not None and pieces:
            self._sealed.put(run_id, pieces)

    def _put(self, key: tuple[str, int], payload: Payload, size: int) -> None:
        with self._lock:
            self._drop(key)
            self._held[key] = payload, size
            self._runs[key[0]] += 1
            self._size += size
            while self._size > self._limit and len(self._held) > 1:
                self._drop(next(iter(self._held)))

    def whole(self, run_id: str, times: Mapping[int, float]) -> dict[int, Payload | str]:
        """Of these events, each of its time, those of which more is known than is written; as
        JSON where another server has sealed it."""
        found: dict[int, Payload | str] = {}
        with self._lock:
            for seq in times if run_id in self._runs else ():
                if (held := self._held.get((run_id, seq))) is not None:
                    self._held.move_to_end((run_id, seq))
                    found[seq] = held[0]
        if self._sealed is not None and (there := self._sealed.names(run_id)):
            names = {_name(seq, time): seq for seq, time in times.items() if seq not in found}
            opened = self._sealed.get(run_id, there & names.keys())
            found |= {names[name]: data.decode() for name, data in opened.items()}
        return found

    def has(self, run_id: str) -> bool:
        """Something of this run."""
        if run_id in self._runs:
            return True
        return self._sealed is not None and bool(self._sealed.names(run_id))

    def forget(self, run_ids: Collection[str]) -> None:
        """All of these runs."""
        with self._lock:
            for key in [key for key in self._held if key[0] in run_ids]:
                self._drop(key)
        if self._sealed is not None:
            self._sealed.forget(run_ids)

    def remove(self, run_id: str, events: Iterable[Event]) -> None:
        names: list[str] = []
        for event in events:
            assert event.seq is not None
            with self._lock:
                self._drop((run_id, event.seq))
            names.append(_name(event.seq, event.time.timestamp()))
        if self._sealed is not None and names:
            self._sealed.remove(run_id, names)

    def _drop(self, key: tuple[str, int]) -> None:
        if (held := self._held.pop(key, None)) is not None:
            self._size -= held[1]
            self._runs[key[0]] -= 1
            if not self._runs[key[0]]:
                del self._runs[key[0]]


def _name(seq: int, time: float) -> str:
    """With its time: what a process that has lost the run tries to write is another event."""
    return f"{EVENT}{seq}/{time:.6f}"
