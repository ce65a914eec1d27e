"""Which chunks may belong together: the most similar ones, and those found inside another.

Not every pair is looked at. Of the chunks inside others come splits and merges, links of several.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from scipy.sparse import csr_array, vstack

from sanbo.agents.comparison.alignment.matches import Matches, Outline

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
    # pyrefly: ignore[no-matching-overload]
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


_KEEP = 8
_MOST, _SOME = 0.5, 0.08
_POSSIBLE = 0.33
_LEAD = 0.1
_ROWS_AT_ONCE = 10_000
_TELLING = 36
"""Bytes: a dozen Japanese characters, half a dozen English words."""


@dataclass(frozen=True, slots=True)
class Part:
    """A chunk without counterpart, and the chunk of the other side it seems to be a part of."""

    part: int
    whole: int
    share: float
    """Of the part, by weight, that the whole says and the whole's counterpart does not."""
    cosine: float
    lead: float
    """Over the next best whole."""
    is_new: bool
    """Whether the part is: a split; else a merge."""

    def is_sure(self, least: float) -> bool:
        """Most of it is in there; or some of it, and both are about the same."""
        if self.share >= _MOST and self.lead >= _LEAD:
            return True
        return self.share >= _SOME and self.lead >= _LEAD / 2 and self.cosine >= least

    def is_possible(self, least: float) -> bool:
        return self.share >= _POSSIBLE and self.cosine >= least / 2


def parts_of_old(new: Outline, vectors: Vectors, matches: Matches) -> list[Part]:
    """New chunks that were parts of an old one: splits."""
    sides = _Sides(vectors.new, vectors.old, vectors.new_weights, vectors.old_weights, is_new=True)
    return _parts(sides, _telling(new, matches.free_new()), matches.new_of)


def parts_of_new(old: Outline, vectors: Vectors, matches: Matches) -> list[Part]:
    """Old chunks that became parts of a new one: merges."""
    sides = _Sides(vectors.old, vectors.new, vectors.old_weights, vectors.new_weights, is_new=False)
    return _parts(sides, _telling(old, matches.free_old()), matches.old_of)


def _telling(outline: Outline, free: list[int]) -> list[int]:
    """A heading, or a few words that stand in many texts, are not a part of one of them."""
    return [
        one
        for one in free
        if outline.kinds[one] != "heading" and len(outline.keys[one].encode()) >= _TELLING
    ]


@dataclass(frozen=True, slots=True)
class _Sides:
    part: csr_array
    whole: csr_array
    part_weights: csr_array
    whole_weights: csr_array
    is_new: bool
    """Whether the parts are on the new side."""


def _parts(sides: _Sides, free: list[int], partner: list[int]) -> list[Part]:
    if not free or not sides.whole.shape[0]:
        return []
    parts = np.array(free, dtype=np.int64)
    asked = csr_array(sides.part_weights[parts])
    said = _presence(sides.whole_weights)
    rows, wholes = nearest(asked, said, _KEEP)
    looked = _Looked(asked, rows, wholes)
    shares = _shares(looked, said, _presence(sides.part_weights), partner)
    cosine = cosines(sides.part, sides.whole, Pairs(parts[rows], wholes))
    return _best_wholes(parts, looked, shares, cosine, is_new=sides.is_new)


@dataclass(frozen=True, slots=True)
class _Looked:
    """Which row of `asked` was held against which whole."""

    asked: csr_array
    rows: NDArray[np.int64]
    wholes: NDArray[np.int64]


def _presence(weights: csr_array) -> csr_array:
    return csr_array((np.ones_like(weights.data), weights.indices, weights.indptr), weights.shape)


def _shares(
    looked: _Looked, said: csr_array, said_there: csr_array, partner: list[int]
) -> NDArray[np.float64]:
    """Of each part, by weight, what the whole says and the whole's counterpart does not."""
    with_nothing = csr_array(vstack([said_there, csr_array((1, said_there.shape[1]))]).tocsr())
    partners = np.array(partner, dtype=np.int64)[looked.wholes]
    partners = np.where(partners < 0, said_there.shape[0], partners)
    left = np.zeros(len(looked.rows))
    for start in range(0, len(left), _ROWS_AT_ONCE):
        block = slice(start, start + _ROWS_AT_ONCE)
        shared = csr_array(looked.asked[looked.rows[block]].multiply(said[looked.wholes[block]]))
        explained = csr_array(shared.multiply(with_nothing[partners[block]]))
        left[block] = np.asarray(shared.sum(axis=1)).ravel()
        left[block] -= np.asarray(explained.sum(axis=1)).ravel()
    total = np.maximum(np.asarray(looked.asked.sum(axis=1)).ravel(), 1e-9)
    return left / total[looked.rows]


def _best_wholes(
    parts: NDArray[np.int64],
    looked: _Looked,
    shares: NDArray[np.float64],
    cosine: NDArray[np.float64],
    *,
    is_new: bool,
) -> list[Part]:
    """Of each part the whole that explains it best, by what it adds and by what it is about."""
    rows, wholes = looked.rows, looked.wholes
    found: list[Part] = []
    worth = shares + cosine
    order = np.lexsort((wholes, -worth, rows))
    last = -1
    for at, index in enumerate(order.tolist()):
        row = int(rows[index])
        if row == last:
            continue
        last = row
        following = order[at + 1] if at + 1 < len(order) else index
        rival = worth[following] if following != index and rows[following] == row else 0.0
        found.append(
            Part(
                int(parts[row]),
                int(wholes[index]),
                float(shares[index]),
                float(cosine[index]),
                float(worth[index] - rival),
                is_new,
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class Group:
    old: tuple[int, ...]
    new: tuple[int, ...]
    confidence: float


def groups_of(matches: Matches, splits: list[Part], merges: list[Part]) -> list[Group]:
    """A chunk that was split is not merged as well: the surer reading is taken."""
    new_parts: dict[int, list[Part]] = {}
    old_parts: dict[int, list[Part]] = {}
    taken_old: set[int] = set()
    taken_new: set[int] = set()
    both = [(part, True) for part in splits] + [(part, False) for part in merges]
    for part, is_split in sorted(both, key=lambda one: (-one[0].share, one[1], one[0].part)):
        if is_split:
            partner = matches.new_of[part.whole]
            is_other = part.whole in taken_old or partner in old_parts or part.part in old_parts
            if not is_other and part.part not in taken_new:
                new_parts.setdefault(part.whole, []).append(part)
                taken_new.add(part.part)
        else:
            partner = matches.old_of[part.whole]
            is_other = part.whole in taken_new or partner in new_parts or part.part in new_parts
            if not is_other and part.part not in taken_old:
                old_parts.setdefault(part.whole, []).append(part)
                taken_old.add(part.part)
    return _joined(matches, new_parts, old_parts)


def _joined(
    matches: Matches, new_parts: dict[int, list[Part]], old_parts: dict[int, list[Part]]
) -> list[Group]:
    found: list[Group] = []
    for old, new in matches.pairs():
        confidence = matches.confidence[old]
        added = [*new_parts.get(old, ()), *old_parts.get(new, ())]
        found.append(
            Group(
                tuple(sorted((old, *(part.part for part in old_parts.get(new, ()))))),
                tuple(sorted((new, *(part.part for part in new_parts.get(old, ()))))),
                min([confidence, *(_confidence(part) for part in added)]),
            )
        )
    for old, parts in new_parts.items():
        if matches.new_of[old] < 0:
            news = tuple(sorted(part.part for part in parts))
            found.append(Group((old,), news, min(_confidence(part) for part in parts)))
    for new, parts in old_parts.items():
        if matches.old_of[new] < 0:
            olds = tuple(sorted(part.part for part in parts))
            found.append(Group(olds, (new,), min(_confidence(part) for part in parts)))
    return sorted(found, key=lambda group: (group.old, group.new))


def _confidence(part: Part) -> float:
    return min(0.97, 0.55 + 0.4 * part.share + 0.3 * min(part.lead, 0.3))
