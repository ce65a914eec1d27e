"""Values as a workbook stores them: what becomes of a Python value in a cell, and back.

Text is always text. Whatever it begins with, it never becomes a formula, a number or a date.
"""

import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, NamedTuple, cast

from openpyxl.utils import datetime as calendar

from sanbo.documents.excel.styles import Shows
from sanbo.kernel.problems import InvalidInput, LimitExceeded

Scalar = str | bool | int | float | Decimal | datetime | date | time | None
"""What one cell can hold besides a formula; None and "" empty it. A time zone is not kept."""

MAX_CHARACTERS = 32_767
# Excel keeps this many digits of a number and turns the rest into zeros.
MAX_DIGITS = 15

# Excel reads a text that begins so as a formula when someone edits the cell, in full width too.
_LIKE_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# Excel reads `_x000D_` inside a text as the character of this number.
_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_LIKE_AN_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
# openpyxl knows that Excel counts a 29 February 1900. It has no types.
_calendar = cast("Any", calendar)


class Stored(NamedTuple):
    type: str | None
    """The cell's `t`: None for a number."""
    text: str
    shows: Shows | None = None
    """What the cell's format has to show it as."""
    guarded: bool = False
    """The cell needs the leading apostrophe."""
    characters_removed: bool = False
    digits_lost: bool = False


def stored(value: Scalar, *, since_1904: bool, place: str) -> Stored | None:
    """None for an empty cell. `place` names the cell in a refusal."""
    if value is None or isinstance(value, bool):
        return None if value is None else Stored("b", "1" if value else "0")
    if isinstance(value, str):
        found = _stored_text(value, place)
        return found if found.text else None
    if isinstance(value, int | float | Decimal):
        return _stored_number(value, place)
    if isinstance(value, time):
        return Stored(None, _number(_calendar.to_excel(value)), shows="time")
    shows: Shows = "datetime" if isinstance(value, datetime) else "date"
    return Stored(None, _serial(value, since_1904, place), shows)


def shown_value(serial: int | float, shows: Shows, *, since_1904: bool) -> Scalar:
    """A number as the cell's date format shows it; a duration stays a number."""
    if shows == "time":
        return _time(serial)
    try:
        found = _calendar.from_excel(serial, _epoch(since_1904))
    except (OverflowError, ValueError):
        return serial
    if not isinstance(found, datetime):
        return serial
    return found.date() if shows == "date" and found.time() == time() else found


def escaped(text: str) -> str:
    return _LIKE_AN_ESCAPE.sub("_x005F_", text)


def unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), text)


def _stored_text(value: str, place: str) -> Stored:
    lines = value.replace("\r\n", "\n").replace("\r", "\n")
    text = _NOT_IN_XML.sub("", lines)
    if len(text.encode("utf-16-le")) // 2 > MAX_CHARACTERS:
        raise LimitExceeded(
            "excel_text_too_long", cell=place, limit=MAX_CHARACTERS, length=len(text)
        )
    return Stored(
        "inlineStr",
        escaped(text),
        guarded=text.startswith(_LIKE_A_FORMULA),
        characters_removed=text != lines,
    )


def _stored_number(value: int | float | Decimal, place: str) -> Stored:
    try:
        is_finite = math.isfinite(value)
    except (OverflowError, ValueError):  # more digits than a float, or a signalling NaN
        is_finite = False
    if not is_finite or math.isinf(float(value)):
        shown = str(Decimal(value))[:40]  # an int of thousands of digits has no text of its own
        raise InvalidInput("excel_number_invalid", cell=place, value=shown)
    digits = () if isinstance(value, float) else Decimal(value).normalize().as_tuple().digits
    return Stored(None, _number(value), digits_lost=len(digits) > MAX_DIGITS)


def _number(value: int | float | Decimal) -> str:
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(value)


def _serial(value: date | datetime, since_1904: bool, place: str) -> str:
    epoch = _epoch(since_1904)
    first = epoch.date() if since_1904 else date(1900, 1, 1)
    day = value.date() if isinstance(value, datetime) else value
    if day < first:
        raise InvalidInput(
            "excel_date_too_early", cell=place, date=day.isoformat(), first=first.isoformat()
        )
    wall_clock = value.replace(tzinfo=None) if isinstance(value, datetime) else value
    return _number(_calendar.to_excel(wall_clock, epoch))


def _epoch(since_1904: bool) -> datetime:
    return _calendar.MAC_EPOCH if since_1904 else _calendar.WINDOWS_EPOCH


def _time(serial: int | float) -> Scalar:
    if not 0 <= serial < 1:
        return serial
    found = _calendar.from_excel(serial)
    return found if isinstance(found, time) else serial
