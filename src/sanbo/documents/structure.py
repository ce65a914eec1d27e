"""The markers by which Japanese and English rules, contracts and manuals are divided.

`第三条の二（秘密保持）`, `２　…`, `一　…`, `（１）…`, `ア　…`, `Article 3`: what stands at the
beginning of a paragraph tells its place in the hierarchy.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

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
