"""A document as it is compared: headings, paragraphs, items and rows, in order, all of it."""

from collections.abc import Iterable
from typing import Literal

from sanbo.agents.comparison.chunking.keys import key_of, row_key
from sanbo.agents.comparison.chunking.labels import Node
from sanbo.agents.comparison.chunking.outline import Outline
from sanbo.agents.comparison.chunking.pages import across_pages
from sanbo.agents.comparison.chunking.parts import Part, parts_of
from sanbo.agents.comparison.chunking.running import with_running_lines
from sanbo.agents.comparison.chunking.writing import Written, as_it_stands, set_anew
from sanbo.agents.comparison.model import Chunk, Side
from sanbo.agents.comparison.numbering.marks import Mark, own_mark
from sanbo.documents.file_formats import format_named
from sanbo.documents.model import CELL_SEPARATOR, Document, Position

Letter = Literal["A", "B"]


def document_side(document: Document, letter: Letter, prefix: str = "") -> Side:
    """`Side.text` is the document's; of a PDF without what its pages have done to it."""
    text, parts = document.text, list(parts_of(document))
    if format_named(document.format).has_set_pages:
        text, places = set_anew(text, across_pages(text, with_running_lines(text, parts)))
    else:
        places = as_it_stands(parts)
    return Side(
        name=document.name,
        format=document.format,
        text=text,
        chunks=tuple(_chunks(text, places, f"{prefix}{letter}")),
        pages=document.pages,
        warnings=document.warnings,
    )


def _chunks(text: str, places: Iterable[Written], before_number: str) -> Iterable[Chunk]:
    outline, headers = Outline(), _Headers()
    found: list[tuple[Written, str, Mark | None, Node, str | None]] = []
    for number, place in enumerate(places, start=1):
        id, own = f"{before_number}{number}", text[place.start : place.end]
        mark = _mark(place.part, own)
        node = outline.place(id, place.part, own, mark)
        parent = headers.above(id, place.part) or (node.parent.id if node.parent else None)
        found.append((place, own, mark, node, parent))
    for place, own, mark, node, parent in found:
        yield Chunk(
            id=node.id,
            text=own,
            key=_key(place.part, own, mark),
            kind=place.part.kind,
            label=node.label,
            parent=None if place.part.kind == "metadata" else parent,
            position=_position(place),
        )


def _mark(part: Part, text: str) -> Mark | None:
    if part.kind in ("row", "metadata") or part.role == "code":
        return None
    return own_mark(text, is_heading=part.kind == "heading")


def _key(part: Part, text: str, mark: Mark | None) -> str:
    return row_key(text.split(CELL_SEPARATOR)) if part.kind == "row" else key_of(text, mark)


class _Headers:
    """The headers of tables, by where in the document each table begins."""

    def __init__(self) -> None:
        self._ids: dict[int, str] = {}
        self._last = ""

    def above(self, id: str, part: Part) -> str | None:
        table = part.position.start
        if part.heads:
            # The same header again, on the next page, is metadata: its rows are the table's.
            self._last = id if part.kind == "row" else self._last
            self._ids[table] = self._last
        elif part.kind == "row":
            return self._ids.get(table)
        return None


def _position(place: Written) -> Position:
    changed = {"start": place.start, "end": place.end, "row": place.part.row}
    return place.part.position.model_copy(update=changed)
