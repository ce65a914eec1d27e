"""Values as a workbook stores them: what becomes of a Python value in a cell, and back; and the
cell formats that show one as a date.

Text is always text. Whatever it begins with, it never becomes a formula, a number or a date.
"""

import math
import re
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Literal, NamedTuple, cast

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format
from openpyxl.utils import datetime as calendar

from sanbo.documents.ooxml.xml import MAIN, Element, child, copy_of, element, is_set, number, same
from sanbo.kernel.problems import InvalidInput, LimitExceeded

# Short date, date and time, time: formats that Excel shows in the reader's own way.
SHORT_DATE = 14
DATE_AND_TIME = 22
TIME = 21
# Japanese and other East Asian Excel keep dates and times in these without naming a code.
_EAST_ASIAN_TIMES = frozenset({32, 33})
_EAST_ASIAN_DATES = frozenset((*range(27, 37), *range(50, 59))) - _EAST_ASIAN_TIMES
_FIRST_CUSTOM = 164
# Literals, fillers, colours and locales inside a code; `[h]` counts hours and stays.
_QUOTED = re.compile(r'"[^"]*"|\\.|[_*].|\[(?![hms]+\])[^\[\]]*\]', re.IGNORECASE)

_STYLESHEET = (
    "numFmts",
    "fonts",
    "fills",
    "borders",
    "cellStyleXfs",
    "cellXfs",
    "cellStyles",
    "dxfs",
    "tableStyles",
    "colors",
    "extLst",
)

EMPTY_STYLES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    f'<styleSheet xmlns="{MAIN[1:-1]}">'
    '<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>'
    "</styleSheet>"
).encode()

Shows = Literal["date", "datetime", "time"]


class Styles:
    """`styles.xml`; a style is a position among its `cellXfs`, as a cell's `s` counts."""

    def __init__(self, root: Element, touch: Callable[[], None]) -> None:
        self.root = root
        self._touch = touch
        self._shows: dict[int, Shows | None] = {}
        self._variants: dict[tuple[int, str], int] = {}

    @property
    def count(self) -> int:
        return len(self._formats)

    @property
    def _formats(self) -> Element:
        return child(self.root, "cellXfs", _STYLESHEET)

    def format_of(self, style: int) -> Element:
        """The `xf`; a number that no format has means the first, as Excel takes it."""
        if not len(self._formats):
            plain = {"numFmtId": "0", "fontId": "0", "fillId": "0", "borderId": "0", "xfId": "0"}
            self._formats.append(element(f"{MAIN}xf", plain))
        return self._formats[style if style < len(self._formats) else 0]

    def shows(self, style: int) -> Shows | None:
        """Whether numbers in this style are shown as dates or times."""
        if style not in self._shows:
            self._shows[style] = self._shown(number(self.format_of(style), "numFmtId"))
        return self._shows[style]

    def number_format(self, style: int) -> str | None:
        code = number(self.format_of(style), "numFmtId")
        return self._custom_formats().get(code) or BUILTIN_FORMATS.get(code)

    def with_number_format(self, style: int, code: int | str) -> int:
        id_ = code if isinstance(code, int) else self._number_of(code)

        def change(xf: Element) -> None:
            xf.set("numFmtId", str(id_))
            xf.set("applyNumberFormat", "1")

        return self.variant(style, f"number format {id_}", change)

    def with_quote_prefix(self, style: int, wanted: bool) -> int:
        """The leading apostrophe: Excel goes on taking the cell as text when it is edited."""

        def change(xf: Element) -> None:
            if wanted:
                xf.set("quotePrefix", "1")
            else:
                xf.attrib.pop("quotePrefix", None)

        has = is_set(self.format_of(style), "quotePrefix")
        return style if has == wanted else self.variant(style, f"quote {wanted}", change)

    def variant(self, style: int, difference: str, change: Callable[[Element], None]) -> int:
        """The style that differs from this one in what `change` does; made once, known by name."""
        key = (style, difference)
        if key not in self._variants:
            wanted = copy_of(self.format_of(style))
            change(wanted)
            self._variants[key] = self.entry("cellXfs", wanted)
        return self._variants[key]

    def entry(self, collection: str, wanted: Element) -> int:
        """The place of an equal entry of `fonts`, `fills`, `cellXfs` …, or of a new one."""
        entries = child(self.root, collection, _STYLESHEET)
        for index, entry in enumerate(entries):
            if same(entry, wanted):
                return index
        entries.append(wanted)
        entries.set("count", str(len(entries)))
        self._touch()
        return len(entries) - 1

    def _custom_formats(self) -> dict[int, str]:
        formats = self.root.findall(f"{MAIN}numFmts/{MAIN}numFmt")
        return {number(f, "numFmtId"): f.get("formatCode") or "" for f in formats}

    def _number_of(self, code: str) -> int:
        for known in (BUILTIN_FORMATS, self._custom_formats()):
            for id_, text in known.items():
                if text == code:
                    return id_
        id_ = max([_FIRST_CUSTOM - 1, *self._custom_formats()]) + 1
        formats = child(self.root, "numFmts", _STYLESHEET)
        attributes = {"numFmtId": str(id_), "formatCode": code}
        formats.append(element(f"{MAIN}numFmt", attributes))
        formats.set("count", str(len(formats)))
        self._touch()
        return id_

    def _shown(self, id_: int) -> Shows | None:
        code = self._custom_formats().get(id_)
        if code is None and id_ in _EAST_ASIAN_TIMES:
            return "time"
        if code is None and id_ in _EAST_ASIAN_DATES:
            return "date"
        code = code or BUILTIN_FORMATS.get(id_)
        return _shown_by(code) if code and is_date_format(code) else None


def _shown_by(code: str) -> Shows:
    """What a date format shows: `ggge"年"m"月"` a date, `[h]:mm` a time."""
    bare = _QUOTED.sub("", code.split(";", maxsplit=1)[0]).lower()
    time = any(letter in bare for letter in "hs")
    date = any(letter in bare for letter in "dyeg") or not time
    return "datetime" if date and time else "date" if date else "time"


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
    # pyrefly: ignore[missing-attribute]
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


TEXT = f"{MAIN}t"
_RUN = f"{MAIN}r"
_FURIGANA = f"{MAIN}rPh"


class Strings:
    """`sharedStrings.xml`; a workbook may have none."""

    def __init__(self, root: Element | None, touch: Callable[[], None]) -> None:
        self._items = [] if root is None else root.findall(f"{MAIN}si")
        self._touch = touch

    def __len__(self) -> int:
        return len(self._items)

    def text(self, index: int) -> str:
        return "" if index >= len(self._items) else text_of(self._items[index])

    def item(self, index: int) -> Element | None:
        return self._items[index] if index < len(self._items) else None

    def empty(self, indexes: Iterable[int]) -> None:
        """Excel leaves out what no cell shows; the numbers of the others must stay."""
        for index in indexes:
            item = self.item(index)
            if item is None:
                continue
            for part in list(item):
                item.remove(part)
            item.append(element(TEXT))
            self._touch()


def text_of(item: Element) -> str:
    """Of an `si` or `is`: its runs joined, without the furigana above them."""
    parts = [part.text or "" for part in item if part.tag == TEXT]
    for run in item.findall(_RUN):
        parts.extend(part.text or "" for part in run.findall(TEXT))
    return unescaped("".join(parts))


def has_furigana(item: Element) -> bool:
    return item.find(_FURIGANA) is not None


def has_runs(item: Element) -> bool:
    """Whether parts of the text have formats of their own."""
    return len(item.findall(_RUN)) > 1 or item.find(f"{_RUN}/{MAIN}rPr") is not None
