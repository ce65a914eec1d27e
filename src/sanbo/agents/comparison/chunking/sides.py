"""A document as it is compared: headings, paragraphs, items and rows, in order, all of it."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sanbo.agents.comparison.chunking.outline import Node, Outline
from sanbo.agents.comparison.chunking.pages import across_pages, with_running_lines
from sanbo.agents.comparison.chunking.paragraphs import Part, is_japanese, key_of, parts_of, row_key
from sanbo.agents.comparison.model import Chunk, Side
from sanbo.agents.comparison.numbering.marks import Mark, own_mark
from sanbo.documents.file_formats import format_named
from sanbo.documents.model import BLOCK_SEPARATOR, CELL_SEPARATOR, Document, Position

_JAPANESE = r"[\u3040-\u30ff\u4e00-\u9fff々〇（）「」『』【】、。・]"
_COUNTED = "条項号章節編款目年月日時分秒円銭万億兆千百人名件社個回台本枚歳通部週箇ヶか割倍階度点％%"
# Only within a sentence: at its beginning `2 本人は` is the second paragraph, not two books.
_APART = re.compile(
    rf"(?<={_JAPANESE})[ \u00a0]?(?P<number>[0-9][0-9,.]*)[ \u00a0](?=[{_COUNTED}])"
    rf"|(?<={_JAPANESE})[ \u00a0](?P<close>[0-9][0-9,.]*)(?=[{_COUNTED}])"
)


def tightened(text: str) -> str:
    return _APART.sub(lambda found: found["number"] or found["close"], text)


@dataclass(frozen=True)
class Written:
    part: Part
    start: int
    end: int


def as_it_stands(parts: Sequence[Part]) -> list[Written]:
    return [Written(part, part.start, part.end) for part in parts]


def set_anew(text: str, parts: Sequence[Part]) -> tuple[str, list[Written]]:
    """Parts in their order, each without the blanks and breaks that a page has put into it."""
    pieces: list[str] = []
    places: list[Written] = []
    at = 0
    for gap, part in zip(_gaps(text, parts), parts, strict=True):
        whole = tightened(_whole([text[start:end] for start, end in part.spans], part))
        pieces += (gap, whole)
        at += len(gap) + len(whole)
        places.append(Written(part, at - len(whole), at))
    return "".join(pieces), places


def _gaps(text: str, parts: Sequence[Part]) -> Iterator[str]:
    """The white space before each part."""
    yield from [""] * bool(parts)
    for before, part in pairwise(parts):
        gap = text[before.end : part.start]
        yield gap if gap and not gap.strip() else BLOCK_SEPARATOR


def _whole(pieces: Sequence[str], part: Part) -> str:
    if part.kind != "row" or len(pieces) == 1:
        return _joined(pieces)
    columns = zip(*(piece.split(CELL_SEPARATOR) for piece in pieces), strict=True)
    return CELL_SEPARATOR.join(_joined([cell for cell in cells if cell]) for cells in columns)


def _joined(pieces: Sequence[str]) -> str:
    whole = "".join(pieces[:1])
    for piece in pieces[1:]:
        apart = not (is_japanese(whole[-1]) or is_japanese(piece[0]))
        whole += f" {piece}" if apart else piece
    return whole


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
