"""What a cell says: numbers, dates, times and yes/no as Japanese offices write them.

Each function gives the value, or None where the text is not surely one. Nothing is guessed: a
code such as 0012, a phone number or a postal code is no number, and 4/1 without a year no date.
"""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction

from sanbo.language.eras import FIRST, LETTERS, NAMES, SIGNS, era_of, known_year
from sanbo.language.moments import MONTH, find_moments, month_number
from sanbo.language.numerals import DIGITS, reading

# Full-width ASCII and spaces. Unicode's own compatibility mapping would go too far: it makes 52
# of 5², and 1 of ①.
_NARROW = str.maketrans(
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {"\u3000": " ", "\xa0": " ", "￥": "¥", "￡": "£"}
)
# pyrefly: ignore[bad-argument-type]
_MINUS = str.maketrans(dict.fromkeys("−‐–", "-"))
# No number, date or word for yes is as long; what is longer is not even looked at.
_LONGEST = 64

_DECIMAL = rf"(?:{DIGITS}(?:\.\d*)?|\.\d+)"
_LARGE = "[百千]?[兆億万]"
_NUMBER = re.compile(
    rf"""
    (?P<open>\()?
    (?P<sign>[-+▲△])?[ ]?
    (?P<before>¥|\\|\$|€|£|JPY|USD|EUR)?[ ]?
    (?P<inner>[-+▲△])?[ ]?
    (?P<amount>{_DECIMAL}(?:[Ee][-+]\d{{1,3}}|[ ]?(?:{_LARGE}|千))?
      | (?=\d)(?:{DIGITS}[ ]?{_LARGE})*(?:{DIGITS}[ ]?千)?(?:{DIGITS})?)
    [ ]?(?P<after>円|ドル|ユーロ|%)?
    (?P<trailing>[-▲△ー―—])?
    (?P<close>\))?
    """,
    re.VERBOSE | re.ASCII,
)
_PLAIN = re.compile(r"-?(?:0|[1-9]\d{0,2}(?:,\d{3}){1,4}|[1-9]\d{0,14})(?:\.\d{1,15})?", re.ASCII)
# More digits than a spreadsheet keeps: whoever writes so many means a card or an account.
_MOST_DIGITS = 15


def _written(text: str) -> str:
    """Half-width and with single spaces, so that no pattern has to try how to share them out."""
    text = text.strip()
    return " ".join(text.translate(_NARROW).split()) if len(text) <= _LONGEST else ""


@dataclass(frozen=True)
class Number:
    value: int | float
    is_percent: bool = False
    is_currency: bool = False


def parse_number(text: str) -> int | float | None:
    """`▲1,234` is -1234, `1億2,000万円` 120000000, `12.5%` 0.125 as in a spreadsheet."""
    number = read_number(text)
    return None if number is None else number.value


def read_number(text: str) -> Number | None:
    """As `parse_number`, and what was written around it."""
    if _PLAIN.fullmatch(text):  # nearly every number of a table, many times as fast
        digits = text.replace(",", "")
        return Number(float(digits) if "." in digits else int(digits))
    found = _NUMBER.fullmatch(_written(text).translate(_MINUS))
    if found is None or _is_code(found) or bool(found["open"]) != bool(found["close"]):
        return None
    is_percent = found["after"] == "%"
    is_currency = bool(found["before"] or (found["after"] and not is_percent))
    signs = _signs(found, is_currency=is_currency)
    # A dash that is no minus closes amounts of money only.
    if len(signs) > 1 or signs in ("ー", "―", "—") or (is_percent and is_currency):
        return None
    value = _amount(found["amount"])
    if value is None:
        return None
    if signs and signs != "+":
        value = -value
    if is_percent:
        value /= 100
    is_whole = not is_percent and value == int(value)
    if re.search("[.Ee]", found["amount"]) and not _has_unit(found["amount"]):
        is_whole = False  # written with a decimal point, meant with one
    return Number(int(value) if is_whole else float(value), is_percent, is_currency)


def _signs(found: re.Match[str], *, is_currency: bool) -> str:
    """Without the dash of ¥1,000-, which says that the amount ends there."""
    trailing = found["trailing"] or ""
    if is_currency and trailing not in ("▲", "△"):
        trailing = ""
    return "".join(found[name] or "" for name in ("open", "sign", "inner")) + trailing


def _is_code(found: re.Match[str]) -> bool:
    """0012, +81312345678, a card's sixteen digits."""
    amount = found["amount"]
    if re.match(r"0[\d,]", amount):
        return True
    if not amount.isdecimal():
        return False
    return len(amount) > _MOST_DIGITS or (found["sign"] == "+" and len(amount) >= 10)


def _amount(text: str) -> Decimal | Fraction | None:
    if _has_unit(text):
        read = reading(text)
        return None if read is None else read.value
    value = Decimal(text.replace(",", ""))
    return value if abs(value.adjusted()) < 300 else None


def _has_unit(text: str) -> bool:
    return any(unit in text for unit in "兆億万千")


_WEEKDAY = r"(?: ?\(?[月火水木金土日](?:曜日?)?\)?)?"
_CLOCK = (
    r"(?P<noon>午前|午後|AM|PM|am|pm)? ?(?P<hour>\d{1,2})"
    r"(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,9}))?)?"
    r"|時(?:(?P<minute_ja>\d{1,2})分(?:(?P<second_ja>\d{1,2})秒)?)?)"
    r" ?(?P<noon_after>AM|PM|am|pm)?"
)
_ZONE = r"(?P<zone>Z|[-+](?:[01]\d|2[0-3]):?[0-5]\d)?"
_YEAR = (
    r"(?:(?P<year>\d{4}) ?(?:年|[-/.])"
    rf"|(?P<era>{NAMES}) ?(?P<era_year>元|\d{{1,2}}) ?(?:年|[-/.])"
    rf"|(?P<letter>[{LETTERS}{LETTERS.lower()}]) ?(?P<letter_year>元|\d{{1,2}}) ?(?:年|[/.]))"
)
_DATE = re.compile(
    rf"{_YEAR} ?(?P<month>\d{{1,2}}) ?(?:月|[-/.]) ?(?P<day>\d{{1,2}})(?: ?日)?{_WEEKDAY}"
    rf"(?:(?: |T|(?<=[日)])){_CLOCK}{_ZONE})?",
    re.ASCII,
)
_COMPACT_DATE = re.compile(r"(\d{4})(\d{2})(\d{2})", re.ASCII)
_TIME = re.compile(_CLOCK, re.ASCII)


_ENGLISH_DATE = re.compile(
    rf"(?:(?P<day>\d{{1,2}})(?:st|nd|rd|th)?[- ]?(?P<month>{MONTH})[-, ]{{0,2}}"
    rf"|(?P<month_first>{MONTH}) ?(?P<day_after>\d{{1,2}})(?:st|nd|rd|th)?[, ]{{1,2}})"
    r"(?P<year>\d{4}|\d\d)",
    re.ASCII | re.IGNORECASE,
)


def _english_date(text: str) -> date | None:
    """31-Jan-2025, Jan 31, 2025, 31 January 25."""
    found = _ENGLISH_DATE.fullmatch(text)
    if found is None:
        return None
    year = int(found["year"])
    if len(found["year"]) == 2:
        year += 2000 if year < 69 else 1900  # as POSIX has it
    month = month_number(found["month"] or found["month_first"])
    return _date(year, month, int(found["day"] or found["day_after"]))


def parse_date(text: str, *, compact: bool = False) -> date | datetime | None:
    """A datetime where a time is written. `compact`: 20250401 too, if the column says so."""
    text = _written(text)
    if compact and (found := _COMPACT_DATE.fullmatch(text)):
        return _date(int(found[1]), int(found[2]), int(found[3]))
    if text and text[0] in SIGNS:
        text = era_of(text[0]).name + text[1:]
    found = _DATE.fullmatch(text)
    if found is None:
        return _english_date(text)
    year = _year(found)
    day = None if year is None else _date(year, int(found["month"]), int(found["day"]))
    if day is None or found["hour"] is None:
        return day
    clock = _clock(found)
    if clock is None:
        return None
    moment = datetime.combine(day, clock)
    return moment.replace(tzinfo=_zone(found["zone"])) if found["zone"] else moment


def parse_day(text: str) -> date | None:
    """Of somebody who is asked for a day: also 20250401, R7-4-1 and 令和七年四月一日; no time."""
    day = parse_date(text, compact=True)
    if isinstance(day, datetime):  # a spreadsheet writes midnight after its dates
        return day.date() if day.time() == time() else None
    if day is not None:
        return day
    text = _written(text)
    match find_moments(text):
        case [stated] if (stated.start, stated.end) == (0, len(text)):
            year, month, number, *rest = stated.moment
            if year and month and number and not any(part is not None for part in rest):
                return _date(year, month, number)
        case _:
            pass
    return None


def _year(found: re.Match[str]) -> int | None:
    if found["year"]:
        return int(found["year"])
    written = found["era_year"] or found["letter_year"]
    return known_year(found["era"] or found["letter"], 1 if written == FIRST else int(written))


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _clock(found: re.Match[str]) -> time | None:
    hour = int(found["hour"])
    noon = (found["noon"] or found["noon_after"] or "").upper()
    if noon in ("午後", "PM") and hour < 12:
        hour += 12
    elif noon in ("午前", "AM") and hour == 12:
        hour = 0
    minute = int(found["minute"] or found["minute_ja"] or 0)
    second = int(found["second"] or found["second_ja"] or 0)
    try:
        return time(hour, minute, second, int((found["fraction"] or "0").ljust(6, "0")[:6]))
    except ValueError:
        return None


def _zone(text: str) -> timezone:
    if text == "Z":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(-offset if text[0] == "-" else offset)


def parse_time(text: str) -> time | None:
    """9:05, 13:05:30, 午後1時5分."""
    found = _TIME.fullmatch(_written(text))
    return None if found is None else _clock(found)


_YES = re.compile("はい|有り?|あり|[○◯〇✓✔☑レ]|済み?|可|真|true|yes|y|on")
_NO = re.compile("いいえ|無し?|なし|[×✕✖☓╳☐]|未|不可|否|偽|false|no|n|off")


def parse_boolean(text: str) -> bool | None:
    """はい/いいえ, 有/無, ○/×, TRUE/FALSE and their like; never 1/0, which are numbers."""
    word = _written(text).lower()
    return True if _YES.fullmatch(word) else False if _NO.fullmatch(word) else None
