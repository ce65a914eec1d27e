"""Who belongs to whom, where several would fit: each record is given away at most once."""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from sanbo.blocks.matching.comparisons import Floats, Ints
from sanbo.blocks.matching.pairing import Found

_PERFECT = 1 - 1e-9
_LARGEST = 250_000
"""Cells of a table that is solved exactly; beyond it the best pairs are taken first."""


def one_to_one(found: Found) -> Ints:
    """Places of the chosen pairs in `found`. Perfect pairs first, then the best total."""
    left, right = found.pairs.left, found.pairs.right
    perfect = np.flatnonzero(found.scores >= _PERFECT)
    chosen = perfect[best_pairs(left[perfect], right[perfect], found.scores[perfect])]
    taken = np.isin(left, left[chosen]) | np.isin(right, right[chosen])
    rest = np.flatnonzero(~taken)
    more = rest[best_pairs(left[rest], right[rest], found.scores[rest])]
    return np.sort(np.concatenate([chosen, more]))


def best_of_each(found: Found) -> Ints:
    """For every left record its best pair; a right record may serve several."""
    order = np.lexsort((found.pairs.right, -found.scores, found.pairs.left))
    lefts = found.pairs.left[order]
    is_first = np.ones(len(order), bool)
    is_first[1:] = lefts[1:] != lefts[:-1]
    return np.sort(order[is_first])


def best_pairs(left: Ints, right: Ints, worth: Floats) -> Ints:
    """Places of pairs that are worth most together, no record in two of them."""
    chosen = [
        group[_of_group(left[group], right[group], worth[group])] for group in _groups(left, right)
    ]
    return np.concatenate(chosen) if chosen else np.empty(0, np.int64)


def _groups(left: Ints, right: Ints) -> Iterator[Ints]:
    """Pairs that compete for the same records, apart from those that do not."""
    if not len(left):
        return
    # Half a second to load, which a plan that is only looked at need not wait for.
    from scipy.sparse import coo_array  # noqa: PLC0415
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    lefts = int(left.max()) + 1
    size = lefts + int(right.max()) + 1
    graph = coo_array((np.ones(len(left)), (left, right + lefts)), shape=(size, size))
    labels = cast("Any", connected_components(graph, directed=False)[1])[left]
    order = np.argsort(labels, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _of_group(left: Ints, right: Ints, worth: Floats) -> Ints:
    if len(left) == 1:
        return np.zeros(1, np.int64)
    rows, row = np.unique(left, return_inverse=True)
    columns, column = np.unique(right, return_inverse=True)
    if len(rows) * len(columns) > _LARGEST:
        return _greedy(left, right, worth)
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415

    order = np.argsort(worth, kind="stable")  # of one pair given twice, the better counts
    row, column = row[order], column[order]
    table = np.zeros((len(rows), len(columns)))
    at = np.full(table.shape, -1, dtype=np.int64)
    # Of equal pairs the first ones: invoices are settled in the order in which they stand.
    table[row, column] = worth[order] - 1e-9 * np.abs(row / len(rows) - column / len(columns))
    at[row, column] = order
    one, other = linear_sum_assignment(table, maximize=True)
    picked = at[one, other]
    return picked[picked >= 0]


def _greedy(left: Ints, right: Ints, worth: Floats) -> Ints:
    used_left: set[int] = set()
    used_right: set[int] = set()
    chosen: list[int] = []
    for place in np.lexsort((right, left, -worth)).tolist():
        one, other = int(left[place]), int(right[place])
        if one not in used_left and other not in used_right:
            used_left.add(one)
            used_right.add(other)
            chosen.append(place)
    return np.array(chosen, dtype=np.int64)
