"""A process whose clock is wrong, as that of another machine may be."""

import datetime as dt
import sys
import time

from typing_extensions import override


def set_clock(ahead_seconds: float) -> None:
    """For all that is loaded and all that will be; to be called once, in a process of its own."""
    right = dt.datetime
    right_time, right_time_ns = time.time, time.time_ns

    class Wrong(right):
        @classmethod
        @override
        # pyrefly: ignore[bad-override]
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:
            return right.now(tz) + dt.timedelta(seconds=ahead_seconds)

    time.time = lambda: right_time() + ahead_seconds
    time.time_ns = lambda: right_time_ns() + int(ahead_seconds * 1e9)
    for name, module in list(sys.modules.items()):
        if name.startswith(("sanbo.", "langgraph.")) and vars(module).get("datetime") is right:
            vars(module)["datetime"] = Wrong
    dt.datetime = Wrong
