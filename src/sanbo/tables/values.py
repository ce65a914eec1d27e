"""What stands in a cell, whoever wrote it there: read, told as text, and compared.

`1,000`, `１，０００円` and 1000 are one number, `令和6年5月1日` and `2024-05-01` one day, `ＡＢＣ`
and `abc` one word. A code such as 0012 is no number: it equals 0012 alone. Each reader gives None
where the value is not surely one.
"""

import json
import re
from collections.abc import Hashable, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Literal

from pydantic import JsonValue

from sanbo.kernel.text import matching_form
from sanbo.language.cells import parse_boolean, parse_date, parse_number, parse_time
from sanbo.language.companies import company_key

Value = JsonValue | Decimal | date | time
"""Of JSON, which has no days, and of a workbook's cell, which does."""

Match = Literal["matching", "exact", "company"]
"""How values are compared: in matching form, exactly as they are, or as names of companies."""

Key = tuple[str, Hashable]
"""Two values are the same where their keys are."""

_LONGEST = 64
_LONGEST_COMPARED = 200
_REMEMBERED = 1 << 16
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
_ONE_AND_ZERO = str.maketrans("１０", "10")
_MIDNIGHT = "T00:00:00.000000"


# Reading


def is_blank(value: Value) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def text_of(value: Value) -> str:
    """As a person would write it: 1000 and not 1000.0, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, float | Decimal) and value == value // 1 and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def as_number(value: Value, *, codes: bool = False) -> int | float | None:
    """`△1,000`, `￥1,000-`, `1,234千円`, `12.5%`. `codes`: 0012 is 12."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    found = _number(value)
    if found is None and codes and _CODE.fullmatch(value):
        return int(value)
    return found


def are_numbers(values: Sequence[Value]) -> bool:
    """All that are not empty, and there are some."""
    filled = [value for value in values if not is_blank(value)]
    return bool(filled) and all(as_number(value) is not None for value in filled)


def as_moment(value: Value) -> date | datetime | None:
    """A day, or with a time a moment. A number is 20240501 or a spreadsheet's serial day."""
    if isinstance(value, date):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _day_of_number(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    return _moment(value)


def as_day(value: Value) -> date | None:
    """As `as_moment`, without the time."""
    found = as_moment(value)
    return found.date() if isinstance(found, datetime) else found


def as_month(value: Value) -> date | None:
    """The first day of the month that is named: 2024年5月, 令和6年5月分, 2024-05, 202405."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and len(value) <= _LONGEST:
        found = _month(value)
        if found is not None:
            return found
    day = as_day(value)
    return None if day is None else day.replace(day=1)


def as_time(value: Value) -> time | None:
    if isinstance(value, time):
        return value
    if isinstance(value, str) and len(value) <= _LONGEST:
        found = parse_time(value)
        if found is not None:
            return found
    moment = value if isinstance(value, datetime) else None
    if isinstance(value, str):
        moment = as_moment(value)
    return moment.time() if isinstance(moment, datetime) else None


def as_boolean(value: Value) -> bool | None:
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
    separator = "月" if found[1].endswith("年") else found[1][-1]
    month = parse_date(f"{found[1]}{found[2]}{separator}1")
    return month if not isinstance(month, datetime) else None


def _day_of_number(number: float) -> date | datetime | None:
    if _SERIALS[0] <= number <= _SERIALS[1]:
        moment = _SERIAL_START + timedelta(days=number)
        moment = moment.replace(microsecond=0)
        return moment.date() if float(number).is_integer() else moment
    if _COMPACT_DAYS[0] <= number <= _COMPACT_DAYS[1] and float(number).is_integer():
        return _moment(str(int(number)))
    return None


# Comparing


def key_of(value: Value, match: Match = "matching") -> Key | None:
    """None for what is empty: nothing equals that in a join."""
    if is_blank(value):
        return None
    if match == "company":
        return ("text", company_key(text_of(value)))
    if match == "matching" and isinstance(value, str):
        if len(value) > _LONGEST_COMPARED:
            return ("text", matching_form(value))
        return _key_of_text(value)
    return _exact(value)


def same(left: Value, right: Value, match: Match = "matching") -> bool:
    """Empty equals empty; はい equals true."""
    if match != "exact":
        if isinstance(left, bool) and isinstance(right, str):
            right = _yes_or_no(right)
        elif isinstance(right, bool) and isinstance(left, str):
            left = _yes_or_no(left)
    return key_of(left, match) == key_of(right, match)


def order(left: Value, right: Value) -> int | None:
    """-1, 0 or 1; None where the two can't be put in order: an amount and 未定."""
    one, other = key_of(left), key_of(right)
    if one is None or other is None or one[0] != other[0] or one[0] in ("json", "bool"):
        return None
    return _sign(one[1], other[1])


def _sign(one: Any, other: Any) -> int:
    """Of two that are both numbers or both texts."""
    return 0 if one == other else -1 if one < other else 1


def place(key: Key | None) -> tuple[str, Any]:
    """For sorting: days by time, numbers by size, texts by their form; what is empty comes last."""
    return key or ("~", "")


def key_text(key: Key | None) -> str:
    """What a key stands for, for people."""
    if key is None:
        return ""
    shown = text_of(key[1]) if isinstance(key[1], int | float) else str(key[1])
    return shown.removesuffix(_MIDNIGHT) if key[0] == "moment" else shown


def _yes_or_no(text: str) -> Value:
    found = parse_boolean(text)
    return text if found is None else found


def _exact(value: Value) -> Key:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float | Decimal):
        return ("number", as_number(value))
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, date):
        return ("moment", _wall_clock(value))
    if isinstance(value, time):
        return ("time", value.isoformat())
    return ("json", json.dumps(value, sort_keys=True, ensure_ascii=False))


@lru_cache(_REMEMBERED)
def _key_of_text(text: str) -> Key:
    number = as_number(text)
    if number is not None:
        return ("number", number)
    # Eight digits are a number here: whether they mean a day, the column's reader says.
    moment = None if text.strip().isdecimal() else as_moment(text)
    if moment is not None:
        return ("moment", _wall_clock(moment))
    clock = parse_time(text) if ":" in text or "：" in text else None
    if clock is not None:
        return ("time", clock.isoformat())
    word = matching_form(text)
    return ("bool", word == "true") if word in ("true", "false") else ("text", word)


def _wall_clock(moment: date | datetime) -> str:
    """One text for 2024-05-01 and 2024-05-01T00:00:00; such texts sort as time does."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None).isoformat(timespec="microseconds")
    return f"{moment.isoformat()}{_MIDNIGHT}"
