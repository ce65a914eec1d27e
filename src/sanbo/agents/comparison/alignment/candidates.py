"""The most similar new chunks of each old one, and the reverse, without looking at every pair."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

_BLOCK = 512
_RAREST, _AT_LEAST = 48, 3
"""Features of a chunk that are looked up: the rarest ones tell it apart."""
_WORK = 8_000
"""Chunks looked at for a chunk, however many there are: so the whole stays linear."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Candidate pairs by index, each once, sorted by old and new."""

    old: NDArray[np.int64]
    new: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.old)


def pairs_of(old: NDArray[np.int64], new: NDArray[np.int64], width: int) -> Pairs:
    codes = np.unique(old.astype(np.int64) * width + new)
    return Pairs(codes // width, codes % width)


def candidate_pairs(old: csr_array, new: csr_array, keep: int) -> Pairs:
    """The `keep` best of every row of either side, by the cosine of their rarest features."""
    ones, others = nearest(old, new, keep)
    backwards_others, backwards_ones = nearest(new, old, keep)
    return pairs_of(
        np.concatenate([ones, backwards_ones]),
        np.concatenate([others, backwards_others]),
        max(1, new.shape[0]),
    )


def nearest(
    rows: csr_array, columns: csr_array, keep: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Row and column of the `keep` greatest products of every row."""
    asked = _rarest_features(rows, columns)
    transposed = csr_array(columns.T.tocsr())
    ones: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    others: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    for start in range(0, rows.shape[0], _BLOCK):
        found = csr_array(asked[start : start + _BLOCK] @ transposed)
        chosen = _greatest(found, keep)
        row_of = np.repeat(np.arange(found.shape[0]), np.diff(found.indptr))
        ones.append(row_of[chosen].astype(np.int64) + start)
        others.append(found.indices[chosen].astype(np.int64))
    return np.concatenate(ones), np.concatenate(others)


def _greatest(found: csr_array, keep: int) -> NDArray[np.int64]:
    """Indices into the data; of equals the first, so that the same documents give the same."""
    chosen: list[NDArray[np.int64]] = [np.empty(0, dtype=np.int64)]
    ends = [int(end) for end in found.indptr]
    for start, end in pairwise(ends):
        data = found.data[start:end]
        if len(data) <= keep:
            chosen.append(np.arange(start, end))
            continue
        least = np.partition(data, len(data) - keep)[len(data) - keep]
        best = np.flatnonzero(data >= least)
        if len(best) > keep:
            above, equal = best[data[best] > least], best[data[best] == least]
            equal = equal[np.argsort(found.indices[start:end][equal])][: keep - len(above)]
            best = np.concatenate([above, equal])
        chosen.append(best + start)
    return np.concatenate(chosen)


def _rarest_features(rows: csr_array, columns: csr_array) -> csr_array:
    """Each row with only as many of its features as its share of the work allows."""
    frequency = np.bincount(columns.indices, minlength=columns.shape[1])
    row_of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    often = frequency[rows.indices]
    known = np.flatnonzero(often > 0)
    by_row_and_rarity = row_of[known] * (columns.shape[0] + 1) + often[known]
    order = known[np.argsort(by_row_and_rarity, kind="stable")]
    owner = row_of[order]
    starts = np.searchsorted(owner, np.arange(rows.shape[0]))
    rank = np.arange(len(order)) - starts[owner]
    work = np.concatenate([[0], np.cumsum(often[order])])
    spent = work[1:] - work[starts[owner]]
    kept = order[(rank < _AT_LEAST) | ((rank < _RAREST) & (spent <= _WORK))]
    return csr_array((rows.data[kept], (row_of[kept], rows.indices[kept])), shape=rows.shape)
