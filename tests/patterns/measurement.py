"""How the time that a pattern takes grows with the text, in CPU time of this thread alone."""

import re
import signal
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import zip_longest
from math import inf
from typing import Any, NamedTuple

from tests.cpu_time import uncollected
from tests.patterns.pumps import Recipe

Use = str
_LENGTH = 800
_QUICK = 0.00012
"""A linear pattern takes less for a text of this length; what takes more is looked at again."""
_BUDGET = 0.3
_TRIES = 3
"""A machine with other work can take a thread's time for itself once, not three times."""
_CLEARLY_LINEAR = 6.0
_GROWTH = 10.0
"""Four times the text: four times the time when linear, sixteen times when quadratic."""


class Growth(NamedTuple):
    recipe: Recipe
    use: Use
    seconds: tuple[float, ...]
    """For texts of n, 2n and 4n characters; fewer where the time was over before the end."""

    @property
    def is_linear(self) -> bool:
        return len(self.seconds) == 3 and self.seconds[2] < _GROWTH * self.seconds[0]


class _OverBudget(Exception):
    pass


def growth(pattern: re.Pattern[Any], use: Use, recipe: Recipe) -> Growth | None:
    """None where it is clearly linear; the least of several times where it was not linear.

    What uses up the budget takes a hundred times what any machine adds: that is not tried again.
    """
    first = _seconds(pattern, use, _of_kind(pattern, recipe.text(_LENGTH)))
    if first is None:
        return Growth(recipe, use, ())
    if first < _QUICK:
        return None
    longer = _seconds(pattern, use, _of_kind(pattern, recipe.text(4 * _LENGTH)))
    if longer is None:
        return Growth(recipe, use, (first,))
    if longer < _CLEARLY_LINEAR * first:
        return None
    least: list[float] = []
    for _ in range(_TRIES):
        found = _at_each_length(pattern, use, recipe)
        if len(found) < 3:
            return Growth(recipe, use, tuple(found))
        least = [min(pair) for pair in zip_longest(least, found, fillvalue=inf)]
        if Growth(recipe, use, tuple(least)).is_linear:
            break
    return Growth(recipe, use, tuple(least))


def _at_each_length(pattern: re.Pattern[Any], use: Use, recipe: Recipe) -> list[float]:
    found: list[float] = []
    for length in (_LENGTH, 2 * _LENGTH, 4 * _LENGTH):
        seconds = _seconds(pattern, use, _of_kind(pattern, recipe.text(length)))
        if seconds is None:
            break
        found.append(seconds)
    return found


def _of_kind(pattern: re.Pattern[Any], text: str) -> Any:
    return text.encode("latin-1", "replace") if isinstance(pattern.pattern, bytes) else text


def _seconds(pattern: re.Pattern[Any], use: Use, text: Any) -> float | None:
    return cpu_seconds(lambda: _USES[use](pattern, text))


def cpu_seconds(work: Callable[[], object], budget: float = _BUDGET) -> float | None:
    """None where the budget was not enough, so that an exponential pattern does not hang a test."""
    with uncollected():
        begun = time.thread_time()
        try:
            with _cpu_budget(begun + budget):
                work()
        except _OverBudget:
            return None
        return time.thread_time() - begun


@contextmanager
def _cpu_budget(end: float) -> Generator[None]:
    """The matcher of `re` looks for signals while it works, so it can be stopped.

    A timer of CPU time would make the clock of CPU time coarse on some kernels.
    """

    def look(*_: object) -> None:
        if time.thread_time() > end:
            raise _OverBudget

    before = signal.signal(signal.SIGALRM, look)
    signal.setitimer(signal.ITIMER_REAL, _BUDGET, _BUDGET / 4)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _everywhere(pattern: Any, text: Any) -> None:
    for _ in pattern.finditer(text):
        pass


def _at_each_place(pattern: Any, text: Any) -> None:
    """As a reader of tokens does: after what it read, else one character on."""
    at = 0
    while at < len(text):
        found = pattern.match(text, at)
        at = found.end() if found and found.end() > at else at + 1


_USES: dict[Use, Callable[[Any, Any], object]] = {
    "match": lambda pattern, text: pattern.match(text),
    "fullmatch": lambda pattern, text: pattern.fullmatch(text),
    "search": lambda pattern, text: pattern.search(text),
    "finditer": _everywhere,
    "match at": _at_each_place,
}
