"""Numbers, days, months and yes/no out of values as they stand in rows: typed or written.

Each function gives None where the value is not surely one. Text forms are those of
`sanbo.language.cells`, and what is written around amounts: 金1,000円也, 1,000円（税込）.
"""

import re
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from pydantic import JsonValue

from sanbo.language.cells import parse_boolean, parse_date, parse_number, parse_time

_LONGEST = 64
_REMEMBERED = 1 << 15
_AROUND_AMOUNTS = re.compile(
    r"(?:金\s*+)?(?P<amount>.*?)(?:也|ー|[(（](?:税込み?|税抜き?|税別|内税|外税|非課税)[)）])?"
)
_DIGIT = re.compile(r"\d|元")
_CODE = re.compile(r"\s*[0０][0-9０-９]*\s*")
_MONTH = re.compile(r"(.*[年/.\-])(\s*+\d{1,2})\s*+(?:月(?:分|度)?|分|度)?\s*+")
_COMPACT_MONTH = re.compile(r"\s*(\d{4})(\d{2})\s*")
# What a spreadsheet counts from, for every day after February 1900.
_SERIAL_START = datetime(1899, 12, 30)
_SERIALS = (20_000, 80_000)  # 1954 to 2119: other numbers are no days
_COMPACT_DAYS = (19_000_101, 21_991_231)


def as_number(value: JsonValue, *, codes: bool = False) -> int | float | None:
    """`△1,000`, `￥1,000-`, `1,234千円`, `12.5%`. `codes`: 0012 is 12."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    found = _number(value)
    if found is None and codes and _CODE.fullmatch(value):
        return int(value)
    return found


def as_moment(value: JsonValue) -> date | datetime | None:
    """A day, or with a time a moment. A number is 20240501 or a spreadsheet's serial day."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _day_of_number(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    return _moment(value)


def as_day(value: JsonValue) -> date | None:
    """As `as_moment`, without the time."""
    found = as_moment(value)
    return found.date() if isinstance(found, datetime) else found


def as_month(value: JsonValue) -> date | None:
    """The first day of the month that is named: 2024年5月, 令和6年5月分, 2024-05, 202405."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and len(value) <= _LONGEST:
        found = _month(value)
        if found is not None:
            return found
    day = as_day(value)
    return None if day is None else day.replace(day=1)


def as_time(value: JsonValue) -> time | None:
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    found = parse_time(value)
    if found is not None:
        return found
    moment = _moment(value)
    return moment.time() if isinstance(moment, datetime) else None


def as_boolean(value: JsonValue) -> bool | None:
    """はい/いいえ, ○/×, 有/無, TRUE/FALSE, and 1/0 where yes or no is asked for."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return {1.0: True, 0.0: False}.get(value)
    if not isinstance(value, str):
        return None
    found = parse_boolean(value)
    if found is not None:
        return found
    return {"1": True, "0": False}.get(value.strip().translate(_ONE_AND_ZERO))


_ONE_AND_ZERO = str.maketrans("１０", "10")


def is_blank(value: JsonValue) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def text_of(value: JsonValue) -> str:
    """As a person would write it: 1000 and not 1000.0, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return value if isinstance(value, str) else str(value)


@lru_cache(_REMEMBERED)
def _number(text: str) -> int | float | None:
    if not _DIGIT.search(text):
        return None
    found = parse_number(text)
    if found is not None:
        return found
    around = _AROUND_AMOUNTS.fullmatch(text.strip())
    return None if around is None else parse_number(around["amount"].rstrip())


@lru_cache(_REMEMBERED)
def _moment(text: str) -> date | datetime | None:
    return parse_date(text, compact=True) if _DIGIT.search(text) else None


@lru_cache(_REMEMBERED)
def _month(text: str) -> date | None:
    if found := _COMPACT_MONTH.fullmatch(text):
        text = f"{found[1]}-{found[2]}"
    found = _MONTH.fullmatch(text)
    if found is None:
        return None
    month = parse_date(f"{found[1]}{found[2]}{_separator(found[1])}1")
    return month if not isinstance(month, datetime) else None


def _separator(before: str) -> str:
    return "月" if before.endswith("年") else before[-1]


def _day_of_number(number: float) -> date | datetime | None:
    if _SERIALS[0] <= number <= _SERIALS[1]:
        moment = _SERIAL_START + timedelta(days=number)
        moment = moment.replace(microsecond=0)
        return moment.date() if float(number).is_integer() else moment
    if _COMPACT_DAYS[0] <= number <= _COMPACT_DAYS[1] and float(number).is_integer():
        return _moment(str(int(number)))
    return None
