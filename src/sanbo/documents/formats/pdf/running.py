"""Running heads, running feet and page numbers: what stands at the same place on most pages.

One invoice a page looks much the same on every page, too. So a line goes only if nothing is lost
with it: it says the same on the pages, and its first is kept, or its only difference is the number
of the page.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from statistics import median
from typing import NamedTuple

from sanbo.documents.formats.pdf.lines import Line, PageLines

FEWEST_PAGES = 5
SHARE_OF_PAGES = 0.6

_MARGIN = 0.1
_SAME_PLACE = 0.02
_LONGEST = 200
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*|\b[ivxlc]+\b")
_WHITE = re.compile(r"\s+")
_PAGE_WORD = re.compile(r"page|ページ|頁|\bp\b")
_NUMBER_ONLY = re.compile(r"(?:page|ページ|頁|第|of|no|p|[\W\d_])*")
# Numbers that count something else than pages: 請求番号 17, 2025-17, 4月17日, 第17回.
_LABEL = re.compile(r"(?:\d\s*[/.:\-]|[年月号第#№]|番号?|\bno\.?)[\s:.]*$")
_UNIT = re.compile(r"\s*[^\W\d_]")
_OF_ALL = re.compile(r"\s*of\b")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


class _Saying(NamedTuple):
    """What the lines have in common; `ahead` is how far a page number is ahead of the page."""

    text: str
    ahead: int | None = None


class _Place(NamedTuple):
    page: int
    line: Line
    height: float


def drop_running_lines(pages: list[PageLines]) -> None:
    if len(pages) < FEWEST_PAGES:
        return
    seen: dict[_Saying, list[_Place]] = defaultdict(list)
    for number, page in enumerate(pages):
        for line in page.lines:
            height = line.box.middle[1] / page.height if page.height else 0.5
            if not _MARGIN < height < 1 - _MARGIN:
                for saying in _sayings(line.text, number):
                    seen[saying].append(_Place(number, line, height))
    dropped: set[int] = set()
    for saying, places in seen.items():
        usual = median(place.height for place in places)
        same = [place for place in places if abs(place.height - usual) < _SAME_PLACE]
        if len({place.page for place in same}) >= SHARE_OF_PAGES * len(pages):
            counts = saying.ahead is not None and _NUMBER_ONLY.fullmatch(saying.text)
            dropped.update(id(place.line) for place in (same if counts else same[1:]))
    for page in pages:
        page.lines = [line for line in page.lines if id(line) not in dropped]


def _sayings(text: str, page: int) -> Iterator[_Saying]:
    """The line as it is, and once for each number in it that may be the page's."""
    plain = unicodedata.normalize("NFKC", text[: 2 * _LONGEST]).lower().strip()
    if len(plain) > _LONGEST:
        return
    yield _Saying(_WHITE.sub("", plain))
    for number in _NUMBER.finditer(plain):
        before, after = plain[: number.start()], plain[number.end() :]
        value = _value(number[0])
        if value is not None and _may_count_pages(before, after):
            rest = f"{before}\0{after}"  # no text has this
            yield _Saying(_WHITE.sub("", rest), value - page)


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
