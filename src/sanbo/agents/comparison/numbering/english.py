"""References in English: Section 5.2(b), Articles 3 and 4, § 512(c), Exhibit A."""

import re
from collections.abc import Iterator

from sanbo.agents.comparison.numbering.marks import ENGLISH_UNITS, Unit
from sanbo.agents.comparison.numbering.reference import Part, Reference
from sanbo.language.list_numbers import letter_number, roman_number

_UNITS: dict[str, Unit] = {
    **ENGLISH_UNITS,
    "sec.": "section",
    "§": "section",
    "§§": "section",
    "art.": "article",
    "subclause": "paragraph",
    "subsection": "subsection",
    "paragraph": "paragraph",
    "para.": "paragraph",
    "subparagraph": "item",
    "item": "item",
}
_NUMBER = (
    r"(?:[0-9]+[A-Z]?(?:\.[0-9]+)*(?:\((?:[a-z]{1,4}|[0-9]{1,3}|[A-Z])\))*"
    r"|\((?:[a-z]{1,4}|[0-9]{1,3}|[A-Z])\)(?:\((?:[a-z]{1,4}|[0-9]{1,3})\))*"
    r"|(?:[IVXLC]+|[A-Z])(?:\.[0-9]+)*(?:\([a-z0-9]{1,3}\))*)(?![A-Za-z0-9])"
)
_REFERENCES = re.compile(
    r"(?P<word>\b(?i:parts?|chapters?|sections?|sec\.|articles?|art\.|clauses?|subclauses?"
    r"|subsections?|paragraphs?|para\.|subparagraphs?|items?|schedules?|annex|appendix|exhibits?)"
    rf"[ \u00a0]+|§§?[ \u00a0]*)(?P<number>{_NUMBER})"
)
_MORE = re.compile(
    r"(?:,\s{1,20}+(?:(?:and|or)\s{1,20}+)?|\s{1,20}+(?:and|or|to|through)\s{1,20}+"
    r"|\s{0,20}+[–-]\s{0,20}+)"
    rf"(?P<number>{_NUMBER})"
)
_ANY_WORD = re.compile("[A-Za-z§]")
_PIECE = re.compile("[0-9]+|[A-Za-z]+")
_OTHER_ACT = re.compile(
    r"\s{1,20}+(?:of|to|in|under)\s{1,20}+(?:(?:the|that|such|Council|EU)\s{1,20}+){0,4}"
    r"(?:[A-Z][\w’'&,-]{0,40}+\s{1,20}+(?:(?:of|and|on|for|the|to|against)\s{1,20}+){0,4}){0,8}"
    r"(?:Act|Code|Regulations?|Law|Directive|Convention|Constitution|Treaty|Ordinance|Statutes?"
    r"|GDPR|Decree)\b"
)
_STATUTES_BEFORE = re.compile(r"(?:U\.?S\.?C\.?|C\.?F\.?R\.?|Act|Code)\s*$")


def english_references(text: str) -> Iterator[Reference]:
    if _ANY_WORD.search(text) is None:
        return
    done = 0
    for found in _REFERENCES.finditer(text):
        if found.start() < done:
            continue
        word = found["word"].strip().casefold()
        singular = word.removesuffix("s") if word not in _UNITS else word
        unit = _UNITS[singular]
        group = [_reference(found, unit)]
        done = found.end()
        # `Section 5 and 30 days` lists nothing, `Sections 5 and 6` does.
        while singular != word and (more := _MORE.match(text, done)):
            group.append(_reference(more, unit))
            done = more.end()
        external = bool(
            _OTHER_ACT.match(text, done)
            or _STATUTES_BEFORE.search(text, max(0, found.start() - 12), found.start())
        )
        yield from (
            Reference(one.start, one.end, one.parts, external, joined=at > 0)
            for at, one in enumerate(group)
        )


def _reference(found: re.Match[str], unit: Unit) -> Reference:
    begin, end = found.span("number")
    start = found.start() if "word" in found.re.groupindex else begin
    number = english_numbers(found["number"])
    part = Part(start, end, unit, number, number_start=begin, number_end=end)
    return Reference(start, end, (part,))


def english_numbers(text: str) -> tuple[int, ...]:
    """`5.2(b)`, `D.5`, `IV`; letters count from 1001 on, so that (b) and 2 are two places."""
    return tuple(_number(piece, first=at == 0) for at, piece in enumerate(_PIECE.findall(text)))


def _number(piece: str, *, first: bool) -> int:
    if piece.isdigit():
        return int(piece[:18])
    if (first and len(piece) > 1) or piece in ("I", "V", "X"):
        return roman_number(piece) or 0
    return 1000 + (letter_number(piece) or roman_number(piece) or 0)
