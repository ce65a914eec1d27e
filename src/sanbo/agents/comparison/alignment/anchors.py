"""Anchors and order: what is said once on each side in the same words, and what stayed in order."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sanbo.agents.comparison.alignment.outline import Matches, Outline
from sanbo.agents.comparison.model import Link, Side


def heaviest_increasing(values: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Indices of the strictly increasing subsequence of greatest weight, in O(n log n)."""
    ranks = {value: rank for rank, value in enumerate(sorted(set(values)), start=1)}
    best: list[tuple[float, int]] = [(0.0, -1)] * (len(ranks) + 1)
    before = [-1] * len(values)
    for index, value in enumerate(values):
        rank = ranks[value]
        weight, last = _heaviest_below(best, rank - 1)
        before[index] = last
        _raise(best, rank, (weight + weights[index], index))
    _, last = _heaviest_below(best, len(ranks))
    chosen: list[int] = []
    while last >= 0:
        chosen.append(last)
        last = before[last]
    return chosen[::-1]


# Two operations of a Fenwick tree of maxima over the ranks.
def _heaviest_below(tree: list[tuple[float, int]], rank: int) -> tuple[float, int]:
    found = (0.0, -1)
    while rank > 0:
        if tree[rank][0] > found[0]:
            found = tree[rank]
        rank -= rank & -rank
    return found


def _raise(tree: list[tuple[float, int]], rank: int, entry: tuple[float, int]) -> None:
    while rank < len(tree):
        if entry[0] > tree[rank][0]:
            tree[rank] = entry
        rank += rank & -rank


TELLING = 8
"""Characters from which equal words are no accident."""


def link_unique(old: Outline, new: Outline, matches: Matches) -> None:
    """First by what is said, then by the text as it stands; short ones only where in order."""
    for old_words, new_words in ((old.keys, new.keys), (old.texts, new.texts)):
        found = [
            pair for pair in _unique_on_both(old_words, new_words, matches) if matches.free(*pair)
        ]
        for one, other in found:
            if len(old_words[one]) >= TELLING:
                matches.link(one, other, 1.0)
        in_order = _in_order_with(found, matches)
        for one, other in found:
            if matches.free(one, other) and (one, other) in in_order:
                matches.link(one, other, 1.0)


def _unique_on_both(
    old_words: Sequence[str], new_words: Sequence[str], matches: Matches
) -> list[tuple[int, int]]:
    old_free, new_free = matches.free_old(), matches.free_new()
    old_counts = Counter(old_words[one] for one in old_free)
    new_counts = Counter(new_words[other] for other in new_free)
    place = {new_words[other]: other for other in new_free}
    return [
        (one, place[words])
        for one in old_free
        if old_counts[words := old_words[one]] == 1 and new_counts[words] == 1
    ]


def _in_order_with(found: list[tuple[int, int]], matches: Matches) -> set[tuple[int, int]]:
    """Those that keep the order of what is linked; an anchor weighs far more than a short one."""
    pairs = sorted({*matches.pairs(), *found})
    weights = [1.0 if matches.new_of[old] == new else 0.01 for old, new in pairs]
    kept = heaviest_increasing([new for _, new in pairs], weights)
    return {pairs[index] for index in kept}


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


def moved_links(old: Side, new: Side, links: Sequence[Link]) -> frozenset[int]:
    """Indices of the links that moved; a link of several chunks stands where its longest does."""
    old_place = {chunk.id: place for place, chunk in enumerate(old.chunks)}
    new_place = {chunk.id: place for place, chunk in enumerate(new.chunks)}
    lengths = {chunk.id: len(chunk.text) for chunk in (*old.chunks, *new.chunks)}

    def main(ids: tuple[str, ...]) -> str:
        return max(ids, key=lambda one: lengths[one])

    order = sorted(range(len(links)), key=lambda index: old_place[main(links[index].old)])
    places = [new_place[main(links[index].new)] for index in order]
    weights = [_weight(links[index]) for index in order]
    kept = {order[index] for index in heaviest_increasing(places, weights)}
    return frozenset(range(len(links))) - kept


def _weight(link: Link) -> float:
    """A link that is sure holds its place against one that may be wrong."""
    return 0.5 + link.confidence / 2
