"""What a text refers to by number: 第三十九条第八項, 前条第二号イ, 別表第一, Section 5.2(b)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from sanbo.agents.comparison.numbering import BRANCH, ENGLISH_UNITS, UNITS, Unit, numbers_in
from sanbo.language.eras import NAMES
from sanbo.language.numerals import KANJI, NUMERAL, letter_number, number_of, roman_number

Relative = Literal["previous", "next", "same", "this", "each"]


@dataclass(frozen=True)
class Part:
    """One step of a reference: `第八項` of `第三十九条第八項`."""

    start: int
    end: int
    unit: Unit
    number: tuple[int, ...]
    """Empty where it is relative."""
    relative: Relative | None = None
    count: int = 1
    """Of `前二項` two."""
    number_start: int = 0
    number_end: int = 0
    """Where its number stands: `八` of `第八項`, with branches `三条の二` of `第三条の二`."""


@dataclass(frozen=True)
class Reference:
    start: int
    end: int
    parts: tuple[Part, ...]
    external: bool = False
    """Into another law or contract that is named: `民法第九十条`, `同法第三条`."""
    joined: bool = False
    """It goes on from the reference before: the second of `第四条第一項及び第二項`."""

    @property
    def is_relative(self) -> bool:
        """Without any number of its own: `前条`, `同項`."""
        return all(part.relative for part in self.parts)


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
_ENGLISH_REFERENCES = re.compile(
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
    for found in _ENGLISH_REFERENCES.finditer(text):
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


_DIGITS = "[0-9０-９]+"
_KIND_END = {"条": "(?![約例件])", "項": "(?!目)", "目": "(?![標的次指])", "編": "(?![集成入曲])"}
_ITEM_END = "(?!(?:被保険者|議案|様式|法定受託|特定|[機館棟車店室艇]))"
_KINDS = "|".join(unit + _KIND_END.get(unit, _ITEM_END if unit == "号" else "") for unit in UNITS)
_SEPARATED = rf"{NUMERAL}(?:[-－‐.．]{_DIGITS})*"
_NUMBERED = rf"第(?>{_SEPARATED})(?:{_KINDS}){BRANCH}"
_WITHOUT_DAI = (
    rf"(?<![0-9０-９.．第])(?<![0-9０-９][-－])(?>{_DIGITS}(?:[-－.．]{_DIGITS})*)"
    rf"条(?![約例件]){BRANCH}"
)
_LOWER_WITHOUT_DAI = rf"(?>{_DIGITS})(?:項(?!目)|号{_ITEM_END}){BRANCH}"
_RELATIVE = r"(?:[前次同本]|前(?>[二三四五六七八九十]+)|各|前各)(?:[編章節款条項号](?![目件例約]))"
_SUBITEM = r"[イロハニホヘトチリヌルヲ](?![ァ-ヶー])(?:[（(][0-9０-９]{1,2}[）)])?"
_ANNEX = rf"(?:別表|別紙|別添|別記|付表)(?:第(?>{NUMERAL})|(?>{_DIGITS})){BRANCH}"
_FORM = rf"様式第(?>{NUMERAL})号?{BRANCH}|第(?>{NUMERAL})号様式"
_REFERENCES = re.compile(
    # Tells at once that nothing begins here.
    rf"(?=[第前次同本各附別付様0-9０-９])(?:(?P<annex>{_ANNEX}|{_FORM})"
    rf"|(?P<chain>(?:附則)?(?:{_NUMBERED}|{_WITHOUT_DAI}|{_RELATIVE})"
    rf"(?:{_NUMBERED}|{_LOWER_WITHOUT_DAI}|{_RELATIVE})*(?:(?<=号){_SUBITEM})?))"
)
_NUMBER_START = rf"(?<![-－‐.．])(?:(?<![{KANJI}])(?=[{KANJI}])|(?<![0-9０-９])(?=[0-9０-９]))"
_CHAIN_PART = re.compile(
    rf"(?P<supplement>附則)|(?P<relative>[前次同本各]{{1,4}})(?P<count>[二三四五六七八九十]{{0,9}})"
    rf"(?P<of>[編章節款条項号])|第?{_NUMBER_START}(?P<number>(?>{_SEPARATED})(?P<unit>[編章節款目条項号]){BRANCH})"
    rf"|(?P<subitem>{_SUBITEM})"
)
_LAW_KINDS = "法律|政令|勅令|省令|府令|庁令|規則|条例|告示|条約|訓令|通達|通知|指令|太政官布告|布告"
_NUMBER_OF_LAW = re.compile(rf"(?:{_LAW_KINDS}|[発収])$")
_YEAR_OF_LAW = re.compile(rf"(?:{NAMES})[^、。（）()]{{1,24}}$")
_LAW = re.compile(
    r"(?:憲法|刑法|民法|商法|法|法律|政令|勅令|省令|府令|規則|規程|条例|条約|議定書|協定|協定書"
    r"|契約|契約書|約款|要綱|要領|規約|定款|告示|就業規則|指針|ガイドライン|基準|施行令|令)$"
)
_THIS_LAW = re.compile(
    r"(?:この|(?<![一-鿿])本|当該)[一-鿿ァ-ヶー]{0,12}(?:法|法律|政令|省令|府令|規則|規程|条例|条約|議定書|協定|協定書|契約"
    r"|契約書|約款|要綱|要領|規約|定款|告示|就業規則|指針|ガイドライン|基準|令)$"
)
_OPENING = {"）": "（", ")": "("}
_NAME_END = "」』"


def japanese_references(text: str) -> Iterator[Reference]:
    for found in _REFERENCES.finditer(text):
        start, end = found.span()
        before = _before(text, start)
        if found["annex"]:
            yield Reference(start, end, (_annex(found),), _is_other_law(before))
            continue
        parts = tuple(_chain_parts(text, start, end))
        external = _is_other_law(before)
        if _is_number_of_law(parts[0], before):
            parts, external = parts[1:], True
        yield from (
            Reference(chain[0].start, chain[-1].end, chain, external) for chain in _chains(parts)
        )


def _chains(parts: tuple[Part, ...]) -> Iterator[tuple[Part, ...]]:
    """Each goes down only: `第三条同条第二項` are two."""
    begin = 0
    for at in range(1, len(parts) + 1):
        if at == len(parts) or _RANKS[parts[at].unit] <= _RANKS[parts[at - 1].unit]:
            yield parts[begin:at]
            begin = at


_RANKS: dict[Unit, int] = {
    unit: rank for rank, unit in enumerate(("supplement", *UNITS.values(), "subitem"))
}


def _annex(found: re.Match[str]) -> Part:
    start, end = found.span()
    first = re.search(NUMERAL, found.group())
    assert first is not None
    last = end - len("様式") if found.group().endswith("様式") else end
    number = numbers_in(found.group()) or ()
    return Part(start, end, "annex", number, number_start=start + first.start(), number_end=last)


def _chain_parts(text: str, start: int, end: int) -> Iterator[Part]:
    for found in _CHAIN_PART.finditer(text, start, end):
        at, to = found.span()
        if found["supplement"]:
            yield Part(at, to, "supplement", ())
        elif found["relative"]:
            count = number_of(found["count"]) if found["count"] else 1
            relative = _RELATIVES[found["relative"]]
            yield Part(at, to, UNITS[found["of"]], (), relative, count or 1)
        elif found["subitem"]:
            number = (
                letter_number(found["subitem"][0]) or 0,
                *(numbers_in(found["subitem"][1:]) or ()),
            )
            yield Part(at, to, "subitem", number, number_start=at, number_end=to)
        else:
            number = numbers_in(found["number"]) or ()
            begin = found.start("number")
            yield Part(at, to, UNITS[found["unit"]], number, number_start=begin, number_end=to)


_RELATIVES: dict[str, Relative] = {
    "前": "previous",
    "前各": "previous",
    "次": "next",
    "同": "same",
    "本": "this",
    "各": "each",
}


def _before(text: str, start: int) -> str:
    """What stands just before, without a bracket in between: `民法（明治…号）` is `民法`."""
    end = start
    if end and text[end - 1] in _OPENING:
        end = _opened(text, end - 1)
    if end and text[end - 1] in _NAME_END:
        end -= 1
    return text[max(0, end - 30) : end]


def _opened(text: str, closing: int) -> int:
    """Where the bracket that closes here was opened; the closing one where it never was."""
    close, depth = text[closing], 0
    open_ = _OPENING[close]
    for at in range(closing, max(-1, closing - 200), -1):
        depth += (text[at] == close) - (text[at] == open_)
        if depth == 0:
            return at
    return closing


def _is_number_of_law(part: Part, before: str) -> bool:
    if part.unit != "item" or part.relative or not _NUMBER_OF_LAW.search(before):
        return False
    return bool(_YEAR_OF_LAW.search(before)) or not _THIS_LAW.search(before)


def _is_other_law(before: str) -> bool:
    if before.endswith("附則"):
        before = before.removesuffix("附則")
    return bool(_LAW.search(before)) and not _THIS_LAW.search(before)


_UNIT_WRITTEN = re.compile("[編章節款目条項号]")
# Most paragraphs refer to nothing; these tell them at once, the first one faster still.
_MAY_HINT = re.compile("[第条項号章節編款§別付様A-Za-z]")
_HINT = re.compile(
    r"[第条項号章節編款§]|別[表紙添記]|付表|様式"
    r"|[Pp]art|[Cc]hap|[Ss]ec|[Ss]ub|[Aa]rt|[Cc]lau|[Pp]ara|[Ii]tem|[Ss]che|[Aa]nne|[Aa]ppe|[Ee]xhi"
    r"|PART|CHAP|SEC|SUB|ART|CLAU|PARA|ITEM|SCHE|ANNE|APPE|EXHI"
)


def references(text: str) -> list[Reference]:
    """In the order of the text; no two overlap."""
    first = _MAY_HINT.search(text)
    if first is None or _HINT.search(text, first.start()) is None:
        return []
    found = [*japanese_references(text), *english_references(text)]
    if len(found) < 2:
        return found
    found.sort(key=lambda reference: reference.start)
    return _joined(text, found)


def masked(text: str) -> str:
    """The same text with `#` for the numbers of all it refers to: `第#条第#項`."""
    pieces: list[str] = []
    done = 0
    for reference in references(text):
        for part in reference.parts:
            if part.number_end > part.number_start:
                unit = _UNIT_WRITTEN.search(text, part.number_start, part.number_end)
                pieces += (text[done : part.number_start], "#", unit.group() if unit else "")
                done = part.number_end
    return "".join((*pieces, text[done:]))


_JOINT = re.compile(
    r"\s*(?:(?:まで)?(?:及び|並びに|又は|若しくは|もしくは|または|および|ならびに|と|から|乃至|ないし"
    r"|、|,|，|・|～|〜|and|or|to|through)\s*)+(?:同)?"
)


def _joined(text: str, found: list[Reference]) -> list[Reference]:
    joined: list[Reference] = found[:1]
    for previous, reference in pairwise(found):
        between = text[previous.end : reference.start]
        goes_on = len(between) < 16 and bool(_JOINT.fullmatch(between))
        if not goes_on or reference.joined:
            joined.append(reference)
            continue
        external = reference.external or joined[-1].external
        joined.append(Reference(reference.start, reference.end, reference.parts, external, True))
    return joined
