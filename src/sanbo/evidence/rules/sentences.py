"""Cuts a passage into sentences, each a span of its text; nothing is ever rewritten.

A table's row is read as a person does: each value with the name of its column.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from sanbo.documents.model import CELL_SEPARATOR
from sanbo.evidence.model import Passage
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import narrow

# Characters; what is longer is cut after a comma.
LONGEST = 300
_OPEN = "「『（(【［"
_CLOSE = "」』）)】］"
_END = re.compile(r"[。！？!?]+[」』）)】］\"'”’]*|\.[\"'”’)]*(?=\s|$)")
_SHORT_FORM = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|Inc|Ltd|Co|Corp|No|Nos|vs|etc|e\.g|i\.e|cf|approx|Fig|Art|Sec|St|Jr"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)|\b[A-Z]|(?:^|\n)[^\S\n]*+[0-9]{1,3})$"
)
_ITEM = re.compile(
    r"^\s*(?:[・●○◆◇■□▪▶►※★☆–—*•‣-](?!\d)|[0-9０-９]{1,3}[.．)）、](?!\d)|[①-⑳]"
    r"|[（(][0-9０-９一-十ア-ンa-z]{1,3}[)）]|第[0-9０-９一-鿿]{1,5}[条項号章節]"
    r"|[QAＱＡ][.．:：、0-9０-９\s]|[一二三四五六七八九十]{1,3}[　\s、.])"
)
_GOES_ON = re.compile(r"^[ぁ-ん、。）」』]|^[a-z(]")
_LEADS_ON = re.compile(
    r"[、，のをにはがとでもへや（「]$|[,;(–-]$|\b(?:the|a|an|of|to|and|or|in|for|by|with)$"
)
_ENDS_IN_FIGURE = re.compile(
    r"[0-9０-９]\s?(?:万|億)?(?:円|日|名|人|回|時間|か月|%|％|分|枚|個|台|件)$"
)
_SHORT_HEADING = 15
# （宿泊費）: above a clause of a regulation, and often the last line of what is cut before it.
_BRACKETED_HEADING = re.compile("[（(][^（()）0-9０-９。]{1,20}[)）]")
# A figure, a colon, a verb: it says something.
_TELLS = re.compile(r"[0-9０-９：:、,\t]|[うくすつぬむるたいだ]$")
_COMMA = re.compile(r"[、，；;,]\s*|\s")


@dataclass(frozen=True)
class Sentence:
    """A span of a passage's text, without the white space around it."""

    start: int
    end: int
    text: str
    """As it stands there."""
    is_row: bool = False
    """A table's row: its cells are separated by tabs."""
    is_heading: bool = False


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[Sentence, ...]:
    return tuple(_sentences(text))


def paragraphs(text: str) -> list[list[Sentence]]:
    """Sentences between which no line ends: a clause, a list item, a table's row."""
    found: list[list[Sentence]] = []
    for each in sentences(text):
        if found and "\n" not in text[found[-1][-1].end : each.start]:
            found[-1].append(each)
        else:
            found.append([each])
    return found


def _sentences(text: str) -> Iterator[Sentence]:
    for start, end, is_row in _lines(text):
        if is_row:
            yield from _trimmed(text, start, end, is_row=True)
            continue
        spans = list(_ends(text, start, end))
        for begin, stop in spans:
            alone = len(spans) == 1 and _is_heading(text, begin, stop)
            for a, b in _short_enough(text, begin, stop):
                yield from _trimmed(text, a, b, is_heading=alone)


def _trimmed(
    text: str, start: int, end: int, *, is_row: bool = False, is_heading: bool = False
) -> Iterator[Sentence]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield Sentence(start, end, text[start:end], is_row, is_heading)


def _lines(text: str) -> Iterator[tuple[int, int, bool]]:
    """Lines, where a line that only the page's width broke goes with the next."""
    start = 0
    at = 0
    before = ""
    for line in text.splitlines(keepends=True):
        if before and not _belongs(before, line):
            yield start, at, "\t" in before.strip("\r\n")
            start = at
        at += len(line)
        before = line
    if start < at:
        yield start, at, "\t" in before.strip("\r\n")


def _belongs(before: str, line: str) -> bool:
    first, second = before.rstrip(), line.strip()
    if not first or not second or "\t" in before.strip("\r\n") or "\t" in line.strip("\r\n"):
        return False
    if _ITEM.match(line) or line.startswith("　") or _END.search(first[-2:]):
        return False
    return bool(_GOES_ON.match(second) or (_LEADS_ON.search(first) and len(first) > 15))


def _ends(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    inside = _bracketed(text, start, end)
    begin = start
    for found in _END.finditer(text, start, end):
        if inside[found.start() - start]:
            continue
        if found.group()[0] == "." and _SHORT_FORM.search(text[begin : found.start()][-12:]):
            continue
        yield begin, found.end()
        begin = found.end()
    if begin < end and text[begin:end].strip():
        yield begin, end


def _bracketed(text: str, start: int, end: int) -> bytearray:
    """1 for every character within a bracket that closes again."""
    inside = bytearray(end - start + 1)
    opened: list[int] = []
    for at in range(start, end):
        if text[at] in _OPEN:
            opened.append(at - start)
        elif text[at] in _CLOSE and opened:
            begin = opened.pop()
            if not opened:
                inside[begin : at - start + 1] = b"\x01" * (at - start + 1 - begin)
    return inside


def _is_heading(text: str, start: int, end: int) -> bool:
    """A short line of its own without an end, followed by something."""
    line = text[start:end].strip()
    if _BRACKETED_HEADING.fullmatch(line) and not _ITEM.match(line):
        return True
    if len(line) > 40 or _END.search(line[-2:]) or line[-1:] in "、,：:":
        return False
    if line[:1] in "・●○-*•（(" or _ENDS_IN_FIGURE.search(line):
        return False
    after = text[end:].lstrip("\r\n").partition("\n")[0]
    return after.strip() != "" and (
        line[:1] in "#第【■"
        or text[end - 1 : end + 1] == "\n\n"
        or (len(line) <= _SHORT_HEADING and not _TELLS.search(line) and "。" in after)
    )


def _short_enough(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        marks = [found.end() for found in _COMMA.finditer(text, start, start + LONGEST)]
        cut = next((mark for mark in reversed(marks) if mark > start + LONGEST // 3), 0)
        cut = cut or start + LONGEST
        yield start, cut
        start = cut
    yield start, end


def one_line(text: str) -> str:
    """For reading: white space collapsed, a list's bullet left out; between Japanese no blank."""
    joined = re.sub(r"(?<=[ぁ-ヿ㐀-鿿、。])[^\S\n]*+\n\s*+(?=[ぁ-ヿ㐀-鿿])", "", text)
    flat = " ".join(joined.split())
    return re.sub(r"^(?:[・●○◆◇■□▪▶►※★☆*•‣–-]|[AＡ][.．:：]|#{1,6})\s*(?=\S)", "", flat)


_FIGURES = re.compile(r"[0-9０-９]")
_PROSE = frozenset(["the", "a", "an", "of", "for", "and", "to", "in", "on", "by", "with"])
_ASKED = frozenset({"質問", "質問内容", "問い", "q", "question", "questions"})
_ANSWERED = frozenset({"回答", "回答内容", "答え", "a", "answer", "answers"})
# 個別見積もり stands among amounts: one row in four may say it in words.
_MOSTLY = 0.75
# 単価(円):880, 売上高（単位：百万円）：1,200
_UNIT_ABOVE = re.compile(
    r"\((?:単位[:は]?)?(?P<unit>[十百千]?[万億]?(?:円|ドル|人|名|個|台|枚|件|回|日|時間|か月|年|%|kg|g|m|km))\)"
    r"(?P<before>:\s?)(?P<number>[0-9][0-9,]{0,24}(?:\.[0-9]{1,9})?)(?![0-9,.]*[^0-9,.、;\s])"
)
_NOTHING = frozenset({"", "-", "－", "―", "—", "–"})


def header_of(passage: Passage) -> tuple[str, ...]:
    """The columns' names, from the passage's first row or its context; empty where unknown."""
    rows = [sentence for sentence in sentences(passage.text) if sentence.is_row]
    if not rows:
        return ()
    first = cells(rows[0])
    if is_header(passage, rows[0]):
        return first
    width = len(first)
    lines = [line for line in passage.context.splitlines() if line.strip()]
    if not lines or lines[-1] in passage.position.headings:
        return ()
    names = tuple(lines[-1].split(CELL_SEPARATOR if CELL_SEPARATOR in lines[-1] else None))
    # As many words as cells: each is a name, unless they are a sentence.
    return names if len(names) == width > 1 and not _PROSE.intersection(names) else ()


def is_header(passage: Passage, row: Sentence) -> bool:
    """Whether a row names the columns and says nothing itself."""
    rows = [sentence for sentence in sentences(passage.text) if sentence.is_row]
    if not rows or row.start != rows[0].start:
        return False
    names = cells(row)
    if " ".join(names).split() in [line.split() for line in passage.context.splitlines()]:
        return True
    place = passage.position
    if place.row is not None and place.last_row is not None:
        counted = place.last_row - place.row + 1
        if len(rows) > counted or place.row > 1:  # the sheet's first row may be one of those
            return len(rows) > counted
    others = [cells(other) for other in rows[1:]]
    return bool(others) and any(
        not _FIGURES.search(name)
        and sum(nth < len(other) and bool(_FIGURES.search(other[nth])) for other in others)
        >= _MOSTLY * len(others)
        for nth, name in enumerate(names)
    )


def cells(row: Sentence) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in row.text.split(CELL_SEPARATOR))


def answer_of(row: Sentence, header: tuple[str, ...]) -> str:
    """What a row of questions and answers answers; empty where it is none."""
    _, answer = _asked_and_answered(cells(row), header)
    return answer


def _asked_and_answered(values: tuple[str, ...], header: tuple[str, ...]) -> tuple[str, str]:
    names = [name.strip().casefold() for name in header]
    asked = next((nth for nth, name in enumerate(names) if name in _ASKED), None)
    answered = next((nth for nth, name in enumerate(names) if name in _ANSWERED), None)
    if asked is None or answered is None or len(values) != len(header):
        return "", ""
    return values[asked], values[answered]


def readable(row: Sentence, header: tuple[str, ...], language: Language) -> str:
    """役職：部長、日当：3,000円"""
    values = cells(row)
    if len(values) > 1:  # the last cells of a row may be empty
        values += ("",) * (len(header) - len(values))
    question, answer = _asked_and_answered(values, header)
    if answer and question:
        return tell("evidence.row.answer", language, question=question, answer=answer)
    if len(header) != len(values):
        kept = [value for value in values if value not in _NOTHING]
        return tell("evidence.row.between", language).join(kept)
    named = [
        tell("evidence.row.cell", language, name=name, value=value) if name else value
        for name, value in zip(header, values, strict=True)
        if value not in _NOTHING
    ]
    return tell("evidence.row.between", language).join(named)


def with_units(told: str) -> str:
    """A row as it is told, in narrow form, each value with its column's unit: 単価:880円."""
    return _UNIT_ABOVE.sub(r"\g<before>\g<number>\g<unit>", narrow(told))
