"""What was found in a text, by where it stands: in order and disjoint."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Protocol, TypeVar

Span = tuple[int, int]


class Found(Protocol):
    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


F = TypeVar("F", bound=Found)


def spans(found: Iterable[Found]) -> tuple[Span, ...]:
    return tuple([(one.start, one.end) for one in found])


def within(found: Sequence[F], start: int, end: int) -> Sequence[F]:
    """Those that reach into this stretch."""
    if not found:
        return found
    first = bisect_right(found, start, key=lambda one: one.end)
    return found[first : max(first, bisect_left(found, end, key=lambda one: one.start))]


def spans_within(found: Sequence[Span], start: int, end: int) -> Sequence[Span]:
    if not found:
        return found
    first = bisect_right(found, start, key=lambda one: one[1])
    return found[first : max(first, bisect_left(found, end, key=lambda one: one[0]))]


def shifted(found: Iterable[Span], by: int) -> list[Span]:
    return [(start + by, end + by) for start, end in found]


def apart(found: Iterable[F], taken: Iterable[Span]) -> list[F]:
    """Those that overlap none of these."""
    found = list(found)
    order = sorted(taken) if found else []
    if not order:
        return found
    starts = [start for start, _ in order]
    ends = list(accumulate((end for _, end in order), max))
    kept: list[F] = []
    for one in found:
        before = bisect_left(starts, one.end)
        if before == 0 or ends[before - 1] <= one.start:
            kept.append(one)
    return kept
