"""Running heads, running feet and page numbers: lines that say the same on most pages, but for the
number of the page.

Whoever knows where lines stand looks at the edges of pages, and asks here what they say.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

SHARE_OF_PAGES = 0.6
"""On fewer pages, a line that comes again is no running one."""
_LONGEST = 200
_LONGEST_NUMBER = 60
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*|\b[ivxlc]+\b")
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
    for number in _NUMBER.finditer(plain):
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
