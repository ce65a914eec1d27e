"""Who guesses secrets is slowed down: at the login page, and at webhooks."""

import time
from collections.abc import Callable


class Attempts:
    """Wrong tokens by client: some are free, then each makes the next wait twice as long."""

    FREE = 3
    LONGEST_SECONDS = 60.0
    FORGOTTEN_SECONDS = 900.0
    MAX_CLIENTS = 10_000

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._wrong: dict[str, tuple[int, float]] = {}

    def wait_seconds(self, client: str) -> float:
        """How long this client's wrong tokens are only told to wait; a right one always gets in."""
        count, last = self._wrong.get(client, (0, 0.0))
        if count < self.FREE:
            return 0.0
        pause = min(2.0 ** min(count - self.FREE, 10), self.LONGEST_SECONDS)
        return max(0.0, last + pause - self._clock())

    def failed(self, client: str) -> None:
        now = self._clock()
        if len(self._wrong) >= self.MAX_CLIENTS:
            self._wrong = {
                name: (count, last)
                for name, (count, last) in self._wrong.items()
                if now - last < self.FORGOTTEN_SECONDS
            }
        count, last = self._wrong.pop(client, (0, now))
        if now - last >= self.FORGOTTEN_SECONDS:
            count = 0
        while len(self._wrong) >= self.MAX_CLIENTS:
            del self._wrong[next(iter(self._wrong))]
        self._wrong[client] = (count + 1, now)

    def succeeded(self, client: str) -> None:
        self._wrong.pop(client, None)
