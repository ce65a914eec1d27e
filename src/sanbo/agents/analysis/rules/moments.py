"""When: years, months, days, quarters, fiscal years and stretches of them in a question."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from sanbo.language.eras import FIRST, NAMES, western
from sanbo.language.moments import MONTH, month_number
from sanbo.language.numerals import number_of

_MONTH = MONTH.removesuffix(r"(?![a-z])\.?")
_FULL_YEAR = r"(?:19|20)\d\d"
_YEAR = rf"(?:{_FULL_YEAR}|(?:{NAMES})(?:\d{{1,2}}|元))"


@dataclass(frozen=True, slots=True)
class Moment:
    """A day, month, quarter, half or year; without a year the same months of every year."""

    start: int
    end: int
    first: date | None = None
    last: date | None = None
    months: tuple[int, ...] = ()
    """Of every year, where `first` is None."""
    assumed: Literal["", "newest", "fiscal", "calendar_quarter", "first_half"] = ""
    weekdays: tuple[int, ...] = ()


_DAY = re.compile(
    rf"(?P<y>{_YEAR})(?:年|[-/.])\s?(?P<m>\d{{1,2}})(?:月|[-/.])\s?(?P<d>\d{{1,2}})日?"
    rf"|(?<![a-z])(?P<en>{_MONTH})\.? (?P<ed>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<ey>{_FULL_YEAR})"
    rf"|(?<!\d)(?P<bd>\d{{1,2}})(?:st|nd|rd|th)? (?P<bn>{_MONTH})\.?,? (?P<by>{_FULL_YEAR})"
)
_YEAR_MONTH = re.compile(
    rf"(?P<y>{_YEAR})(?:年の?|[-/.])\s?(?P<m>\d{{1,2}})(?:月(?!\d)|(?![\d/.-]))"
    rf"|(?<![a-z])(?P<en>{_MONTH})\.?(?: of)?,? (?P<ey>{_FULL_YEAR})(?!\d)"
)
_FISCAL = re.compile(
    rf"(?P<y>{_YEAR})年度(?:の)?(?P<part>上期|下期|上半期|下半期|第?[1-4一二三四]四半期|q[1-4])?"
    rf"|(?<![a-z])(?:fy|fiscal(?: year)?|financial year) ?(?P<fy>{_FULL_YEAR})"
)
_QUARTER = re.compile(
    rf"(?:(?P<y>{_YEAR})年?の?)?(?:第(?P<q>[1-4一二三四])四半期|"
    rf"(?<![a-z\d])q(?P<p>[1-4])(?!\d))(?: (?:of )?(?P<ey>{_FULL_YEAR}))?"
    rf"|(?P<o>first|second|third|fourth) quarter(?: (?:of )?(?P<oy>{_FULL_YEAR}))?"
    rf"|(?<![a-z])(?:last|final) quarter (?:of |in )?(?P<ly>{_FULL_YEAR})"
)
_HALF = re.compile(
    rf"(?:(?P<y>{_YEAR})年?の?)?(?P<h>上半期|下半期|上期|下期|前半|後半)(?!と|別|ごと)"
    rf"|(?<![a-z])(?P<eh>first|second) half(?: of)?(?: (?P<ey>{_FULL_YEAR}))?|"
    rf"(?<![a-z\d])h(?P<n>[12]) (?P<hy>{_FULL_YEAR})"
)
_YEAR_ONLY = re.compile(
    rf"(?P<y>{_YEAR})年(?!度|[代間])|"
    rf"(?<![\d,.$¥/\-a-z])(?P<ey>{_FULL_YEAR})(?![\d,.%/]\d|\d|[円個件人年万千]| "
    rf"?(?:yen|dollars|units|items))"
)
_MONTH_ONLY = re.compile(
    rf"(?<![\d年/])(?P<m>1[0-2]|[1-9])月(?!\d|別|[1-9]日)(?:分)?|"
    rf"(?<![a-z])(?P<en>{_MONTH})(?![a-z])"
)
_LAST = re.compile(
    r"(?:直近|過去|最近|ここ)(?:の)?(?P<n>\d{1,3})(?P<u>年|か月|月|週間|週|日)(?:間|分)?"
    r"|(?<![a-z])(?:last|past|latest|recent|previous) (?P<en>\d{1,3}) (?P<eu>year|"
    r"month|week|day|quarter)s?"
)
_RELATIVE = re.compile(
    r"(?P<r>今年度|昨年度|前年度|今年|本年|昨年|去年|一昨年|今月|当月|先月|前月|"
    r"今週|先週|最新月|直近の?月)(?!比|同|対)"
    r"|(?<![a-z])(?P<e>this year|last year|this month|last month|latest month|"
    r"latest year|this quarter|last quarter|this week|last week)(?![a-z])"
)
_WEEKDAYS = re.compile(
    r"(?P<w>土日(?:祝)?|週末|平日)(?!別)|(?<![a-z])(?P<e>weekends?|weekdays? only|"
    r"on weekdays)(?![a-z])|(?P<one>[月火水木金土日])曜日?(?!別|ごと|毎|は|が|"
    r"に一)"
)


def moments(  # noqa: PLR0912 - one kind after the other
    text: str, newest: date | None
) -> Iterator[Moment]:
    """All that could be meant, longest kinds first; relative ones are seen from the newest date."""
    for found in _DAY.finditer(text):
        yield from _day(found)
    for found in _FISCAL.finditer(text):
        yield from _fiscal(found)
    for found in _YEAR_MONTH.finditer(text):
        year = _year(found["y"] or found["ey"])
        month = int(found["m"]) if found["m"] else month_number(found["en"])
        if 1 <= month <= 12:
            yield _months(found, year, month, month)
    for found in _QUARTER.finditer(text):
        yield _quarter(found)
    for found in _HALF.finditer(text):
        yield _half(found)
    for found in _YEAR_ONLY.finditer(text):
        yield _months(found, _year(found["y"] or found["ey"]), 1, 12)
    for found in _MONTH_ONLY.finditer(text):
        if found["en"] == "may" and not re.search(
            r"(?:in|of|since|after|before|until|from|to|and|for|,) $", text[: found.start()]
        ):
            continue
        if found["en"] in ("mar", "dec", "jan", "march") and found["en"] == "mar":
            continue
        month = int(found["m"]) if found["m"] else month_number(found["en"])
        yield Moment(found.start(), found.end(), months=(month,))
    if newest is not None:
        yield from _seen_from(text, newest)
    for found in _WEEKDAYS.finditer(text):
        if found["one"]:
            days = ("月火水木金土日".index(found["one"]) + 1,)
        else:
            days = (
                (6, 7)
                if (found["w"] or found["e"]).startswith(("土", "週", "weekend"))
                else (1, 2, 3, 4, 5)
            )
        yield Moment(found.start(), found.end(), weekdays=days)


def _year(text: str) -> int:
    if text.isdigit():
        return int(text)
    era = text[:2] if text[:2] in NAMES else text[:1]
    count = text.removeprefix(era)
    return western(era, 1 if count == FIRST else int(count))


def _day(found: re.Match[str]) -> Iterator[Moment]:
    if found["y"]:
        parts = (_year(found["y"]), int(found["m"]), int(found["d"]))
    elif found["ey"]:
        parts = (int(found["ey"]), month_number(found["en"]), int(found["ed"]))
    else:
        parts = (int(found["by"]), month_number(found["bn"]), int(found["bd"]))
    try:
        day = date(*parts)
    except ValueError:
        return
    yield Moment(found.start(), found.end(), day, day)


def _months(found: re.Match[str], year: int, first: int, last: int, assumed: str = "") -> Moment:
    return _stretch(found, date(year, first, 1), _end_of(year, last), assumed)


def _stretch(found: re.Match[str], first: date, last: date, assumed: str = "") -> Moment:
    return Moment(found.start(), found.end(), first, last, (), assumed)  # pyright: ignore[reportArgumentType]


def _end_of(year: int, month: int) -> date:
    return date(year, month, calendar.monthrange(year, month)[1])


def _digit(text: str) -> int:
    return number_of(text) or 0


def _fiscal(found: re.Match[str]) -> Iterator[Moment]:
    year = _year(found["y"] or found["fy"])
    part = found["part"] or ""
    if part.startswith("上"):
        yield _stretch(found, date(year, 4, 1), date(year, 9, 30), "fiscal")
    elif part.startswith("下"):
        yield _stretch(found, date(year, 10, 1), date(year + 1, 3, 31), "fiscal")
    elif part:
        first = 4 + 3 * (_digit(next(one for one in part if one in "1234一二三四")) - 1)
        start_year = year + (first > 12)
        first = first - 12 if first > 12 else first
        yield _stretch(found, date(start_year, first, 1), _end_of(start_year, first + 2), "fiscal")
    else:
        yield _stretch(found, date(year, 4, 1), date(year + 1, 3, 31), "fiscal")


def _quarter(found: re.Match[str]) -> Moment:
    if found["o"]:
        number = ("first", "second", "third", "fourth").index(found["o"]) + 1
    elif found["ly"]:
        number = 4
    else:
        number = _digit(found["q"] or found["p"])
    first = 3 * number - 2
    year = found["y"] or found["ey"] or found["oy"] or found["ly"]
    if year:
        return _months(found, _year(year), first, first + 2, "calendar_quarter")
    return Moment(
        found.start(), found.end(), months=(first, first + 1, first + 2), assumed="calendar_quarter"
    )


def _half(found: re.Match[str]) -> Moment:
    word = found["h"] or ""
    year = found["y"] or found["ey"] or found["hy"]
    is_first = word in ("上半期", "上期", "前半") or found["eh"] == "first" or found["n"] == "1"
    if word in ("上期", "下期"):  # of an office's year, which begins in April
        if year:
            number = _year(year)
            first, last = (
                (date(number, 4, 1), date(number, 9, 30))
                if is_first
                else (date(number, 10, 1), date(number + 1, 3, 31))
            )
            return _stretch(found, first, last, "fiscal")
        months = (4, 5, 6, 7, 8, 9) if is_first else (10, 11, 12, 1, 2, 3)
        return Moment(found.start(), found.end(), months=months, assumed="fiscal")
    months = (1, 2, 3, 4, 5, 6) if is_first else (7, 8, 9, 10, 11, 12)
    if year:
        return _months(found, _year(year), months[0], months[-1], "first_half")
    return Moment(found.start(), found.end(), months=months, assumed="first_half")


def _seen_from(text: str, newest: date) -> Iterator[Moment]:
    for found in _LAST.finditer(text):
        count = int(found["n"] or found["en"])
        unit = found["u"] or found["eu"]
        if count == 0:
            continue
        if unit in ("日", "day"):
            first = newest - timedelta(days=count - 1)
        elif unit in ("週", "週間", "week"):
            first = newest - timedelta(days=7 * count - 1)
        else:
            months = count * {"年": 12, "year": 12, "quarter": 3}.get(unit, 1)
            first = _months_before(newest, months - 1)
        yield _stretch(found, first, newest, "newest")
    for found in _RELATIVE.finditer(text):
        yield _relative(found, newest)


def _months_before(day: date, count: int) -> date:
    months = day.year * 12 + day.month - 1 - count
    return date(max(1, months // 12), months % 12 + 1, 1)


def _relative(  # noqa: PLR0911 - one word after the other
    found: re.Match[str], newest: date
) -> Moment:
    word = found["r"] or found["e"]
    if word in ("今年度", "昨年度", "前年度"):
        year = newest.year - (newest.month < 4) - (word != "今年度")
        return _stretch(found, date(year, 4, 1), date(year + 1, 3, 31), "newest")
    if word in ("今年", "本年", "this year", "latest year"):
        return _months(found, newest.year, 1, 12, "newest")
    if word in ("昨年", "去年", "last year"):
        return _months(found, newest.year - 1, 1, 12, "newest")
    if word == "一昨年":
        return _months(found, newest.year - 2, 1, 12, "newest")
    if word in ("先月", "前月", "last month"):
        first = _months_before(newest, 1)
        return _months(found, first.year, first.month, first.month, "newest")
    if word in ("this quarter", "last quarter"):
        here = newest if word == "this quarter" else _months_before(newest, 3)
        first = 3 * ((here.month - 1) // 3) + 1
        return _months(found, here.year, first, first + 2, "newest")
    if word in ("今週", "先週", "this week", "last week"):
        is_last = word in ("先週", "last week")
        monday = newest - timedelta(days=newest.weekday() + (7 if is_last else 0))
        return _stretch(found, monday, monday + timedelta(days=6), "newest")
    return _months(found, newest.year, newest.month, newest.month, "newest")
