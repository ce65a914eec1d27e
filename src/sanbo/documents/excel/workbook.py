"""Workbooks that people made, changed in place: only the cells asked for, all else as it was.

There is one way to write: on the file's own XML parts. Reading a workbook into a library's objects
and writing it anew (openpyxl) drops charts, text boxes, sparklines, newer rules and furigana, and
can't move references when rows come in between. So every update, also of structure, is made on the
package: the parts it touches are edited, all others keep their bytes. openpyxl helps where it is
good: addresses, number formats, dates, the grammar of formulas.
"""

from collections.abc import Callable
from typing import Any, TypeVar

from sanbo.documents.excel import cells, updates
from sanbo.documents.excel.append import append_rows
from sanbo.documents.excel.book import Book
from sanbo.documents.excel.cells import content_of
from sanbo.documents.excel.formats import format_cells
from sanbo.documents.excel.insert import insert_rows
from sanbo.documents.excel.layout import lay_out
from sanbo.documents.excel.recalculation import drop_stale_results, forget_overwritten_texts
from sanbo.documents.excel.references import cell_at
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.sheets import add_sheet, copy_sheet, move_sheet
from sanbo.documents.excel.totals import add_totals, summed_columns, take_totals_off, totals_on
from sanbo.documents.excel.updates import Change, Content, Update
from sanbo.documents.ooxml.xml import MAIN
from sanbo.kernel.problems import Problem, UnsupportedFormat
from sanbo.kernel.text import listed


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
    updates.UpdateCellsIf,
    updates.ClearCellsIf,
    updates.UpdateRowsByMatch,
    updates.InsertRows,
    updates.CopySheet,
    updates.AddTotals,
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
