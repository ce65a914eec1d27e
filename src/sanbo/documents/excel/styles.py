"""Cell formats: which ones show dates, and variants of a format that keep all the rest of it."""

import re
from collections.abc import Callable
from typing import Literal

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format

from sanbo.documents.ooxml.xml import MAIN, Element, child, copy_of, element, is_set, number, same

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
