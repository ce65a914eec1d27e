"""Headings follow the clauses under them: a title may stand over another rule now."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sanbo.agents.comparison.model import Chunk, Decision, Pair, Side

Edge = tuple[str, str, float]
"""An old chunk, a new one, and how sure it is that they correspond."""


@dataclass(frozen=True)
class _Under:
    """Where the clauses under headings came from and went to, by links and by what was decided."""

    over_old: dict[str, str]
    over_new: dict[str, str]
    went: Mapping[str, Mapping[str, float]]
    """Of an old heading: the new ones, and how sure that is."""
    came: Mapping[str, Mapping[str, float]]

    @classmethod
    def of(cls, pair: Pair, edges: Iterable[Edge]) -> "_Under":
        over_old, over_new = _headings(pair.old), _headings(pair.new)
        went: defaultdict[str, dict[str, float]] = defaultdict(dict)
        came: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for one, other, confidence in edges:
            if one in over_old and other in over_new:
                here, there = over_old[one], over_new[other]
                sure = min(confidence, went[here].get(there, 1.0))
                went[here][there] = came[there][here] = sure
        return cls(over_old, over_new, dict(went), dict(came))

    def left(self, one: str, other: str) -> bool:
        return one in self.went and other not in self.went[one]

    def taken(self, one: str, other: str) -> bool:
        return other in self.came and one not in self.came[other]

    def sure(self, one: str, other: str) -> float:
        known = (*self.went.get(one, {}).values(), *self.came.get(other, {}).values())
        return min(known)


def with_headings(
    pair: Pair, settled: Mapping[str, Decision], edges: Sequence[Edge]
) -> tuple[list[Edge], dict[str, float]]:
    """With the headings that lost their counterparts, and how sure that is.

    Only where something was decided about a clause under them, and nothing about themselves. Titles
    that differ part where what stands under one denies it. One that stays word for word parts where
    what stands under both does, or where its clauses went under a heading that is nobody's.
    """
    if not settled:
        return list(edges), {}
    under = _Under.of(pair, edges)
    chunks = {chunk.id: chunk for side in (pair.old, pair.new) if side for chunk in side.chunks}
    decided = {under.over_old[one] for one in settled if one in under.over_old} - settled.keys()
    claimed = {under.over_new.get(other) for one in settled.values() for other in one.new}
    kept: dict[tuple[str, str], float] = {}
    released: dict[str, float] = {}
    for one, other, confidence in edges:
        is_open = one not in settled and (one in decided or other in claimed)
        if is_open and _denied(under, chunks[one], chunks[other]):
            released |= dict.fromkeys((one, other), under.sure(one, other))
        else:
            kept[one, other] = confidence
    owners = Counter(other for _, other in kept)
    of_old: defaultdict[str, list[str]] = defaultdict(list)
    for one, other in kept:
        of_old[one].append(other)
    for here in (id for id in chunks if id in decided):  # in the order of the document
        targets = under.went.get(here, {})
        lost = [other for other in of_old[here] if under.left(here, other)]
        is_free = len(lost) == len(of_old[here]) and not any(owners[there] for there in targets)
        if len(targets) == 1 and is_free:
            for other in lost:
                del kept[here, other]
                owners[other] -= 1
                released[other] = under.sure(here, other)
            kept |= {(here, there): sure for there, sure in targets.items()}
            owners.update(targets.keys())
    linked = {id for both in kept for id in both}
    return (
        [(one, other, confidence) for (one, other), confidence in kept.items()],
        {id: confidence for id, confidence in released.items() if id not in linked},
    )


def _denied(under: _Under, one: Chunk, other: Chunk) -> bool:
    left, taken = under.left(one.id, other.id), under.taken(one.id, other.id)
    return (left and taken) if one.key == other.key else (left or taken)


def _headings(side: Side | None) -> dict[str, str]:
    """Of each chunk, the heading that it stands under."""
    chunks = side.chunks if side else ()
    headings = {chunk.id for chunk in chunks if chunk.kind == "heading"}
    return {chunk.id: chunk.parent for chunk in chunks if chunk.parent in headings}
