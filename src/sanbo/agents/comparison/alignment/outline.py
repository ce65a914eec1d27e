"""A side as numbers: what stands under what, and which old chunk goes with which new one so far."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from sanbo.agents.comparison.chunking.paragraphs import plain
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


@dataclass(slots=True)
class Matches:
    new_of: list[int]
    old_of: list[int]
    confidence: dict[int, float] = field(default_factory=dict[int, float])
    """By index of the old chunk."""

    @classmethod
    def none(cls, old: int, new: int) -> "Matches":
        return cls([-1] * old, [-1] * new)

    def link(self, old: int, new: int, confidence: float) -> None:
        self.new_of[old] = new
        self.old_of[new] = old
        self.confidence[old] = confidence

    def unlink(self, old: int) -> None:
        self.old_of[self.new_of[old]] = -1
        self.new_of[old] = -1
        del self.confidence[old]

    def free(self, old: int, new: int) -> bool:
        return self.new_of[old] < 0 and self.old_of[new] < 0

    def pairs(self) -> Iterator[tuple[int, int]]:
        return ((old, new) for old, new in enumerate(self.new_of) if new >= 0)

    def free_old(self) -> list[int]:
        return [old for old, new in enumerate(self.new_of) if new < 0]

    def free_new(self) -> list[int]:
        return [new for new, old in enumerate(self.old_of) if old < 0]
