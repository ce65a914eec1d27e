"""References in Japanese: 第三十九条第八項, 前条第二号イ, 同法第六十一条, 別表第一."""

import re
from collections.abc import Iterator

from sanbo.agents.comparison.numbering.marks import BRANCH, UNITS, Unit, numbers_in
from sanbo.agents.comparison.numbering.reference import Part, Reference, Relative
from sanbo.language.eras import NAMES
from sanbo.language.list_numbers import letter_number
from sanbo.language.numerals import KANJI, NUMERAL, number_of

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
