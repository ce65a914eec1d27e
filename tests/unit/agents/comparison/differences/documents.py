"""Documents and links as the tests of differences need them: texts with their labels."""

from collections.abc import Sequence

from sanbo.agents.comparison.model import Alignment, Chunk, Doubt, Link, Pair, Side
from sanbo.documents.model import Position


def side(letter: str, paragraphs: Sequence[str | tuple[str, str]]) -> Side:
    """Of texts, or of labels with texts."""
    chunks: list[Chunk] = []
    at = 0
    for number, paragraph in enumerate(paragraphs, start=1):
        label, text = ("", paragraph) if isinstance(paragraph, str) else paragraph
        position = Position(start=at, end=at + len(text), page=1, headings=("総則",))
        chunks.append(
            Chunk(id=f"{letter}{number}", text=text, key=text, label=label, position=position)
        )
        at += len(text) + 2
    text = "\n\n".join(chunk.text for chunk in chunks)
    return Side(name=f"{letter}.txt", format="text", text=text, chunks=tuple(chunks))


def link(old: str, new: str, confidence: float = 0.9) -> Link:
    """`link("A1 A2", "B1")`."""
    return Link(old=tuple(old.split()), new=tuple(new.split()), confidence=confidence)


def pair(
    old: Sequence[str | tuple[str, str]] | None,
    new: Sequence[str | tuple[str, str]] | None,
    links: Sequence[Link] | None = None,
    *,
    doubts: Sequence[Doubt] = (),
    unlinked: dict[str, float] | None = None,
) -> Pair:
    """Without links: one to one, in order."""
    here = None if old is None else side("A", old)
    there = None if new is None else side("B", new)
    if links is None:
        count = min(len(old or ()), len(new or ()))
        links = [link(f"A{at}", f"B{at}") for at in range(1, count + 1)]
    alignment = Alignment(
        links=tuple(links), doubts=tuple(doubts), unlinked=unlinked or {}, similarity=0.9
    )
    return Pair(old=here, new=there, alignment=alignment)
