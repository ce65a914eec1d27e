"""Where cells stand: `B2`, `B2:D9`, `B:B`, within the limits of a sheet."""

import re
import unicodedata
from collections.abc import Iterator
from typing import NamedTuple

from openpyxl.utils.cell import column_index_from_string, get_column_letter

from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError, UnsupportedFormat

MAX_ROW = 1_048_576
MAX_COLUMN = 16_384
# What one update may reach: a whole column given by mistake must not fill a file.
MAX_CELLS = 2_000_000

_CELL = re.compile(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})")


class Cell(NamedTuple):
    row: int
    column: int

    def __str__(self) -> str:
        return f"{letters(self.column)}{self.row}"


class Area(NamedTuple):
    """A rectangle of cells, its borders included."""

    top: int
    left: int
    bottom: int
    right: int

    def __str__(self) -> str:
        first, last = Cell(self.top, self.left), Cell(self.bottom, self.right)
        return str(first) if first == last else f"{first}:{last}"

    def __contains__(self, at: object) -> bool:
        return (
            isinstance(at, Cell)
            and self.top <= at.row <= self.bottom
            and self.left <= at.column <= self.right
        )

    @property
    def anchor(self) -> Cell:
        return Cell(self.top, self.left)

    @property
    def size(self) -> int:
        return (self.bottom - self.top + 1) * (self.right - self.left + 1)

    def meets(self, other: "Area") -> bool:
        return not (
            self.bottom < other.top
            or other.bottom < self.top
            or self.right < other.left
            or other.right < self.left
        )

    def cells(self) -> Iterator[Cell]:
        for row in range(self.top, self.bottom + 1):
            for column in range(self.left, self.right + 1):
                yield Cell(row, column)


def letters(column: int) -> str:
    return get_column_letter(column)


def column_number(text: str) -> int:
    """`D` → 4."""
    if not re.fullmatch("[A-Za-z]{1,3}", text.strip()):
        raise InvalidInput("excel_address_invalid", address=text)
    return within(Cell(1, column_index_from_string(text.strip().upper()))).column


def cell_at(text: str) -> Cell:
    found = _CELL.fullmatch(unicodedata.normalize("NFKC", text).strip())  # `Ｂ２` too
    if found is None or int(found[2]) == 0:
        raise InvalidInput("excel_address_invalid", address=text)
    return within(Cell(int(found[2]), column_index_from_string(found[1].upper())))


def area_of(text: str) -> Area:
    """`B2` or `B2:D9`, in whichever corner it begins."""
    first, _, last = unicodedata.normalize("NFKC", text).partition(":")
    one, other = cell_at(first), cell_at(last or first)
    area = Area(
        min(one.row, other.row),
        min(one.column, other.column),
        max(one.row, other.row),
        max(one.column, other.column),
    )
    if area.size > MAX_CELLS:
        raise LimitExceeded("excel_area_too_large", area=str(area), limit=MAX_CELLS)
    return area


def within(at: Cell) -> Cell:
    """The same cell, unless it lies beyond the last row or column of a sheet."""
    if at.row > MAX_ROW or at.column > MAX_COLUMN:
        raise LimitExceeded("excel_beyond_sheet", rows=MAX_ROW, columns=MAX_COLUMN)
    return at


def areas_in(sqref: str) -> list[Area]:
    """The areas of an attribute such as `A1:B2 D4 F:F`, as the file itself writes them."""
    return [_stored(part) for part in sqref.split()]


def first_area(reference: str) -> Area:
    """Of an attribute that names one area."""
    areas = areas_in(reference)
    if not areas:
        raise UnsupportedFormat("excel_reference_damaged", reference=reference)
    return areas[0]


def stored_cell(address: str) -> Cell:
    """A cell as the file itself names it."""
    try:
        return cell_at(address)
    except SanboError as error:
        raise UnsupportedFormat("excel_reference_damaged", reference=address) from error


def _stored(text: str) -> Area:
    first, _, last = text.replace("$", "").partition(":")
    top, left = _corner(first, 1, 1)
    bottom, right = _corner(last or first, MAX_ROW, MAX_COLUMN)
    area = Area(min(top, bottom), min(left, right), max(top, bottom), max(left, right))
    if not area.top or area.bottom > MAX_ROW or area.right > MAX_COLUMN:
        raise UnsupportedFormat("excel_reference_damaged", reference=text)
    return area


def _corner(text: str, row: int, column: int) -> tuple[int, int]:
    """A corner of `B2`, `B` (a whole column) or `2` (a whole row)."""
    found = re.fullmatch("([A-Za-z]{0,3})([0-9]{0,7})", text)
    if found is None or not text:
        raise UnsupportedFormat("excel_reference_damaged", reference=text)
    return (
        int(found[2]) if found[2] else row,
        column_index_from_string(found[1].upper()) if found[1] else column,
    )
