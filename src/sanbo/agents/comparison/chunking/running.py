"""What stands at the edge of the pages of a PDF: running heads, running feet, page numbers."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sanbo.agents.comparison.chunking.keys import plain
from sanbo.agents.comparison.chunking.lines import begins_anew
from sanbo.agents.comparison.chunking.parts import Part

_AT_EDGE = 2
"""So many parts from the top and the bottom of a page may stand on every page."""
_LONGEST = 120
_LONGEST_NUMBER = 60
_SHARE_OF_PAGES = 0.6
_FEWEST_FOR_HEADING = 3
"""Two pages may well begin with the same title; a head line is on more."""
_PAGE_NUMBER = re.compile(
    r"[-–—‐\[(]*+\s*+(?P<page>[0-9]{1,4})\s*+(?:[-–—‐\])]++\s*+)?(?:(?:ページ|頁)\s*+)?"
    r"(?:(?:/|of)\s*+[0-9]{1,4}\s*+(?:ページ|頁)?)?"
)
_PAGE_WORD = re.compile(r"(?:\bpage\s*|\bp\.\s*)(?P<page>[0-9]{1,4})\b|(?P<ja>[0-9]{1,4})\s*ページ")
_NUMBER = re.compile("[0-9]+")


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
    said: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for page, all_of_it in by_page.items():
        for at in {*all_of_it[:_AT_EDGE], *all_of_it[-_AT_EDGE:]}:
            line = text[parts[at].start : parts[at].end]
            if is_page_number(line, page):
                found.add(at)
            elif len(line) <= _LONGEST and not begins_anew(line):
                said[_saying(line, page)].append((page, at))
    often = max(2, _SHARE_OF_PAGES * len(by_page))
    for places in said.values():
        pages = len({page for page, _ in places})
        is_heading = any(parts[at].kind == "heading" for _, at in places)
        if pages >= often and not (is_heading and pages < _FEWEST_FOR_HEADING):
            found.update(at for _, at in places)
    return found


def is_page_number(line: str, page: int) -> bool:
    """`- 3 -`, `3/12`, `Page 3 of this contract`; a number alone only where it is the page's."""
    if len(line) > _LONGEST_NUMBER:
        return False
    narrow = unicodedata.normalize("NFKC", line).casefold().strip()
    if word := _PAGE_WORD.search(narrow):
        return int(word["page"] or word["ja"]) == page
    number = _PAGE_NUMBER.fullmatch(narrow)
    return number is not None and (int(number["page"]) == page or not narrow.isdecimal())


def _saying(line: str, page: int) -> str:
    """What a line says but for the number of its page."""
    return _NUMBER.sub(lambda found: "#" if int(found[0]) == page else found[0], plain(line))
