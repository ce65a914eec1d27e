"""Amounts that add up to another: which invoices one transfer paid, which transfers one invoice."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

MOST_AMOUNTS = 20
"""Halves of so many have a thousand sums each: every set is looked at, in a millisecond."""
_MOST_HITS = 500


@dataclass(frozen=True)
class Found:
    members: tuple[int, ...]
    """Positions in the list of amounts."""
    others: int
    """How many other sets would do as well."""


_Sum = tuple[int, int, int]
"""A total, how many amounts are in it, and which, as the bits of a number: plain, since there are
millions of them."""


def adding_up(amounts: Sequence[int], least: int, most: int, largest: int) -> Found | None:
    """The set of two or more with its sum between the two: the fewest, then the first ones.

    Of more than `MOST_AMOUNTS` only the first are looked at: the caller brings the nearest first.
    """
    looked_at = amounts[:MOST_AMOUNTS]
    middle = len(looked_at) // 2
    left = _sums(looked_at, range(middle), largest)
    right = sorted(_sums(looked_at, range(middle, len(looked_at)), largest))
    totals = [total for total, _, _ in right]
    best: tuple[int, tuple[int, ...]] | None = None
    hits = 0
    for total, count, bits in left:
        first = bisect_left(totals, least - total)
        last = bisect_right(totals, most - total, first)
        for _, more, other_bits in right[first:last]:
            size = count + more
            if not 2 <= size <= largest or (best is not None and size > best[0]):
                continue
            rank = size, _members(bits | other_bits)
            hits = hits + 1 if best is not None and best[0] == size else 1
            best = rank if best is None else min(best, rank)
            if hits >= _MOST_HITS:
                return Found(best[1], hits - 1)
    return None if best is None else Found(best[1], hits - 1)


def _sums(amounts: Sequence[int], positions: range, largest: int) -> list[_Sum]:
    sums: list[_Sum] = [(0, 0, 0)]
    for position in positions:
        amount, bit = amounts[position], 1 << position
        sums += [
            (total + amount, count + 1, bits | bit)
            for total, count, bits in sums
            if count < largest
        ]
    return sums


def _members(bits: int) -> tuple[int, ...]:
    return tuple(position for position in range(MOST_AMOUNTS) if bits >> position & 1)
