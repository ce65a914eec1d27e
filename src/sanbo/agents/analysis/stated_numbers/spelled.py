"""Numbers in words: 三割, 売上三億円, 半分, 倍増, two thirds, forty-five percent, doubled."""

import re
from collections.abc import Iterator
from fractions import Fraction

from sanbo.agents.analysis.stated_numbers.amounts import Amount, Found
from sanbo.language.numerals import LONGEST, number_of

# ---- Japanese ----

_COUNTERS = (
    "店舗|店|件|つ|個|社|名|人|か月|ヶ月|カ月|箇月|年間|年|月|日間|日|回|種類|種|地域|商品|品目|グループ|群"
    "|列|行|倍|位|番目|円|パーセント|割|拠点|部門|項目|区分|期|四半期|%"
)
_NUMERALS = "[〇一二三四五六七八九十百千万億兆]+"
# After another character of a word (売上三億円) only where it can be nothing but an amount: names
# such as 四日市 and 第三四半期 are none.
_KANJI = re.compile(
    rf"(?<![一-鿿〇])(?P<kanji>{_NUMERALS})(?=(?P<by>{_COUNTERS}))"
    rf"|(?<=[一-鿿])(?<![第数何一二三四五六七八九十百千万億兆])(?P<inner>{_NUMERALS})"
    r"(?=(?P<by_inner>円|割|倍|パーセント|%))"
)
_NO_NUMBER = re.compile("(?:^|[万億兆])〇*[万億兆]")
_FRACTION = re.compile("(?P<below>[二三四五六七八九十])分の(?P<above>[一二三四五六七八九])")
_TENTHS = re.compile("割(?P<hundredths>[一二三四五六七八九])分")
_HALF = re.compile(
    r"(?P<more>過半数|(?:半分|半数)(?:以上|超|を(?:超|上回)))|半分|半数|(?P<halved>半減)"
)
_DOUBLED = re.compile("倍増|(?<![0-9一二三四五六七八九十数何])倍に(?:なり|増|達)")

# ---- English ----

_ONES = re.findall(
    "[a-z]+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen",
)
_TENS = re.findall("[a-z]+", "twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {
    **{word: value for value, word in enumerate(_ONES)},
    **{word: value for value, word in zip(range(20, 100, 10), _TENS, strict=True)},
}
_LARGE = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "dozen": 12}
_NUMBER_WORD = "|".join(sorted((*_SMALL, *_LARGE), key=len, reverse=True))
_WORDS = re.compile(
    rf"\b(?P<words>(?:{_NUMBER_WORD})(?:[ -](?:and )?(?:{_NUMBER_WORD}))*)"
    r"(?:[ ](?P<percent>percent|per cent|%)"
    r"|(?P<fold>[ -]?fold|[ ]times)\b|\b(?=[ -][a-z]|[.,;]|$))",
    re.IGNORECASE,
)
_PARTS = {"third": 3, "quarter": 4, "fifth": 5, "tenth": 10}
_PART = re.compile(
    r"\b(?P<above>an?|one|two|three|four)[ -]"
    r"(?P<below>thirds?|quarters?|fifths?|tenths?)\b(?= of\b)"
    r"|\b(?P<two_thirds>two|three)[ -](?:thirds|quarters)\b",
    re.IGNORECASE,
)
_HALF_EN = re.compile(
    r"(?P<more>\b(?:more than|over|above) (?:a |one )?half\b|\bmajority of\b)"
    r"|(?<!first )(?<!second )(?<!other )(?<!latter )\b(?:half of|half the|by half)\b(?! year)"
    r"|(?P<halved>\bhalv(?:ed|es|ing)\b)",
    re.IGNORECASE,
)
_TIMES = {"doubl": 2, "twice": 2, "twofold": 2, "tripl": 3, "threefold": 3, "quadrupl": 4}
_TIMES_EN = re.compile(
    r"\b(?P<times>doubl|tripl|quadrupl)(?:e[ds]?|ing)\b|\b(?P<word>twice|twofold|threefold)\b",
    re.IGNORECASE,
)
_ROUGH = Fraction(10)  # points of percent within which people say half
_ROUGH_PART = Fraction(4)


def find_spelled(text: str) -> Iterator[Found]:
    """In a narrowed text."""
    yield from _japanese(text)
    if re.search("[A-Za-z]{4}", text):
        yield from _english(text)


def _japanese(text: str) -> Iterator[Found]:
    for match in _FRACTION.finditer(text):
        above, below = kanji_number(match["above"]), kanji_number(match["below"])
        if above and below:
            yield Found(match.start(), match.end(), (_part(above, below),))
    for match in _KANJI.finditer(text):
        value = kanji_number(match["kanji"] or match["inner"])
        by = match["by"] or match["by_inner"]
        if value is None or (value <= 1 and by not in ("割", "パーセント", "%")):
            continue
        tenths = _TENTHS.match(text, match.end())
        yield Found(match.start(), match.end(), _counted(value, by, tenths))
    for match in _HALF.finditer(text):
        yield Found(match.start(), match.end(), _halves(match))
    for match in _DOUBLED.finditer(text):
        yield Found(match.start(), match.end(), _times(2))


def _counted(value: int, by: str, tenths: re.Match[str] | None) -> tuple[Amount, ...]:
    if by == "割":
        if tenths is not None:
            percent = value * 10 + (number_of(tenths["hundredths"]) or 0)
            return (Amount(Fraction(percent), Fraction(1), is_percent=True, is_share=True),)
        return (Amount(Fraction(value * 10), Fraction(10), is_percent=True, is_share=True),)
    if by in ("パーセント", "%"):
        return (Amount(Fraction(value), Fraction(1), is_percent=True),)
    if by == "倍":
        return _times(value)
    return (Amount(Fraction(value), Fraction(1), is_spelled=True),)


def _english(text: str) -> Iterator[Found]:
    for match in _PART.finditer(text):
        words = match[0].lower().replace("-", " ").split()
        above = 1 if words[0] in ("a", "an") else _SMALL[words[0]]
        yield Found(match.start(), match.end(), (_part(above, _PARTS[words[1].rstrip("s")]),))
    for match in _HALF_EN.finditer(text):
        yield Found(match.start(), match.end(), _halves(match))
    for match in _TIMES_EN.finditer(text):
        yield Found(
            match.start(), match.end(), _times(_TIMES[(match["times"] or match["word"]).lower()])
        )
    for match in _WORDS.finditer(text):
        value = english_number(match["words"])
        if match["percent"]:
            readings = (Amount(Fraction(value), Fraction(1), is_percent=True),)
        elif match["fold"] and value > 1:
            readings = _times(value)
        elif value > 1:
            readings = (Amount(Fraction(value), Fraction(1), is_spelled=True),)
        else:
            continue
        yield Found(match.start(), match.end(), readings)


def _part(above: int, below: int) -> Amount:
    percent = Fraction(above * 100, below)
    return Amount(percent, _ROUGH_PART, is_percent=True, is_share=True)


def _halves(match: re.Match[str]) -> tuple[Amount, ...]:
    if match["more"]:  # anything from one half to the whole
        return (Amount(Fraction(75), Fraction(50), is_percent=True, is_share=True),)
    half = Amount(Fraction(50), _ROUGH, is_percent=True, is_share=True)
    return (half, half._replace(sign=-1)) if match["halved"] else (half,)


def _times(value: int) -> tuple[Amount, ...]:
    """Known as a ratio of 2 or 200 %, or as a change of +100 %."""
    ratio = Amount(Fraction(value), Fraction(1, 5))
    percents = (Fraction(value * 100), Fraction((value - 1) * 100))
    return (ratio, *(Amount(each, Fraction(20), is_percent=True) for each in percents))


def kanji_number(text: str) -> int | None:
    """三百五十万; None for what is no number, such as 万一."""
    # Of one that is too long, the beginning: that, too, stands in no table.
    return None if _NO_NUMBER.search(text) else number_of(text[:LONGEST])


def english_number(words: str) -> int:
    """Two hundred and forty-five thousand."""
    total = section = 0
    for word in re.findall("[a-z]+", words.lower()):
        if word in _SMALL:
            section += _SMALL[word]
        elif word in ("hundred", "dozen"):
            section = (section or 1) * _LARGE[word]
        elif word in _LARGE:
            total, section = total + (section or 1) * _LARGE[word], 0
    return total + section
