"""What stands at the edge of the pages of a PDF: running heads, running feet, page numbers."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from sanbo.agents.comparison.chunking.lines import begins_anew
from sanbo.agents.comparison.chunking.parts import Part
from sanbo.documents.running_lines import SHARE_OF_PAGES, Saying, is_page_number, sayings

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
