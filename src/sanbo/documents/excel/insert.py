"""Empty rows put in between: everything below moves down, and what refers to it follows.

Formulas, names, charts, rules, tables, merged cells, pictures, comments and breaks follow as they
do in Excel. What Excel itself would not split, an array formula or a pivot table, is refused.
"""

from collections.abc import Callable

from sanbo.documents.excel.book import Book, Change, InsertRows
from sanbo.documents.excel.recalculation import parts_of, rewrite_formulas
from sanbo.documents.excel.references import (
    MAX_COLUMN,
    MAX_ROW,
    Area,
    Cell,
    areas_in,
    references,
    with_rows_inserted,
)
from sanbo.documents.excel.sheet import CELL, ROW, Sheet
from sanbo.documents.ooxml.xml import MAIN, Element, local_name, number
from sanbo.kernel.problems import InvalidInput, LimitExceeded, PermissionDenied, SanboError

# Attributes that name cells or areas of the sheet itself. Views are left where they look.
_AREAS = ("ref", "sqref", "r1", "r2")
_VIEWS = frozenset({"sheetViews", "customSheetViews", "sheetData"})
_ROW_LOOK = ("ht", "customHeight", "s", "customFormat")


def insert_rows(book: Book, update: InsertRows) -> Change:
    sheet = book.sheet(update.sheet)
    at, by = update.row, update.count
    _check(book, sheet, at, by)
    sheet.stop_sharing()  # a shared text can't follow when only some of its cells move
    _move_cells(sheet.grid.data, at, by)
    for section in sheet.root:
        if local_name(section) not in _VIEWS:
            _move_areas(section, at, by)
    for node in sheet.root.findall(f"{MAIN}rowBreaks/{MAIN}brk"):
        if number(node, "id") >= at:
            node.set("id", str(number(node, "id") + by))
    sheet.changed()
    _copy_formats(sheet, at, by)
    _move_what_stands_on(book, sheet, at, by)
    _follow(book, sheet, at, by)
    book.formulas_changed = True
    protected = PermissionDenied("excel_sheet_protected", sheet=sheet.name).problem
    return Change(
        kind=update.kind,
        area=f"{at}:{at + by - 1}",
        warnings=(protected,) if sheet.is_protected else (),
    )


def _check(book: Book, sheet: Sheet, at: int, by: int) -> None:
    used = [row for row in sheet.grid.row_numbers if any(sheet.grid.in_row(row))]
    if max([at, *used[-1:]]) + by > MAX_ROW:
        raise LimitExceeded("excel_beyond_sheet", rows=MAX_ROW, columns=MAX_COLUMN)
    for area in sheet.arrays.values():
        if area.top < at <= area.bottom:
            raise InvalidInput(
                "excel_insert_splits_array", sheet=sheet.name, row=at, area=str(area)
            )
    for found in book.package.related(sheet.part, "pivotTable"):
        location = book.package.tree(found.target).find(f"{MAIN}location")
        for area in areas_in("" if location is None else location.get("ref") or ""):
            if area.top < at <= area.bottom:
                raise InvalidInput(
                    "excel_insert_splits_pivot", sheet=sheet.name, row=at, area=str(area)
                )


def _move_cells(data: Element, at: int, by: int) -> None:
    for row in data.findall(ROW):
        old = number(row, "r")
        if old < at:
            continue
        row.set("r", str(old + by))
        for cell in row.findall(CELL):
            address = cell.get("r") or ""
            cell.set("r", address.rstrip("0123456789") + str(old + by))
    for formula in data.iter(f"{MAIN}f"):
        _move_attributes(formula, at, by)


def _moved(area: Area, at: int, by: int) -> Area:
    """An area that the new rows fall into grows by them."""
    return area._replace(
        top=area.top + by if area.top >= at else area.top,
        bottom=min(MAX_ROW, area.bottom + by) if area.bottom >= at else area.bottom,
    )


def _moved_text(sqref: str, at: int, by: int) -> str:
    return " ".join(
        text if area.bottom == MAX_ROW and area.top == 1 else str(_moved(area, at, by))
        for text, area in zip(sqref.split(), areas_in(sqref), strict=True)
    )


def _move_attributes(node: Element, at: int, by: int) -> None:
    names = (*_AREAS, "r") if local_name(node) in ("inputCells", "cellWatch") else _AREAS
    for name in names:
        text = node.get(name)
        if text:
            node.set(name, _moved_text(text, at, by))


def _move_areas(root: Element, at: int, by: int) -> None:
    for node in root.iter():
        _move_attributes(node, at, by)
        if local_name(node) == "sqref" and node.text:
            node.text = _moved_text(node.text, at, by)


def _copy_formats(sheet: Sheet, at: int, by: int) -> None:
    """New rows look like the row above them, as in Excel."""
    above = sheet.grid.row(at - 1)
    if above is None:
        return
    for row in range(at, at + by):
        new = sheet.grid.place_row(row)
        for name in _ROW_LOOK:
            value = above.get(name)
            if value is not None:
                new.set(name, value)
        for cell, _ in sheet.grid.in_row(at - 1):
            sheet.set_style(Cell(row, cell.column), sheet.style(cell))


def _move_what_stands_on(book: Book, sheet: Sheet, at: int, by: int) -> None:
    """Tables, comments and pivot tables by their areas, drawings by the rows they are tied to."""
    moves: dict[str, Callable[[Element, int, int], None]] = {
        "table": _move_areas,
        "comments": _move_areas,
        "threadedComment": _move_areas,
        "drawing": _move_drawings,
        "vmlDrawing": _move_old_drawings,
        "pivotTable": _move_pivot,
    }
    for kind, move in moves.items():
        for found in book.package.related(sheet.part, kind):
            root = _readable(book, found.target)
            if root is not None:
                move(root, at, by)
                book.package.touch(found.target)


def _follow(book: Book, sheet: Sheet, at: int, by: int) -> None:
    """Formulas everywhere."""

    def change_on(own: str | None) -> Callable[[str], str]:
        return lambda text: with_rows_inserted(text, own, sheet.name, at, by)

    for other in book.sheets():
        _stop_sharing_about(other, sheet)
        for part in {other.part: None, **dict.fromkeys(parts_of(book, other.part))}:
            root = _readable(book, part)
            if root is not None and rewrite_formulas(root, change_on(other.name)):
                book.package.touch(part)
                if part == other.part:
                    other.formulas_changed()
    if rewrite_formulas(book.root, change_on(None)):
        book.touch()
    for found in book.package.related(book.part, "pivotCacheDefinition"):
        for source in book.package.tree(found.target).iter(f"{MAIN}worksheetSource"):
            if (source.get("sheet") or "").casefold() == sheet.name.casefold():
                _move_attributes(source, at, by)
                book.package.touch(found.target)


def _stop_sharing_about(other: Sheet, sheet: Sheet) -> None:
    """A text that several cells share can't follow for some of them."""
    for group, (_, text) in list(other.shared_formulas().items()):
        if any(
            (found.sheet or "").casefold() == sheet.name.casefold() for found in references(text)
        ):
            other.stop_sharing(group)


def _readable(book: Book, part: str) -> Element | None:
    try:
        return book.package.tree(part)
    except SanboError:
        if part.lower().endswith(".vml"):  # Excel writes some that are not quite XML
            return None
        raise


def _move_drawings(root: Element, at: int, by: int) -> None:
    for anchor in root:
        behaviour = anchor.get("editAs") or "twoCell"
        ends = [node for node in anchor if local_name(node) in ("from", "to")]
        rows = [node for end in ends for node in end if local_name(node) == "row"]
        if behaviour == "absolute" or not rows:
            continue
        first_moves = _zero_based(rows[0]) + 1 >= at
        for row in rows:
            moves = first_moves if behaviour == "oneCell" else _zero_based(row) + 1 >= at
            if moves:
                row.text = str(_zero_based(row) + by)


def _move_old_drawings(root: Element, at: int, by: int) -> None:
    """Frames of comments: `Row` is the comment's, `Anchor` has rows in its third and seventh."""
    for node in root.iter():
        if local_name(node) == "Row" and _zero_based(node) + 1 >= at:
            node.text = str(_zero_based(node) + by)
        elif local_name(node) == "Anchor" and node.text:
            numbers = node.text.split(",")
            for index in (2, 6):
                if len(numbers) == 8 and numbers[index].strip().isdecimal():
                    row = int(numbers[index])
                    numbers[index] = f" {row + by if row + 1 >= at else row}"
            node.text = ",".join(numbers)


def _move_pivot(root: Element, at: int, by: int) -> None:
    for location in root.findall(f"{MAIN}location"):
        _move_attributes(location, at, by)


def _zero_based(node: Element) -> int:
    text = (node.text or "").strip()
    return int(text) if text.isdecimal() else 0
