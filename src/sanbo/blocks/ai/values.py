"""Amounts and dates as office papers write them, found at the begin of a piece of text."""

import re
from calendar import monthrange
from datetime import date
from typing import NamedTuple

from sanbo.language.cells import parse_date, read_number
from sanbo.language.moments import find_moments
from sanbo.language.numerals import PLAIN, narrow

_MONEY = r"(?:¥|\\|\$|€|£|JPY|USD|EUR|GBP|円)"
_AMOUNT = re.compile(
    rf"""
    (?:金(?=[\s0-9¥]))?\s*+
    (?P<number>
        (?:\(\s*+)?(?:[△▲+\-−‐]\s*+)?(?:{_MONEY}\s*+)?(?:[△▲\-−‐]\s*+)?
        {PLAIN}(?:\s?[億万千]\s?(?:{PLAIN})?){{0,3}}
        \s*(?:円|{_MONEY}|%)?\)?
    )
    (?P<after>[^\n]{{0,40}})
    """,
    re.VERBOSE | re.ASCII,
)
_LAST_DAY = re.compile(r"(?P<year>[12][0-9]{3})\s*年\s*(?P<month>[0-9]{1,2})\s*月\s*末日?")
_COMPACT = re.compile(r"(?<![0-9])[12][0-9]{3}[01][0-9][0-3][0-9](?![0-9])")
_SLASHED = re.compile(r"(?<![0-9])([0-9]{1,2})[/.\-]([0-9]{1,2})[/.\-]([0-9]{4})(?![0-9])")
_MOST_MONTHS = 12
_COUNTERS = re.compile(
    r"\s*(?:件|個|枚|名|人|台|式|冊|本|点|箱|セット|時間|日|か月|回|部|組|pcs?|units?)"
)
_AFTER_AMOUNT = re.compile(
    r"""\s*+(?:(?:也|-|―|ー)\s*+)?
    (?:(?:[(\[【]|税込|税抜|円|を|です|incl|tax|[,、。;]).*+\s*+)?""",
    re.VERBOSE,
)
_RATE_BEFORE = re.compile(
    r"(?<!\s)\s*+\(?[0-9]{1,2}(?:\.[0-9])?\s*+%(?:\s*+対象)?(?:\s*+\))?[\s:]+(?=\S)"
)
_CODE = re.compile(r"(?<!\s)\s*+(?:JPY|USD|EUR|GBP)$|(?<![A-Z])(?:JPY|USD|EUR|GBP)\s*(?=[0-9])")


class Found(NamedTuple):
    """A value and the piece of text that says it."""

    value: int | float | date | str
    text: str


def plain(text: str) -> str:
    """Full-width digits and signs in their narrow form, of the same length where it matters."""
    return narrow(text).replace("￥", "¥")


def as_amount(text: str, *, counted: bool = False, rate: bool = False) -> Found | None:
    """The amount that a text begins with; nothing where other words follow it directly."""
    said = plain(text).strip()
    if not rate:  # 消費税 10% 5,000
        said = _RATE_BEFORE.sub("", said, count=1)
    found = _AMOUNT.match(said)
    if found is None:
        return None
    number = read_number(_CODE.sub("", found["number"].strip()))
    after = found["after"]
    if number is None or (number.is_percent and not rate):
        return None
    if counted and (unit := _COUNTERS.match(after)):
        after = after[unit.end() :]
    if not _AFTER_AMOUNT.fullmatch(after):
        return None
    return Found(number.value, found["number"].strip())


def as_date(text: str) -> date | None:
    found = find_date(text)
    return None if found is None else found.value if isinstance(found.value, date) else None


def find_date(text: str) -> Found | None:
    """The first date in a text. 05/06/2026 is left alone: nobody knows which is the month."""
    said = plain(text)
    for find in (_written_date, _last_day, _compact_date, _slashed_date):
        if (found := find(said)) is not None:
            return found
    return None


def _written_date(said: str) -> Found | None:
    for stated in find_moments(said):
        year, month, day = stated.moment[:3]
        if year and month and day and (found := _made(year, month, day)):
            return Found(found, said[stated.start : stated.end])
    return None


def _last_day(said: str) -> Found | None:
    """2026年10月末日."""
    found = _LAST_DAY.search(said)
    if found is None or not 1 <= (month := int(found["month"])) <= _MOST_MONTHS:
        return None
    year = int(found["year"])
    return Found(date(year, month, monthrange(year, month)[1]), found.group())


def _compact_date(said: str) -> Found | None:
    found = _COMPACT.search(said)
    day = parse_date(found.group(), compact=True) if found else None
    return Found(day, found.group()) if found and day else None


def _slashed_date(said: str) -> Found | None:
    found = _SLASHED.search(said)
    if found is None:
        return None
    first, second, year = (int(part) for part in found.groups())
    if first > _MOST_MONTHS:
        first, second = second, first
    elif second <= _MOST_MONTHS and first != second:
        return None
    day = _made(year, first, second)
    return Found(day, found.group()) if day else None


def _made(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
