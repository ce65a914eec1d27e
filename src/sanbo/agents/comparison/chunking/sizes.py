"""Paragraphs so long that nobody could compare them as one are cut where sentences end."""

from itertools import pairwise
from zlib import crc32

from sanbo.documents.structure import sentence_spans

LONGEST = 4_000
_ONE_IN = 6
"""A cut after about every sixth sentence."""


def short_enough(text: str) -> list[tuple[int, int]]:
    """Spans that leave out nothing but white space; nearly always it is one."""
    if len(text) <= LONGEST:
        return [(0, len(text))]
    sentences = [part for start, end in sentence_spans(text) for part in _pieces(text, start, end)]
    cuts = [0]
    for before, after in pairwise(sentences):
        if _is_cut(text[before[0] : before[1]]) or after[1] - cuts[-1] > LONGEST:
            cuts.append(before[1])
    return [_trimmed(text, *span) for span in pairwise([*cuts, len(text)]) if _says(text, *span)]


def _is_cut(sentence: str) -> bool:
    """By what it says, not by how far it stands: so that an insertion does not move every cut."""
    return crc32("".join(sentence.split()).encode()) % _ONE_IN == 0


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence without end is cut after a comma or a blank, else anywhere."""
    pieces: list[tuple[int, int]] = []
    while end - start > LONGEST:
        limit = start + LONGEST
        best = max(text.rfind(sign, start, limit) for sign in "、，, \t\n") + 1
        cut = best if best > start + LONGEST // 2 else limit
        pieces.append((start, cut))
        start = cut
    return [*pieces, (start, end)]


def _says(text: str, start: int, end: int) -> bool:
    return not text[start:end].isspace()


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
