"""Maximum-weight matching: the one-to-one pairing that is best for all, by component."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from sanbo.agents.comparison.alignment.candidates import Pairs

_SMALL = 64
"""Chunks of a component that is solved as a small full table."""


def best_matching(pairs: Pairs, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices of the chosen pairs; a pair with no weight is never chosen."""
    wanted = np.flatnonzero(weights > 0)
    if not len(wanted):
        return wanted
    ones, one_of = np.unique(pairs.old[wanted], return_inverse=True)
    others, other_of = np.unique(pairs.new[wanted], return_inverse=True)
    size = len(ones) + len(others)
    graph = csr_array((np.ones(len(wanted)), (one_of, other_of + len(ones))), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    chosen: list[NDArray[np.int64]] = []
    of_pair = component[one_of]
    order = np.argsort(of_pair, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(of_pair[order])) + 1):
        chosen.append(wanted[group[_solve(one_of[group], other_of[group], weights[wanted[group]])]])
    return np.sort(np.concatenate(chosen))


def _solve(
    ones: NDArray[np.int64], others: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    if len(ones) == 1:
        return np.zeros(1, dtype=np.int64)
    rows, row_of = np.unique(ones, return_inverse=True)
    columns, column_of = np.unique(others, return_inverse=True)
    if max(len(rows), len(columns)) <= _SMALL:
        table = np.zeros((len(rows), len(columns)))
        table[row_of, column_of] = weights
        chosen_rows, chosen_columns = linear_sum_assignment(table, maximize=True)
    else:
        chosen_rows, chosen_columns = _solve_sparse(row_of, column_of, weights)
    place = {code: at for at, code in enumerate((row_of * len(columns) + column_of).tolist())}
    codes = (chosen_rows * len(columns) + chosen_columns).tolist()
    return np.array([place[code] for code in codes if code in place], dtype=np.int64)


def _solve_sparse(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each row may also stay alone: a column of its own, at a cost worse than any pair."""
    count, width = int(rows.max()) + 1, int(columns.max()) + 1
    alone = np.arange(count)
    # A cost of 0 would be read as no edge, so every cost is at least 1.
    costs = np.concatenate([1.0 + weights.max() - weights, np.full(count, 1.0 + weights.max())])
    graph = csr_array(
        (costs, (np.concatenate([rows, alone]), np.concatenate([columns, width + alone]))),
        shape=(count, width + count),
    )
    chosen_rows, chosen_columns = min_weight_full_bipartite_matching(graph)
    paired = chosen_columns < width
    return chosen_rows[paired].astype(np.int64), chosen_columns[paired].astype(np.int64)
