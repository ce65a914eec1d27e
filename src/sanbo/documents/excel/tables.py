"""Excel tables (Insert > Table): where they stand, and how they grow when rows are added."""

from dataclasses import dataclass

from sanbo.documents.excel.addresses import Area, first_area
from sanbo.documents.excel.book import Book
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.ooxml.xml import MAIN, Element, number
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import NotFound
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
