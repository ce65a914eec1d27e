"""New tabs in a workbook: named as Excel allows, and put in their place among the others."""

import re

from sanbo.documents.excel.book import Book
from sanbo.documents.excel.updates import AddSheet, Change
from sanbo.documents.ooxml.xml import MAIN, Element, R, element, is_set, number, parse
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied, Problem
from sanbo.kernel.text import matching_form

WORKSHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"
MAX_NAME = 31
_NOT_IN_NAMES = re.compile(r"[\\/?*\[\]:\x00-\x1f]|^'|'$")
_EMPTY = (f'<worksheet xmlns="{MAIN[1:-1]}" xmlns:r="{R[1:-1]}"><sheetData/></worksheet>').encode()


def add_sheet(book: Book, update: AddSheet) -> Change:
    check_name(book, update.name)
    position = tab_position(book, update.after, update.before)
    part = book.package.free_name("xl/worksheets/sheet1.xml")
    root = parse(_EMPTY, file=book.name, part=part)
    add_tab(book, update.name, part, root, position)
    return Change(kind=update.kind, sheets=(update.name,), warnings=structure_warnings(book))


def structure_warnings(book: Book) -> tuple[Problem, ...]:
    """Someone protected the order and number of the tabs."""
    if not is_set(book.root.find(f"{MAIN}workbookProtection"), "lockStructure"):
        return ()
    return (PermissionDenied("excel_structure_protected", name=book.name).problem,)


def check_name(book: Book, name: str) -> None:
    too_long = len(name.encode("utf-16-le")) // 2 > MAX_NAME
    reserved = name.casefold() == "history"
    if not name.strip() or too_long or reserved or _NOT_IN_NAMES.search(name):
        raise InvalidInput("excel_sheet_name_invalid", sheet=name, limit=MAX_NAME)
    for entry in book.entries():
        if matching_form(entry.name) == matching_form(name):
            raise Conflict("excel_sheet_exists", sheet=entry.name)


def tab_position(book: Book, after: str | None, before: str | None) -> int:
    tabs = book.root.findall(f"{MAIN}sheets/{MAIN}sheet")
    beside = after or before
    if beside is None:
        return len(tabs)
    wanted = book.sheet(beside).name
    found = next(i for i, tab in enumerate(tabs) if tab.get("name") == wanted)
    return found + 1 if after else found


def add_tab(book: Book, name: str, part: str, root: Element, position: int) -> None:
    """The tabs behind it move on, and so do the numbers by which names and views know them."""
    tabs = book.root.find(f"{MAIN}sheets")
    if tabs is None:
        raise NotFound("excel_sheet_missing", sheet=name, nearest="–")
    book.package.add_tree(part, root, WORKSHEET_TYPE)
    attributes = {
        "name": name,
        "sheetId": str(max([number(tab, "sheetId") for tab in tabs], default=0) + 1),
        f"{R}id": book.package.relate(book.part, "worksheet", part),
    }
    tabs.insert(position, element(f"{MAIN}sheet", attributes))
    for node in book.defined_names():
        _move_on(node, "localSheetId", position)
    for node in book.root.findall(f"{MAIN}bookViews/{MAIN}workbookView"):
        _move_on(node, "activeTab", position)
        _move_on(node, "firstSheet", position)
    book.touch()


def _move_on(node: Element, name: str, position: int) -> None:
    if node.get(name) is not None and number(node, name) >= position:
        node.set(name, str(number(node, name) + 1))
