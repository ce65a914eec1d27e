"""What a document is cut into: wrapped lines put together, long paragraphs cut at sentences.

In a PDF, what the end of a page cuts in two is put together again; running heads and feet go.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal
from zlib import crc32

from sanbo.agents.comparison.numbering import Mark, own_mark
from sanbo.agents.comparison.references import masked
from sanbo.documents.chunks import SHARE_OF_PAGES, Saying, is_page_number, sayings, sentence_spans
from sanbo.documents.file_formats import format_named
from sanbo.documents.model import (
    CELL_SEPARATOR,
    Document,
    Format,
    Heading,
    Paragraph,
    Position,
    Role,
    Table,
)
from sanbo.kernel.text import matching_form

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


Kind = Literal["heading", "paragraph", "row", "metadata"]


@dataclass(frozen=True)
class Part:
    """A heading, a paragraph, an item, a row or a line."""

    spans: tuple[tuple[int, int], ...]
    """Of the document's text; more than one where a page ends within a paragraph."""
    kind: Kind
    position: Position
    """Of the block that it is cut from."""
    role: Role = "body"
    level: int | None = None
    """Of a heading."""
    row: int | None = None
    heads: bool = False
    """Whether it is the header of a table."""

    @property
    def start(self) -> int:
        return self.spans[0][0]

    @property
    def end(self) -> int:
        return self.spans[-1][1]


def parts_of(document: Document) -> Iterator[Part]:
    for block in document.blocks:
        if isinstance(block, Table):
            yield from _rows(block, document.text)
        elif isinstance(block, Heading):
            span = (block.position.start, block.position.end)
            yield Part((span,), "heading", block.position, level=block.level)
        else:
            yield from _paragraphs(block, document)


def _rows(table: Table, text: str) -> Iterator[Part]:
    position = table.position
    ends = [start - 1 for start in (*table.row_starts[1:], position.end + 1)]
    if table.columns is not None:
        end = table.row_starts[0] - 1 if table.row_starts else position.end
        if text[position.start : end].strip():
            header = ((position.start, end),)
            yield Part(header, "row", position, row=position.row, heads=True)
    for start, end, number in zip(table.row_starts, ends, table.row_numbers, strict=False):
        if text[start:end].strip():
            yield Part(((start, end),), "row", position, row=number)


def _paragraphs(block: Paragraph, document: Document) -> Iterator[Part]:
    begin = block.position.start
    text = document.text_of(block)
    kind: Kind = "metadata" if block.role == "metadata" else "paragraph"
    for start, end in _cut(text, block.role, document.format):
        for first, last in short_enough(text[start:end]):
            span = (begin + start + first, begin + start + last)
            yield Part((span,), kind, block.position, block.role, row=block.position.row)


def _cut(text: str, role: Role, format: Format) -> list[tuple[int, int]]:
    if role in ("metadata", "code") or format_named(format).lines == "apart":
        return line_spans(text)
    return paragraph_spans(text, format)


_JAPANESE = r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u30ff\U00020000-\U0003ffff]"
# A line break in a PDF is where the page was full, in Japanese there is no blank for it.
_BLANK = re.compile(rf"(?<={_JAPANESE})\s+|(?<!\s)\s+(?={_JAPANESE})")


def key_of(text: str, mark: Mark | None) -> str:
    """Without its own number, numbers of articles masked; of a number alone, its kind."""
    body = text[mark.end :] if mark else text
    body = body.lstrip()
    bullet = None if mark else BULLET.match(body)
    said = body[bullet.end() :] if bullet else body
    return plain(masked(said)) or plain(masked(text))


def row_key(cells: Iterable[str]) -> str:
    """Its cells one after the other; how many empty ones there are depends on the format."""
    keys = (plain(masked(cell)) for cell in cells)
    return " ".join(key for key in keys if key)


def is_japanese(character: str) -> bool:
    return re.match(_JAPANESE, character) is not None


_WIDE = re.compile("[！-～]+")
_ASCII = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}


def plain(text: str) -> str:
    """Matching form without blanks beside Japanese, and one between words."""
    # NFKC does this too, though in twenty times the time as soon as there is one ０ or （.
    form = matching_form(_WIDE.sub(lambda found: found[0].translate(_ASCII), text))
    return _BLANK.sub("", form) if " " in form else form


# Columns: a line shorter than the first was not broken off by the end of the page, and one
# shorter than the second not by the end of a line.
_SHORTEST_CUT = 28
_SHORTEST_LINE = 60
_STARTS_ANEW = re.compile(r"\s*[■□◆◇◎※【〔＜<「『（(]")
_NOT_OVER = re.compile(r"[、，,]\s*$")
_PAST_COMMA = re.compile(r"[はがをに]、.")
_PAST_ENGLISH_COMMA = re.compile(r"[a-z], .")
_ENDS = re.compile(r"[。．.」）)]")
_GOES_ON = re.compile(r"[a-zぁ-ん、。，）)」』]")
# Not an article itself, or it would begin anew: the reader parts lines that begin like one.
_REFERS = re.compile(r"第[0-9０-９〇一二三四五六七八九十百千]+[編章節款条項号]")
_FIRST_WORD = re.compile(
    "[こそあど]の|[こそ][れこ]|なお|また|ただし|よって|おって|もっとも|あらかじめ"
)


def across_pages(text: str, parts: Sequence[Part]) -> list[Part]:
    """Parts with more than one span where they were cut; the order may differ by metadata."""
    return list(_Pages(text, parts).joined())


class _Pages:
    def __init__(self, text: str, parts: Sequence[Part]) -> None:
        self._text = text
        self._parts = parts
        self._held: Part | None = None
        self._page: int | None = None
        """The one on which the held part ends."""
        self._behind: list[Part] = []
        self._header = ""

    def joined(self) -> Iterator[Part]:
        for at, part in enumerate(self._parts):
            if self._held is not None and self._belongs_to_page(at, part):
                self._behind.append(replace(part, kind="metadata"))
            elif self._held is not None and self._runs_on(self._held, part):
                spans = (*self._held.spans, *part.spans)
                self._held = replace(self._held, spans=spans, kind=part.kind, level=None)
                self._page = part.position.page
            else:
                yield from self._released()
                self._held, self._page = part, part.position.page
            if part.heads:
                self._header = self._said(part)
        yield from self._released()

    def _released(self) -> Iterator[Part]:
        if self._held is not None:
            yield self._held
        yield from self._behind
        self._behind = []

    def _said(self, part: Part) -> str:
        return self._text[slice(*part.spans[-1])]

    def _belongs_to_page(self, at: int, part: Part) -> bool:
        if part.kind == "metadata":
            return True
        held = self._held
        if held is None or self._page is None:
            return False
        if part.heads:  # the reader repeats it where a table goes on
            follows = held.kind == "row" and part.position.page == self._page + 1
            return follows and self._said(part) == self._header
        return self._is_foot(held, at, part)

    def _is_foot(self, held: Part, at: int, part: Part) -> bool:
        """The one foot line that the reader has kept: the sentence before it goes on behind it."""
        said = self._said(part)
        if part.kind != "paragraph" or part.position.page != self._page:
            return False
        if is_wide(said, _SHORTEST_LINE) or SENTENCE_END.search(said) or begins_anew(said):
            return False
        following = self._after(at)
        return (
            following is not None
            and following.position.page != self._page
            and self._runs_on(held, following)
        )

    def _after(self, at: int) -> Part | None:
        """The next part that is text."""
        places = range(at + 1, len(self._parts))
        return next((self._parts[n] for n in places if self._parts[n].kind != "metadata"), None)

    def _runs_on(self, first: Part, second: Part) -> bool:
        length = sum(end - start for start, end in first.spans)
        if self._page is None or second.position.page is None or length > LONGEST:
            return False
        before, after = self._said(first), self._said(second)
        pages = second.position.page - self._page
        if first.kind == second.kind == "row":
            return pages == 1 and not (first.heads or second.heads) and _row_runs_on(before, after)
        if second.kind != "paragraph" or second.role != "body":
            return False
        if first.kind == "heading":
            return pages <= 1 and _is_no_heading(before) and not begins_anew(after)
        is_text = first.kind == "paragraph" and first.role in ("body", "list_item")
        return is_text and pages <= 1 and _sentence_runs_on(before, after, pages)


def _is_no_heading(text: str) -> bool:
    """The first line of an article, which looks like its title: 第四条（協議）甲は、乙が…"""
    is_article = begins_anew(text) and is_wide(text, _SHORTEST_LINE)
    return is_article and _is_within_sentence(text)


def _is_within_sentence(text: str) -> bool:
    """Its last one does not end, and stands behind another or is past a comma."""
    end = text[-1:]
    if not _ENDS.match(end):
        _, behind, last = text.rpartition("。")
        if behind or _PAST_COMMA.search(last):
            return True
    _, _, last = text.rpartition(".")
    return end.isascii() and end.islower() and _PAST_ENGLISH_COMMA.search(last) is not None


def _sentence_runs_on(before: str, after: str, pages: int) -> bool:
    if SENTENCE_END.search(before) or begins_anew(after) or _STARTS_ANEW.match(after):
        return False
    if pages == 0:  # the reader saw how they stand and left them apart: only where it is evident
        return is_wide(before, _SHORTEST_LINE) and bool(
            _NOT_OVER.search(before)
            or _REFERS.match(after)
            or (_GOES_ON.match(after) and not _FIRST_WORD.match(after))
        )
    return is_wide(before, _SHORTEST_CUT) and bool(
        is_wide(after, _SHORTEST_CUT) or SENTENCE_END.search(after) or _GOES_ON.match(after)
    )


def _row_runs_on(before: str, after: str) -> bool:
    """The rest of a row has only cells that were not over, and no first one."""
    upper, lower = before.split(CELL_SEPARATOR), after.split(CELL_SEPARATOR)
    if len(upper) != len(lower) or lower[0].strip() or not upper[0].strip():
        return False
    filled = [(cell, rest) for cell, rest in zip(upper, lower, strict=True) if rest.strip()]
    return all(cell.strip() and not SENTENCE_END.search(cell) for cell, _ in filled)


_AT_EDGE = 2
"""So many parts from the top and the bottom of a page may stand on every page."""
_LONGEST = 120
_FEWEST_FOR_HEADING = 3
"""Two pages may well begin with the same title; a head line is on more."""


def with_running_lines(text: str, parts: Sequence[Part]) -> list[Part]:
    """The same parts; those that belong to the pages, not to the text, are metadata."""
    running = _running(text, parts)
    return [
        replace(part, kind="metadata", level=None) if at in running else part
        for at, part in enumerate(parts)
    ]


def _running(text: str, parts: Sequence[Part]) -> set[int]:
    by_page: dict[int, list[int]] = defaultdict(list)
    for at, part in enumerate(parts):
        if part.position.page is not None and part.kind != "row":
            by_page[part.position.page].append(at)
    found: set[int] = set()
    said: dict[Saying, list[tuple[int, int]]] = defaultdict(list)
    for page, all_of_it in by_page.items():
        for at in {*all_of_it[:_AT_EDGE], *all_of_it[-_AT_EDGE:]}:
            line = text[parts[at].start : parts[at].end]
            if is_page_number(line, page):
                found.add(at)
            elif len(line) <= _LONGEST and not begins_anew(line):
                for saying in sayings(line, page):
                    if not saying.ahead:  # two pages may count something else alike
                        said[saying].append((page, at))
    often = max(2, SHARE_OF_PAGES * len(by_page))
    for places in said.values():
        pages = len({page for page, _ in places})
        is_heading = any(parts[at].kind == "heading" for _, at in places)
        if pages >= often and not (is_heading and pages < _FEWEST_FOR_HEADING):
            found.update(at for _, at in places)
    return found
