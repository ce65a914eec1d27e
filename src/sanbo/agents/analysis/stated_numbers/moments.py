"""Dates, periods and times of day in a text, as far as they are stated: 2025年4月, Q1, 10時."""

import re
from typing import NamedTuple

from sanbo.language.eras import NAMES, western

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


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
        mine = self._replace(year=known.year) if short and known.year % 100 == self.year else self  # pyright: ignore[reportOptionalOperand]
        return all(part is None or part == there for part, there in zip(mine, known, strict=True))


_HALVES = {"上": 1, "下": 2, "前": 1, "後": 2}
_NO_DIGIT = r"(?<![\d.,])"
# 3年間 and 5日連続 are lengths of time, not dates.
_LENGTH = r"(?!間|前|後|以内|以上|連続|分|目|ごと|毎|未満|超|おき)"
_CLOCK = (
    r"(?:[T ]?(?P<hour>\d{1,2})(?::(?P<minute>\d{2})(?::\d{2}(?:\.\d+)?)?"
    r"|時(?!間)(?:(?P<minute_ja>\d{1,2})分)?))"
)
_TH = "(?:st|nd|rd|th)?"
_MONTH_NAME = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sep(?:t(?:ember)?)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b\.?"
)
_FORMS = [
    re.compile(form, re.ASCII)
    for form in (
        # 2025-04-01 10:30, 2025/4, 2025.4.1
        rf"{_NO_DIGIT}(?P<year>\d{{4}})(?P<by>[-/])(?P<month>\d{{1,2}})(?:(?P=by)(?P<day>\d{{1,2}}){_CLOCK}?)?(?!\d|[.,]\d|[-/]\d)",
        rf"{_NO_DIGIT}(?P<year>\d{{4}})\.(?P<month>\d{{1,2}})\.(?P<day>\d{{1,2}})(?!\d|[.,]\d)",
        # 2025-W03, 2025-Q1, FY2025-Q1, FY2025, 2025-H1, Q1 2025
        rf"{_NO_DIGIT}(?:FY ?)?(?P<year>\d{{4}})[- ]?"
        r"(?:W(?P<week>\d{1,2})|Q(?P<quarter>[1-4])|H(?P<half>[12]))(?![\dA-Za-z])",
        r"\bFY ?(?P<year>\d{4})(?!\d)",
        r"(?<![A-Za-z\d])Q(?P<quarter>[1-4])(?:,? (?:of )?(?:FY ?)?(?P<year>\d{4}))?(?![\dA-Za-z])",
        r"(?<![\d.,])(?P<quarter>[1-4])Q(?![\dA-Za-z])",
        r"(?<![A-Za-z\d])H(?P<half>[12])(?: (?:FY ?)?(?P<year>\d{4}))?(?![\dA-Za-z])",
        # 令和7年度第1四半期, 2025年上期, 2025年4月1日 10時
        rf"(?P<era>{NAMES})?{_NO_DIGIT}(?P<year>\d{{1,4}}|元)年(?:度(?:の)?|{_LENGTH})"
        r"(?:[ の]?(?:第?(?P<quarter>[1-4])(?:四半期|Q)|Q(?P<quarter_en>[1-4])"
        r"|(?P<half_ja>[上下前後])(?:半?期)"
        rf"|第(?P<week>\d{{1,2}})週|(?P<month>\d{{1,2}})月{_LENGTH}"
        rf"(?:の?(?P<day>\d{{1,2}})日{_LENGTH}{_CLOCK}?)?))?",
        rf"{_NO_DIGIT}(?P<month>\d{{1,2}})月{_LENGTH}(?:の?(?P<day>\d{{1,2}})日{_LENGTH}{_CLOCK}?)?",
        rf"{_NO_DIGIT}(?P<day>\d{{1,2}})日{_LENGTH}",
        r"第(?P<quarter>[1-4])四半期|第(?P<week>\d{1,2})週",
        rf"{_NO_DIGIT}(?P<hour>\d{{1,2}})時(?!間)(?:(?P<minute_ja>\d{{1,2}})分)?",
        rf"{_NO_DIGIT}(?P<hour>\d{{1,2}}):(?P<minute>\d{{2}})(?::\d{{2}})?(?![\d:])",
        # April 1, 2025; 1 April 2025; April 2025
        rf"(?P<name>{_MONTH_NAME}) (?P<day>\d{{1,2}}){_TH}(?![\d%])(?:,? (?P<year>\d{{4}})(?!\d))?",
        rf"(?:{_NO_DIGIT}(?P<day>\d{{1,2}}){_TH} )?(?P<name>{_MONTH_NAME}),? "
        r"(?P<year>\d{4})(?!\d)",
        rf"{_NO_DIGIT}(?P<day>\d{{1,2}}){_TH} (?P<name>{_MONTH_NAME})",
    )
]
# One of these letters is in every text that a form fits: most cells need no pattern at all.
_INITIALS = "JFMASOND"
_SIGNS = (
    *("-/", ".", "WQH", "F", "Q", "Q", "H", "年", "月", "日", "第", "時", ":"),
    *(_INITIALS, _INITIALS, _INITIALS),
)
_CALENDAR = {"month": (1, 12), "day": (1, 31), "week": (1, 53), "hour": (0, 24), "minute": (0, 59)}


class Stated(NamedTuple):
    start: int
    end: int
    moment: Moment


def find_moments(text: str) -> list[Stated]:
    """From left to right, the longest where several forms fit."""
    if not re.search(r"\d|元年", text):
        return []
    found = [
        Stated(match.start(), match.end(), moment)
        for form, signs in zip(_FORMS, _SIGNS, strict=True)
        if any(sign in text for sign in signs)
        for match in form.finditer(text)
        if (moment := _moment(match.groupdict())) is not None
    ]
    found.sort(key=lambda one: (one.start, -one.end))
    kept: list[Stated] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _moment(parts: dict[str, str | None]) -> Moment | None:
    year = parts.get("year")
    name = parts.get("name")
    half = parts.get("half_ja")
    numbers = {
        "month": MONTHS.index(name[:3].lower()) + 1 if name else _number(parts.get("month")),
        "day": _number(parts.get("day")),
        "quarter": _number(parts.get("quarter") or parts.get("quarter_en")),
        "half": _HALVES[half] if half else _number(parts.get("half")),
        "week": _number(parts.get("week")),
        "hour": _number(parts.get("hour")),
        "minute": _number(parts.get("minute") or parts.get("minute_ja")),
    }
    for part, (least, most) in _CALENDAR.items():
        value = numbers[part]
        if value is not None and not least <= value <= most:
            return None
    return Moment(year=_year(year, parts.get("era")), **numbers)


def _number(text: str | None) -> int | None:
    return int(text) if text else None


def _year(text: str | None, era: str | None) -> int | None:
    if not text:
        return None
    count = 1 if text == "元" else int(text)
    return western(era, count) if era else count
