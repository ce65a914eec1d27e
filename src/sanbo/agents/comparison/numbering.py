"""The number that a chunk itself bears at its beginning: 第三条の二, ２, ②, （１）, 1.2.3, (b)."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sanbo.language.numerals import KANJI, NUMERAL, letter_number, number_of, roman_number

Unit = Literal[
    "part",  # 編, Part
    "chapter",  # 章, Chapter
    "section",  # 節, Section
    "subsection",  # 款
    "division",  # 目
    "article",  # 条, Article, Clause
    "paragraph",  # 項, `２　`
    "item",  # 号, `一　`
    "subitem",  # イ, ア
    "supplement",  # 附則
    "annex",  # 別表, 別紙, 様式, Schedule, Exhibit
    "circled",  # ②: a paragraph in old laws, an item in contracts
    "bracketed",  # （１）, (1)
    "decimal",  # 1. and 1.2.3
    "letter",  # a. (b) A.
    "roman",  # (iv) IV.
]
UNITS: dict[str, Unit] = {
    "編": "part",
    "章": "chapter",
    "節": "section",
    "款": "subsection",
    "目": "division",
    "条": "article",
    "項": "paragraph",
    "号": "item",
}
ENGLISH_UNITS: dict[str, Unit] = {
    "part": "part",
    "chapter": "chapter",
    "section": "section",
    "article": "article",
    "clause": "article",
    "schedule": "annex",
    "annex": "annex",
    "appendix": "annex",
    "exhibit": "annex",
}


@dataclass(frozen=True)
class Mark:
    start: int
    end: int
    """`text[start:end]` is the number as it is written, with its brackets and its full stop."""
    unit: Unit
    number: tuple[int, ...]
    """`第三条の二` and `3.2` are (3, 2)."""


BRANCH_END = "(?![部つ者人般切方定種層週日月年回度割倍名件個社円分])"
"""What a `の三` that is no branch goes on with: 第五条の三分の一, 第五条の一部."""
BRANCH = rf"(?:の(?>{NUMERAL}){BRANCH_END})*"
_DIGIT = "[0-9０-９]"
_GAP = rf"(?=[\s（(【［\[〔「『:：]|[.．](?!{_DIGIT})|$)"
# What a number that only measures something goes on with: `30 日以内`, `3 months`.
_NOT_MEASURING = (
    "(?![ \u00a0]*(?:年(?![度次金齢])|月(?![額次例])|日(?![本程])"
    "|円|[%％]|時間|[かヶカ箇]月|週間|[a-z]))"
)
_TO_LAST = rf"(?:(?:から|乃至|～|及び|・|、)第?{NUMERAL}[編章節款目条項号]{BRANCH}(?:まで)?)?"
_ITEM_TO_LAST = rf"(?:(?:から|及び|・|、)[{KANJI}]+{BRANCH}(?:まで)?)?"
_ENGLISH = "(?P<word>(?i:part|chapter|section|article|clause|schedule|annex|appendix|exhibit))"
# `Section 2 shall apply` only begins with a reference.
_ENGLISH_END = r"(?=[.:)\-–—]|\s*$|\s+[^\sa-z(])"
_ROMANS = "ii|iii|iv|vi|vii|viii|ix|xi|xii|xiii|xiv|[ivx]"

# Groups: n number, b its branches, r roman, l letter, word what tells the unit.
_BY_DIGIT: tuple[tuple[Unit, str], ...] = (
    ("bracketed", rf"(?P<n>{_DIGIT}{{1,3}})[）)]"),
    ("decimal", rf"(?P<n>{_DIGIT}{{1,3}}(?:[.．]{_DIGIT}{{1,3}})+)[.．]?{_GAP}{_NOT_MEASURING}"),
    ("decimal", rf"(?P<n>{_DIGIT}{{1,3}})[.．](?!{_DIGIT})"),
    ("paragraph", rf"(?P<n>[0-9]{{1,2}}|[０-９]{{1,2}})(?=\s){_NOT_MEASURING}"),
)
_BY_OTHERS: tuple[tuple[Unit | None, str], ...] = (
    (None, rf"第(?P<n>{NUMERAL})(?P<word>[編章節款目条項号])(?P<b>{BRANCH}){_TO_LAST}{_GAP}"),
    ("annex", rf"(?:別表|別紙|別添|別記|付表|附表)第?(?P<n>{NUMERAL})(?P<b>{BRANCH}){_GAP}"),
    ("annex", rf"(?:別記)?様式第(?P<n>{NUMERAL})号?(?P<b>{BRANCH}){_GAP}"),
    (None, rf"{_ENGLISH}\s+(?P<n>[0-9]+(?:\.[0-9]+)*){_ENGLISH_END}"),
    (None, rf"{_ENGLISH}\s+(?P<r>[IVXLC]+){_ENGLISH_END}"),
    (None, rf"{_ENGLISH}\s+(?P<l>[A-Z]){_ENGLISH_END}"),
    ("circled", "(?P<n>[①-⑳㉑-㉟㊱-㊿])"),
    ("bracketed", rf"[（(](?P<n>{NUMERAL})[）)]"),
    ("bracketed", "(?P<n>[⑴-⒇])"),
    ("roman", rf"[（(](?P<r>{_ROMANS})[）)]"),
    ("roman", rf"(?P<r>[Ⅰ-Ⅻⅰ-ⅻ])[.．]?{_GAP}"),
    ("roman", r"(?P<r>[IVX]{2,5}|I)[.．](?=\s|$)"),
    ("letter", "[（(](?P<l>[a-zA-Zａ-ｚＡ-Ｚ])[）)]"),
    ("letter", r"(?P<l>[a-zA-Z])[.)](?=\s|$)"),
    ("subitem", "[（(](?P<l>[ア-ンｱ-ﾝ])[）)]"),
    ("subitem", r"(?P<l>[ア-ン])(?:[.．）)]|(?=\s))"),
    ("item", rf"(?P<n>[{KANJI}]+)(?P<b>{BRANCH}){_ITEM_TO_LAST}(?=\s|$)"),
)
_Compiled = list[tuple[Unit | None, re.Pattern[str]]]
_NUMBERED_BY_DIGIT: _Compiled = [(unit, re.compile(pattern)) for unit, pattern in _BY_DIGIT]
_NUMBERED_BY_OTHERS: _Compiled = [(unit, re.compile(pattern)) for unit, pattern in _BY_OTHERS]
# In a heading a number measures nothing: `1.2 overview`, `3 months of notice` is section 3.
_OF_HEADING = re.compile(rf"(?P<n>{_DIGIT}{{1,3}}(?:[.．\-－]{_DIGIT}{{1,3}})*)(?=\s)")
_IS_DIGIT = re.compile(_DIGIT)
_LONGEST = 80
_NUMBERS = re.compile(NUMERAL)


def own_mark(text: str, *, is_heading: bool = False) -> Mark | None:
    """The number that a chunk begins with; what only refers to an article is none."""
    blank = len(text) - len(text.lstrip())
    mark = _mark_at(text[blank : blank + _LONGEST], is_heading=is_heading)
    if mark is None or not blank:
        return mark
    return Mark(blank + mark.start, blank + mark.end, mark.unit, mark.number)


@lru_cache(maxsize=1 << 14)
def _mark_at(head: str, *, is_heading: bool) -> Mark | None:
    """Asked of every chunk when it is cut, labelled and compared."""
    for unit, pattern in _NUMBERED_BY_DIGIT if _IS_DIGIT.match(head) else _NUMBERED_BY_OTHERS:
        found = pattern.match(head)
        mark = _mark(unit, found) if found else None
        if mark is not None:
            return mark
    found = _OF_HEADING.match(head) if is_heading else None
    return _mark("decimal", found) if found else None


def _mark(unit: Unit | None, found: re.Match[str]) -> Mark | None:
    groups = found.groupdict()
    number = _number(groups)
    if number is None:
        return None
    if unit is None:
        word = found["word"].casefold()
        unit = UNITS.get(word) or ENGLISH_UNITS[word]
    return Mark(found.start(), found.end(), unit, number)


def _number(groups: dict[str, str | None]) -> tuple[int, ...] | None:
    if numeral := groups.get("n"):
        return numbers_in(numeral + (groups.get("b") or ""))
    if roman := groups.get("r"):
        one = roman_number(roman)
    else:
        one = letter_number(groups.get("l") or "")
    return None if one is None else (one,)


@lru_cache(maxsize=4096)
def numbers_in(text: str) -> tuple[int, ...] | None:
    """`三条の二` and `3.2` are (3, 2); `⑫` and `⑴` count too."""
    numbers = [number_of(part) for part in _NUMBERS.findall(text) or [text]]
    whole = [number for number in numbers if number is not None]
    return tuple(whole) if len(whole) == len(numbers) else None
