"""All pairs of records that are alike enough, found without trying every pair; and who belongs to
whom where several would fit: each record is given away at most once.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from sanbo.blocks.matching.comparisons import Comparison, Floats, Ints, Pairs, Same, spans
from sanbo.kernel.problems import InvalidInput, LimitExceeded

MOST_LOOKED_AT = 100_000_000
"""Pairs that a block looks at, in some tens of seconds; beyond that a person is told instead."""
MOST_FOUND = 2_000_000
_ROUNDING = 1e-9
# What a pair costs that is compared in every respect, beside one that a comparison has named.
_EVERY_PAIR = 3


@dataclass(frozen=True)
class Found:
    pairs: Pairs
    scores: Floats

    def __len__(self) -> int:
        return len(self.pairs)


def find_pairs(
    comparisons: Sequence[Comparison], threshold: float, *, within: bool = False
) -> Found:
    """Pairs whose weighted mean of scores reaches the threshold, in the order of their records.

    `within`: both sides are the same records; each pair comes once, and none with itself.
    """
    total = sum(one.respect.weight for one in comparisons)
    if not comparisons or total <= 0:
        raise InvalidInput("matching_nothing_compared")
    needed = [_needed(one, total, threshold) for one in comparisons]
    kept: list[Found] = []
    count = 0
    for pairs in _once(_candidates(comparisons, needed), within=within):
        kept.append(_kept(pairs, comparisons, needed, threshold * total))
        count += len(kept[-1])
        if count > MOST_FOUND:
            raise LimitExceeded("matching_too_many_found", limit=MOST_FOUND)
    return _together(kept, total)


def in_order(comparisons: Sequence[Comparison]) -> Found | None:
    """Where thousands of records share one key: the first with the first, and so on.

    None where the pairs are few enough to be looked at, or more than one equality is asked for.
    """
    if len(comparisons) != 1 or not isinstance(comparisons[0], Same):
        return None
    if comparisons[0].cost(1) <= MOST_FOUND / 10:
        return None
    pairs = comparisons[0].in_order()
    return Found(pairs, np.ones(len(pairs)))


def _needed(comparison: Comparison, total: float, threshold: float) -> float:
    """What a pair must score here, even if it scores full marks everywhere else."""
    weight = comparison.respect.weight
    if weight <= 0:
        return comparison.respect.minimum
    return max(comparison.respect.minimum, (threshold * total - (total - weight)) / weight)


def _candidates(comparisons: Sequence[Comparison], needed: Sequence[float]) -> Iterator[Pairs]:
    """From the comparison that tells most pairs apart; every pair where none needs to agree."""
    lefts, rights = comparisons[0].sizes
    costs = [one.cost(least) for one, least in zip(comparisons, needed, strict=True)]
    cheapest = int(np.argmin(costs))
    every = float(lefts * rights) * _EVERY_PAIR
    if min(every, costs[cheapest]) > MOST_LOOKED_AT:
        raise _too_many(min(every, costs[cheapest]))
    if costs[cheapest] <= every:
        return comparisons[cheapest].candidates(needed[cheapest])
    first = np.zeros(lefts, dtype=np.int64)
    return spans(first, first + rights, np.arange(rights, dtype=np.int64))


def _too_many(cost: float) -> LimitExceeded:
    return LimitExceeded("matching_too_many_pairs", pairs=int(cost), limit=MOST_LOOKED_AT)


def _once(candidates: Iterator[Pairs], *, within: bool) -> Iterator[Pairs]:
    looked_at = 0
    for pairs in candidates:
        looked_at += len(pairs)
        if looked_at > MOST_LOOKED_AT:
            raise _too_many(looked_at)
        yield pairs.where(pairs.left < pairs.right) if within else pairs


def _kept(
    pairs: Pairs, comparisons: Sequence[Comparison], needed: Sequence[float], threshold: float
) -> Found:
    """Pairs are dropped as soon as they can't reach the threshold any more."""
    sums = np.zeros(len(pairs))
    left = sum(one.respect.weight for one in comparisons)
    for comparison, least in zip(comparisons, needed, strict=True):
        scores = comparison.scores(pairs)
        left -= comparison.respect.weight
        sums = sums + comparison.respect.weight * scores
        fitting = (scores >= least - _ROUNDING) & (sums + left >= threshold - _ROUNDING)
        pairs, sums = pairs.where(fitting), sums[fitting]
    return Found(pairs, sums)


def _together(parts: Sequence[Found], total: float) -> Found:
    if not any(len(part) for part in parts):
        return Found(Pairs(np.empty(0, np.int64), np.empty(0, np.int64)), np.empty(0))
    left = np.concatenate([part.pairs.left for part in parts])
    right = np.concatenate([part.pairs.right for part in parts])
    scores = np.concatenate([part.scores for part in parts]) / total
    order = np.lexsort((right, left))
    return Found(Pairs(left[order], right[order]), np.minimum(scores[order], 1.0))


# ---- who belongs to whom -------------------------------------------------------------------------


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
