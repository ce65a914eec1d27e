"""A document in parts that a model can read at once; together they are the whole document."""

from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.documents.chunks import Chunk, chunk
from sanbo.documents.model import Document, Position

LEAST_CHARS = 200


@dataclass(frozen=True)
class Part:
    text: str
    number: int
    """From 1."""
    of: int
    start: int
    end: int
    """Its span in the document's text."""


def parts_of(document: Document, *, most_chars: int, most_rows: int) -> list[Part]:
    """Each begins with the end of the one before it, so that nothing falls between two."""
    text = document.text
    if len(text) <= most_chars and _rows(document) <= most_rows:
        return [Part(text, 1, 1, 0, len(text))] if text.strip() else []
    most = max(most_chars, LEAST_CHARS)
    cuts = chunk(document, target=min(400, most // 2), most=min(800, most))
    groups = _groups(cuts, most, most_rows)
    made: list[tuple[str, int, int]] = []
    for number, group in enumerate(groups):
        before = groups[number - 1][-1:] if number else []
        pieces = [*before, *group] if _length([*before, *group]) <= most * 2 else group
        start, end = pieces[0].position.start, pieces[-1].position.end
        context = pieces[0].context
        body = text[start:end]
        shown = f"{context}\n{body}" if context and context not in body else body
        made.append((shown, start, end))
    return [
        Part(shown, number, len(made), start, end)
        for number, (shown, start, end) in enumerate(made, start=1)
    ]


def _groups(cuts: Sequence[Chunk], most: int, most_rows: int) -> list[list[Chunk]]:
    groups: list[list[Chunk]] = []
    for cut in cuts:
        group = groups[-1] if groups else None
        if (
            group is None
            or _length([*group, cut]) > most
            or sum(_chunk_rows(each.position) for each in [*group, cut]) > most_rows
        ):
            groups.append([cut])
        else:
            group.append(cut)
    return groups


def _length(cuts: Sequence[Chunk]) -> int:
    return cuts[-1].position.end - cuts[0].position.start if cuts else 0


def _chunk_rows(position: Position) -> int:
    if position.row is None:
        return 0
    return (position.last_row or position.row) - position.row + 1


def _rows(document: Document) -> int:
    return max((len(table.rows) for table in document.tables), default=0)
