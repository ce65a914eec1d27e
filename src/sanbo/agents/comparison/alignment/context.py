"""What stands around two chunks: parents, children, neighbours, order, and the same number."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.comparison.alignment.candidates import Pairs
from sanbo.agents.comparison.alignment.gaps import monotone_links
from sanbo.agents.comparison.alignment.headings import Headings
from sanbo.agents.comparison.alignment.hierarchy import child_votes, parent_votes
from sanbo.agents.comparison.alignment.labels import same_label
from sanbo.agents.comparison.alignment.matches import Matches
from sanbo.agents.comparison.alignment.outline import Outline

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
