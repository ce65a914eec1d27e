"""Cells of a workbook: how they look, how high a row is, and rows as XML of a worksheet, where
text is text and white space stays as it is."""

import math
import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache
from html import escape
from typing import Any, cast

from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from sanbo.kernel.messages import Language, tell
from sanbo.reports.letters import Span, plain_text, printable, shortened
from sanbo.reports.office_files import width_of

LONGEST = 32_767
"""Characters that a cell can hold."""
_ESCAPE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")


def as_text(text: str) -> str:
    """As a spreadsheet holds it: `_x000A_` in a text is not a line break."""
    return _ESCAPE.sub("_x005F_", printable(text)).replace("\t", "　")


def fitting(spans: Sequence[Span], language: Language) -> list[Span]:
    """A text that no cell can hold is shortened, and says so."""
    text = plain_text(spans)
    # No character becomes more than seven, so that most texts need not be written out for this.
    if 7 * len(text) <= LONGEST or len(as_text(text)) <= LONGEST:
        return list(spans)
    note = f"\n{tell('reports.cut', language)}"
    return [*shortened(spans, LONGEST // 8), Span(note, False)]


def number_cell(address: str, style: int, value: float) -> str:
    return f'<c r="{address}" s="{style}"><v>{value}</v></c>'


def text_cell(address: str, style: int, text: str) -> str:
    if not text:
        return f'<c r="{address}" s="{style}"/>'
    return f'<c r="{address}" s="{style}" t="inlineStr"><is>{_t(text)}</is></c>'


def marked_cell(address: str, style: int, spans: Sequence[Span], plain: str, marked: str) -> str:
    """`plain` and `marked`: how the letters of either look, as run properties."""
    if not any(span.marked for span in spans):
        return text_cell(address, style, plain_text(spans))
    runs = "".join(f"<r>{marked if span.marked else plain}{_t(span.text)}</r>" for span in spans)
    return f'<c r="{address}" s="{style}" t="inlineStr"><is>{runs}</is></c>'


@cache
def letters(font: str, size: int, colour: str = "") -> str:
    """Run properties; with a colour they are underlined too."""
    marks = f'<u/><sz val="{size}"/><color rgb="{colour}"/>' if colour else f'<sz val="{size}"/>'
    return f'<rPr>{marks}<rFont val="{escape(font)}"/></rPr>'


def row(number: int, height: float, cells: Sequence[str]) -> str:
    return f'<row r="{number}" ht="{height:g}" customHeight="1">{"".join(cells)}</row>'


def _t(text: str) -> str:
    return f'<t xml:space="preserve">{escape(as_text(text), quote=False)}</t>'


LONGEST_TITLE = 31
FONTS: dict[Language, str] = {"ja": "游ゴシック", "en": "Calibri"}
SIZE = 10
HEADER = PatternFill("solid", fgColor="D9E2F3")
FLAGGED = PatternFill("solid", fgColor="FFF2CC")
_LINE = Side(style="thin", color="BFBFBF")
BORDER = Border(left=_LINE, right=_LINE, top=_LINE, bottom=_LINE)
WRAPPED = Alignment(vertical="top", wrap_text=True)
CENTRED = Alignment(vertical="top", horizontal="center", wrap_text=True)
_LINE_HEIGHTS: dict[Language, float] = {"ja": 16.5, "en": 13.5}
_TALLEST = 409
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_NOT_IN_TITLES = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def put(
    sheet: Worksheet,
    row: int,
    column: int,
    value: str | float,
    language: Language,
    *,
    bold: bool = False,
    size: int = SIZE,
    alignment: Alignment | None = None,
    lined: bool = False,
) -> Cell:
    cell = cast("Cell", sheet.cell(row, column))
    cell.value = as_text(value)[:LONGEST] if isinstance(value, str) else value
    if isinstance(value, str):
        cell.data_type = "s"  # also where it begins like a formula
        cell.quotePrefix = is_like_formula(value)
    cell.font = Font(name=FONTS[language], size=size, bold=bold)
    if alignment is not None:
        cell.alignment = alignment
    if lined:
        cell.border = BORDER
    return cell


def is_like_formula(text: str) -> bool:
    """It would become one as soon as somebody edits the cell."""
    return text.lstrip().startswith(_FORMULA)


def height(texts: Iterable[tuple[str, int]], language: Language) -> float:
    """Of a row with these texts in columns so wide: not every program finds it out by itself."""
    lines = max(_lines(text, width) for text, width in texts)
    return min(lines * _LINE_HEIGHTS[language] + 3, _TALLEST)


def _lines(text: str, width: int) -> int:
    if len(text) * 2 < width and "\n" not in text:
        return 1
    return sum(max(1, math.ceil(width_of(line) / (width - 1))) for line in text.split("\n"))


def sheet_title(name: str, taken: Collection[str]) -> str:
    """A title that Excel accepts, and that no other sheet has."""
    wanted = " ".join(_NOT_IN_TITLES.sub(" ", printable(name)).split()).strip(" '") or "1"
    alike = {title.casefold() for title in taken}
    title, number = wanted[:LONGEST_TITLE].strip(" '"), 1
    while title.casefold() in alike or title.casefold() == "history":
        number += 1
        ending = f" ({number})"
        title = wanted[: LONGEST_TITLE - len(ending)].strip() + ending
    return title


def set_print(sheet: Worksheet) -> None:
    """Landscape A4, as wide as the page, with page numbers."""
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = 9  # A4
    sheet.page_setup.fitToWidth = 1
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    footer: Any = sheet.oddFooter
    footer.center.text = "&P / &N"
    sheet.page_margins.left = sheet.page_margins.right = 0.4
    sheet.page_margins.top = sheet.page_margins.bottom = 0.5
