"""Groups of records, from the pairs of them that are alike."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

import numpy as np
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from sanbo.blocks.matching.comparisons import Comparison, Floats, Ints, Pairs
from sanbo.blocks.matching.pairing import Found
from sanbo.kernel.problems import LimitExceeded

_LARGEST = 3000
"""Records in one hierarchy: their distances are a table of some millions of cells."""
Linkage = Literal["average", "complete"]
_LINKAGE: Mapping[str, Linkage] = {
    "hierarchical": "average",
    "average": "average",
    "complete": "complete",
}


def clusters_of(
    found: Found, count: int, comparisons: Sequence[Comparison], method: str, threshold: float
) -> list[list[int]]:
    """Every record is in one group, alone or not; groups and members in the records' order."""
    groups = _connected(found, count)
    if method in _LINKAGE:
        groups = [
            part
            for group in groups
            for part in _divided(group, comparisons, _LINKAGE[method], threshold)
        ]
    lists: list[list[int]] = [group.tolist() for group in groups]
    return sorted(lists, key=lambda group: group[0])


def _connected(found: Found, count: int) -> list[Ints]:
    """Who is alike belongs together, and so does who is alike to one of them."""
    if not count:
        return []
    ones = np.ones(len(found))
    graph = coo_array((ones, (found.pairs.left, found.pairs.right)), shape=(count, count))
    labels = cast("Any", connected_components(graph, directed=False)[1])
    order = np.argsort(labels, kind="stable").astype(np.int64)
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _divided(
    group: Ints, comparisons: Sequence[Comparison], method: Linkage, threshold: float
) -> list[Ints]:
    """Chains are cut where their ends are not alike: groups merge only on average, or entirely.

    Two groups that merge so have a pair above the threshold, so no group reaches beyond the
    connected ones.
    """
    if len(group) <= 2:
        return [group]
    if len(group) > _LARGEST:
        raise LimitExceeded("matching_cluster_too_large", count=len(group), limit=_LARGEST)
    distances = 1 - _scores(group, comparisons)
    tree = linkage(distances, method=method)
    labels = fcluster(tree, t=1 - threshold + 1e-9, criterion="distance")
    return [np.sort(group[labels == label]) for label in np.unique(labels)]


def _scores(group: Ints, comparisons: Sequence[Comparison]) -> Floats:
    """Of all pairs of the group, as scipy orders them; one that breaks a minimum scores 0."""
    one, other = np.triu_indices(len(group), 1)
    pairs = Pairs(group[one], group[other])
    total = np.zeros(len(pairs))
    fits = np.ones(len(pairs), bool)
    for comparison in comparisons:
        scores = comparison.scores(pairs)
        total += comparison.respect.weight * scores
        fits &= scores >= comparison.respect.minimum - 1e-9
    weights = sum(comparison.respect.weight for comparison in comparisons)
    return np.where(fits, np.clip(total / weights, 0.0, 1.0), 0.0)
