"""Workbooks that people made, changed in place: only the cells asked for, all else as it was.

There is one way to write: on the file's own XML parts. Reading a workbook into a library's objects
and writing it anew (openpyxl) drops charts, text boxes, sparklines, newer rules and furigana, and
can't move references when rows come in between. So every update, also of structure, looks and
layout, is made on the package: the parts it touches are edited, all others keep their bytes.
openpyxl helps where it is good: addresses, number formats, dates, the grammar of formulas.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from sanbo.documents.excel import cells
from sanbo.documents.excel.append import append_rows
from sanbo.documents.excel.book import (
    AddTotals,
    Book,
    Change,
    ClearCellsIf,
    Content,
    CopySheet,
    FormatCells,
    InsertRows,
    LayOut,
    Update,
    UpdateCellsIf,
    UpdateRowsByMatch,
)
from sanbo.documents.excel.cells import content_of
from sanbo.documents.excel.insert import insert_rows
from sanbo.documents.excel.recalculation import drop_stale_results, forget_overwritten_texts
from sanbo.documents.excel.references import Cell, area_of, cell_at, column_number
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.sheets import add_sheet, copy_sheet, move_sheet
from sanbo.documents.excel.tables import add_totals, summed_columns, take_totals_off, totals_on
from sanbo.documents.excel.values import Styles
from sanbo.documents.ooxml.xml import MAIN, Element, child, copy_of, discard, element, number
from sanbo.kernel.problems import PermissionDenied, Problem, UnsupportedFormat
from sanbo.kernel.text import listed

# The schema wants a font's properties in this order.
_FONT = (
    "b",
    "i",
    "strike",
    "condense",
    "extend",
    "outline",
    "shadow",
    "u",
    "vertAlign",
    "sz",
    "color",
    "name",
    "family",
    "charset",
    "scheme",
)
_XF = ("alignment", "protection", "extLst")
_SIDES = ("left", "right", "top", "bottom")


def format_cells(book: Book, update: FormatCells) -> Change:
    sheet = book.sheet(update.sheet)
    area = area_of(update.range)
    look = update.model_dump_json(exclude={"kind", "sheet", "range"}, exclude_none=True)
    for at in area.cells():
        style = sheet.style(at)
        if update.number_format is not None:
            style = book.styles.with_number_format(style, update.number_format)
        sheet.set_style(at, book.styles.variant(style, look, _change(book.styles, update)))
    protected = PermissionDenied("excel_sheet_protected", sheet=sheet.name).problem
    return Change(
        kind=update.kind, area=str(area), warnings=(protected,) if sheet.is_protected else ()
    )


def _change(styles: Styles, update: FormatCells) -> Callable[[Element], None]:
    def change(xf: Element) -> None:
        _set_font(styles, xf, update)
        if update.fill is not None:
            _refer(styles, xf, "fill", _fill(update.fill))
        if update.border is not None:
            _refer(styles, xf, "border", _border(update.border))
        alignment = {
            "horizontal": update.horizontal,
            "vertical": update.vertical,
            "wrapText": None if update.wrap is None else str(int(update.wrap)),
        }
        if any(value is not None for value in alignment.values()):
            node = child(xf, "alignment", _XF)
            for name, value in alignment.items():
                if value is not None:
                    node.set(name, value)
            xf.set("applyAlignment", "1")

    return change


def _refer(styles: Styles, xf: Element, kind: str, entry: Element) -> None:
    xf.set(f"{kind}Id", str(styles.entry(f"{kind}s", entry)))
    xf.set(f"apply{kind.capitalize()}", "1")


def _set_font(styles: Styles, xf: Element, update: FormatCells) -> None:
    switches = {"b": update.bold, "i": update.italic, "u": update.underline}
    asked = (*switches.values(), update.font_size, update.font_color)
    if all(value is None for value in asked):
        return
    fonts = styles.root.findall(f"{MAIN}fonts/{MAIN}font")
    index = number(xf, "fontId")
    font = copy_of(fonts[index]) if index < len(fonts) else element(f"{MAIN}font")
    for name, wanted in switches.items():
        if wanted is None:
            continue
        for node in font.findall(MAIN + name):
            discard(node)
        if wanted:
            child(font, name, _FONT)
    if update.font_size is not None:
        child(font, "sz", _FONT).set("val", f"{update.font_size:g}")
    if update.font_color is not None:
        color = child(font, "color", _FONT)
        color.attrib.clear()
        color.set("rgb", _argb(update.font_color))
    _refer(styles, xf, "font", font)


def _fill(color: str) -> Element:
    fill = element(f"{MAIN}fill")
    pattern = element(f"{MAIN}patternFill", {"patternType": "solid"})
    pattern.append(element(f"{MAIN}fgColor", {"rgb": _argb(color)}))
    pattern.append(element(f"{MAIN}bgColor", {"indexed": "64"}))
    fill.append(pattern)
    return fill


def _border(line: str) -> Element:
    border = element(f"{MAIN}border")
    for side in _SIDES:
        node = element(MAIN + side)
        if line != "none":
            node.set("style", line)
            node.append(element(f"{MAIN}color", {"auto": "1"}))
        border.append(node)
    border.append(element(f"{MAIN}diagonal"))
    return border


def _argb(color: str) -> str:
    return "FF" + color.removeprefix("#").upper()


_SHEET = (
    "sheetPr", "dimension", "sheetViews", "sheetFormatPr", "cols", "sheetData",
)  # fmt: skip
_VIEW = ("pane", "selection", "pivotSelection", "extLst")


def lay_out(book: Book, update: LayOut) -> Change:
    sheet = book.sheet(update.sheet)
    if update.widths:
        columns = child(sheet.root, "cols", _SHEET)
        for letter, width in sorted(update.widths.items(), key=lambda pair: column_number(pair[0])):
            number = str(column_number(letter))
            given = {"min": number, "max": number, "width": f"{width:g}", "customWidth": "1"}
            columns.append(element(f"{MAIN}col", given))
    if update.frozen_rows:
        views = child(sheet.root, "sheetViews", _SHEET)
        if not len(views):
            views.append(element(f"{MAIN}sheetView", {"workbookViewId": "0"}))
        for view in views:
            _freeze(view, update.frozen_rows)
    sheet.changed()
    return Change(kind=update.kind, area=update.sheet)


def _freeze(view: Element, rows: int) -> None:
    for old in view.findall(f"{MAIN}pane"):
        discard(old)
    pane = child(view, "pane", _VIEW)
    pane.set("ySplit", str(rows))
    pane.set("topLeftCell", str(Cell(rows + 1, 1)))
    pane.set("activePane", "bottomLeft")
    pane.set("state", "frozen")


def losses_of(book: Book) -> tuple[Problem, ...]:
    found = [
        UnsupportedFormat(text_id, places=listed(places)).problem
        for text_id, places in book.losses.items()
    ]
    if book.package.changed and _is_signed(book):
        found.append(UnsupportedFormat("excel_loses_signature", name=book.name).problem)
    pivots = _outdated_pivots(book)
    if pivots:
        found.append(UnsupportedFormat("excel_pivot_outdated", places=listed(pivots)).problem)
    return tuple(found)


def _is_signed(book: Book) -> bool:
    return any(part.lower().startswith("_xmlsignatures/") for part in book.package.names())


def _outdated_pivots(book: Book) -> list[str]:
    """Sheets with changed cells that a pivot table sums up: Excel refreshes it when told to."""
    changed = {name.casefold(): name for name in book.changed_sheets}
    found: list[str] = []
    for entry in book.package.related(book.part, "pivotCacheDefinition"):
        for source in book.package.tree(entry.target).iter(f"{MAIN}worksheetSource"):
            name = changed.get((source.get("sheet") or "").casefold())
            if name is not None and name not in found:
                found.append(name)
    return found


Result = TypeVar("Result")

_APPLY: dict[str, Callable[[Book, Any], Change]] = {
    "update_cells": cells.update_cells,
    "update_cells_if": cells.update_cells_if,
    "update_range": cells.update_range,
    "update_column": cells.update_column,
    "update_rows_by_match": cells.update_rows_by_match,
    "update_formula": cells.update_formula,
    "replace_in_formulas": cells.replace_in_formulas,
    "clear_cells": cells.clear_cells,
    "clear_cells_if": cells.clear_cells_if,
    "append_rows": append_rows,
    "insert_rows": insert_rows,
    "format_cells": format_cells,
    "lay_out": lay_out,
    "add_totals": add_totals,
    "take_totals_off": take_totals_off,
    "add_sheet": add_sheet,
    "copy_sheet": copy_sheet,
    "move_sheet": move_sheet,
}
# These read what formulas give, or move the cells whose changes are not settled yet.
_NEED_TRUE_RESULTS = (
    UpdateCellsIf,
    ClearCellsIf,
    UpdateRowsByMatch,
    InsertRows,
    CopySheet,
    AddTotals,
)


class Workbook:
    """Bytes in, bytes out. An update that is refused changes nothing."""

    def __init__(self, data: bytes, name: str = "workbook.xlsx") -> None:
        self._data, self._name = data, name
        self._book = Book(data, name)
        self._results_dropped = 0
        self._done: list[Callable[[], object]] = []

    @property
    def sheets(self) -> list[str]:
        return self._book.sheet_names

    def apply(self, update: Update) -> Change:
        if isinstance(update, _NEED_TRUE_RESULTS):
            self._drop_stale_results()
        return self._all_or_nothing(lambda: _APPLY[update.kind](self._book, update))

    def cell(self, sheet: str, address: str) -> Content:
        """What stands in a cell now."""
        return content_of(self._book.sheet(sheet), cell_at(address))

    def sheet(self, name: str) -> Sheet:
        """A sheet to look into; what is to be changed goes through `apply`."""
        return self._book.sheet(name)

    def totals(self, name: str) -> list[int]:
        """The columns that have a sum below them, put there by `AddTotals`."""
        sheet = self._book.sheet(name)
        area = totals_on(self._book, sheet)
        return [] if area is None else summed_columns(sheet, area)

    def losses(self) -> tuple[Problem, ...]:
        """What saving now would not keep, for a person to see before it is saved."""
        return losses_of(self._book)

    @property
    def results_to_calculate(self) -> int:
        """Formulas whose last result is no longer true; Excel calculates when it opens the file."""
        self._drop_stale_results()
        return self._results_dropped

    def save(self) -> bytes:
        """Without updates, the bytes that were brought."""
        self._drop_stale_results()
        if self._book.overwritten_strings:
            self._all_or_nothing(lambda: forget_overwritten_texts(self._book))
        return self._book.package.save()

    def _drop_stale_results(self) -> None:
        if self._book.changed_cells or self._book.formulas_changed:
            self._results_dropped += self._all_or_nothing(lambda: drop_stale_results(self._book))

    def _all_or_nothing(self, step: Callable[[], Result]) -> Result:
        """A step that fails halfway is undone: the file is opened again, with the steps before.

        A copy of every tree before each step would undo it too, but costs also when all goes well.
        """
        try:
            result = step()
        except BaseException:
            self._book = Book(self._data, self._name)
            for done in self._done:
                done()
            raise
        self._done.append(step)
        return result
