"""The most similar new chunks of each old one, and the reverse, without looking at every pair."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
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


_BUCKETS = 1 << 22
_LETTERS = re.compile(r"[^\W\d_]+")
_STEM = 5
"""English endings come after about as many letters: `encrypts`, `encryption`."""
_SYSTEMATIC = 4
"""Chunks in which a feature stands, on one side only, for it to be a change of style."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Rows are chunks. `old` and `new` have length one; the weights before that are `*_weights`."""

    old: csr_array
    new: csr_array
    old_weights: csr_array
    new_weights: csr_array


def vectors_of(old: Sequence[str], new: Sequence[str]) -> Vectors:
    weights = _weighted(_counts([*old, *new]))
    old_weights, new_weights = csr_array(weights[: len(old)]), csr_array(weights[len(old) :])
    telling = np.flatnonzero(~_changed_throughout(old_weights, new_weights))
    old_weights, new_weights = (
        csr_array(old_weights[:, telling]),
        csr_array(new_weights[:, telling]),
    )
    return Vectors(
        _of_length_one(old_weights), _of_length_one(new_weights), old_weights, new_weights
    )


def _weighted(counts: csr_array) -> csr_array:
    """TF-IDF with rarity squared: one rare word tells more than many that half the chunks share."""
    rows, columns = counts.shape
    found_in = np.bincount(counts.indices, minlength=columns)
    rarity = np.log((1 + rows) / (1 + found_in)) + 1
    data = (1 + np.log(counts.data)) * rarity[counts.indices] ** 2
    return csr_array((data.astype(np.float32), counts.indices, counts.indptr), shape=counts.shape)


def _of_length_one(weights: csr_array) -> csr_array:
    row_of = np.repeat(np.arange(weights.shape[0]), np.diff(weights.indptr))
    squares = np.bincount(row_of, weights=weights.data**2, minlength=weights.shape[0])
    lengths = np.sqrt(np.maximum(squares, 1e-12))
    data = (weights.data / lengths[row_of]).astype(np.float32)
    return csr_array((data, weights.indices, weights.indptr), shape=weights.shape)


def _changed_throughout(old: csr_array, new: csr_array) -> NDArray[np.bool_]:
    """What one side says often and the other never (a word replaced everywhere) tells nothing."""
    here = np.bincount(old.indices, minlength=old.shape[1])
    there = np.bincount(new.indices, minlength=new.shape[1])
    return ((here >= _SYSTEMATIC) & (there == 0)) | ((there >= _SYSTEMATIC) & (here == 0))


def _counts(texts: Sequence[str]) -> csr_array:
    rows, features = _character_features(texts)
    word_rows, word_features = _word_features(texts)
    rows = np.concatenate([rows, word_rows])
    features = np.concatenate([features, word_features])
    # Counted rather than sorted: there are millions of features, but only so many buckets.
    seen = np.zeros(2 * _BUCKETS, dtype=np.bool_)
    seen[features] = True
    number = np.cumsum(seen, dtype=np.int32)
    counts = csr_array(
        (np.ones(len(rows), dtype=np.float32), (rows, number[features] - 1)),
        shape=(len(texts), max(1, int(number[-1]))),
    )
    counts.sum_duplicates()
    return counts


def _character_features(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    joined = "".join(texts).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(joined, dtype=np.uint32).astype(np.uint64)
    owner = np.repeat(np.arange(len(texts)), [len(text) for text in texts])
    rows: list[NDArray[np.int64]] = []
    features: list[NDArray[np.int64]] = []
    hashes = np.zeros(len(codes), dtype=np.uint64)
    sizes = _sizes(codes)
    for size in range(1, sizes[-1] + 1):
        shifted = codes[size - 1 :]
        hashes = hashes[: len(shifted)] * np.uint64(1_000_003) + shifted
        if size not in sizes:
            continue
        whole = owner[: len(shifted)] == owner[size - 1 :]
        mixed = (hashes ^ (hashes >> np.uint64(17))) * np.uint64(0x9E3779B97F4A7C15)
        rows.append(owner[: len(shifted)][whole].astype(np.int64))
        features.append((mixed[whole] >> np.uint64(42)).astype(np.int64))
    return np.concatenate(rows), np.concatenate(features)


def _sizes(codes: NDArray[np.uint64]) -> tuple[int, ...]:
    """Two characters are a word in Japanese and nothing in English."""
    wide = np.count_nonzero(codes > 0x2E80)
    return (2, 3, 4) if wide * 4 > len(codes) else (3, 4, 5)


def _word_features(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    rows: list[int] = []
    features: list[int] = []
    for row, text in enumerate(texts):
        for word in _LETTERS.findall(text):
            if word.isascii():
                rows.append(row)
                features.append(_BUCKETS + zlib.crc32(word[:_STEM].encode()) % _BUCKETS)
    return np.array(rows, dtype=np.int64), np.array(features, dtype=np.int64)


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
