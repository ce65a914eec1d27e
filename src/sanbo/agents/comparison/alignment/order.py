"""The heaviest increasing subsequence: what stayed in order while the rest moved around it."""

from collections.abc import Sequence


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
