"""What a person has without Sanbo: a plain difference, and pairing by number."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from difflib import SequenceMatcher
from itertools import product

from sanbo.agents.comparison.alignment.align import align
from sanbo.agents.comparison.alignment.moves import moved_links
from sanbo.agents.comparison.model import Chunk, Link, Side

from .gold import Ids, Predicted

Linking = Callable[[Side, Side], Sequence[Link]]


def sanbo(old: Side, new: Side) -> Sequence[Link]:
    return align(old, new).links


def plain_difference(old: Side, new: Side) -> Sequence[Link]:
    """difflib over paragraphs; where a block was replaced, its paragraphs paired in order."""
    matcher = SequenceMatcher(
        None,
        [chunk.text for chunk in old.chunks],
        [chunk.text for chunk in new.chunks],
        autojunk=False,
    )
    links: list[Link] = []
    for operation, start, end, other_start, other_end in matcher.get_opcodes():
        if operation in ("equal", "replace"):
            pairs = zip(old.chunks[start:end], new.chunks[other_start:other_end], strict=False)
            links += [_link(one, two) for one, two in pairs]
    return links


def same_number(old: Side, new: Side) -> Sequence[Link]:
    """What bears the same number, the first time, the second time; without one, the same text."""
    waiting: defaultdict[str, list[Chunk]] = defaultdict(list)
    for chunk in reversed(new.chunks):
        waiting[_number(chunk, new)].append(chunk)
    return [
        _link(chunk, found.pop())
        for chunk in old.chunks
        if (found := waiting.get(_number(chunk, old)))
    ]


SYSTEMS: dict[str, Linking] = {
    "Sanbo": sanbo,
    "difflib": plain_difference,
    "same number": same_number,
}


def predicted(old: Side, new: Side, links: Sequence[Link]) -> Predicted:
    moved = moved_links(old, new, links)
    return Predicted(
        pairs_of(links), pairs_of(link for at, link in enumerate(links) if at in moved)
    )


def pairs_of(links: Iterable[Link]) -> frozenset[Ids]:
    return frozenset(pair for link in links for pair in product(link.old, link.new))


def _link(old: Chunk, new: Chunk) -> Link:
    return Link(old=(old.id,), new=(new.id,), confidence=1)


def _number(chunk: Chunk, side: Side) -> str:
    return chunk.id if side.keyed else chunk.label or chunk.text
