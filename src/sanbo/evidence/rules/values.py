"""Dates, amounts and counts of a sentence, read as what they mean however they are written."""

import re
import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from sanbo.language.eras import NAMES, western
from sanbo.language.numerals import amount_of

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ONES = "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen"
_WORDS = {word: value for value, word in enumerate(_ONES.split())} | {
    "fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "ninety": 90
}  # fmt: skip
# Not longer, so that no number takes long to read.
_PLAIN = r"(?:[0-9]{1,3}(?:,[0-9]{3}){1,5}|[0-9]{1,18})(?:\.[0-9]{1,9})?"
_KANJI = "[〇一二三四五六七八九十百千万億兆]{1,20}"
_NUMBER = rf"(?:{_PLAIN}(?:[千万億兆](?:{_PLAIN})?){{0,4}}|{_KANJI})"
# 万円, and (千円) above a column, say in what is counted: they are no amount.
_ONLY_UNIT = r"(?:[万億兆]|(?<=[(:])[十百千]+万?(?:円|人|名|個|台|枚|件)\))"
_SMALL = "(?:[0-9]{1,2}|[一二三四五六七八九十]{1,3})"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?"
)
_UNITS = {
    "名": "人", "人": "人", "ヶ月": "か月", "か月": "か月", "カ月": "か月", "ヵ月": "か月",
    "箇月": "か月", "日間": "日", "日": "日", "営業日": "営業日", "週間": "週", "週": "週",
    "年間": "年間", "年": "年間", "時間": "時間", "分間": "分", "分": "分", "回": "回",
    "件": "件", "個": "個", "台": "台", "枚": "枚", "泊": "泊", "歳": "歳", "才": "歳",
    "社": "社", "階": "階", "倍": "倍", "メートル": "m", "キロメートル": "km", "km": "km",
    "m": "m", "kg": "kg", "g": "g", "gb": "gb", "mb": "mb", "文字": "文字", "ページ": "ページ",
    "円": "円", "ドル": "$", "ユーロ": "€", "%": "%", "パーセント": "%", "割": "割", "yen": "円",
    "jpy": "円", "usd": "$", "dollars": "$", "dollar": "$", "eur": "€", "euros": "€",
    "percent": "%", "day": "日", "days": "日", "business days": "営業日",
    "working days": "営業日", "week": "週", "weeks": "週", "month": "か月", "months": "か月",
    "year": "年間", "years": "年間", "hour": "時間", "hours": "時間", "minutes": "分",
    "people": "人", "persons": "人", "employees": "人", "times": "回", "nights": "泊",
    "characters": "文字", "pages": "ページ",
}  # fmt: skip
_UNIT = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_VALUE = re.compile(
    rf"""
    (?:(?P<era>{NAMES})\s?(?P<era_year>元|{_SMALL})|(?P<year>[0-9]{{4}}))年(?P<fiscal>度)?
        (?:\s?(?P<month>{_SMALL})月(?:\s?(?P<day>{_SMALL})日)?)?
  | (?<![0-9.])(?P<iso>[0-9]{{4}}[-/.][0-9]{{1,2}}[-/.][0-9]{{1,2}})(?![0-9])
  | (?P<month2>{_SMALL})月(?P<day2>{_SMALL})日(?!間)
  | \b(?P<month3>{_MONTH})\s+(?P<day3>[0-9]{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year3>[0-9]{{4}}))?\b
  | \b(?P<day4>[0-9]{{1,2}})\s+(?P<month4>{_MONTH})(?:\s+(?P<year4>[0-9]{{4}}))?\b
  | (?P<half>午前|午後)?(?P<hour>{_SMALL})時(?!間)(?:(?P<minute>{_SMALL})分|(?P<half_past>半))?
  | (?<![0-9:])(?P<clock>[0-9]{{1,2}}:[0-9]{{2}})(?![0-9:])
  | (?P<sign>[¥$€£])\s?(?P<money>{_PLAIN})
  | (?P<number>(?<![0-9A-Za-z.,第])(?!{_ONLY_UNIT}){_NUMBER})\s?(?P<unit>{_UNIT})(?![a-z])
  | \b(?P<word>{"|".join(_WORDS)})\s(?P<word_unit>{_UNIT})\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SIGNS = {"¥": "円", "$": "$", "€": "€", "£": "£"}
_YEAR = re.compile(rf"(?:{NAMES})(?:元|[0-9]{{1,2}})年|(?<![0-9])(?:19|20)[0-9]{{2}}(?![0-9])")


@dataclass(frozen=True)
class Value:
    start: int
    end: int
    """Its place in the narrow form of the text."""
    unit: str
    """What it counts: two values of different units can't disagree."""
    meaning: str
    written: str


def narrow(text: str) -> str:
    """Full-width figures and letters as half-width ones: what values are read in."""
    return unicodedata.normalize("NFKC", text)


@lru_cache(maxsize=2048)
def values(text: str) -> tuple[Value, ...]:
    """All of a text in narrow form, in its order."""
    found: list[Value] = []
    for match in _VALUE.finditer(text):
        unit, meaning = _read({name: part for name, part in match.groupdict().items() if part})
        found.append(Value(match.start(), match.end(), unit, meaning, match.group().strip()))
    return tuple(found)


def masked(text: str) -> str:
    """The text in narrow form without its values."""
    kept: list[str] = []
    at = 0
    for value in values(text):
        kept += (text[at : value.start], " ")
        at = value.end
    return "".join((*kept, text[at:]))


@lru_cache(maxsize=512)
def years(text: str) -> frozenset[str]:
    """Every year that a name, a title or a sheet tells."""
    return frozenset(_western(found.group()) for found in _YEAR.finditer(narrow(text)))


def _western(year: str) -> str:
    if year[:2] in NAMES:
        return str(western(year[:2], _small(year[2:-1])))
    return year


def _read(part: dict[str, str]) -> tuple[str, str]:
    if "era" in part or "year" in part:
        year = (
            int(part["year"]) if "year" in part else western(part["era"], _small(part["era_year"]))
        )
        return ("fiscal" if "fiscal" in part else "date"), _day(year, part, "")
    if "iso" in part:
        year, month, day = re.split("[-/.]", part["iso"])
        return "date", f"{int(year)}-{int(month)}-{int(day)}"
    for form in ("2", "3", "4"):
        if f"month{form}" in part:
            return "date", _day(part.get(f"year{form}"), part, form)
    if "hour" in part or "clock" in part:
        return "clock", _clock(part)
    return _counted(part)


def _counted(part: dict[str, str]) -> tuple[str, str]:
    if "sign" in part:
        return _SIGNS[part["sign"]], str(amount(part["money"]))
    if "word" in part:
        return _UNITS[part["word_unit"].lower()], str(_WORDS[part["word"].lower()])
    unit = _UNITS[part["unit"].lower()]
    number = amount(part["number"])
    return ("%", str(number * 10)) if unit == "割" else (unit, str(number))


def _day(year: int | str | None, part: dict[str, str], form: str) -> str:
    month, day = part.get(f"month{form}"), part.get(f"day{form}")
    if month and month[0].isalpha() and month[0].isascii():
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    known = [str(year or ""), str(_small(month)) if month else "", str(_small(day)) if day else ""]
    return "-".join(known)


def _clock(part: dict[str, str]) -> str:
    if "clock" in part:
        hour, minute = map(int, part["clock"].split(":"))
    else:
        hour = _small(part["hour"]) + 12 * (part.get("half") == "午後")
        minute = 30 if "half_past" in part else _small(part.get("minute", "0"))
    return f"{hour}:{minute:02}"


def _small(numeral: str) -> int:
    return 1 if numeral == "元" else int(amount(numeral))


def amount(numeral: str) -> Fraction:
    """1億2,000万, 三百五十, 1.5, 一〇〇."""
    value = amount_of(numeral)
    assert value is not None  # the pattern knows no other
    return value
