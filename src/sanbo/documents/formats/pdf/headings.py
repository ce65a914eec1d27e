"""Which lines are headings: by the file's outline, else by how they look and how they begin."""

import re
import unicodedata
from collections import Counter, defaultdict
from itertools import pairwise
from typing import NamedTuple

from sanbo.documents.formats.pdf.lines import Line, PageLines
from sanbo.documents.formats.pdf.pdfium import Bookmark

MOST_LINES = 3
DEEPEST = 6

_LONGEST = 80
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
    return len(line.text) <= _LONGEST and not is_contents_line(line.text)


def _count(lines: list[Line], place: int) -> int:
    """Lines of a large heading that takes more than one."""
    count = 1
    for before, line in pairwise(lines[place : place + MOST_LINES]):
        close = 0 < line.near - before.near < 2 * line.style.size
        if not close or _size(line) != _size(before) or before.length < 18 * before.style.size:
            break
        count += 1
    return count
