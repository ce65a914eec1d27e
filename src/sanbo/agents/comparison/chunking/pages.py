"""PDF: what the end of a page cuts in two is put together again; running heads and feet go."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from sanbo.agents.comparison.chunking.paragraphs import (
    LONGEST,
    SENTENCE_END,
    Part,
    begins_anew,
    is_wide,
)
from sanbo.documents.model import CELL_SEPARATOR
from sanbo.documents.running_lines import SHARE_OF_PAGES, Saying, is_page_number, sayings

# Columns: a line shorter than the first was not broken off by the end of the page, and one
# shorter than the second not by the end of a line.
_SHORTEST_CUT = 28
_SHORTEST_LINE = 60
_STARTS_ANEW = re.compile(r"\s*[■□◆◇◎※【〔＜<「『（(]")
_NOT_OVER = re.compile(r"[、，,]\s*$")
_WITHIN_SENTENCE = re.compile(
    r"(?:[はがをに]、|。)[^。]{0,500}[^。．.」）)]$|[a-z], [^.]{0,500}[a-z]$"
)
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
    return is_article and _WITHIN_SENTENCE.search(text) is not None


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
