"""What stands around two chunks: parents, children, neighbours, headings, the same number."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from sanbo.agents.comparison.alignment.candidates import (
    Pairs,
    Vectors,
    cosines,
    pairs_of,
    vectors_of,
)
from sanbo.agents.comparison.alignment.matches import Matches, Outline, monotone_links

_DIFFERENT = 2


@dataclass(frozen=True, slots=True)
class Headings:
    """Each heading once; for each chunk which one it is."""

    old: NDArray[np.int64]
    new: NDArray[np.int64]
    vectors: Vectors

    def likeness(self, pairs: Pairs) -> NDArray[np.float64]:
        """Of the words under which the two chunks of each pair stand; 0 where there are none."""
        here, there = self.old[pairs.old], self.new[pairs.new]
        return cosines(self.vectors.old, self.vectors.new, Pairs(here, there))


def headings_of(old: Outline, new: Outline) -> Headings | None:
    """None where they tell nothing apart."""
    if any(len(set(side.headings) - {""}) < _DIFFERENT for side in (old, new)):
        return None
    here, old_words = _numbered(old.headings)
    there, new_words = _numbered(new.headings)
    return Headings(here, there, vectors_of(old_words, new_words))


def _numbered(headings: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    number: dict[str, int] = {}
    places = [number.setdefault(each, len(number)) for each in headings]
    return np.array(places, dtype=np.int64), list(number)


_MOST, _SEVERAL, _BY_CHILDREN = 0.7, 2, 0.8
_CROWD = 400
"""Pairs of one family that are looked at one by one."""


def parent_votes(pairs: Pairs, old: Outline, new: Outline, matches: Matches) -> NDArray[np.float64]:
    """1 where the parents are linked with each other, -1 where with others, else 0."""
    if not len(pairs):
        return np.zeros(0)
    new_of = np.array([*matches.new_of, -1], dtype=np.int64)
    old_of = np.array([*matches.old_of, -1], dtype=np.int64)
    one = np.array(old.parents, dtype=np.int64)[pairs.old]
    other = np.array(new.parents, dtype=np.int64)[pairs.new]
    together = (one >= 0) & (new_of[one] == other) & (other >= 0)
    apart = ((one >= 0) & (new_of[one] >= 0)) | ((other >= 0) & (old_of[other] >= 0))
    return np.where(together, 1.0, np.where(apart, -1.0, 0.0))


def child_votes(pairs: Pairs, old: Outline, new: Outline, matches: Matches) -> NDArray[np.float64]:
    """Share of the linked children of both that are linked with each other."""
    width = len(new)
    together: defaultdict[int, float] = defaultdict(float)
    of_old, of_new = np.zeros(len(old)), np.zeros(len(new))
    for child, other_child in matches.pairs():
        one, other = old.parents[child], new.parents[other_child]
        if one >= 0:
            of_old[one] += 1
        if other >= 0:
            of_new[other] += 1
        if one >= 0 and other >= 0:
            together[one * width + other] += 1
    if not together or not len(pairs):
        return np.zeros(len(pairs))
    shared = np.array(
        [together.get(code, 0.0) for code in (pairs.old * width + pairs.new).tolist()]
    )
    most = np.maximum(of_old[pairs.old], of_new[pairs.new])
    return shared / np.maximum(most, 1.0)


def link_parents(old: Outline, new: Outline, matches: Matches) -> None:
    """A heading in quite other words is still the one over the same clauses."""
    pairs = family_pairs(old, new, matches)
    votes = child_votes(pairs, old, new, matches)
    for index in np.argsort(-votes, kind="stable").tolist():
        one, other = int(pairs.old[index]), int(pairs.new[index])
        if votes[index] < _MOST:
            return
        together = sum(
            matches.new_of[child] >= 0 and new.parents[matches.new_of[child]] == other
            for child in old.children.get(one, ())
        )
        all_of_them = min(len(old.children.get(one, ())), len(new.children.get(other, ())))
        if (
            together >= min(_SEVERAL, all_of_them)
            and matches.free(one, other)
            and old.kinds[one] == new.kinds[other]
        ):
            matches.link(one, other, _BY_CHILDREN)


def release_headings(old: Outline, new: Outline, matches: Matches) -> None:
    """The same title over other clauses: what stood under it went under another."""
    for one, other in list(matches.pairs()):
        if old.kinds[one] != "heading":
            continue
        went_to = {
            new.parents[matches.new_of[child]]
            for child in old.children.get(one, ())
            if matches.new_of[child] >= 0
        }
        came_from = {
            old.parents[matches.old_of[child]]
            for child in new.children.get(other, ())
            if matches.old_of[child] >= 0
        }
        if (went_to and other not in went_to) or (came_from and one not in came_from):
            matches.unlink(one)


def family_pairs(old: Outline, new: Outline, matches: Matches) -> Pairs:
    """Free children of linked parents, and free parents of linked children."""
    ones: list[int] = []
    others: list[int] = []
    for one, other in matches.pairs():
        here = [child for child in old.children.get(one, ()) if matches.new_of[child] < 0]
        there = [child for child in new.children.get(other, ()) if matches.old_of[child] < 0]
        if 0 < len(here) * len(there) <= _CROWD:
            ones.extend(child for child in here for _ in there)
            others.extend(there * len(here))
        parent, other_parent = old.parents[one], new.parents[other]
        if parent >= 0 and other_parent >= 0 and matches.free(parent, other_parent):
            ones.append(parent)
            others.append(other_parent)
    return pairs_of(
        np.array(ones, dtype=np.int64), np.array(others, dtype=np.int64), max(1, len(new))
    )


_ALIKE = 60.0
_MOSTLY = 0.7
_ENOUGH = 3
_KEPT_NUMBER = 0.9
_REPEALED = re.compile(
    r"[\[(（【]?(?:削除|廃止|欠番|deleted|repealed|reserved|(?:intentionally )?omitted)"
    r"[\])）】]?[。.]?"
)


def same_label(pairs: Pairs, old: Outline, new: Outline) -> NDArray[np.float64]:
    number: dict[str, int] = {"": -1}
    here = np.array([number.setdefault(label, len(number)) for label in old.labels] or [-1])
    there = np.array([number.setdefault(label, len(number)) for label in new.labels] or [-1])
    one, other = here[pairs.old], there[pairs.new]
    return ((one == other) & (one >= 0)).astype(np.float64)


def label_trust(old: Outline, new: Outline, matches: Matches) -> float:
    """Share of what is surely the same that also kept its number."""
    kept = [
        old.labels[one] == new.labels[other]
        for one, other in matches.pairs()
        if old.labels[one] and new.labels[other]
    ]
    return sum(kept) / len(kept) if len(kept) >= _ENOUGH else 0.0


def link_by_id(old: Outline, new: Outline, matches: Matches) -> bool:
    """Rows of the same id, where such rows mostly say the same: there the id is a key."""
    place = {name: index for index, name in enumerate(new.ids)}
    unique = Counter(new.ids)
    found = [
        (one, place[name])
        for one, name in enumerate(old.ids)
        if unique[name] == 1 and (name in place)
    ]
    if not found:
        return False
    # pyrefly: ignore[no-matching-overload]
    alike = process.cpdist(
        [old.keys[one] for one, _ in found],
        [new.keys[other] for _, other in found],
        scorer=fuzz.ratio,
    )
    if np.mean(alike >= _ALIKE) < _MOSTLY:
        return False
    for (one, other), ratio in zip(found, alike.tolist(), strict=True):
        matches.link(one, other, min(1.0, 0.8 + ratio / 500))
    return True


def link_repealed(old: Outline, new: Outline, matches: Matches) -> None:
    """`第7条　…` that became `第7条　削除`: the number is kept so that no other has to change."""
    place: dict[str, list[int]] = {}
    for other in matches.free_new():
        if new.labels[other] and _REPEALED.fullmatch(new.keys[other]):
            place.setdefault(new.labels[other], []).append(other)
    if not place:
        return
    times = Counter(old.labels)
    for one in matches.free_old():
        found = place.get(old.labels[one], [])
        if len(found) == 1 and times[old.labels[one]] == 1:
            matches.link(one, found[0], _KEPT_NUMBER)


_PARENT, _CHILDREN, _NEIGHBOURS, _ORDER, _LABEL = 0.30, 0.30, 0.25, 0.20, 0.20
_HEADINGS = 0.5
_REACH = 3.0
"""Chunks over which what a neighbour says fades."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    old: Outline
    new: Outline
    matches: Matches
    label_trust: float
    headings: Headings | None


def support(pairs: Pairs, around: Surroundings) -> NDArray[np.float64]:
    """From -0.6, where the surroundings went elsewhere, to about 1, where they went together."""
    total = (
        _PARENT * parent_votes(pairs, around.old, around.new, around.matches)
        + _CHILDREN * child_votes(pairs, around.old, around.new, around.matches)
        + _NEIGHBOURS * _neighbours(pairs, around.matches)
        + _ORDER * _in_order(pairs, around)
        + _LABEL * around.label_trust * same_label(pairs, around.old, around.new)
    )
    if around.headings is not None:
        total += _HEADINGS * around.headings.likeness(pairs)
    return np.minimum(total, 1.0)


def _neighbours(pairs: Pairs, matches: Matches) -> NDArray[np.float64]:
    new_of = np.array(matches.new_of, dtype=np.int64)
    size = len(new_of)
    place = np.arange(size)
    linked = new_of >= 0
    before = np.maximum.accumulate(np.where(linked, place, -1))
    after = np.minimum.accumulate(np.where(linked, place, size)[::-1])[::-1]
    before = np.concatenate([[-1], before[:-1]])
    after = np.concatenate([after[1:], [size]])
    total = np.zeros(len(pairs))
    for other in (before[pairs.old], after[pairs.old]):
        there = (other >= 0) & (other < size)
        safe = np.where(there, other, 0)
        apart = np.abs((pairs.new - new_of[safe]) - (pairs.old - safe))
        away = np.abs(pairs.old - safe)
        total += np.where(there, np.exp(-apart / _REACH - (away - 1) / (2 * _REACH)), 0.0)
    return total / 2


def _in_order(pairs: Pairs, around: Surroundings) -> NDArray[np.float64]:
    """How narrow the place is where the old chunk should stand, if the new one stands in it."""
    monotone = monotone_links(around.old, around.new, around.matches)
    bounds = np.array(
        [monotone.bounds(old) for old in range(len(around.old))], dtype=np.int64
    ).reshape(-1, 2)
    low, high = bounds[pairs.old, 0], bounds[pairs.old, 1]
    inside = (low < pairs.new) & (pairs.new < high)
    share = (high - low - 1) / max(1, len(around.new))
    return np.where(inside, np.clip(1 - share, 0.0, 1.0), 0.0)
