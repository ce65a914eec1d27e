"""When to send a request again: exponential backoff with jitter, never before `Retry-After`."""

import asyncio
import math
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime


@dataclass(frozen=True)
class Pace:
    """How long to wait between attempts. Time and chance can be replaced in a test."""

    first_seconds: float = 0.5
    longest_seconds: float = 20.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def delay(self, attempt: int, retry_after: float | None) -> float:
        """Seconds to wait after the failed attempt of this number, counted from 1."""
        if retry_after is not None:
            # Not all clients that were told the same moment should return in it.
            return retry_after * (1 + 0.1 * self.chance())
        # A capped exponent: 2 ** 1000 would be no float.
        full = min(self.longest_seconds, self.first_seconds * 2 ** min(attempt - 1, 30))
        return full * (0.5 + 0.5 * self.chance())


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """`retry-after-ms` (OpenAI, Azure) or `retry-after` in seconds or as a date."""
    for name, unit in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if math.isfinite(seconds):
            return max(0.0, seconds)
    try:
        moment = parsedate_to_datetime(headers.get("retry-after", ""))
        return max(0.0, moment.timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
