"""The aligner: what corresponds to what, how sure that is, and what is in doubt."""

from collections.abc import Sequence

import numpy as np

from sanbo.agents.comparison.alignment.anchors import link_unique
from sanbo.agents.comparison.alignment.candidates import vectors_of
from sanbo.agents.comparison.alignment.containment import (
    Group,
    groups_of,
    parts_of_new,
    parts_of_old,
)
from sanbo.agents.comparison.alignment.context import (
    Surroundings,
    headings_of,
    label_trust,
    link_by_id,
    link_repealed,
)
from sanbo.agents.comparison.alignment.doubts import (
    PLAUSIBLE,
    PLAUSIBLY_MEANT,
    Evidence,
    doubts_of,
)
from sanbo.agents.comparison.alignment.duplicates import link_duplicates
from sanbo.agents.comparison.alignment.meanings import meant
from sanbo.agents.comparison.alignment.outline import Matches, Outline, outline_of
from sanbo.agents.comparison.alignment.rewritten_chunks import (
    STRICT,
    link_meant,
    link_near_copies,
    link_rewritten,
    weighed_free,
    weighed_rivals,
)
from sanbo.agents.comparison.model import Alignment, Doubt, Link, Side

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
