"""The text of a side, and where in it each part stands."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sanbo.agents.comparison.chunking.keys import is_japanese
from sanbo.agents.comparison.chunking.parts import Part
from sanbo.agents.comparison.chunking.typesetting import tightened
from sanbo.documents.model import BLOCK_SEPARATOR, CELL_SEPARATOR


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
