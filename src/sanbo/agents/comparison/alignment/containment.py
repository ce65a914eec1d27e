"""Splits and merges: a chunk found inside another, and the links of several chunks that follow."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, vstack

from sanbo.agents.comparison.alignment.candidates import Pairs, Vectors, cosines, nearest
from sanbo.agents.comparison.alignment.outline import Matches, Outline

_KEEP = 8
_MOST, _SOME = 0.5, 0.08
_POSSIBLE = 0.33
_LEAD = 0.1
_BLOCK = 10_000
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
    for start in range(0, len(left), _BLOCK):
        block = slice(start, start + _BLOCK)
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
