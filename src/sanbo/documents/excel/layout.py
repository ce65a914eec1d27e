"""How a sheet is laid out on the screen: widths of columns, rows that stay when one scrolls."""

from sanbo.documents.excel.book import Book
from sanbo.documents.excel.references import Cell, column_number
from sanbo.documents.excel.updates import Change, LayOut
from sanbo.documents.ooxml.xml import MAIN, Element, child, discard, element

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
