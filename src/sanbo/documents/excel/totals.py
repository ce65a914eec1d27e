"""Total rows, which new rows must not follow, and formulas that go on from row to row."""

from collections.abc import Sequence

from sanbo.documents.excel.addresses import Cell
from sanbo.documents.excel.references import Reference, moved, references, words
from sanbo.documents.excel.sheet import Sheet
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form

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
