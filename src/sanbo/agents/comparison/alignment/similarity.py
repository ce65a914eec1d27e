"""How much two chunks say the same: shared rare words, and shared text in order."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from scipy.sparse import csr_array

from sanbo.agents.comparison.alignment.candidates import Pairs
from sanbo.agents.comparison.alignment.ngrams import Vectors

_CHANCE = 40.0
"""Percent of their characters that any two texts of a language share in order."""
_ROWS = 20_000
_LONG = 4_000


def cosines(old: csr_array, new: csr_array, pairs: Pairs) -> NDArray[np.float64]:
    """Of rows of length one, block by block so that memory stays small."""
    found = np.zeros(len(pairs))
    row = np.zeros(old.shape[1], dtype=old.dtype)  # the old row at hand, by feature
    for start in range(0, len(pairs), _ROWS):
        part = slice(start, start + _ROWS)
        others = csr_array(new[pairs.new[part]])
        for first, last, one in _runs(pairs.old[part]):
            features = slice(old.indptr[one], old.indptr[one + 1])
            row[old.indices[features]] = old.data[features]
            theirs = slice(others.indptr[first], others.indptr[last])
            others.data[theirs] *= row[others.indices[theirs]]
            row[old.indices[features]] = 0
        found[part] = np.asarray(others.sum(axis=1)).ravel()
    return np.clip(found, 0.0, 1.0)


def _runs(rows: NDArray[np.int64]) -> Iterator[tuple[int, int, int]]:
    """Where each row that stands several times in succession begins and ends, and which it is."""
    edges = [0, *(np.flatnonzero(np.diff(rows)) + 1).tolist(), len(rows)]
    for first, last in pairwise(edges):
        if first < last:
            yield first, last, int(rows[first])


def in_order(old: Sequence[str], new: Sequence[str], pairs: Pairs) -> NDArray[np.float64]:
    """Share of the characters that both have in the same order, less what chance gives."""
    if not len(pairs):
        return np.zeros(0)
    ratio = process.cpdist(
        [old[one][:_LONG] for one in pairs.old],
        [new[other][:_LONG] for other in pairs.new],
        scorer=fuzz.ratio,
        workers=1,  # a guarded process has one thread; 20,000 pairs take a tenth of a second
    )
    return np.clip((np.asarray(ratio, dtype=np.float64) - _CHANCE) / (100 - _CHANCE), 0.0, 1.0)


def similarities(
    old: Sequence[str], new: Sequence[str], vectors: Vectors, pairs: Pairs
) -> NDArray[np.float64]:
    """Order helps where it is kept; where sentences were turned round it does not hurt."""
    cosine = cosines(vectors.old, vectors.new, pairs)
    return np.maximum(cosine, 0.6 * cosine + 0.4 * in_order(old, new, pairs))
