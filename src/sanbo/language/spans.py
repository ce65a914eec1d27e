"""Lengths of time as people write them: 3d, 2週間, 90分, P1DT12H."""

import re
from datetime import timedelta

from sanbo.kernel.text import matching_form

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
