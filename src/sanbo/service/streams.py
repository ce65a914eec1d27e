"""How many streams are open: each keeps a connection and a place in the feed."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

CALLERS_AT_THEIR_LIMIT = 5
"""So many may have all the streams that one caller may have; beyond, nobody gets another."""


class Streams:
    """By caller, of one process."""

    def __init__(self, most_of_one: int) -> None:
        self.most_of_one = most_of_one
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    @contextmanager
    def one_more(self, owner: str) -> Generator[bool]:
        """False where there are as many as there may be."""
        most = self.most_of_one
        if len(self) >= CALLERS_AT_THEIR_LIMIT * most or self._open[owner] >= most:
            yield False
            return
        self._open[owner] += 1
        try:
            yield True
        finally:
            self._open[owner] -= 1
            if not self._open[owner]:
                del self._open[owner]
