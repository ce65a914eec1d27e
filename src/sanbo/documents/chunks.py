"""Cuts a document into chunks: by what divides it first, then by size.

A chunk is a span of the document's text. It ends within a table row or a sentence only where that
one alone is longer than anything a reader or a model could use. It does not
cross a page, a sheet or an article, so whatever is found names one place.

What divides rules, contracts and manuals stands at the beginning of a paragraph (`第三条の二`,
`２　…`, `（１）…`, `Article 3`) and tells its place in the hierarchy; and at the edges of pages,
where heads, feet and numbers say the same on most of them.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

from sanbo.documents.model import Document, Frozen, Heading, Paragraph, Position, Table
from sanbo.language.numerals import KANJI

_NUMBER = rf"[{KANJI}0-9０-９]+"
_BRANCH = rf"(?:の{_NUMBER})*"
_GAP = r"(?=[\s　（(]|$)"


class Rank(IntEnum):
    """Smaller contains larger."""

    PART = 1  # 編
    CHAPTER = 2  # 章
    SECTION = 3  # 節
    SUBSECTION = 4  # 款, 目
    ARTICLE = 5  # 条
    PARAGRAPH = 6  # 項
    ITEM = 7  # 号
    SUBITEM = 8  # イロハ, （１）


@dataclass(frozen=True)
class Marker:
    rank: Rank
    label: str
    """As it is written: `第三条の二`, `２`, `（１）`."""


_PATTERNS: tuple[tuple[Rank, re.Pattern[str]], ...] = tuple(
    (rank, re.compile(pattern))
    for rank, pattern in (
        (Rank.PART, rf"第{_NUMBER}編{_BRANCH}"),
        (Rank.CHAPTER, rf"第{_NUMBER}章{_BRANCH}|Chapter\s+[0-9IVXLC]+\b"),
        (Rank.SECTION, rf"第{_NUMBER}節{_BRANCH}"),
        (Rank.SUBSECTION, rf"第{_NUMBER}[款目]{_BRANCH}"),
        (Rank.ARTICLE, rf"第{_NUMBER}条{_BRANCH}|(?:Article|Section)\s+[0-9]+(?:\.[0-9]+)*\b"),
        (
            Rank.PARAGRAPH,
            rf"第{_NUMBER}項|[0-9０-９]{{1,2}}[.．]?(?=[\s　])",
        ),
        (Rank.ITEM, rf"第{_NUMBER}号|[{KANJI}]+{_BRANCH}(?=[\s　])|[①-⑳]"),
        (
            Rank.SUBITEM,
            rf"[（(](?:{_NUMBER}|[ア-ンa-zｱ-ﾝ]|[ivx]+)[）)]|[ア-ン](?=[\s　])|[a-z][.)](?=\s)",
        ),
    )
)
_NAMED = re.compile(rf"第{_NUMBER}[編章節款目条]{_BRANCH}")


def marker_of(text: str) -> Marker | None:
    """The marker at the beginning of a paragraph, or None."""
    head = text[:40].lstrip()
    for rank, pattern in _PATTERNS:
        found = pattern.match(head)
        if found is None:
            continue
        rest = head[found.end() :]
        # `第三条の規定により…` speaks of an article; `第三条　…` and `第三条（目的）` are one.
        if _NAMED.fullmatch(found.group()) and not re.match(_GAP, rest):
            return None
        return Marker(rank, found.group())
    return None


_CLOSING = "」』）)】］\"'”’"
_SENTENCE_END = re.compile(rf"(?:[。！？!?]+[{_CLOSING}]*|\.(?=\s)|\n+)")
_OPEN = "「『（(【［"
_CLOSE = "」』）)】］"


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Sentences as spans that cover the text; a full stop inside brackets ends nothing.

    Brackets that never close are read as if they were not there: otherwise one stray 「 would
    turn the rest of a document into a single sentence.
    """
    inside = _bracketed(text)
    spans: list[tuple[int, int]] = []
    start = 0
    for found in _SENTENCE_END.finditer(text):
        if inside[found.start()]:
            continue
        if found.end() > start:
            spans.append((start, found.end()))
            start = found.end()
    if start < len(text):
        spans.append((start, len(text)))
    return spans


def _bracketed(text: str) -> bytearray:
    """1 for every character within a bracket that closes again in the same line."""
    inside = bytearray(len(text) + 1)
    opened: list[int] = []
    for at, character in enumerate(text):
        if character in _OPEN:
            opened.append(at)
        elif character in _CLOSE and opened:
            begin = opened.pop()
            if not opened:
                inside[begin : at + 1] = b"\x01" * (at + 1 - begin)
        elif character == "\n":
            opened.clear()
    return inside


SHARE_OF_PAGES = 0.6
"""On fewer pages, a line that comes again is no running one."""
_LONGEST = 200
_LONGEST_NUMBER = 60
_COUNTING = re.compile(r"\d+(?:[.,]\d+)*|\b[ivxlc]+\b")
_WHITE = re.compile(r"\s+")
_PAGE_WORD = re.compile(r"page|ページ|頁|\bp\b")
_NUMBER_ONLY = re.compile(r"(?:page|ページ|頁|第|of|no|p|[\W\d_])*")
# Numbers that count something else than pages: 請求番号 17, 2025-17, 4月17日, 第17回.
_LABEL = re.compile(r"(?:\d\s*[/.:\-]|[年月号第#№]|番号?|\bno\.?)[\s:.]*$")
_UNIT = re.compile(r"\s*[^\W\d_]")
_OF_ALL = re.compile(r"\s*of\b")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_ALONE = re.compile(
    r"[-–—‐\[(]*+\s*+(?P<page>[0-9]{1,4})\s*+(?:[-–—‐\])]++\s*+)?(?:(?:ページ|頁)\s*+)?"
    r"(?:(?:/|of)\s*+[0-9]{1,4}\s*+(?:ページ|頁)?)?"
)
_WITH_WORD = re.compile(r"(?:\bpage\s*|\bp\.\s*)(?P<page>[0-9]{1,4})\b|(?P<ja>[0-9]{1,4})\s*ページ")


class Saying(NamedTuple):
    """What lines have in common; `ahead` is how far a page number is ahead of the page."""

    text: str
    ahead: int | None = None

    @property
    def is_number_only(self) -> bool:
        return self.ahead is not None and _NUMBER_ONLY.fullmatch(self.text) is not None


def is_page_number(line: str, page: int) -> bool:
    """`- 3 -`, `3/12`, `Page 3 of this contract`; a number alone only where it is the page's."""
    if len(line) > _LONGEST_NUMBER:
        return False
    narrow = unicodedata.normalize("NFKC", line).casefold().strip()
    if word := _WITH_WORD.search(narrow):
        return int(word["page"] or word["ja"]) == page
    number = _ALONE.fullmatch(narrow)
    return number is not None and (int(number["page"]) == page or not narrow.isdecimal())


def sayings(text: str, page: int) -> Iterator[Saying]:
    """The line as it is, and once for each number in it that may be the page's."""
    plain = unicodedata.normalize("NFKC", text[: 2 * _LONGEST]).lower().strip()
    if len(plain) > _LONGEST:
        return
    yield Saying(_WHITE.sub("", plain))
    for number in _COUNTING.finditer(plain):
        before, after = plain[: number.start()], plain[number.end() :]
        value = _value(number[0])
        if value is not None and _may_count_pages(before, after):
            rest = f"{before}\0{after}"  # no text has this
            yield Saying(_WHITE.sub("", rest), value - page)


def _value(number: str) -> int | None:
    if number.isdecimal():
        return int(number) if number[0] != "0" and len(number) <= 5 else None
    if number[0] not in _ROMAN:
        return None
    digits = [_ROMAN[digit] for digit in number]
    following = [*digits[1:], 0]
    return sum(-a if a < b else a for a, b in zip(digits, following, strict=True))


def _may_count_pages(before: str, after: str) -> bool:
    if _PAGE_WORD.search(before) or _PAGE_WORD.match(after.lstrip()):
        return True
    if _LABEL.search(before):
        return False
    return _UNIT.match(after) is None or _OF_ALL.match(after) is not None


# Characters. Paragraphs are gathered up to `TARGET`, and what is longer than `MOST` is cut.
TARGET = 400
MOST = 800
LONGEST_SENTENCE = 4_000
# A title or a header may be as long as somebody likes; every chunk carries it.
LONGEST_CONTEXT_LINE = 300
LONGEST_CONTEXT = 800


class Cut(Frozen):
    """Where a chunk stands; with the document it is the chunk."""

    ordinal: int
    position: Position
    context: str
    """What a reader knows at this place without reading it here: title, headings, table header."""

    def of(self, document: Document) -> "Chunk":
        text = document.text[self.position.start : self.position.end]
        return Chunk(text=text, **self.__dict__)


class Chunk(Cut):
    text: str

    @property
    def cut(self) -> Cut:
        return Cut(ordinal=self.ordinal, position=self.position, context=self.context)


@dataclass(frozen=True)
class _Piece:
    """The smallest unit that is never divided: a sentence, a table row, a heading."""

    start: int
    end: int
    position: Position
    is_heading: bool = False
    begins: bool = False
    """A chunk must begin here."""
    row: int | None = None
    context: str = ""


def chunk(document: Document, *, target: int = TARGET, most: int = MOST) -> list[Chunk]:
    return [
        Cut(ordinal=ordinal, position=_position(group), context=_context(document, group)).of(
            document
        )
        for ordinal, group in enumerate(_groups(_pieces(document, most), target, most))
    ]


def _pieces(document: Document, most: int) -> Iterator[_Piece]:
    article = ""
    for block in document.blocks:
        position = block.position
        if isinstance(block, Heading):
            article = ""
            for start, end in _cut(document.text, position.start, position.end):
                yield _Piece(start, end, position, is_heading=True, begins=True)
        elif isinstance(block, Table):
            yield from _rows(block, document.text)
        else:
            text = document.text_of(block)
            marker = marker_of(text)
            is_article = marker is not None and marker.rank <= Rank.ARTICLE
            if is_article:
                article = ""
            yield from _sentences(block, text, is_article, article, most)
            if is_article:
                article = text[:60].split("\n")[0].split("。")[0]


def _rows(table: Table, text: str) -> Iterator[_Piece]:
    context = "\n".join(
        line for line in (table.title, " ".join(table.columns or ())) if line and line.strip()
    )
    starts = table.row_starts
    ends = [start - 1 for start in starts[1:]] + [table.position.end]
    if not starts:  # a header and nothing under it
        yield _Piece(table.position.start, table.position.end, table.position, begins=True)
        return
    first = table.position.start  # the header line goes with the first row
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        for number, (begin, stop) in enumerate(_cut(text, first if index == 0 else start, end)):
            yield _Piece(
                begin,
                stop,
                table.position,
                begins=index == number == 0,
                row=table.row_numbers[index],
                context=context if index or number else (table.title or ""),
            )


def _sentences(
    block: Paragraph, text: str, is_article: bool, article: str, most: int
) -> Iterator[_Piece]:
    begin = block.position.start
    spans = [(0, len(text))] if len(text) <= most else _short_enough(text)
    for index, (start, end) in enumerate(spans):
        yield _Piece(
            begin + start,
            begin + end,
            block.position,
            begins=is_article and index == 0,
            context=article,
        )


def _short_enough(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for start, end in sentence_spans(text):
        spans += _cut(text, start, end)
    return spans


def _cut(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence or a row in pieces that can be used; nearly always it is one."""
    spans: list[tuple[int, int]] = []
    begin = start
    while end - begin > LONGEST_SENTENCE:
        cut = _weak_end(text, begin, begin + LONGEST_SENTENCE)
        spans.append((begin, cut))
        begin = cut
    spans.append((begin, end))
    return spans


def _weak_end(text: str, start: int, limit: int) -> int:
    """Where a sentence without end is cut: after a comma or a blank, else anywhere."""
    best = max(text.rfind(mark, start, limit) for mark in "、，, \t")
    return best + 1 if best > start + LONGEST_SENTENCE // 2 else limit


def _groups(pieces: Iterable[_Piece], target: int, most: int) -> Iterator[list[_Piece]]:
    group: list[_Piece] = []
    for piece in pieces:
        if group and _ends_before(group, piece, target, most):
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def _ends_before(group: list[_Piece], piece: _Piece, target: int, most: int) -> bool:
    first, last = group[0], group[-1]
    if (piece.position.page, piece.position.sheet) != (last.position.page, last.position.sheet):
        return True
    if all(member.is_heading for member in group):
        return piece.end - first.start > most  # a heading goes with what it heads
    if piece.begins:
        return True
    return piece.end - first.start > most or last.end - first.start >= target


def _position(group: list[_Piece]) -> Position:
    rows = [piece.row for piece in group if piece.row is not None]
    first, last = group[0].position, group[-1].position
    return Position(
        start=group[0].start,
        end=group[-1].end,
        page=first.page,
        sheet=first.sheet,
        row=rows[0] if rows else first.row,
        last_row=rows[-1] if rows else None,
        headings=last.headings,
    )


def _context(document: Document, group: list[_Piece]) -> str:
    """Title, headings and table header, without what the chunk's own text begins with."""
    own = {document.text[piece.start : piece.end] for piece in group if piece.is_heading}
    contexts = dict.fromkeys(piece.context for piece in group)
    lines = [document.title or "", *group[-1].position.headings, *contexts]
    kept = [line for line in dict.fromkeys(lines) if line and line not in own]
    return "\n".join(line[:LONGEST_CONTEXT_LINE] for line in kept)[:LONGEST_CONTEXT]
