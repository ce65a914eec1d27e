"""Dates, amounts and counts of a sentence, read as what they mean however they are written.

And what kind of thing a question asks for, and whether a sentence holds one.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from sanbo.language.eras import NAMES
from sanbo.language.figures import Figure, find
from sanbo.language.moments import FULL_MONTHS, Stated, find_moments
from sanbo.language.numerals import KANJI_DIGITS, WORD, narrow
from sanbo.language.questions import COUNTED, Wanted, wanted

# A table's row may be as long as somebody likes.
_NO_VALUE = re.compile(r"[0-9A-Za-z.,第]$")
_ONLY_UNIT = re.compile(r"(?<=[(:])[十百千]+万?(?:円|人|名|個|台|枚|件)\)")
_CLOCK = re.compile("[0-9]{1,2}(?::[0-9:.]{2,20}|時(?:[0-9]{1,2}分)?)$")
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


@lru_cache(maxsize=2048)
def values(text: str) -> tuple[Value, ...]:
    """All of a text in narrow form, in its order."""
    found: list[Value] = []
    for figure in find(text):
        unit, meaning = _read(text, figure)
        if unit:
            written = text[figure.start : figure.end].strip()
            found.append(Value(figure.start, figure.end, unit, meaning, written))
            if unit == "date" and figure.moment.hour is not None:
                clock = _CLOCK.search(written)
                assert clock is not None
                found.append(Value(figure.end, figure.end, "clock", _clock(figure), clock[0]))
    return tuple(found)


def _read(text: str, figure: Figure) -> tuple[str, str]:
    """What it counts is empty where it is no value."""
    moment = figure.moment
    is_day = moment.month is not None and moment.day is not None
    if is_day or (figure.stated is not None and _is_year(text, figure.stated)):
        known = "-".join(str(part or "") for part in moment[:3])
        part = "".join(str(part) for part in moment[3:6] if part)
        fiscal = figure.stated is not None and figure.stated.is_fiscal
        return ("fiscal" if fiscal else "date"), known + (f"/{part}" if part else "")
    if figure.kind == "clock":
        return "clock", _clock(figure)
    before = _NO_VALUE.search(text, max(0, figure.start - 1), figure.start)
    if before or not figure.unit or _ONLY_UNIT.match(text, figure.start):
        return "", ""
    return figure.unit, str(figure.value)


def _is_year(text: str, stated: Stated) -> bool:
    """1540-1 may be anything."""
    if stated.moment.month and not re.search("年|[A-Za-z]", text[stated.start : stated.end]):
        return False
    return stated.era_year is not None or (stated.moment.year or 0) > 999


def _clock(figure: Figure) -> str:
    return f"{figure.moment.hour}:{figure.moment.minute or 0:02}"


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
    form = narrow(text)
    return frozenset(
        str(next((one.moment.year for one in find_moments(found[0])), found[0]))
        for found in _YEAR.finditer(form)
    )


_READ = 600
_NUMBER = rf"(?:[0-9][0-9,.]{{0,20}}(?:万|億|千|兆)?|[{KANJI_DIGITS}十百千万億数]{{1,12}}|半)"
_DATE = (
    rf"{_NUMBER}(?:年|[かヶカヵ箇]?月|週|(?:営業)?日|時|世紀)|[0-9]{{1,4}}[/.-][0-9]{{1,2}}(?:[/.-][0-9]{{1,4}})?|元年|月末|月初|年度|即日|翌"
    r"|当日|前日|以内|毎|曜|[0-9]{1,2}:[0-9]{2}"
    rf"|\b(?:{FULL_MONTHS}"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|within|annually|monthly|weekly|days?"
    r"|(?:1[5-9]|20)[0-9]{2})\b"
)
_MONEY = (
    rf"{_NUMBER}\s*(?:円|ドル|ユーロ|元|ポンド)|[¥￥$€£]\s*[0-9]|無料|実費|[0-9]%"
    r"|\b(?:usd|jpy|eur|yen|dollars?|free)\b"
)
_AMOUNT = rf"{_NUMBER}|\b(?:{WORD}|half|once|twice)\b"
_PERSON = (
    "氏|さん|者|長|員|役|人|担当|王|帝|家|[ァ-ヶー]{3,}|[A-Z][a-z]{1,20} [A-Z]"
    "|manager|director|officer|department"
)
_PLACE = (
    "県|市|区|町|村|国|州|都|府|島|駅|階|室|館|所|地|場|[ァ-ヶー]{3,}"
    "|office|room|building|city|street|at |in "
)
_REASON = "ため|ので|から|より|理由|原因|because|due to|since|in order|reason|so that"

_CALENDAR = frozenset({"年", "月", "日", "時", "円"})
_COUNTED_AS = {"人": "[人名]", "名": "[人名]", "日": "(?:営業)?日"}
_HOLDS: dict[Wanted, str] = {
    "money": _MONEY,
    "date": _DATE,
    "number": _AMOUNT,
    "person": _PERSON,
    "place": _PLACE,
    "reason": _REASON,
}


@lru_cache(maxsize=256)
def holds_what(question: str) -> Callable[[str], bool] | None:
    """How to tell a sentence that may answer it; None where anything may."""
    form = narrow(question)
    counted = COUNTED.search(form)
    asked = wanted(question)
    is_counted = counted is not None and (asked == "number" or counted[1] not in _CALENDAR)
    if counted is not None and is_counted and counted[1] != "つ":
        unit = _COUNTED_AS.get(counted[1], re.escape(counted[1]))
        return _holding(rf"{_NUMBER}\s*{unit}", form)
    holds = _HOLDS.get(asked or "method")
    return None if holds is None else _holding(holds, form)


def _holding(pattern: str, question: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern, re.IGNORECASE)
    known = {found.group() for found in compiled.finditer(question)}

    def holds(sentence: str) -> bool:
        """Something of the kind that the question does not say itself."""
        form = narrow(sentence[:_READ])
        return any(found.group() not in known for found in compiled.finditer(form))

    return holds


# 第3回 counts nothing, v2.3 no more; (千円) above a column says in what is counted.
