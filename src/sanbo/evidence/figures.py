"""Figures of a sentence that its sources do not state: numbers, dates, amounts. Pure functions.

Every number is read as its value, so that 1,200万円, １２００万円 and 一千二百万円 are one, and
2025-04-01 is 2025年4月1日 or 令和7年4月1日. What would have to be computed or rounded is not found.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from sanbo.language.eras import NAMES, western

_DIGITS = {character: value for value, character in enumerate("〇一二三四五六七八九")} | {"零": 0}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10**4, "億": 10**8, "兆": 10**12}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12, "k": 1000}
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPELLED = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
sixteen seventeen eighteen nineteen twenty
"""
_ROUND = "thirty forty fifty sixty seventy eighty ninety hundred"
_WORD_VALUES = {word: value for value, word in enumerate(_SPELLED.split())} | {
    word: 10 * tens for tens, word in enumerate(_ROUND.split(), 3)
}
_LONGEST_NUMBER = 40

_NUMBER = r"\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?"
_AMOUNT = re.compile(
    rf"(?:{_NUMBER})[ ]?[十百千万億兆](?:[ ]?(?:{_NUMBER})?[ ]?[十百千万億兆])*(?:{_NUMBER})?"
    rf"|(?:{_NUMBER})(?:[ ]?(?:thousand|million|billion|trillion)\b|k\b)?",
    re.IGNORECASE | re.ASCII,
)
_PART = re.compile(rf"({_NUMBER})?[ ]?([十百千万億兆]?)", re.ASCII)
_KANJI = re.compile("[〇零一二三四五六七八九十百千万億兆]+")
_ERA = re.compile(rf"({NAMES})\s?(元|\d+|[〇一二三四五六七八九十]+)年")
_MONTH = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]*\.?(?=\s+\d)|(?<=\d)\s+({'|'.join(_MONTHS)})[a-z]*",
    re.IGNORECASE,
)
_DOTTED_DATE = re.compile(r"(?<![\d.])(\d{4})\.(\d{1,2})\.(\d{1,2})(?![\d.])", re.ASCII)
_WORD = re.compile(rf"\b(?:{'|'.join(_WORD_VALUES)})\b", re.IGNORECASE)
# In a sentence 一 and 十 are mostly no figures (一部, 十分, 統一); with such a unit they are.
_UNIT = re.compile(
    r"年|か月|ヶ月|カ月|箇月|月(?!並)|日(?!本|常)|時間|時(?!点|期|的|代|折)|分(?!野|析|類|か|割|け)|秒"
    r"|円|ドル|人|名(?!称|前|義)|件|個|社(?!会|員)|回|歳|才|割|%|パーセント|ポイント|倍|条|項(?!目)|号|章"
    r"|店|台|本(?!人|社)|枚|冊|週|泊|級|位(?!置)|階|点|つ|km|m|kg|g"
)
_ENOUGH = "十分"


@dataclass(frozen=True)
class Figure:
    spelling: str
    values: frozenset[Fraction]
    """Any of them confirms it: 令和7年 is 2025 or 7."""


def unconfirmed(sentence: str, sources: Iterable[str]) -> list[str]:
    """The figures that stand in none of the sources, as the sentence spells them, each once."""
    wanted = list(_stated(_narrow(sentence)))
    if not wanted:
        return []
    known = values_of("\n".join(sources))
    missing = (figure.spelling for figure in wanted if not figure.values & known)
    return list(dict.fromkeys(missing))


def values_of(text: str) -> set[Fraction]:
    """Every value that the text may be read to state."""
    text = _narrow(text)
    values: set[Fraction] = set()
    for figure in (*_eras(text), *_amounts(text), *_months(text)):
        values |= figure.values
    for found in _KANJI.finditer(text):
        values |= _kanji_values(found[0])
    values.update(Fraction(_WORD_VALUES[found[0].lower()]) for found in _WORD.finditer(text))
    return values


def _stated(text: str) -> Iterator[Figure]:
    """What the sentence states without doubt; words that only contain a numeral are no figures."""
    eras = list(_eras(text))
    yield from eras
    for figure in eras:
        text = text.replace(figure.spelling, " ")
    yield from _months(text)
    yield from _amounts(text)
    for found in _KANJI.finditer(text):
        if text[max(0, found.start() - 1) : found.start()].isdigit():
            continue  # the 万 of 12万
        values = _kanji_values(found[0])
        unit = _UNIT.match(text, found.end())
        is_figure = unit is not None or len(found[0]) > 1
        if is_figure and values and max(values) > 2 and not text.startswith(_ENOUGH, found.start()):
            spelling = found[0] + (unit[0] if unit else "")
            yield Figure(spelling, frozenset(values))


def _narrow(text: str) -> str:
    return _DOTTED_DATE.sub(r"\1/\2/\3", unicodedata.normalize("NFKC", text))


def _amounts(text: str) -> Iterator[Figure]:
    for found in _AMOUNT.finditer(text):
        spelling = found[0].strip()
        if len(spelling) <= _LONGEST_NUMBER:
            yield Figure(spelling, frozenset({_amount(spelling.lower())}))


def _amount(spelling: str) -> Fraction:
    for word, scale in _SCALES.items():
        if spelling.endswith(word):
            return _plain(spelling.removesuffix(word).strip()) * scale
    total = section = Fraction(0)
    for digits, unit in _PART.findall(spelling):
        value = _plain(digits) if digits else Fraction(0)
        if unit in _MYRIADS:
            total += (section + value or 1) * _MYRIADS[unit]
            section = Fraction(0)
        elif unit in _TENS:
            section += (value if digits else 1) * _TENS[unit]
        else:
            section += value
    return total + section


def _plain(digits: str) -> Fraction:
    return Fraction(digits.replace(",", ""))


def _kanji_values(numeral: str) -> set[Fraction]:
    """三百五十万, and 二〇二五 digit by digit; nothing for what is no number."""
    if len(numeral) > _LONGEST_NUMBER:
        return set()
    if all(character in _DIGITS for character in numeral):
        return {Fraction("".join(str(_DIGITS[character]) for character in numeral))}
    total = section = digit = 0
    for character in numeral:
        if character in _DIGITS:
            digit = digit * 10 + _DIGITS[character]
        elif character in _TENS:
            section += (digit or 1) * _TENS[character]
            digit = 0
        else:
            if not section + digit:
                return set()
            total += (section + digit) * _MYRIADS[character]
            section = digit = 0
    return {Fraction(total + section + digit)}


def _eras(text: str) -> Iterator[Figure]:
    for found in _ERA.finditer(text):
        year = _year(found[2])
        if year is not None:
            both = frozenset({Fraction(western(found[1], year)), Fraction(year)})
            yield Figure(found[0], both)


def _year(numeral: str) -> int | None:
    if numeral == "元":
        return 1
    if numeral.isascii():
        return int(numeral) if len(numeral) < 5 else None
    values = _kanji_values(numeral)
    return int(min(values)) if values else None


def _months(text: str) -> Iterator[Figure]:
    for found in _MONTH.finditer(text):
        name = (found[1] or found[2]).lower()
        yield Figure(found[0].strip(), frozenset({Fraction(_MONTHS.index(name) + 1)}))
