"""Figures of a sentence that its sources do not state: numbers, dates, amounts. Pure functions.

Every number is read as its value, so that 1,200万円, １２００万円 and 一千二百万円 are one, and
2025-04-01 is 2025年4月1日 or 令和7年4月1日. What would have to be computed or rounded is not found.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from sanbo.language.eras import FIRST, NAMES, western
from sanbo.language.moments import MONTH, month_number
from sanbo.language.numerals import KANJI_DIGITS, narrow, number_of, numerals

_LONGEST_NUMBER = 40
_ERA = re.compile(rf"({NAMES})\s?(元|\d{{1,4}}|[〇{KANJI_DIGITS}十]{{1,9}})年", re.ASCII)
_MONTH = re.compile(rf"\b({MONTH})(?=\s+\d)|(?<=\d)\s+({MONTH})", re.IGNORECASE)
_DOTTED_DATE = re.compile(r"(?<![\d.])(\d{4})\.(\d{1,2})\.(\d{1,2})(?![\d.])", re.ASCII)
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
    wanted = list(_stated(_form(sentence)))
    if not wanted:
        return []
    known = values_of("\n".join(sources))
    missing = (figure.spelling for figure in wanted if not figure.values & known)
    return list(dict.fromkeys(missing))


def values_of(text: str) -> frozenset[Fraction]:
    """Every value that the text may be read to state."""
    text = _form(text)
    named = frozenset[Fraction]().union(*(one.values for one in (*_eras(text), *_months(text))))
    return named | {numeral.value for numeral in numerals(text)}


def _stated(text: str) -> Iterator[Figure]:
    """What the sentence states without doubt; words that only contain a numeral are no figures."""
    eras = list(_eras(text))
    yield from eras
    for figure in eras:
        text = text.replace(figure.spelling, " ")
    yield from _months(text)
    for numeral in numerals(text):
        spelling = text[numeral.start : numeral.end].strip()
        if numeral.writing == "words" or len(spelling) > _LONGEST_NUMBER:
            continue
        if numeral.writing == "kanji":
            unit = _UNIT.match(text, numeral.end)
            is_word = unit is None and len(spelling) == 1
            if is_word or numeral.value <= 2 or text.startswith(_ENOUGH, numeral.start):
                continue
            spelling += unit[0] if unit else ""
        yield Figure(spelling, frozenset({numeral.value}))


def _form(text: str) -> str:
    return _DOTTED_DATE.sub(r"\1/\2/\3", narrow(text))


def _eras(text: str) -> Iterator[Figure]:
    for found in _ERA.finditer(text):
        year = 1 if found[2] == FIRST else number_of(found[2])
        if year is not None:
            both = frozenset({Fraction(western(found[1], year)), Fraction(year)})
            yield Figure(found[0], both)


def _months(text: str) -> Iterator[Figure]:
    for found in _MONTH.finditer(text):
        number = month_number(found[1] or found[2])
        yield Figure(found[0].strip(), frozenset({Fraction(number)}))
