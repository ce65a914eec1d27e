"""What corresponds in the end: the aligner's links with what was decided since put in."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from sanbo.agents.comparison.model import DecidedBy, Decision, Pair, Side
from sanbo.kernel.problems import Problem

_UNKNOWN = 0.5


@dataclass
class Group:
    """Chunks that become one row: those of each side are in the order of their document."""

    old: list[str] = field(default_factory=list[str])
    new: list[str] = field(default_factory=list[str])
    confidence: float = 1.0
    decided_by: DecidedBy = "rules"
    explanation: str = ""
    problem: Problem | None = None
    in_doubt: bool = False
    """The aligner was not sure, and nobody has settled it."""


def grouped(pair: Pair, decisions: Sequence[Decision]) -> list[Group]:
    """Every chunk of both sides is in exactly one group."""
    old, new = _places(pair.old), _places(pair.new)
    settled = {one.old: one for one in decisions if one.problem is None and one.old in old}
    edges = list(_edges(pair, settled, new))
    groups = _components([*old, *new], edges, old)
    by_id = {id: group for group in groups for id in (*group.old, *group.new)}
    for one, other, confidence in edges:
        if one not in settled:
            group = by_id[other]
            group.confidence = min(group.confidence, confidence)
    _alone(groups, pair, settled)
    _decided(by_id, settled.values())
    _doubted(by_id, pair, settled, decisions)
    return groups


def _places(side: Side | None) -> dict[str, int]:
    return {} if side is None else {chunk.id: at for at, chunk in enumerate(side.chunks)}


def _edges(
    pair: Pair, settled: dict[str, Decision], new: dict[str, int]
) -> Iterator[tuple[str, str, float]]:
    for link in pair.alignment.links:
        for one in link.old:
            if one not in settled:
                yield from ((one, other, link.confidence) for other in link.new)
    for decision in settled.values():
        # An id that is nowhere in the document corresponds to nothing.
        yield from (
            (decision.old, other, decision.confidence) for other in decision.new if other in new
        )


def _components(
    ids: Sequence[str], edges: Iterable[tuple[str, str, float]], old: dict[str, int]
) -> list[Group]:
    """What is linked, also over several links, is one group."""
    head = {id: id for id in ids}

    def find(id: str) -> str:
        while head[id] != id:
            head[id] = head[head[id]]
            id = head[id]
        return id

    for one, other, _ in edges:
        head[find(other)] = find(one)
    groups: dict[str, Group] = {}
    for id in ids:
        group = groups.setdefault(find(id), Group())
        (group.old if id in old else group.new).append(id)
    return list(groups.values())


def _alone(groups: Iterable[Group], pair: Pair, settled: dict[str, Decision]) -> None:
    """How sure it is that what has no counterpart has none."""
    freed = {
        other: settled[one].confidence
        for link in pair.alignment.links
        for one in link.old
        if one in settled
        for other in link.new
    }
    for group in groups:
        if group.old and group.new:
            continue
        (id,) = (*group.old, *group.new)
        if id in freed:
            group.confidence, group.decided_by = freed[id], "model"
        else:
            group.confidence = pair.alignment.unlinked.get(id, _UNKNOWN if _two(pair) else 1.0)


def _two(pair: Pair) -> bool:
    return pair.old is not None and pair.new is not None


def _decided(by_id: dict[str, Group], decisions: Iterable[Decision]) -> None:
    for decision in decisions:
        group = by_id[decision.old]
        is_first = group.decided_by == "rules"
        alone = not group.old or not group.new
        before = 1.0 if is_first and alone else group.confidence
        group.confidence = min(before, decision.confidence)
        group.decided_by = "model"
        said = (group.explanation, decision.explanation.strip())
        group.explanation = "\n".join(dict.fromkeys(text for text in said if text))


def _doubted(
    by_id: dict[str, Group],
    pair: Pair,
    settled: dict[str, Decision],
    decisions: Iterable[Decision],
) -> None:
    for doubt in pair.alignment.doubts:
        if doubt.old not in settled and doubt.old in by_id:
            by_id[doubt.old].in_doubt = True
    for decision in decisions:
        if decision.problem is not None and decision.old in by_id:
            group = by_id[decision.old]
            group.problem, group.in_doubt = decision.problem, True
