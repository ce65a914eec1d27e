"""How the sheets look: letters, lines, the height of a row, titles, the printed page."""

import math
import re
from collections.abc import Collection, Iterable
from typing import Any, cast

from openpyxl.cell.cell import Cell
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from sanbo.agents.comparison.outputs.excel_xml import LONGEST, as_text
from sanbo.agents.comparison.outputs.marked import printable
from sanbo.kernel.messages import Language

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
_LATIN = 0.9
"""How wide a Latin letter is on average, in the measure of columns: a digit."""
_TALLEST = 409
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")
_NARROW = re.compile(
    "[^\u1100-\u11ff\u2010-\u2bff\u2e80-\uff60\uffe0-\uffe6\U0001f000-\U0003ffff]+"
)
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
    return sum(max(1, math.ceil(_width(line) / (width - 1))) for line in text.split("\n"))


def _width(line: str) -> float:
    narrow = sum(map(len, _NARROW.findall(line)))
    return 2 * (len(line) - narrow) + _LATIN * narrow


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
