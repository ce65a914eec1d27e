"""The very words of a sentence that answer, where that is sure: a date, an amount, a count."""

import re

from sanbo.evidence.rules.values import Value, values
from sanbo.language.numerals import narrow
from sanbo.language.questions import COUNTED, wanted
from sanbo.language.units import MONEY

_HOW_MANY = re.compile(r"\bhow many ((?:business |working )?\w+)", re.IGNORECASE)
_CALENDAR = frozenset({"年", "月", "日", "時", "円"})
_DATES = frozenset({"date", "fiscal", "clock", "日", "営業日", "か月", "週"})
_BEFORE = re.compile(r"(?:翌々?月|毎月|当月|前月|毎年|翌年|約|最大)$")
_BOUND = re.compile(r"(?:以内|以上|以下|以降|未満|まで|前|後)*")


def span_in(question: str, sentence: str) -> tuple[int, int] | None:
    """None where it is not clear which words are meant."""
    form = narrow(sentence)
    if len(form) != len(sentence):
        return None  # places in the narrow form are not places in the text
    asked = narrow(question)
    known = {value.meaning for value in values(asked)}
    found = [
        value
        for value in values(form)
        if _is_asked_for(value, asked) and value.meaning not in known
    ]
    if len(found) != 1:
        return None
    before = _BEFORE.search(form[: found[0].start])
    after = _BOUND.match(form, found[0].end)
    return (
        before.start() if before else found[0].start,
        after.end() if after else found[0].end,
    )


def _is_asked_for(value: Value, question: str) -> bool:
    counted = COUNTED.search(question) or _HOW_MANY.search(question)
    asked = wanted(question)
    if counted is not None and (asked == "number" or counted[1] not in _CALENDAR):
        return _counts(value, counted[1])
    if asked == "money":
        return value.unit in MONEY
    if asked != "date":
        return False
    return value.unit in _DATES or (counted is not None and value.unit == "年間")


def _counts(value: Value, unit: str) -> bool:
    """人 is 名, days is 日."""
    return value.written.casefold().endswith(unit.casefold()) or (
        unit in {"人", "名"} and value.unit == "人"
    )
