"""Parent and child: children of linked parents prefer each other, and the reverse."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.comparison.alignment.candidates import Pairs, pairs_of
from sanbo.agents.comparison.alignment.matches import Matches
from sanbo.agents.comparison.alignment.outline import Outline

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
        if together >= _SEVERAL and matches.free(one, other) and old.kinds[one] == new.kinds[other]:
            matches.link(one, other, _BY_CHILDREN)


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
