"""Who belongs to whom, where several would fit: each record is given away at most once."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sanbo.blocks.matching.comparisons import Ints, Pairs
from sanbo.blocks.matching.pairing import Found

_PERFECT = 1 - 1e-9
_LARGEST = 250_000
"""Cells of a table that is solved exactly; beyond it the best pairs are taken first."""


def one_to_one(found: Found, lefts: int, rights: int) -> Ints:
    """Places of the chosen pairs in `found`. Perfect pairs first, then the best total."""
    perfect = np.flatnonzero(found.scores >= _PERFECT)
    chosen = _best(found, perfect, lefts, rights)
    free_left, free_right = np.ones(lefts, bool), np.ones(rights, bool)
    free_left[found.pairs.left[chosen]] = False
    free_right[found.pairs.right[chosen]] = False
    open_ = free_left[found.pairs.left] & free_right[found.pairs.right]
    rest = np.flatnonzero(open_)
    return np.sort(np.concatenate([chosen, _best(found, rest, lefts, rights)]))


def best_of_each(found: Found) -> Ints:
    """For every left record its best pair; a right record may serve several."""
    order = np.lexsort((found.pairs.right, -found.scores, found.pairs.left))
    lefts = found.pairs.left[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = lefts[1:] != lefts[:-1]
    return np.sort(order[is_first])


def _best(found: Found, places: Ints, lefts: int, rights: int) -> Ints:
    chosen = [_of_group(found, group) for group in _groups(found, places, lefts, rights)]
    return np.concatenate(chosen) if chosen else np.empty(0, np.int64)


def _groups(found: Found, places: Ints, lefts: int, rights: int) -> Iterator[Ints]:
    """Pairs that compete for the same records, apart from those that do not."""
    if not len(places):
        return
    left, right = found.pairs.left[places], found.pairs.right[places]
    size = lefts + rights
    graph = coo_array((np.ones(len(places)), (left, right + lefts)), shape=(size, size))
    labels = cast("Any", connected_components(graph, directed=False)[1])[left]
    order = np.argsort(labels, kind="stable")
    ends = np.flatnonzero(np.diff(labels[order])) + 1
    for part in np.split(order, ends):
        yield places[part]


def _of_group(found: Found, places: Ints) -> Ints:
    if len(places) == 1:
        return places
    rows, left = np.unique(found.pairs.left[places], return_inverse=True)
    columns, right = np.unique(found.pairs.right[places], return_inverse=True)
    if len(rows) * len(columns) > _LARGEST:
        return _greedy(found, places)
    table = np.zeros((len(rows), len(columns)))
    at = np.full(table.shape, -1, dtype=np.int64)
    # Of equal pairs the first ones: invoices are settled in the order in which they stand.
    table[left, right] = found.scores[places] - 1e-9 * np.abs(
        left / len(rows) - right / len(columns)
    )
    at[left, right] = places
    one, other = linear_sum_assignment(table, maximize=True)
    picked = at[one, other]
    return picked[picked >= 0]


def _greedy(found: Found, places: Ints) -> Ints:
    pairs = Pairs(found.pairs.left[places], found.pairs.right[places])
    order = np.lexsort((pairs.right, pairs.left, -found.scores[places]))
    used_left: set[int] = set()
    used_right: set[int] = set()
    chosen: list[int] = []
    for place in order.tolist():
        left, right = int(pairs.left[place]), int(pairs.right[place])
        if left not in used_left and right not in used_right:
            used_left.add(left)
            used_right.add(right)
            chosen.append(int(places[place]))
    return np.array(chosen, dtype=np.int64)
