"""Chunks as weights of their character n-grams (TF-IDF), the same columns for both sides."""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

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
