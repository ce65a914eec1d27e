"""Lines of a page become headings and paragraphs; readings above words come after them.

Headings are told by the file's outline, else by how they look and how they begin.
"""

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from sanbo.documents.formats.pdf.page import CJK, Line, PageLines, joined
from sanbo.documents.formats.pdf.pdfium import Bookmark

MOST_LINES = 3
DEEPEST = 6

_LONGEST_HEADING = 80
_LARGER = 1.15
_WHITE = re.compile(r"\s+")
_NUMBERING = re.compile(r"[\d.．:：()（）\-–―第章節条部編]*")
_CHAPTER = re.compile(r"第[\d〇一二三四五六七八九十百]+([編部章節款条])(?=[\s（(]|の?\d*$)")
_CHAPTER_LEVELS = {"編": 1, "部": 1, "章": 1, "節": 2, "款": 3, "条": 3}
_SECTION = re.compile(r"\d+((?:[.．]\d+)+)[.．]?\s+\S")
_SENTENCE = re.compile(r"[。．.、,，;；:：]$")
_LEADER = re.compile(r"(?<![.．…‥・])[.．…‥・]{4,}+\s*+[\divxlc]*+$")
_MOST_PER_PAGE = 100


def is_contents_line(text: str) -> bool:
    """Dots up to a page number, as in a table of contents."""
    return _LEADER.search(text[-200:]) is not None


class Heading(NamedTuple):
    level: int
    lines: int


Headings = dict[int, Heading]
"""By the number of the line on its page."""


def find_headings(pages: list[PageLines], outline: list[Bookmark]) -> dict[int, Headings]:
    """For each page's number; an outline that fits the pages is the author's own word."""
    named = _by_outline(pages, outline)
    if sum(map(len, named.values())) >= 2:
        return named
    return _by_look(pages)


def _by_outline(pages: list[PageLines], outline: list[Bookmark]) -> dict[int, Headings]:
    wanted: dict[int, list[Bookmark]] = defaultdict(list)
    for entry in outline:
        wanted[entry.page].append(entry)
    found: dict[int, Headings] = {}
    for page in pages:
        taken: Headings = {}
        entries = wanted[page.number][:_MOST_PER_PAGE]
        keys = [_key(line.text) for line in page.lines] if entries else []
        for entry in entries:
            title = _key(entry.title)
            for place in range(len(keys) if title else 0):
                lines = 0 if place in taken else _matches(keys, place, title)
                if lines:
                    taken[place] = Heading(min(entry.level, DEEPEST), lines)
                    break
        if taken:
            found[page.number] = taken
    return found


def _key(text: str) -> str:
    return _WHITE.sub("", unicodedata.normalize("NFKC", text)).casefold()


def _matches(keys: list[str], place: int, title: str) -> int:
    """How many lines from there on say the title; its number may stand before it."""
    text = ""
    for count, key in enumerate(keys[place : place + MOST_LINES], 1):
        text += key
        if count == 1 and _NUMBERING.fullmatch(text) and text not in title:
            return 0  # a page number above the heading
        if text.endswith(title) and _NUMBERING.fullmatch(text[: -len(title)]):
            return count
        if len(text) > len(title) + 10:
            return 0
    return 0


def _by_look(pages: list[PageLines]) -> dict[int, Headings]:
    look = _Look(pages)
    found: dict[int, Headings] = {}
    for page in pages:
        taken: Headings = {}
        skipped_to = 0
        for place, line in enumerate(page.lines):
            level = look.level(page.lines, place) if place >= skipped_to else None
            if level is not None:
                count = 1 if look.by_size(line) is None else _count(page.lines, place)
                taken[place] = Heading(min(level, DEEPEST), count)
                skipped_to = place + count
        if taken:
            found[page.number] = taken
    return found


class _Look:
    """What larger type and numbering mean in this file."""

    def __init__(self, pages: list[PageLines]) -> None:
        self._body, self._levels = _sizes(pages)
        numbered = [
            (level, self._depth(line))
            for page in pages
            for line in page.lines
            if (level := self._by_number(line)) is not None
        ]
        # A chapter below a large title is not of the title's level.
        self._shift = 0
        if numbered:
            top = min(level for level, _ in numbered)
            self._shift = min(depth for level, depth in numbered if level == top) - top

    def level(self, lines: list[Line], place: int) -> int | None:
        line = lines[place]
        number = self._by_number(line)
        if number is not None:
            return max(number + self._shift, 1)
        if not _is_short(line) or line.text.endswith("。"):
            return None
        if self.by_size(line) is None and not self._is_bold_alone(lines, place):
            return None
        return self._depth(line)

    def by_size(self, line: Line) -> int | None:
        return self._levels.get(_size(line))

    def _depth(self, line: Line) -> int:
        return self.by_size(line) or max(self._levels.values(), default=0) + 1

    def _by_number(self, line: Line) -> int | None:
        if not _is_short(line):
            return None
        text = unicodedata.normalize("NFKC", line.text)
        chapter, section = _CHAPTER.match(text), _SECTION.match(text)
        if chapter and len(text) <= 40 and not text.endswith("。"):
            return _CHAPTER_LEVELS[chapter[1]]
        large_enough = _size(line) >= self._body
        if section and large_enough and len(text) <= 60 and not _SENTENCE.search(text):
            return section[1].count(".") + 1
        return None

    def _is_bold_alone(self, lines: list[Line], place: int) -> bool:
        line, following = lines[place], lines[place + 1 : place + 2]
        if not line.style.bold or len(line.text) > 40 or _SENTENCE.search(line.text):
            return False
        if _size(line) < self._body or not following:
            return False
        return not following[0].style.bold and following[0].near > line.near


def _sizes(pages: list[PageLines]) -> tuple[float, dict[float, int]]:
    """The size of the body, and each larger size with its level."""
    characters: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            characters[_size(line)] += len(line.text)
    if not characters:
        return 0.0, {}
    body = characters.most_common(1)[0][0]
    larger = sorted((size for size in characters if size >= _LARGER * body), reverse=True)
    if sum(characters[size] for size in larger) > 0.3 * characters.total():
        return body, {}  # a poster, or slides: size says nothing
    levels: dict[float, int] = {}
    level, reached = 0, 0.0
    for size in larger:
        if not level or size < 0.94 * reached:
            level, reached = level + 1, size
        levels[size] = level
    return body, levels


def _size(line: Line) -> float:
    return round(line.style.size * 2) / 2


def _is_short(line: Line) -> bool:
    return len(line.text) <= _LONGEST_HEADING and not is_contents_line(line.text)


def _count(lines: list[Line], place: int) -> int:
    """Lines of a large heading that takes more than one."""
    count = 1
    for before, line in pairwise(lines[place : place + MOST_LINES]):
        close = 0 < line.near - before.near < 2 * line.style.size
        if not close or _size(line) != _size(before) or before.length < 18 * before.style.size:
            break
        count += 1
    return count


_ITEM = re.compile(
    r"[•‣◦▪●○・]"
    r"|[-–—‐*]\s+\S"
    r"|[①-⑳]"
    r"|[(（][\d０-９a-zア-ン一二三四五六七八九十]{1,3}[)）]"
    r"|[\d０-９]{1,3}(?:[)）]|[.．](?![\d０-９]))"
    r"|[ア-ン][\u3000.．)）]"
)
_STARTS_ANEW = re.compile(r"[■□◆◇◎※【〔＜<]|第[\d０-９〇一二三四五六七八九十百]+[編部章節款条項]")
_LABEL = re.compile(r"[^。、：:]{1,12}[：:](?!//)")
_NUMBERED = re.compile(r"[\d０-９]+(?:[.．][\d０-９]+)+\s")

_RECORD = re.compile(r"[\d０-９]+(?:[/:.,\-][\d０-９]+)*\s")
"""Begins with a number or a date, as the line before: they are all of one length, not wrapped."""

_HYPHENATED = re.compile(r"[a-z][-‐]$")
_DOTS = re.compile(r"\s{0,99}+[.．…‥・]{4,}\s*")

_LONGEST = 2_000
_MOST_LINES = 400
_SHORTEST = 14
"""Ems: a line shorter than this was not wrapped, its sentence was over."""


class Part(NamedTuple):
    order: int
    text: str
    level: int | None = None
    """Of a heading."""
    is_item: bool = False


class Edges:
    """Where lines end because the column ends, learnt from all pages."""

    def __init__(self, pages: list[PageLines]) -> None:
        sizes = [line.style.size for page in pages for line in page.lines]
        self.em = median(sizes or [10.0])
        self.pitch = _usual_pitch(pages)
        self._ends: dict[int, Counter[int]] = defaultdict(Counter)
        texts: set[str] = set()  # the same line again is no second witness
        for page in pages:
            for line in page.lines:
                if _is_long(line, self) and line.text not in texts:
                    texts.add(line.text)
                    self._ends[self._cell(line.start)][self._cell(line.end)] += 1
        self._furthest = {start: _nearly_all(ends) for start, ends in self._ends.items()}
        self._totals = {start: ends.total() for start, ends in self._ends.items()}

    def _cell(self, place: float) -> int:
        return round(place / self.em)

    def is_common(self, line: Line) -> bool:
        """Many lines that begin here end there, more than chance has it: a margin makes that."""
        start, end = self._cell(line.start), self._cell(line.end)
        if start not in self._ends:
            return False
        counts = self._ends[start]
        here = counts[end - 1] + counts[end] + counts[end + 1]
        room = max(self._furthest[start] - start - _SHORTEST + 1, 1)
        return here >= 4 and here >= min(0.5, 4.5 / room) * self._totals[start]

    def furthest(self, line: Line) -> float | None:
        """Where nearly all lines that begin here have ended, if there are enough to tell."""
        start = self._cell(line.start)
        return self._furthest[start] * self.em if self._totals.get(start, 0) >= 8 else None


def _nearly_all(ends: Counter[int]) -> int:
    seen, wanted = 0, 0.95 * ends.total()
    for end in sorted(ends):
        seen += ends[end]
        if seen >= wanted:
            return end
    return 0


def _usual_pitch(pages: list[PageLines]) -> float:
    """From line to line, in sizes of the type."""
    steps = [
        (after.near - before.near) / before.style.size
        for page in pages
        for before, after in pairwise(page.lines)
        if 0.8 < (after.near - before.near) / before.style.size < 3
    ]
    return median(steps or [1.5])


def parts_of(page: PageLines, headings: Headings, edges: Edges) -> Iterator[Part]:
    """Headings, list items and paragraphs of one page in the order of its lines."""
    gathered: list[Line] = []
    place = 0
    while place < len(page.lines):
        line = page.lines[place]
        heading = headings.get(place)
        if heading:
            yield from _paragraph(gathered, page, edges)
            gathered = []
            lines = page.lines[place : place + heading.lines]
            yield Part(line.order, _text(lines), level=heading.level)
            place += heading.lines
            continue
        if gathered and not _is_near(gathered[-1], line, edges):
            yield from _paragraph(gathered, page, edges)
            gathered = []
        gathered.append(line)
        place += 1
    yield from _paragraph(gathered, page, edges)


def _is_near(before: Line, line: Line, edges: Edges) -> bool:
    """The next line of the same block: just below, of the same size, and under it."""
    size = before.style.size
    step = (line.near - before.near) / size
    return (
        0.5 < step <= max(1.25 * edges.pitch, 1.35)
        and 0.85 < line.style.size / size < 1.18
        and line.start < before.end
        and line.end > before.start
    )


def _paragraph(block: list[Line], page: PageLines, edges: Edges) -> Iterator[Part]:
    """A block as its paragraphs and items; short lines one below the other stay one paragraph."""
    rows = _rows(block)
    margin = _margin([line for line in block if id(line) not in rows], page, edges)
    groups: list[list[Line]] = []
    for line in block:
        apart = id(line) in rows or (groups and id(groups[-1][-1]) in rows)
        if groups and not apart and _runs_on(groups[-1], line, edges, margin):
            groups[-1].append(line)
        else:
            groups.append([line])
    short: list[Line] = []
    for group in groups:
        is_row = id(group[0]) in rows
        is_item = not is_row and _ITEM.match(group[0].text) is not None
        if is_row or (len(group) == 1 and not is_item and not _is_long(group[0], edges)):
            short.append(group[0])
            continue
        if short:
            yield Part(short[0].order, "\n".join(map(_plain, short)))
            short = []
        yield Part(group[0].order, _text(group), is_item=is_item)
    if short:
        yield Part(short[0].order, "\n".join(map(_plain, short)))


def _rows(block: list[Line]) -> set[int]:
    """Lines of a table without rules: with wide gaps, one below the other."""
    return {
        id(line)
        for before, after in pairwise(block)
        if before.gapped and after.gapped
        for line in (before, after)
    }


def _text(lines: list[Line]) -> str:
    text = _plain(lines[0])
    for before, line in pairwise(lines):
        text = joined(text, _plain(line), spaced=before.spaced)
    return text


def _plain(line: Line) -> str:
    """Without the hundred dots that lead to a page number."""
    if len(line.text) > _LONGEST:
        return line.text
    return _DOTS.sub(" … ", line.text) if is_contents_line(line.text) else line.text


def _is_long(line: Line, edges: Edges) -> bool:
    return line.length >= _SHORTEST * edges.em and not is_contents_line(line.text)


def _runs_on(group: list[Line], line: Line, edges: Edges, margin: float | None) -> bool:
    """Whether the line continues the paragraph: nothing new begins, and there was no room."""
    before = group[-1]
    if _HYPHENATED.search(before.text) and line.text[0].islower():
        return len(group) < _MOST_LINES
    is_record = _RECORD.match(group[0].text) and _RECORD.match(line.text)
    if _begins_anew(line.text) or is_record or is_contents_line(line.text):
        return False
    if not _is_long(before, edges) or len(group) >= _MOST_LINES:
        return False
    shift = (line.start - before.start) / edges.em
    if abs(shift) > 0.7 and len(group) > 1:  # an indent, or back from one
        return False
    if shift > 0.7 and not _begins_anew(before.text):  # deeper only below a number or a bullet
        return False
    return edges.is_common(before) or _had_no_room(before, line.text, edges, margin)


def _begins_anew(text: str) -> bool:
    return bool(_ITEM.match(text) or _STARTS_ANEW.match(text) or _NUMBERED.match(text))


def _had_no_room(line: Line, following: str, edges: Edges, margin: float | None) -> bool:
    edge = margin or edges.furthest(line)
    if edge is None or _LABEL.match(following):
        return False
    word = following.split(maxsplit=1)[0]
    needed = 2.2 * edges.em if CJK.match(word) else 0.55 * edges.em * (len(word) + 1)
    return line.end + needed > edge


def _margin(block: list[Line], page: PageLines, edges: Edges) -> float | None:
    """Where this block's lines end: at an edge that others share, or most of the page away."""
    ends = [line.end for line in block if edges.is_common(line)]
    if ends or not block:
        return max(ends, default=None)
    own = _own_margin(block, edges)
    if edges.furthest(block[0]) is None:
        ends = [line.end for line in block if line.length > 0.5 * page.reach]
        return max(ends, default=own)
    return own


def _own_margin(block: list[Line], edges: Edges) -> float | None:
    """Where all lines of the block end but its last, if that is more than one line."""
    ends = [line.end for line in block[:-1]]
    if len(ends) < 2 or not all(_is_long(line, edges) for line in block[:-1]):
        return None
    edge = max(ends)
    even = edge - min(ends) <= edges.em and block[-1].end <= edge + edges.em
    return edge if even else None


SMALLER = 0.6
_KANA = re.compile(r"[ぁ-ゖァ-ヺー・\s]+")
_AROUND = 2


def ruby_last(lines: list[Line]) -> list[Line]:
    """Ruby after everything else of the page: between two lines it would cut a sentence."""
    ruby = {
        number
        for number, line in enumerate(lines)
        if _KANA.fullmatch(line.text)
        and any(
            _stands_above(line, other)
            for other in lines[max(number - _AROUND, 0) : number + _AROUND + 1]
        )
    }
    if not ruby:
        return lines
    last = max(line.order for line in lines)
    for line in (lines[number] for number in sorted(ruby)):
        last += 1
        line.order = last
    return [line for number, line in enumerate(lines) if number not in ruby] + [
        lines[number] for number in sorted(ruby)
    ]


def _stands_above(line: Line, other: Line) -> bool:
    size = other.style.size
    return (
        line.style.size < SMALLER * size
        and line.near < other.near
        and abs(other.near - line.far) < 0.6 * size
        and line.start > other.start - size
        and line.end < other.end + size
    )
