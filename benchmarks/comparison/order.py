"""Which links left their order, fairly: when A and B change places, either may be called moved.

Gold links cross where an old chunk stands before another whose new place it stands behind. Of
each knot of crossing links the cheapest set that leaves the rest in order is the gold: those
are the moves. Cheapest by the number of links or by their characters, whichever is nearer to the
prediction; and what the prediction leaves in its place counts double, so that between ways of
about the same cost its own is right. What was taken elsewhere by construction is right too.
"""

from collections.abc import Iterable, Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from sanbo.agents.comparison.model import Side

from .gold import Ids, Predicted

_LEFT_IN_PLACE = 2.0


class Moves(NamedTuple):
    gold: int
    found: int
    predicted: int
    false: int


class _Placed(NamedTuple):
    ids: Ids
    new_place: int
    characters: int


def judged_moves(
    old: Side, new: Side, gold: Set[Ids], predicted: Predicted, taken: Set[Ids]
) -> Moves:
    """`taken` was moved or swapped by construction."""
    moved = predicted.moved
    wanted = found = 0
    for knot in _knots(_in_old_order(old, new, gold)):
        right = _right_moves(knot, predicted.pairs - moved, moved, taken)
        wanted += len(right)
        found += len(right & moved)
    return Moves(wanted, found, len(moved), len(moved) - found)


def _in_old_order(old: Side, new: Side, gold: Iterable[Ids]) -> list[_Placed]:
    old_place = {chunk.id: place for place, chunk in enumerate(old.chunks)}
    new_place = {chunk.id: place for place, chunk in enumerate(new.chunks)}
    length = {chunk.id: len(chunk.text) for chunk in old.chunks}
    ordered = sorted(gold, key=lambda ids: (old_place[ids[0]], new_place[ids[1]]))
    return [_Placed(ids, new_place[ids[1]], length[ids[0]]) for ids in ordered]


def _knots(links: Sequence[_Placed]) -> list[Sequence[_Placed]]:
    """Stretches in which links cross each other; what stands in order is in none."""
    highest: list[int] = []
    for link in links:
        highest.append(max(link.new_place, highest[-1] if highest else -1))
    knots: list[Sequence[_Placed]] = []
    end, lowest = len(links), len(links) + highest[-1] + 1 if links else 0
    for at in range(len(links) - 1, -1, -1):
        lowest = min(lowest, links[at].new_place)
        if at == 0 or highest[at - 1] <= lowest:
            if end - at > 1:
                knots.append(links[at:end])
            end = at
    return knots


def _right_moves(
    knot: Sequence[_Placed], left: Set[Ids], moved: Set[Ids], taken: Set[Ids]
) -> frozenset[Ids]:
    everything = frozenset(link.ids for link in knot)
    favour = [_LEFT_IN_PLACE if link.ids in left else 1.0 for link in knot]
    by_length = [share * link.characters for share, link in zip(favour, knot, strict=True)]
    ways = [everything - _kept(knot, favour), everything - _kept(knot, by_length)]
    if _in_order([link for link in knot if link.ids not in taken]):
        ways.append(everything & taken)
    mine = everything & moved
    return min(ways, key=lambda way: len(way ^ mine))


def _in_order(links: Sequence[_Placed]) -> bool:
    return all(one.new_place <= two.new_place for one, two in pairwise(links))


def _kept(knot: Sequence[_Placed], weights: Sequence[float]) -> frozenset[Ids]:
    """The heaviest subsequence whose new places never go back."""
    places = sorted({link.new_place for link in knot})
    rank = {place: at + 1 for at, place in enumerate(places)}
    tree: list[tuple[float, int]] = [(0.0, -1)] * (len(places) + 1)
    before: list[int] = []
    totals: list[float] = []
    for at, (link, weight) in enumerate(zip(knot, weights, strict=True)):
        best = _best_up_to(tree, rank[link.new_place])
        before.append(best[1])
        totals.append(best[0] + weight)
        node = rank[link.new_place]
        while node < len(tree):
            tree[node] = max(tree[node], (totals[at], at))
            node += node & -node
    kept: list[Ids] = []
    at = max(range(len(knot)), key=totals.__getitem__)
    while at >= 0:
        kept.append(knot[at].ids)
        at = before[at]
    return frozenset(kept)


def _best_up_to(tree: Sequence[tuple[float, int]], node: int) -> tuple[float, int]:
    best = (0.0, -1)
    while node > 0:
        best = max(best, tree[node])
        node -= node & -node
    return best
