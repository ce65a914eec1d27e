"""Dates, periods and times of day in a text, as far as they are stated (2025年4月, Q1, 10時), and
lengths of time: 3d, 2週間, 90分, P1DT12H."""

import re
from datetime import timedelta
from typing import NamedTuple

from sanbo.kernel.text import matching_form
from sanbo.language.eras import FIRST, NAMES, western
from sanbo.language.numerals import KANJI_DIGITS, SMALL, number_of

_UNITS = {
    "weeks": ("w", "week", "weeks", "週", "週間"),
    "days": ("d", "day", "days", "日", "日間"),
    "hours": ("h", "hour", "hours", "時間"),
    "minutes": ("m", "min", "minute", "minutes", "分", "分間"),
}
_BY_WRITING = {written: unit for unit, all_ in _UNITS.items() for written in all_}
_LONGEST = 64
_PART = re.compile(r"(\d{1,6}) ?([a-z]{1,7}|[日週時分間]{1,2})(?: |$|(?=\d))", re.ASCII)
_ISO = re.compile(r"p(?:(\d{1,4})w)?(?:(\d{1,6})d)?(?:t(?:(\d{1,6})h)?(?:(\d{1,6})m)?)?", re.ASCII)


def parse_span(text: str) -> timedelta | None:
    """None for what is no length of time, and for none at all."""
    text = matching_form(text)[:_LONGEST]
    if found := _ISO.fullmatch(text):
        weeks, days, hours, minutes = (int(part or 0) for part in found.groups())
        return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes) or None
    span, end = timedelta(), 0
    while found := _PART.match(text, end):
        unit = _BY_WRITING.get(found[2])
        if unit is None:
            return None
        span, end = span + timedelta(**{unit: int(found[1])}), found.end()
    return span if span and end == len(text) else None


MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
FULL_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december"
)
MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
"""In any case: the caller says so."""


def month_number(name: str) -> int:
    """Of its English name, in full or short."""
    return MONTHS.index(name[:3].casefold()) + 1


class Moment(NamedTuple):
    """What is not stated is None. Calendar and fiscal years are not told apart."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    quarter: int | None = None
    half: int | None = None
    week: int | None = None
    hour: int | None = None
    minute: int | None = None

    @property
    def only(self) -> int | None:
        """The one number stated, if there is just one."""
        stated = [part for part in self if part is not None]
        return stated[0] if len(stated) == 1 else None

    def holds_for(self, known: "Moment") -> bool:
        """Everything stated is so in what is known; 25年 may stand for 2025."""
        short = self.year is not None and self.year < 100 and known.year is not None
        # pyrefly: ignore[unsupported-operation]
        mine = self._replace(year=known.year) if short and known.year % 100 == self.year else self
        return all(part is None or part == there for part, there in zip(mine, known, strict=True))


_HALVES = {"上": 1, "下": 2, "前": 1, "後": 2}
_NO_DIGIT = r"(?<![\d.])(?<!\d,)"
# 3年間 and 5日連続 are lengths of time, not dates.
_LENGTH = r"(?!間|半(?![期年ば])|前|後|以内|以上|連続|分|目|ごと|毎|未満|超|おき)"
_LONG = r"(?!間|以内|以上|未満|超|連続|ごと)"
_CLOCK = (
    r"(?:[T ]?(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?"
    r"|時(?!間)(?:(?P<minute_ja>\d{1,2})分)?))"
)
_TH = "(?:st|nd|rd|th)?"
_NAME = rf"(?P<name>(?i:{MONTH}))"
_LETTER = r"(?<![A-Za-z])(?:[MTSHR](?=\.?[ ]?[\d元]{1,2}[年./\-])|[mtshr](?=\.?[ ]?[\d元]{1,2}年))"
_ERA = rf"(?P<era>{NAMES}|{_LETTER})"
_YEAR = (
    rf"(?:{_ERA}\.?[ ]?(?P<count>\d{{1,4}}|元|[〇{KANJI_DIGITS}十]{{1,3}})"
    rf"|{_NO_DIGIT}(?P<year>\d{{4}}(?=[ ]?年{_LONG})|\d{{1,3}}(?=年(?:度|{_LENGTH}))|元"
    rf"|(?<![〇{KANJI_DIGITS}十百])[一二][〇{KANJI_DIGITS}]{{3}}))"
)
_FORMS = [
    (signs, re.compile(form, re.ASCII))
    for signs, form in (
        # 2025-04-01 10:30, 2025/4, 2025.4.1
        (
            "-/",
            rf"{_NO_DIGIT}(?P<year>\d{{4}})(?P<by>[-/])(?P<month>\d{{1,2}})"
            rf"(?:(?P=by)(?P<day>\d{{1,2}}){_CLOCK}?|(?!,\d))(?!\d|\.\d|[-/]\d)",
        ),
        (
            ".",
            rf"{_NO_DIGIT}(?P<year>\d{{4}})\.(?P<month>\d{{1,2}})\.(?P<day>\d{{1,2}})(?!\d|[.,]\d)",
        ),
        # R7.4.1, 令和7/4/1
        (
            "./-",
            rf"{_ERA}\.?[ ]?(?P<count>元|\d{{1,2}})(?P<by>[-/.])(?P<month>\d{{1,2}})(?P=by)"
            r"(?P<day>\d{1,2})(?!\d)",
        ),
        # 2025-W03, 2025-Q1, FY2025-Q1, FY2025, 2025-H1, Q1 2025
        (
            "WQH",
            rf"{_NO_DIGIT}(?P<fiscal>FY ?)?(?P<year>\d{{4}})[- ]?"
            r"(?:W(?P<week>\d{1,2})|Q(?P<quarter>[1-4])|H(?P<half>[12]))(?![\dA-Za-z])",
        ),
        ("F", r"\b(?P<fiscal>FY ?)(?P<year>\d{4})(?!\d)"),
        (
            "Q",
            r"(?<![A-Za-z\d])Q(?P<quarter>[1-4])(?:,? (?:of )?(?P<fiscal>FY ?)?(?P<year>\d{4}))?"
            r"(?![\dA-Za-z])",
        ),
        ("Q", r"(?<![\d.,])(?P<quarter>[1-4])Q(?![\dA-Za-z])"),
        (
            "H",
            r"(?<![A-Za-z\d])H(?P<half>[12])(?: (?P<fiscal>FY ?)?(?P<year>\d{4}))?(?![\dA-Za-z])",
        ),
        # 令和7年度第1四半期, 2025年上期, 2025年4月1日 10時
        (
            "年",
            rf"{_YEAR}[ ]?年(?P<fiscal>度)?"
            r"(?:[ の]?(?:第?(?P<quarter>[1-4])(?:四半期|Q)|Q(?P<quarter_en>[1-4])"
            r"|H(?P<half_en>[12])(?![0-9A-Za-z])|(?P<half_ja>[上下前後])(?:半?期|半)"
            rf"|第(?P<week>\d{{1,2}})週|(?P<month>{SMALL})[ ]?月{_LENGTH}"
            rf"(?:[の ]?(?P<day>{SMALL})[ ]?日{_LENGTH}{_CLOCK}?)?))?",
        ),
        (
            "月",
            rf"{_NO_DIGIT}(?P<month>{SMALL})月(?:の?(?P<day>{SMALL})日{_LENGTH}{_CLOCK}?)",
        ),
        ("月", rf"{_NO_DIGIT}(?P<month>\d{{1,2}})月{_LENGTH}"),
        ("期", rf"{_NO_DIGIT}(?P<year>\d{{4}})[ ]?(?P<half_ja>[上下前後])(?:半?期)"),
        ("日", rf"{_NO_DIGIT}(?P<day>\d{{1,2}})日{_LENGTH}"),
        ("第", r"第(?P<quarter>[1-4])四半期|第(?P<week>\d{1,2})週"),
        (
            "時",
            rf"(?:(?P<noon>午前|午後)(?P<hour>{SMALL})時|{_NO_DIGIT}(?P<hour2>\d{{1,2}})時(?!間)"
            rf"|(?P<hour3>[{KANJI_DIGITS}十]{{1,3}})時(?=半|{SMALL}分))"
            rf"(?:(?P<minute_ja>{SMALL})分|(?P<half_past>半))?",
        ),
        (":", rf"{_NO_DIGIT}(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::\d{{2}})?(?![\d:])"),
    )
]
"""Each with signs, of which one is in every text that it fits: most cells need no pattern."""
_NAMED = [
    re.compile(form, re.ASCII)
    for form in (
        # April 1, 2025; 1 April 2025; April 2025
        rf"{_NAME}\s{{1,3}}(?P<day>\d{{1,2}}){_TH}(?![\d%])(?:,?\s{{1,3}}(?P<year>\d{{4}})(?!\d))?",
        rf"(?:{_NO_DIGIT}(?P<day>\d{{1,2}}){_TH}[\s-]{{1,3}})?{_NAME},?[\s-]{{1,3}}"
        r"(?P<year>\d{4})(?!\d)",
        rf"{_NO_DIGIT}(?P<day>\d{{1,2}}){_TH}[\s-]{{1,3}}{_NAME}",
    )
]
_ANY_NAME = re.compile(rf"(?<![a-z]){MONTH}", re.IGNORECASE)
_ANY = re.compile(rf"\d|元年|[{KANJI_DIGITS}十][年日時]")
_CALENDAR = {"month": (1, 12), "day": (1, 31), "week": (1, 53), "hour": (0, 24), "minute": (0, 59)}


class Stated(NamedTuple):
    start: int
    end: int
    moment: Moment
    is_fiscal: bool = False
    era_year: int | None = None
    """7 of 令和7年."""


def find_moments(text: str) -> list[Stated]:
    """Of a text in narrow form, from left to right, the longest where several forms fit."""
    if not _ANY.search(text):
        return []
    forms = [form for signs, form in _FORMS if any(sign in text for sign in signs)]
    if _ANY_NAME.search(text):
        forms += _NAMED
    found = [
        stated for form in forms for match in form.finditer(text) if (stated := _stated(match))
    ]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[Stated] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _stated(match: re.Match[str]) -> Stated | None:
    parts = {name: part for name, part in match.groupdict().items() if part}
    hour = _number(parts, "hour", "hour2", "hour3")
    if hour is not None and parts.get("noon") == "午後" and hour < 12:
        hour += 12
    minute = 30 if "half_past" in parts else _number(parts, "minute", "minute_ja")
    count = _number(parts, "count")
    numbers = {
        "year": western(parts["era"], count) if count is not None else _number(parts, "year"),
        "month": month_number(parts["name"]) if "name" in parts else _number(parts, "month"),
        "day": _number(parts, "day"),
        "quarter": _number(parts, "quarter", "quarter_en"),
        "half": _HALVES.get(parts.get("half_ja", "")) or _number(parts, "half", "half_en"),
        "week": _number(parts, "week"),
        "hour": hour,
        "minute": minute,
    }
    for part, (least, most) in _CALENDAR.items():
        value = numbers[part]
        if value is not None and not least <= value <= most:
            return None
    return Stated(match.start(), match.end(), Moment(**numbers), "fiscal" in parts, count)


def _number(parts: dict[str, str], *names: str) -> int | None:
    text = next((parts[name] for name in names if name in parts), None)
    return 1 if text == FIRST else None if text is None else number_of(text)
