"""The stretches between monotone anchors: where a chunk's counterpart is, unless it moved."""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from sanbo.agents.comparison.alignment.matches import Matches
from sanbo.agents.comparison.alignment.order import heaviest_increasing
from sanbo.agents.comparison.alignment.outline import Outline


@dataclass(frozen=True, slots=True)
class Gap:
    old: range
    new: range


@dataclass(frozen=True, slots=True)
class Monotone:
    """The links that kept their order, with what lies between each and the next."""

    old: tuple[int, ...]
    new: tuple[int, ...]
    old_size: int
    new_size: int

    def gaps(self) -> Iterator[Gap]:
        olds = (-1, *self.old, self.old_size)
        news = (-1, *self.new, self.new_size)
        for index in range(len(olds) - 1):
            gap = Gap(
                range(olds[index] + 1, olds[index + 1]), range(news[index] + 1, news[index + 1])
            )
            if gap.old and gap.new:
                yield gap

    def bounds(self, old: int) -> tuple[int, int]:
        """The new chunks just before and just after where this old one should stand."""
        index = bisect_right(self.old, old)
        before = index - 1 if index and self.old[index - 1] != old else index - 2
        low = self.new[before] if before >= 0 else -1
        high = self.new[index] if index < len(self.new) else self.new_size
        return low, high


def monotone_links(old: Outline, new: Outline, matches: Matches) -> Monotone:
    pairs = list(matches.pairs())
    weights = [min(len(old.keys[one]), 200) * matches.confidence[one] for one, _ in pairs]
    kept = heaviest_increasing([other for _, other in pairs], weights)
    return Monotone(
        tuple(pairs[index][0] for index in kept),
        tuple(pairs[index][1] for index in kept),
        len(old),
        len(new),
    )
