"""A side as numbers: what stands under what, which words are whose, in order of the chunks."""

from dataclasses import dataclass

from sanbo.agents.comparison.chunking.keys import plain
from sanbo.agents.comparison.model import Chunk, Side


@dataclass(frozen=True, slots=True)
class Outline:
    """One side by index; `-1` as a parent is the document itself."""

    ids: tuple[str, ...]
    keys: tuple[str, ...]
    texts: tuple[str, ...]
    labels: tuple[str, ...]
    kinds: tuple[str, ...]
    parents: tuple[int, ...]
    children: dict[int, list[int]]
    headings: tuple[str, ...]
    """The words under which a row without a parent stands."""

    def __len__(self) -> int:
        return len(self.ids)


def outline_of(side: Side) -> Outline:
    index = {chunk.id: place for place, chunk in enumerate(side.chunks)}
    parents = tuple(index.get(chunk.parent or "", -1) for chunk in side.chunks)
    children: dict[int, list[int]] = {}
    for place, parent in enumerate(parents):
        children.setdefault(parent, []).append(place)
    return Outline(
        ids=tuple(chunk.id for chunk in side.chunks),
        keys=tuple(_said(chunk) for chunk in side.chunks),
        texts=tuple(" ".join(chunk.text.split()) for chunk in side.chunks),
        labels=tuple(chunk.label for chunk in side.chunks),
        kinds=tuple(chunk.kind for chunk in side.chunks),
        parents=parents,
        children=children,
        headings=tuple(_headings(chunk) for chunk in side.chunks),
    )


def _headings(chunk: Chunk) -> str:
    is_alone = chunk.kind == "row" and chunk.parent is None
    return plain(" ".join(chunk.position.headings)) if is_alone else ""


def _said(chunk: Chunk) -> str:
    """A chunk that is nothing but its number says its number."""
    return chunk.key or chunk.text.strip()
