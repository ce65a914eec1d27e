"""What covers a list to its last row: rules, filters and print areas that grow with new rows.

Formulas, names and charts may mean the rows as they were, so they are named, not changed.
"""

from collections.abc import Iterator

from sanbo.documents.excel.addresses import Area, areas_in, first_area
from sanbo.documents.excel.book import Book
from sanbo.documents.excel.formula_places import parts_of
from sanbo.documents.excel.references import references, with_last_row
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.ooxml.xml import MAIN, local_name, number
from sanbo.kernel.problems import InvalidInput, Problem
from sanbo.kernel.text import listed

_GROWING_NAMES = frozenset({"_xlnm._filterdatabase", "_xlnm.print_area"})


def extend_what_covers(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    """Whatever ends exactly where these rows end goes on down to `bottom`."""
    _extend_rules(book, sheet, rows, bottom)
    _extend_filter(book, sheet, rows, bottom)
    _extend_names(book, sheet, rows, bottom)


def _extend_rules(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    """Conditional formats and input rules of these rows go on, as Excel does it."""
    for section in sheet.root:
        if local_name(section) == "sheetData":
            continue
        for node in section.iter():
            if local_name(node) not in ("conditionalFormatting", "dataValidation"):
                continue
            newer = [part for part in node if local_name(part) == "sqref"]  # in the extensions
            sqref = (newer[0].text if newer else node.get("sqref")) or ""
            extended = _extended(sqref, rows, bottom)
            if extended == sqref:
                continue
            book.package.touch(sheet.part)
            if newer:
                newer[0].text = extended
            else:
                node.set("sqref", extended)


def _extend_filter(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    for node in sheet.root.findall(f"{MAIN}autoFilter"):
        area = first_area(node.get("ref") or "A1")
        if area.bottom == rows.bottom and area.meets(rows):
            node.set("ref", str(area._replace(bottom=bottom)))
            book.package.touch(sheet.part)


def _extend_names(book: Book, sheet: Sheet, rows: Area, bottom: int) -> None:
    """The print area, and the name under which Excel keeps the filter a second time."""
    tabs = book.root.findall(f"{MAIN}sheets/{MAIN}sheet")
    own = next(index for index, tab in enumerate(tabs) if tab.get("name") == sheet.name)
    for name in book.defined_names():
        is_growing = (name.get("name") or "").casefold() in _GROWING_NAMES
        if not is_growing or number(name, "localSheetId", -1) != own:
            continue
        extended = with_last_row(name.text or "", rows, bottom)
        if extended != name.text:
            name.text = extended
            book.touch()


def left_behind(book: Book, sheet: Sheet, rows: Area) -> Iterator[Problem]:
    """Warnings that name the formulas, names and charts which end exactly at these rows' end."""

    def ends_there(text: str, own: str) -> bool:
        return any(
            (found.sheet or own).casefold() == sheet.name.casefold()
            and found.area.bottom == rows.bottom
            and found.area.top < found.area.bottom
            and found.area.meets(rows)
            for found in references(text)
        )

    formulas: list[str] = []
    charts: list[str] = []
    for other in book.sheets():
        for at, text, _ in other.formulas():
            is_inside = other is sheet and at in rows  # a running total
            if not is_inside and ends_there(other.formula(at) or text, other.name):
                formulas.append(f"{other.name}!{at}")
        for text in _chart_formulas(book, other):
            if ends_there(text, other.name):
                charts.append(other.name)
    names = [
        name.get("name") or ""
        for name in book.defined_names()
        if not (name.get("name") or "").startswith("_xlnm.") and ends_there(name.text or "", "")
    ]
    places = {
        "excel_formulas_end_above": formulas,
        "excel_names_end_above": names,
        "excel_charts_end_above": list(dict.fromkeys(charts)),
    }
    for text_id, found in places.items():
        if found:
            yield InvalidInput(
                text_id, sheet=sheet.name, row=rows.bottom, places=listed(found)
            ).problem


def _chart_formulas(book: Book, sheet: Sheet) -> Iterator[str]:
    for part in parts_of(book, sheet.part):
        if "/charts/" in part.lower():
            for node in book.package.tree(part).iter():
                if local_name(node) == "f" and node.text:
                    yield node.text


def _extended(sqref: str, rows: Area, bottom: int) -> str:
    areas: list[str] = []
    for text, area in zip(sqref.split(), areas_in(sqref), strict=True):
        # A rule of the last cell alone is about that cell, not about the list.
        covers = area.top <= rows.top or area.top < area.bottom
        inside = rows.left <= area.left and area.right <= rows.right
        goes_on = covers and inside and area.bottom == rows.bottom
        areas.append(str(area._replace(bottom=bottom)) if goes_on else text)
    return " ".join(areas)
