"""What is in doubt: an old chunk that a model or a person should look at, with candidates."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from sanbo.agents.comparison.alignment.candidates import Pairs, Vectors, nearest, similarities
from sanbo.agents.comparison.alignment.containment import Group, Part
from sanbo.agents.comparison.alignment.context import Surroundings
from sanbo.agents.comparison.alignment.rewritten_chunks import UNSURE, Weighed
from sanbo.agents.comparison.model import Candidate, Doubt

PLAUSIBLE = 0.7
"""Of the score that was asked for: below it, a candidate is no reason to doubt."""
PLAUSIBLY_MEANT = 0.1
"""The same, where what is left was written anew."""
_CANDIDATES, _MEANT = 10, 3

Reason = Literal["low_margin", "unmatched", "split", "merged"]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the aligner saw: its links, what was left over, and what may be part of something."""

    groups: Sequence[Group]
    left: Weighed
    """Pairs of which neither has a counterpart."""
    rivals: Weighed
    """Pairs of which one has, though hardly a better one."""
    splits: Sequence[Part]
    merges: Sequence[Part]
    least: float
    plausible: float
    """The least weight of a pair that is left over for it to be a reason to doubt."""


def doubts_of(around: Surroundings, vectors: Vectors, evidence: Evidence) -> tuple[Doubt, ...]:
    reasons: dict[int, Reason] = {}
    for old, reason in _reasons(evidence):
        # What became of a heading is what became of the clauses under it.
        if around.old.kinds[old] != "heading" or not around.old.children.get(old):
            reasons.setdefault(old, reason)
    candidates = _candidates(around, vectors, sorted(reasons), evidence)
    return tuple(
        Doubt(old=around.old.ids[old], reason=reasons[old], candidates=candidates[old])
        for old in sorted(reasons)
    )


def _reasons(evidence: Evidence) -> Iterator[tuple[int, Reason]]:
    linked_old = {old for group in evidence.groups for old in group.old}
    linked_new = {new for group in evidence.groups for new in group.new}
    for group in evidence.groups:
        if group.confidence < UNSURE:
            for old in group.old:
                yield old, _reason(group)
    for part in evidence.splits:
        if part.part not in linked_new and part.is_possible(evidence.least):
            yield part.whole, "split"
    for part in evidence.merges:
        if part.part not in linked_old and part.is_possible(evidence.least):
            yield part.part, "merged"
    pairs, weights = evidence.left.pairs, evidence.left.weights
    for index in np.flatnonzero(weights >= evidence.plausible).tolist():
        old, new = int(pairs.old[index]), int(pairs.new[index])
        if old not in linked_old and new not in linked_new:
            yield old, "unmatched"
    pairs, weights = evidence.rivals.pairs, evidence.rivals.weights
    for index in np.flatnonzero(weights >= PLAUSIBLE * evidence.least).tolist():
        old, new = int(pairs.old[index]), int(pairs.new[index])
        if old not in linked_old:
            yield old, "unmatched"
        elif new not in linked_new:
            yield old, "low_margin"


def _reason(group: Group) -> Reason:
    if len(group.old) > 1:
        return "merged"
    return "split" if len(group.new) > 1 else "low_margin"


def _candidates(
    around: Surroundings,
    vectors: Vectors,
    olds: list[int],
    evidence: Evidence,
) -> dict[int, tuple[Candidate, ...]]:
    """The most similar new chunks, what it is linked with and what means the same among them, best
    first."""
    rows, news = nearest(csr_array(vectors.old[olds]), vectors.new, _CANDIDATES)
    partners = {old: group.new for group in evidence.groups for old in group.old}
    found: dict[int, set[int]] = {old: set(partners.get(old, ())) for old in olds}
    meant = _by_weight(evidence.left)
    for old in olds:
        found[old].update(new for new, _ in meant.get(old, ())[:_MEANT])
    for row, new in zip(rows.tolist(), news.tolist(), strict=True):
        found[olds[row]].add(new)
    flat = [(old, new) for old in olds for new in sorted(found[old])]
    pairs = Pairs(
        np.array([old for old, _ in flat], dtype=np.int64),
        np.array([new for _, new in flat], dtype=np.int64),
    )
    scores = similarities(around.old.keys, around.new.keys, vectors, pairs).tolist()
    ranked: dict[int, list[Candidate]] = {old: [] for old in olds}
    for (old, new), score in zip(flat, scores, strict=True):
        best = min(1.0, max(score, dict(meant.get(old, ())).get(new, 0.0)))
        ranked[old].append(Candidate(id=around.new.ids[new], score=round(best, 4)))
    return {
        old: tuple(sorted(ones, key=lambda one: -one.score)[:_CANDIDATES])
        for old, ones in ranked.items()
    }


def _by_weight(weighed: Weighed) -> dict[int, list[tuple[int, float]]]:
    """Of each old chunk, the new ones it was held against, the likeliest first."""
    found: dict[int, list[tuple[int, float]]] = {}
    for index in np.argsort(-weighed.weights, kind="stable").tolist():
        pair = int(weighed.pairs.new[index]), float(weighed.weights[index])
        found.setdefault(int(weighed.pairs.old[index]), []).append(pair)
    return found
