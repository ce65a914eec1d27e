"""A row of sums below a table, marked by a hidden name so that it is told from the table's rows.

Excel moves the name with the row. Whoever adds rows takes the sums off first, and puts them back
below; whoever reads rows leaves that one out.
"""

from collections.abc import Iterator

from sanbo.documents.excel.book import WORKBOOK_ORDER, Book
from sanbo.documents.excel.references import Area, Cell, column_number, quoted, references
from sanbo.documents.excel.sheet import VALUE, Formula, Sheet
from sanbo.documents.excel.updates import AddTotals, Change, TakeTotalsOff
from sanbo.documents.excel.values import stored
from sanbo.documents.model import Source
from sanbo.documents.ooxml.package import Package
from sanbo.documents.ooxml.xml import MAIN, Element, child, discard, element, number

NAME = "Sanbo_Totals"


def add_totals(book: Book, update: AddTotals) -> Change:
    """With what each sum is, so that nobody has to calculate before the file can be read."""
    sheet = book.sheet(update.sheet)
    columns = sorted({column_number(letter) for letter in update.sums} | {update.first_column})
    at = Area(update.bottom + 1, columns[0], update.bottom + 1, columns[-1])
    if update.label:
        cell = Cell(at.top, update.first_column)
        place = f"{sheet.name}!{cell}"
        sheet.write(cell, stored(update.label, since_1904=book.since_1904, place=place))
    for letter, total in update.sums.items():
        column = column_number(letter)
        cell = Cell(at.top, column)
        area = Area(update.top, column, update.bottom, column)
        sheet.write(cell, Formula(f"SUM({area})"))
        node = sheet.grid.node(cell)
        if total is not None and node is not None:
            node.append(element(VALUE, text=repr(total)))
        book.changed_cells[sheet.name].add(cell)
    book.changed_sheets.add(sheet.name)
    book.formulas_changed = True
    first, last = Cell(at.top, at.left), Cell(at.top, at.right)
    place = f"{quoted(sheet.name)}!{_fixed(first)}:{_fixed(last)}"
    named = {"name": NAME, "localSheetId": str(_index(book, sheet)), "hidden": "1"}
    child(book.root, "definedNames", WORKBOOK_ORDER).append(
        element(f"{MAIN}definedName", named, place)
    )
    book.touch()
    return Change(kind=update.kind, area=str(at))


def take_totals_off(book: Book, update: TakeTotalsOff) -> Change:
    sheet = book.sheet(update.sheet)
    if (area := totals_on(book, sheet)) is None:
        return Change(kind=update.kind)
    for at, node in list(sheet.grid.in_row(area.top)):
        if at in area:
            book.changed_cells[sheet.name].add(at)
            discard(node)
    for name in _names(book, sheet):
        discard(name)
    sheet.changed()
    book.formulas_changed = True
    book.touch()
    return Change(kind=update.kind, area=str(area))


def totals_on(book: Book, sheet: Sheet) -> Area | None:
    """Where they stand; None where there are none, or people have made something else of them."""
    for name in _names(book, sheet):
        for found in references(name.text or ""):
            row = found.area.top
            below = [each for each in sheet.grid.row_numbers if each > row]
            is_last = all(sheet.is_empty(at) for each in below for at, _ in sheet.grid.in_row(each))
            sums = any(sheet.formula(at) for at, _ in sheet.grid.in_row(row) if at in found.area)
            if is_last and sums:
                return found.area
    return None


def summed_columns(sheet: Sheet, area: Area) -> list[int]:
    return [at.column for at, _ in sheet.grid.in_row(area.top) if at in area and sheet.formula(at)]


def rows_of_totals(data: bytes) -> dict[str, int]:
    """By the sheet's name, for those who only read."""
    if not data.startswith(b"PK"):
        return {}
    package = Package(Source(name="", data=data), whole=False)
    root = package.xml(package.main_part("xl/workbook.xml"))
    sheets = [node.get("name") or "" for node in root.findall(f"{MAIN}sheets/{MAIN}sheet")]
    found: dict[str, int] = {}
    for name in root.findall(f"{MAIN}definedNames/{MAIN}definedName"):
        index = number(name, "localSheetId", -1)
        if name.get("name") == NAME and 0 <= index < len(sheets):
            rows = [each.area.top for each in references(name.text or "")]
            if rows:
                found[sheets[index]] = rows[0]
    return found


def _names(book: Book, sheet: Sheet) -> Iterator[Element]:
    own = _index(book, sheet)
    for name in book.defined_names():
        if name.get("name") == NAME and number(name, "localSheetId", -1) == own:
            yield name


def _index(book: Book, sheet: Sheet) -> int:
    tabs = book.root.findall(f"{MAIN}sheets/{MAIN}sheet")
    return next(index for index, tab in enumerate(tabs) if tab.get("name") == sheet.name)


def _fixed(at: Cell) -> str:
    letters = str(at).rstrip("0123456789")
    return f"${letters}${at.row}"
