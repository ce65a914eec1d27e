"""What a text counts and dates: each figure with its place, value, unit, precision and kind.

Units are those of both languages: 円, 人, か月, %, business days.
"""

import re
from fractions import Fraction
from typing import Literal, NamedTuple

from sanbo.language.moments import Moment, Stated, find_moments
from sanbo.language.numerals import KANJI_DIGITS, Numeral, number_of, numerals

_WRITINGS = {
    "人": "人 名 people persons employees",
    "か月": "か月 ヶ月 カ月 ヵ月 ケ月 箇月 month months",
    "営業日": "営業日 business_days working_days",
    "日": "日 日間 day days",
    "週": "週 週間 week weeks",
    "年間": "年 年間 year years",
    "時間": "時間 hour hours",
    "分": "分 分間 minute minutes",
    "回": "回 times",
    "泊": "泊 nights",
    "歳": "歳 才",
    "文字": "文字 characters",
    "ページ": "ページ 頁 pages",
    "mm": "mm",
    "cm": "cm センチ センチメートル",
    "m": "m メートル metre metres meter meters",
    "km": "km キロメートル kilometre kilometres kilometer kilometers",
    "キロ": "キロ",
    "kg": "kg キログラム kilogram kilograms kilo kilos",
    "g": "g グラム gram grams",
    "t": "トン ton tons tonne tonnes",
    "ml": "ml ミリリットル millilitre millilitres milliliter milliliters",
    "l": "リットル litre litres liter liters",
    "円": "円 yen jpy",
    "$": "ドル 米ドル usd dollar dollars bucks",
    "€": "ユーロ eur euro euros",
    "£": "ポンド gbp pounds pound quid",
    "%": "% パーセント percent per_cent",
    "割": "割",
    **{each: each for each in ["件", "個", "台", "枚", "社", "階", "倍", "gb", "mb"]},
}
UNITS = {
    written.replace("_", " "): unit
    for unit, writings in _WRITINGS.items()
    for written in writings.split()
}
"""What it is called, by how it is written; letters are small ones."""
SIGNS = {"¥": "円", "$": "$", "€": "€", "£": "£"}
MONEY = frozenset(SIGNS.values())
# 日本, 3分の2 and 1人称 count nothing.
_NO_UNIT = {
    "日": "(?!本|常|[市町])",
    "分": f"(?!の[0-9{KANJI_DIGITS}]|か[るりっれ]|[割担配け野析類])",
    "人": "(?!称)",
    "個": "(?!人)",
    "キロ": "(?![ァ-ヶ])",
    "トン": "(?!ネル)",
}
UNIT = "|".join(
    re.escape(written) + _NO_UNIT.get(written, "")
    for written in sorted(UNITS, key=len, reverse=True)
)
"""As a pattern, for texts in narrow form."""
_ENGLISH = {
    "円": "yen", "人": "people", "日": "days", "営業日": "business days", "週": "weeks",
    "か月": "months", "年間": "years", "年": "years", "時間": "hours", "分": "minutes",
    "回": "times", "泊": "nights", "倍": "times", "文字": "characters", "ページ": "pages",
}  # fmt: skip


def english_unit(unit: str) -> str:
    return _ENGLISH.get(unit, unit)


_UNIT = re.compile(rf"\s?(?P<unit>{UNIT})(?![a-z])", re.IGNORECASE)
_SIGN = re.compile(r"[¥$€£]\s?$")
_TENTHS = re.compile(
    rf"([0-9{KANJI_DIGITS}])分(?![の間])(?:([0-9{KANJI_DIGITS}])厘)?", re.IGNORECASE
)
_AND_HALF = re.compile("半(?![額休日ば分年期])")
_HALVED = frozenset(("時間", "日", "か月", "年間"))
_ENOUGH = re.compile("十分(?!間|以内|以上|前|後|ごと)")

Kind = Literal["date", "clock", "money", "share", "count", "number"]


class Figure(NamedTuple):
    start: int
    end: int
    """After its unit."""
    kind: Kind
    value: Fraction | None = None
    """None of what states more than one number: 2025年4月1日."""
    step: Fraction = Fraction(1)
    """What one more in the last digit that is written would add."""
    unit: str = ""
    stated: Stated | None = None
    """As a date or a time of day. 10日 may be one, and a count of days."""
    numeral: Numeral | None = None

    @property
    def moment(self) -> Moment:
        return self.stated.moment if self.stated else Moment()


def find(text: str) -> list[Figure]:
    """All of a text in narrow form, in its order, disjoint."""
    dated = find_moments(text)
    counted: list[Figure] = []
    for numeral in numerals(text):
        if not counted or numeral.start >= counted[-1].end:  # the 5分 of 3割5分
            counted.append(_counted(text, numeral))
    if not dated:
        return counted
    found: list[Figure] = []
    rest = iter(counted)
    following = next(rest, None)
    for stated in dated:
        while following is not None and following.start < stated.start:
            if following.numeral is None or following.numeral.end <= stated.start:
                found.append(following)
            following = next(rest, None)
        first = following if following and following.start < stated.end else None
        while following is not None and following.start < stated.end:
            following = next(rest, None)
        found.append(_dated(stated, first))
    return [*found, *([] if following is None else (following, *rest))]


def _dated(stated: Stated, first: Figure | None) -> Figure:
    kind: Kind = "clock" if stated.moment[:6] == (None,) * 6 else "date"
    if stated.moment.only is None:
        return Figure(stated.start, stated.end, kind, stated=stated)
    value = Fraction(stated.moment.only)
    if first is None or first.value != value:
        return Figure(stated.start, stated.end, kind, value, stated=stated)
    end = max(stated.end, first.end)
    return Figure(
        stated.start, end, kind, value, Fraction(1), first.unit, stated, numeral=first.numeral
    )


def _counted(text: str, numeral: Numeral) -> Figure:
    start, end, value, step, writing = numeral
    after = _UNIT.match(text, end)
    if after is not None and not (writing == "kanji" and _ENOUGH.match(text, start)):
        unit = UNITS[after["unit"].lower()]
        end = after.end()
        if unit == "割":
            unit, value, step = "%", value * 10, step * 10
            if tenths := _TENTHS.match(text, end):
                value, step = value + (number_of(tenths[1]) or 0), Fraction(1)
                if tenths[2]:
                    value, step = value + Fraction(number_of(tenths[2]) or 0, 10), Fraction(1, 10)
                end = tenths.end()
        elif unit in _HALVED and _AND_HALF.match(text, end):  # 1時間半, 2年半
            value, step, end = value + Fraction(1, 2), step / 2, end + 1
    elif before := _SIGN.search(text, max(0, start - 2), start):
        unit, start = SIGNS[before[0][0]], before.start()
    else:
        return Figure(start, end, "number", value, step, numeral=numeral)
    kind: Kind = "money" if unit in MONEY else "share" if unit == "%" else "count"
    return Figure(start, end, kind, value, step, unit, numeral=numeral)


def written(number: str, unit: str, language: Literal["ja", "en"]) -> str:
    """12,000円, $1,200, 3.5%; in English a unit stands apart: 10 days."""
    if unit in MONEY - {"円"}:
        return f"{unit}{number}"
    if not unit or unit == "%" or language == "ja":
        return f"{number}{unit}"
    return f"{number} {english_unit(unit)}"
