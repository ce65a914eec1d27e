"""How much of one text stands in another, told from a sample of its short stretches."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from sanbo.kernel.text import matching_form

_LENGTH = 8
_READ = 8_000
"""Characters from the beginning of each text: enough to know it by."""
_STRETCHES = 150_000
"""About so many are looked at altogether; of more texts, a sample of each."""
_MOST_TEXTS = 25
"""A stretch that stands in more of them is boilerplate, and tells nothing."""


def resemblances(old: Sequence[str], new: Sequence[str]) -> dict[tuple[int, int], float]:
    """By index of old and new: the share of the shorter one that is in both.

    What stands in few texts counts for more than what many have.
    """
    read = sum(min(len(text), _READ) for text in (*old, *new))
    one_in = 1 + read // _STRETCHES
    holders_old = _holders([_sample(text, one_in) for text in old])
    holders_new = _holders([_sample(text, one_in) for text in new])
    shared: defaultdict[tuple[int, int], float] = defaultdict(float)
    size_old = [0.0] * len(old)
    size_new = [0.0] * len(new)
    for stretch in holders_old.keys() | holders_new.keys():
        before, after = holders_old.get(stretch, ()), holders_new.get(stretch, ())
        if max(len(before), len(after)) > _MOST_TEXTS:
            continue
        weight = 2 / (len(before) + len(after))
        _add(size_old, before, weight)
        _add(size_new, after, weight)
        for one in before:
            for other in after:
                shared[one, other] += weight
    return {
        (one, other): both / min(size_old[one], size_new[other])
        for (one, other), both in shared.items()
    }


def _holders(samples: Sequence[set[str]]) -> dict[str, list[int]]:
    """In which texts each stretch stands."""
    holders: dict[str, list[int]] = defaultdict(list)
    for at, sample in enumerate(samples):
        for stretch in sample:
            holders[stretch].append(at)
    return holders


def _add(sizes: list[float], texts: Iterable[int], weight: float) -> None:
    for text in texts:
        sizes[text] += weight


def _sample(text: str, one_in: int) -> set[str]:
    """Stretches chosen by the two signs that they begin with: both texts choose the same."""
    plain = "".join(matching_form(text[:_READ]).split())
    return {
        plain[at : at + _LENGTH]
        for at, (first, second) in enumerate(pairwise(plain[: -_LENGTH + 2]))
        if (31 * ord(first) + ord(second)) % one_in == 0
    } or {plain}
