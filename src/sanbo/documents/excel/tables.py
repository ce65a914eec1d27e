"""Tables of a sheet, and the rows in them that sum up others."""

from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.documents.excel.book import Book
from sanbo.documents.excel.references import (
    Area,
    Cell,
    Reference,
    first_area,
    moved,
    references,
    words,
)
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.ooxml.xml import MAIN, Element, number
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.kernel.text import matching_form


@dataclass
class Table:
    part: str
    root: Element
    sheet: Sheet

    @property
    def name(self) -> str:
        return self.root.get("displayName") or self.root.get("name") or ""

    @property
    def area(self) -> Area:
        return first_area(self.root.get("ref") or "A1")

    @property
    def header_rows(self) -> int:
        return number(self.root, "headerRowCount", 1)

    @property
    def total_rows(self) -> int:
        return number(self.root, "totalsRowCount")

    @property
    def headers(self) -> Area | None:
        """The cells that name its columns: Excel refuses a file where they say something else."""
        if not self.header_rows:
            return None
        return self.area._replace(bottom=self.area.top + self.header_rows - 1)

    @property
    def rows(self) -> Area:
        """Its data, without headers."""
        return self.area._replace(top=self.area.top + self.header_rows)

    @property
    def columns(self) -> list[str]:
        found = self.root.findall(f"{MAIN}tableColumns/{MAIN}tableColumn")
        return [column.get("name") or "" for column in found]

    def column_formulas(self) -> dict[int, str]:
        """The formulas of calculated columns, by column of the sheet."""
        formulas: dict[int, str] = {}
        found = self.root.findall(f"{MAIN}tableColumns/{MAIN}tableColumn")
        for column, node in enumerate(found, start=self.area.left):
            formula = node.find(f"{MAIN}calculatedColumnFormula")
            if formula is not None and formula.text and formula.get("array") is None:
                formulas[column] = formula.text
        return formulas


def tables_of(book: Book, sheet: Sheet) -> list[Table]:
    found = book.package.related(sheet.part, "table")
    return [Table(entry.target, book.package.tree(entry.target), sheet) for entry in found]


def table_named(book: Book, sheet: Sheet, name: str) -> Table:
    tables = tables_of(book, sheet)
    for table in tables:
        if matching_form(table.name) == matching_form(name):
            return table
    known = alternatives(name, [table.name for table in tables])
    raise NotFound("excel_table_missing", table=name, sheet=sheet.name, nearest=known)


def extend(book: Book, table: Table, bottom: int) -> None:
    """Down to this row, with its filter."""
    after = table.area._replace(bottom=bottom)
    table.root.set("ref", str(after))
    for node in table.root.findall(f"{MAIN}autoFilter"):
        node.set("ref", str(first_area(node.get("ref") or str(after))._replace(bottom=bottom)))
    book.package.touch(table.part)


_FUNCTIONS = frozenset({"SUM", "SUBTOTAL", "AGGREGATE", "AVERAGE", "COUNT", "COUNTA"})
_LABELS = frozenset(
    {
        "合計",
        "合計額",
        "合計金額",
        "小計",
        "総計",
        "総合計",
        "計",
        "total",
        "totals",
        "subtotal",
        "subtotals",
        "sub-total",
        "grandtotal",
    }
)


def check_not_a_total(sheet: Sheet, cells: Sequence[Cell], header_bottom: int) -> None:
    """A total of the rows above it would not count what comes below it."""
    # Without known headers, a row of texts alone is one: 合計 is the name of a column there.
    is_header = not header_bottom and all(
        isinstance(sheet.seen(at), str | None) and sheet.formula(at) is None for at in cells
    )
    for at in cells if not is_header else ():
        if _is_label(sheet, at) or sums_up(sheet, at, header_bottom):
            raise InvalidInput("excel_below_total", sheet=sheet.name, row=at.row)


def sums_up(sheet: Sheet, at: Cell, header_bottom: int) -> bool:
    """Whether the cell's formula is about the rows above it."""
    return _has_total(sheet, at) or _breaks_off(sheet, at, header_bottom)


def goes_on(sheet: Sheet, at: Cell, header_bottom: int) -> bool:
    """Whether the formula reads, from its own cell, as the one above it does."""
    text = sheet.formula(at) or ""
    above = Cell(at.row - 1, at.column)
    is_header = above.row <= header_bottom
    before = None if is_header else sheet.formula(above)
    if before is None and (is_header or isinstance(sheet.value(above), str)):
        return True  # nothing to compare with
    if before is not None and moved(before, 1, 0).casefold() == text.casefold():
        return True
    # The first row of a running total has no row to go on from: the second reads otherwise.
    is_second = above.row == header_bottom + 1
    return is_second and _reads_row(text, at.row) and _reads_row(text, above.row)


def _is_label(sheet: Sheet, at: Cell) -> bool:
    value = sheet.seen(at)
    if not isinstance(value, str):
        return False
    bare = "".join(matching_form(value).split())
    # `合計（税込）`, `合計：`
    label = bare.partition("(")[0] if bare.endswith(")") else bare.removesuffix(":")
    return label in _LABELS


def _has_total(sheet: Sheet, at: Cell) -> bool:
    text = sheet.formula(at) or ""
    if not any(call and name.upper() in _FUNCTIONS for name, call in words(text)):
        return False
    areas = [found.area for found in references(text) if found.sheet is None]
    return any(a.left <= at.column <= a.right and a.top < a.bottom < at.row for a in areas)


def _breaks_off(sheet: Sheet, at: Cell, header_bottom: int) -> bool:
    """Another formula than the row above has, about the rows above and not about its own."""
    text = sheet.formula(at)
    if text is None or goes_on(sheet, at, header_bottom):
        return False
    about_above = any(
        _is_here(found) and found.area.top < at.row and found.area.bottom < at.row
        for found in references(text)
    )
    return about_above and not _reads_row(text, at.row)


def _reads_row(text: str, row: int) -> bool:
    return any(
        _is_here(found) and found.area.top <= row <= found.area.bottom for found in references(text)
    )


def _is_here(found: Reference) -> bool:
    return found.sheet is None
