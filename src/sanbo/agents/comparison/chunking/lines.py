"""Which lines of a paragraph are paragraphs themselves, and which are only wrapped."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise

from sanbo.agents.comparison.numbering.marks import own_mark
from sanbo.documents.file_formats import format_named
from sanbo.documents.model import Format

BULLET = re.compile(r"[・･•·‣◦▪●○\uf000-\uf0ff]|[-–—*](?=[ \t　])")
"""Word draws its bullets, a PDF prints them."""

SUPPLEMENT_TITLE = re.compile(r"附[ 　]*則(?=[ 　]*(?:$|[（(].*[）)]\s*抄?$|抄))")
"""The title over the last articles of a law."""

SENTENCE_END = re.compile(r"[。．.!?！？:：;；][」』）)\]】”’\"']*\s*$")

# Columns, of which a Japanese character takes two. Nobody wraps a text by hand at more or less.
_WIDEST_WRAPPED = 100
_NARROWEST_WRAPPED = 56
_WIDEST_TITLE = 80
_SHARE_OF_FULL_LINE = 0.8
_IN_BRACKETS = re.compile(r"\s*(?:[（(][^（）()]*[）)]|【[^】]*】)\s*")


def line_spans(text: str) -> list[tuple[int, int]]:
    """Every line that is not blank, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if said := line.strip():
            begin = start + line.index(said[0])
            spans.append((begin, begin + len(said)))
        start += len(line) + 1
    return spans


def paragraph_spans(text: str, format: Format) -> list[tuple[int, int]]:
    """The paragraphs that stand in one block of text, one line or several wrapped ones each."""
    lines = line_spans(text)
    how = format_named(format).lines
    if len(lines) < 2 or how == "joined":
        return lines
    wrapped = _Wrapped(text[slice(*span)] for span in lines) if how == "wrapped" else None
    spans = [lines[0]]
    for (first, last), (start, end) in pairwise(lines):
        before = text[first:last]
        is_over = wrapped is not None and (text[start - 1] == "　" or wrapped.is_over(before))
        if is_over or is_title(before) or begins_anew(text[start:end], after=before):
            spans.append((start, end))
        else:
            spans[-1] = (spans[-1][0], end)
    return spans


def begins_anew(line: str, *, after: str = "") -> bool:
    """A number or a bullet stands before it, or it is the title of a supplement or an article."""
    said = line.lstrip()
    if _IN_BRACKETS.fullmatch(line) and SENTENCE_END.search(after):
        return True
    return bool(own_mark(line) or BULLET.match(said) or SUPPLEMENT_TITLE.match(said))


def width_of(line: str) -> int:
    wide = sum(unicodedata.east_asian_width(character) in "WFA" for character in line)
    return len(line) + wide


def is_wide(line: str, columns: int) -> bool:
    """Whether it takes so many columns; of most lines the length alone tells."""
    if len(line) >= columns or 2 * len(line) < columns:
        return len(line) >= columns
    return width_of(line) >= columns


def is_title(line: str) -> bool:
    """`第一条（目的）` or 附則, and its text in the next line."""
    if SUPPLEMENT_TITLE.match(line.lstrip()):
        return True
    mark = own_mark(line)
    return mark is not None and _IN_BRACKETS.fullmatch(line, mark.end) is not None


class _Wrapped:
    """Lines of which some may be broken off at one width: a paragraph ends with a shorter one."""

    def __init__(self, lines: Iterable[str]) -> None:
        lines = list(lines)
        self._widest = max(map(width_of, lines))
        sentences = sum(SENTENCE_END.search(line) is not None for line in lines)
        self._by_lines = (
            not _NARROWEST_WRAPPED <= self._widest <= _WIDEST_WRAPPED
            or 3 * sentences > 2 * len(lines)
        )

    def is_over(self, line: str) -> bool:
        if self._by_lines:
            return True
        width = width_of(line)
        if 2 * width < self._widest:  # what was broken off had filled its line
            return True
        if own_mark(line) and 2 * width < min(self._widest, _WIDEST_TITLE):
            return True
        is_sentence = SENTENCE_END.search(line) is not None
        return is_sentence and width < _SHARE_OF_FULL_LINE * self._widest
