"""Which links left their order: all but the heaviest run of links that kept it."""

from collections.abc import Sequence

from sanbo.agents.comparison.alignment.order import heaviest_increasing
from sanbo.agents.comparison.model import Link, Side


def moved_links(old: Side, new: Side, links: Sequence[Link]) -> frozenset[int]:
    """Indices of the links that moved; a link of several chunks stands where its longest does."""
    old_place = {chunk.id: place for place, chunk in enumerate(old.chunks)}
    new_place = {chunk.id: place for place, chunk in enumerate(new.chunks)}
    lengths = {chunk.id: len(chunk.text) for chunk in (*old.chunks, *new.chunks)}

    def main(ids: tuple[str, ...]) -> str:
        return max(ids, key=lambda one: lengths[one])

    order = sorted(range(len(links)), key=lambda index: old_place[main(links[index].old)])
    places = [new_place[main(links[index].new)] for index in order]
    weights = [_weight(links[index]) for index in order]
    kept = {order[index] for index in heaviest_increasing(places, weights)}
    return frozenset(range(len(links))) - kept


def _weight(link: Link) -> float:
    """A link that is sure holds its place against one that may be wrong."""
    return 0.5 + link.confidence / 2
