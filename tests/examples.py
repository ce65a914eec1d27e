"""How much is tried: little in `make test`, all that a test wishes for in `make test-all`."""

from collections.abc import Sequence
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

EVERYDAY = "everyday"
THOROUGH = "thorough"
FEWEST = 3

# How long an example takes says how busy this machine is. In `make test`, each time the same
# examples: nobody's change is stopped by what was wrong before it; new ones are for `test-all`.
settings.register_profile(EVERYDAY, deadline=None, max_examples=10, derandomize=True)
settings.register_profile(THOROUGH, deadline=None, max_examples=100)


def examples(wished: int) -> int:
    """As many as this profile gives a test that wishes for more or fewer than the usual 100."""
    return max(min(wished, FEWEST), wished * settings().max_examples // 100)


def is_thorough() -> bool:
    return settings.get_current_profile_name() == THOROUGH


def spread(everything: Sequence[T], few: int) -> Sequence[T]:
    """So few of these, from the first to the last; in `make test-all` everything."""
    if is_thorough() or len(everything) <= few:
        return everything
    return [everything[number * (len(everything) - 1) // (few - 1)] for number in range(few)]
