"""Dates, deadlines and amounts in Japanese: 令和7年4月1日, 30日以内, 100万円以上, 三分の二."""

import re
import unicodedata
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial

from sanbo.agents.comparison.differences.values.japanese_writing import KANJI_DIGIT, VALUES
from sanbo.agents.comparison.differences.values.model import (
    CURRENCIES,
    SMALLER_UNITS,
    Value,
    ValueKind,
    date_meaning,
    whole,
)
from sanbo.language.eras import FIRST, western
from sanbo.language.numerals import DIGIT, FORMAL, KANJI_DIGITS, amount_of

Groups = dict[str, str]
_MAY_BE = re.compile(
    rf"[明大昭平令直た速す遅即毎隔各翌当午]|{KANJI_DIGIT}|{DIGIT}|[半過全税期月火水木金土日以未超]|を[超越]|[{FORMAL}]"
)
# The year that a law is cited with is part of its name: 平成十六年法律第百二十二号.
_OF_A_LAW = re.compile(
    "[^、。（）()]{0,16}(?:法律|政令|勅令|省令|府令|規則|条例|告示|条約|訓令)第[0-9０-９〇一-鿿]{1,8}号"
)


def japanese_values(text: str) -> Iterator[Value]:
    if _MAY_BE.search(text) is None:
        return
    for found in VALUES.finditer(text):
        start, end = found.span()
        name = _FORMS[found.lastgroup or ""]
        if name != "quarter" and text[start - 1 : start] == "第":  # 第二回 counts nothing
            continue
        kind, read = _READERS[name]
        is_name = name == "era" and text[end - 1] == "年" and _OF_A_LAW.match(text, end)
        if not is_name and not (name == "span" and found["span"] == "十分"):
            yield Value(start, end, kind, partial(_meaning, read, found))


def _meaning(read: Callable[[Groups], str], found: re.Match[str]) -> str:
    return read({name: value for name, value in found.groupdict().items() if value is not None})


# ---- Dates ----


def _of_era(groups: Groups) -> str:
    era, year = groups["era"][0], groups["era_year"]
    year = western(era, 1 if year == FIRST else whole(year) or 0)
    month, day = groups.get("era_month"), groups.get("era_day")
    return date_meaning(year, month, day, groups.get("era_fiscal", ""))


def _of_year(groups: Groups) -> str:
    month, day = groups.get("month"), groups.get("day")
    return date_meaning(whole(groups["year"]), month, day, groups.get("fiscal", ""))


def _of_era_in_figures(groups: Groups) -> str:
    year, month, *day = re.split("[-/.]", unicodedata.normalize("NFKC", groups["era2_date"]))
    found = {"era": groups["era2"], "era_year": year, "era_month": month}
    return _of_era(found | ({"era_day": day[0]} if day else {}))


def _in_figures(groups: Groups) -> str:
    year, month, day = re.split("[-/.]", unicodedata.normalize("NFKC", groups["iso"]))
    return date_meaning(int(year), month, day)


def _in_a_year(groups: Groups) -> str:
    month, day = groups["month_day"].split("月")
    return date_meaning(None, month, day.rstrip("日"))


# ---- Deadlines and periods ----


def _of_day(groups: Groups, form: str = "") -> str:
    hour = whole(groups[f"hour{form}"]) or 0
    half = 30 if f"half_hour{form}" in groups else 0
    minute = whole(groups.get(f"minute{form}", "")) or half
    afternoon = groups.get("half_of_day") == "午後" and hour < 12
    return f"{hour + 12 * afternoon}:{minute:02}"


def _hours(groups: Groups) -> str:
    half = groups["minutes"] == "半"
    minutes = 30 if half else whole(groups["minutes"].rstrip("分")) or 0
    return f"{60 * (whole(groups['hours']) or 0) + minutes}:minute:{_limit(groups['hours_end'])}"


_HALVES = {"年": "6:month", "月": "half month", "日": "half day"}


def _half(groups: Groups) -> str:
    return f"{_HALVES[groups['half_unit'][0]]}:{_limit(groups['half_end'])}"


_SOON = {"ただちに": "直ちに", "すみやかに": "速やかに", "即座に": "即時に"}
_NUMERALS = re.compile(rf"{DIGIT}+|[{KANJI_DIGITS}十]+")
_UNITS = {
    **{f"{small}月": "month" for small in "かヶカ箇ヵケ"},
    **{f"{small}年": "year" for small in "かヶカ箇ヵ"},
    "月": "month",
    "年": "year",
    "日": "day",
    "暦日": "day",
    "週": "week",
    "時": "hour",
    "分": "minute",
    "営業日": "business day",
    "銀行営業日": "bank day",
}


def _period(number: str, unit: str, end: str) -> str:
    unit = _UNITS.get(unit.replace("間", ""), unit)
    amount = amount_of(number)
    if unit in SMALLER_UNITS and amount is not None:
        times, unit = SMALLER_UNITS[unit]
        amount *= times
    return f"{amount}:{unit}:{_limit(end)}"


_LIMITS = {
    **dict.fromkeys(("を超え", "を超える", "を超えて", "を上回る", "を越える", "を越えて"), "超"),
    **dict.fromkeys(("を超えない", "を越えない"), "以下"),
    "を下回る": "未満",
    "までに": "まで",
    "間": "",
}


def _limit(written: str) -> str:
    return _LIMITS.get(written, written)


def _in_digits(text: str) -> str:
    return _NUMERALS.sub(lambda found: str(whole(found.group())), text).removesuffix("日")


# ---- Amounts ----

_COUNTERS = {"名": "人", "才": "歳"} | {f"{small}所": "箇所" for small in "かヶカヵ"}


def _bound(groups: Groups) -> str:
    written = (value for name, value in groups.items() if name.startswith("bound_"))
    return _limit(next(written, ""))


def _counted(groups: Groups, number: str, unit: str) -> str:
    written = unicodedata.normalize("NFKC", groups[unit])
    unit = CURRENCIES.get(written) or _COUNTERS.get(written, written)
    return f"{amount_of(groups[number])}:{unit}:{_bound(groups)}"


def _limited(groups: Groups) -> str:
    unit, bound = groups["limited"], _limit(groups["unit_bound"])
    return f"{amount_of(groups['unit_limit'])}:{unit}:{bound}"


def _share(groups: Groups) -> str:
    times = 10 if groups["percent"] == "割" else 1
    unit = "point" if groups["percent"] == "ポイント" else "%"
    return f"{(amount_of(groups['share']) or 0) * times}:{unit}:{_bound(groups)}"


def _tenths(groups: Groups) -> str:
    """一割四分六厘 is 14.6 %."""
    tenths, rest = groups["tenths"].split("割")
    hundredths, thousandths = rest.split("分")
    share = (amount_of(tenths) or 0) * 10 + (amount_of(hundredths) or 0)
    return f"{share + (amount_of(thousandths.rstrip('厘')) or 0) / 10}:%:{_bound(groups)}"


def _part(groups: Groups, below: str, above: str) -> str:
    return f"{Fraction(whole(above) or 0) / (whole(below) or 1)}:of:{_bound(groups)}"


_READERS: dict[str, tuple[ValueKind, Callable[[Groups], str]]] = {
    "era": ("date", _of_era),
    "era2": ("date", _of_era_in_figures),
    "year": ("date", _of_year),
    "iso": ("date", _in_figures),
    "month_day": ("date", _in_a_year),
    "month_alone": ("date", lambda found: date_meaning(None, found["month_alone"], None)),
    "soon": ("deadline", lambda found: _SOON.get(found["soon"], found["soon"])),
    "weekday": ("date", lambda found: found["weekday"]),
    "quarter": ("date", lambda found: _in_digits(found["quarter"]).replace("半", "")),
    "half": ("deadline", _half),
    "hours": ("deadline", _hours),
    "often": ("deadline", lambda found: found["often"]),
    "next": ("deadline", lambda found: found["next"]),
    "at_end": ("deadline", lambda found: found["at_end"]),
    "hour": ("deadline", _of_day),
    "hour2": ("deadline", lambda found: _of_day(found, "2")),
    "hour3": ("deadline", lambda found: _of_day(found, "3")),
    "monthly": ("deadline", lambda found: _in_digits(found["monthly"])),
    "span": ("deadline", lambda one: _period(one["span"], one["span_unit"], one["span_end"])),
    "moon": ("deadline", lambda found: _period(found["moon"], "月", found["moon_end"])),
    "signed": ("amount", lambda found: _counted(found, "signed", "sign")),
    "money": ("amount", lambda found: _counted(found, "money", "currency")),
    "tenths": ("amount", _tenths),
    "hundredths": ("amount", lambda found: f"{amount_of(found['hundredths'])}:%:"),
    "most": ("amount", lambda found: found["most"]),
    "tax": ("amount", lambda found: found["tax"].replace("抜", "別")),
    "share": ("amount", _share),
    "below": ("amount", lambda found: _part(found, found["below"], found["above"])),
    "slash": ("amount", lambda found: _part(found, *reversed(re.split("[/／]", found["slash"])))),
    "count": ("amount", lambda found: _counted(found, "count", "counted")),
    "digit_count": ("amount", lambda found: _counted(found, "digit_count", "digit_counted")),
    "unit_limit": ("amount", _limited),
    "bare_bound": ("amount", lambda found: f"::{_limit(found['bare_bound'])}"),
    "limit": ("amount", lambda found: f"{amount_of(found['limit'])}::{_limit(found['limit_end'])}"),
    "plain": ("amount", lambda found: f"{amount_of(found['plain'])}::"),
}
"""What a value is and how it is read, by the group that tells its form."""


def _forms() -> Iterator[tuple[str, str]]:
    form = ""
    for group in VALUES.groupindex:  # in the order of the pattern
        form = group if group in _READERS else form
        yield group, form


_FORMS = dict(_forms())
"""By the last group of a match, which form it has: what qualifies a value stands after it."""
