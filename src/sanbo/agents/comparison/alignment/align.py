"""The aligner: what corresponds to what, how sure that is, and what is in doubt.

A doubt is an old chunk that a model or a person should look at, with candidates.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.sparse import csr_array

from sanbo.agents.comparison.alignment.candidates import (
    Group,
    Pairs,
    Part,
    Vectors,
    groups_of,
    nearest,
    parts_of_new,
    parts_of_old,
    similarities,
    vectors_of,
)
from sanbo.agents.comparison.alignment.context import (
    Surroundings,
    headings_of,
    label_trust,
    link_by_id,
    link_repealed,
)
from sanbo.agents.comparison.alignment.matches import (
    Matches,
    Outline,
    link_duplicates,
    link_unique,
    outline_of,
)
from sanbo.agents.comparison.alignment.rewritten_chunks import (
    STRICT,
    UNSURE,
    Weighed,
    link_meant,
    link_near_copies,
    link_rewritten,
    meant,
    weighed_free,
    weighed_rivals,
)
from sanbo.agents.comparison.model import Alignment, Candidate, Doubt, Link, Side

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


_BY_ITS_ID = 0.95
"""How sure it is that a row is new whose id no other row has."""


def align(old: Side, new: Side) -> Alignment:
    """Certain links first; then what was rewritten, split or merged; what is left is in doubt."""
    here, there = outline_of(old), outline_of(new)
    matches = Matches.none(len(here), len(there))
    ids_are_keys = old.keyed and new.keyed and link_by_id(here, there, matches)
    link_unique(here, there, matches)
    link_duplicates(here, there, matches)
    link_repealed(here, there, matches)
    is_settled = not matches.free_old() and not matches.free_new()
    headings = None if is_settled or ids_are_keys else headings_of(here, there)
    around = Surroundings(here, there, matches, label_trust(here, there, matches), headings)
    if is_settled:
        return _alignment(around, groups_of(matches, [], []), (), {})
    return _align_the_rows(around) if ids_are_keys else _align_the_rest(around)


def _align_the_rows(around: Surroundings) -> Alignment:
    """Where ids are keys: what is left and not a near copy of another row is new, or is gone."""
    if around.matches.free_old() and around.matches.free_new():
        link_near_copies(around, vectors_of(around.old.keys, around.new.keys))
    groups = groups_of(around.matches, [], [])
    alone = [around.old.ids[one] for one in around.matches.free_old()]
    alone += [around.new.ids[other] for other in around.matches.free_new()]
    return _alignment(around, groups, (), dict.fromkeys(alone, _BY_ITS_ID))


def _align_the_rest(around: Surroundings) -> Alignment:
    vectors = vectors_of(around.old.keys, around.new.keys)
    least = STRICT
    if around.matches.free_old() and around.matches.free_new():
        least = link_rewritten(around, vectors)
    splits = parts_of_old(around.new, vectors, around.matches)
    merges = parts_of_new(around.old, vectors, around.matches)
    surely_split = [part for part in splits if part.is_sure(least)]
    surely_merged = [part for part in merges if part.is_sure(least)]
    link_meant(around, vectors, (*surely_split, *surely_merged))
    groups = groups_of(around.matches, surely_split, surely_merged)
    meanings = meant(around)
    evidence = Evidence(
        groups=groups,
        left=weighed_free(around, vectors, meanings),
        rivals=weighed_rivals(around, vectors),
        splits=splits,
        merges=merges,
        least=least,
        plausible=PLAUSIBLE * least if meanings is None else PLAUSIBLY_MEANT,
    )
    doubts = doubts_of(around, vectors, evidence)
    return _alignment(around, groups, doubts, _alone(around, evidence))


def _alone(around: Surroundings, evidence: Evidence) -> dict[str, float]:
    """Of what stands in no link: the less anything resembles it, the surer."""
    best_old, best_new = np.zeros(len(around.old)), np.zeros(len(around.new))
    for weighed in (evidence.left, evidence.rivals):
        np.maximum.at(best_old, weighed.pairs.old, weighed.weights)
        np.maximum.at(best_new, weighed.pairs.new, weighed.weights)
    linked_old = {old for group in evidence.groups for old in group.old}
    linked_new = {new for group in evidence.groups for new in group.new}
    unlike = 2 * evidence.least
    found: dict[str, float] = {}
    for outline, linked, best in (
        (around.old, linked_old, best_old),
        (around.new, linked_new, best_new),
    ):
        for index, name in enumerate(outline.ids):
            if index not in linked:
                found[name] = round(float(np.clip(1 - best[index] / unlike, 0.5, 0.98)), 4)
    return found


def _alignment(
    around: Surroundings,
    groups: Sequence[Group],
    doubts: tuple[Doubt, ...],
    alone: dict[str, float],
) -> Alignment:
    links = tuple(
        Link(
            old=tuple(around.old.ids[one] for one in group.old),
            new=tuple(around.new.ids[other] for other in group.new),
            confidence=round(group.confidence, 4),
        )
        for group in groups
    )
    return Alignment(
        links=links, doubts=doubts, unlinked=alone, similarity=_similarity(around, groups)
    )


def _similarity(around: Surroundings, groups: Sequence[Group]) -> float:
    """Share of the characters of both that stand in a link."""
    linked = sum(len(around.old.texts[one]) for group in groups for one in group.old)
    linked += sum(len(around.new.texts[other]) for group in groups for other in group.new)
    total = _length(around.old) + _length(around.new)
    return round(linked / total, 4) if total else 1.0


def _length(outline: Outline) -> int:
    return sum(map(len, outline.texts))
