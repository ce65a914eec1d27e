"""Where cells stand (`B2`, `B2:D9`, `B:B`), and references to them inside formulas: found, moved
with their cell, shifted by new rows, renamed.

One scanner reads every formula a workbook brings. It never fails: what it doesn't know
(strings, structured references, functions) passes through as it stands.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from openpyxl.utils.cell import column_index_from_string, get_column_letter
from typing_extensions import override

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

    @override
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
    top, left = _limit(first, 1, 1)
    bottom, right = _limit(last or first, MAX_ROW, MAX_COLUMN)
    area = Area(min(top, bottom), min(left, right), max(top, bottom), max(left, right))
    if not area.top or area.bottom > MAX_ROW or area.right > MAX_COLUMN:
        raise UnsupportedFormat("excel_reference_damaged", reference=text)
    return area


def _limit(text: str, row: int, column: int) -> tuple[int, int]:
    """A corner of `B2`, `B` (a whole column) or `2` (a whole row)."""
    found = re.fullmatch("([A-Za-z]{0,3})([0-9]{0,7})", text)
    if found is None or not text:
        raise UnsupportedFormat("excel_reference_damaged", reference=text)
    return (
        int(found[2]) if found[2] else row,
        column_index_from_string(found[1].upper()) if found[1] else column,
    )


# No pattern goes back over what it took (`++`): a damaged formula must not cost its length squared.
_NAME = r"""[^\s"'!#$%&()*+,\-/:;<=>@\^{|}\[\]]++"""
# `Sheet1:Sheet3!A1` spans sheets, `A1:Sheet1!B2` is a range whose second corner names the sheet.
_SPAN = rf"(?!\$?[A-Za-z]{{1,3}}\$?[0-9]+:){_NAME}:{_NAME}"
_SHEET = rf"(?:'(?:[^']|'')++'|(?:\[[^\[\]]{{0,260}}+\])?(?:{_SPAN}|{_NAME})|\[[0-9]{{1,4}}+\])!"
_AREA = (
    r"(?:\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6}(?::\$?[A-Za-z]{1,3}\$?[1-9][0-9]{0,6})?"
    r"|\$?[A-Za-z]{1,3}:\$?[A-Za-z]{1,3}|\$?[1-9][0-9]{0,6}:\$?[1-9][0-9]{0,6})(?![\w.(\[!])"
)
_TOKEN = re.compile(
    r'"(?:[^"]|"")*+"'
    rf"|(?P<sheet>{_SHEET})(?P<there>{_AREA})?"
    rf"|(?P<here>{_AREA})"
    r"|\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
    rf"|(?P<word>{_NAME})(?P<call>\s*+\()?"
    r"|'++"
)
_CORNER = re.compile(r"(\$?)([A-Za-z]{0,3})(\$?)([0-9]{0,7})")
_PLAIN_SHEET = re.compile(r"[^\W\d][\w.]*")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*[Cc][0-9]*|[RrCc]")

NO_REFERENCE = "#REF!"


@dataclass(frozen=True)
class Corner:
    column: int | None
    """None in a reference to whole rows; `row` is None in one to whole columns."""
    row: int | None
    column_fixed: bool
    row_fixed: bool

    def __str__(self) -> str:
        column = "" if self.column is None else "$" * self.column_fixed + letters(self.column)
        row = "" if self.row is None else "$" * self.row_fixed + str(self.row)
        return column + row

    def moved(self, rows: int, columns: int) -> "Corner":
        row, column = self.row, self.column
        return replace(
            self,
            row=row if row is None or self.row_fixed else row + rows,
            column=column if column is None or self.column_fixed else column + columns,
        )

    def is_on_sheet(self) -> bool:
        return (self.column is None or 1 <= self.column <= MAX_COLUMN) and (
            self.row is None or 1 <= self.row <= MAX_ROW
        )


@dataclass(frozen=True)
class Reference:
    """`sheet` as its name reads, None for the formula's own; `corners` empty for a name there."""

    sheet: str | None
    corners: tuple[Corner, ...]

    @property
    def leads_out(self) -> bool:
        """To another workbook (`[1]Sheet1`) or across several sheets (`Sheet1:Sheet3`)."""
        return self.sheet is not None and ("[" in self.sheet or ":" in self.sheet)

    @property
    def is_fixed(self) -> bool:
        """Every part of it has its `$`: in a name, the rest goes with the cell that uses it."""
        return all(
            (corner.row is None or corner.row_fixed)
            and (corner.column is None or corner.column_fixed)
            for corner in self.corners
        )

    @property
    def area(self) -> Area:
        first, last = self.corners[0], self.corners[-1]
        rows = sorted((first.row or 1, last.row or MAX_ROW))
        columns = sorted((first.column or 1, last.column or MAX_COLUMN))
        return Area(rows[0], columns[0], rows[1], columns[1])

    def moved(self, rows: int, columns: int) -> "Reference":
        """`$` holds, the rest goes along."""
        return replace(self, corners=tuple(c.moved(rows, columns) for c in self.corners))

    def is_on_sheet(self) -> bool:
        return all(corner.is_on_sheet() for corner in self.corners)

    def __str__(self) -> str:
        prefix = "" if self.sheet is None else f"{quoted(self.sheet)}!"
        if not self.is_on_sheet():
            return prefix + NO_REFERENCE
        return prefix + ":".join(map(str, self.corners))


def quoted(sheet: str) -> str:
    """The sheet's name as formulas write it: `売上`, `'4月 売上'`."""
    if _PLAIN_SHEET.fullmatch(sheet) and not _LIKE_A_CELL.fullmatch(sheet):
        return sheet
    return "'" + sheet.replace("'", "''") + "'"


def references(formula: str) -> Iterator[Reference]:
    for token in _TOKEN.finditer(formula):
        found = _reference(token)
        if found is not None and found.corners:
            yield found


def sheets_named(formula: str) -> Iterator[str]:
    """What stands before each `!`, also before a name or a call."""
    for token in _TOKEN.finditer(formula):
        if token["sheet"] is not None:
            yield _sheet_name(token["sheet"])


def words(formula: str) -> Iterator[tuple[str, bool]]:
    """Names and functions; True for a function."""
    for token in _TOKEN.finditer(formula):
        if token["word"]:
            yield token["word"], token["call"] is not None


def moved(formula: str, rows: int, columns: int) -> str:
    """The formula as it reads when its cell is copied that far."""
    return _rewritten(formula, lambda found: found.moved(rows, columns))


def with_rows_inserted(formula: str, own_sheet: str | None, sheet: str, at: int, by: int) -> str:
    """The formula of a cell on `own_sheet` after `by` rows came in above row `at` of `sheet`."""

    def shift(corner: Corner) -> Corner:
        if corner.row is None or corner.row < at:
            return corner
        return replace(corner, row=corner.row + by)

    def change(found: Reference) -> Reference:
        target = found.sheet if found.sheet is not None else own_sheet
        if found.leads_out or target is None or target.casefold() != sheet.casefold():
            return found
        corners = [shift(corner) for corner in found.corners]
        if len(corners) == 2 and (corners[1].row or 0) > MAX_ROW:
            corners[1] = replace(corners[1], row=MAX_ROW)  # `A2:A1048576` goes on ending there
        return replace(found, corners=tuple(corners))

    return _rewritten(formula, change)


def with_last_row(text: str, rows: Area, bottom: int) -> str:
    """Of a name about the sheet of `rows`: areas that end where those end, down to `bottom`."""

    def change(found: Reference) -> Reference:
        if not found.corners or found.area.bottom != rows.bottom or not found.area.meets(rows):
            return found
        first, last = found.corners[0], found.corners[-1]
        return replace(found, corners=(first, replace(last, row=bottom)))

    return _rewritten(text, change)


def with_sheet_renamed(formula: str, old: str, new: str) -> str:
    def change(found: Reference) -> Reference:
        is_meant = found.sheet is not None and found.sheet.casefold() == old.casefold()
        return replace(found, sheet=new) if is_meant else found

    return _rewritten(formula, change)


def with_names_changed(formula: str, names: Mapping[str, str]) -> str:
    """Tables and defined names under their new names; keys are case-folded."""

    def change(token: re.Match[str]) -> str:
        word = token["word"]
        new = None if not word or token["call"] else names.get(word.casefold())
        return token[0] if new is None else new

    return _TOKEN.sub(change, formula)


def _rewritten(formula: str, change: Callable[[Reference], Reference]) -> str:
    def text(token: re.Match[str]) -> str:
        found = _reference(token)
        if found is None:
            return token[0]
        changed = change(found)
        if changed == found:  # as it was written, with its own quotes and lower case
            return token[0]
        return str(changed)

    return _TOKEN.sub(text, formula)


def _reference(token: re.Match[str]) -> Reference | None:
    area = token["there"] or token["here"]
    if token["sheet"] is None and area is None:
        return None
    sheet = None if token["sheet"] is None else _sheet_name(token["sheet"])
    corners = () if area is None else tuple(map(_corner, area.split(":")))
    if not all(corner.is_on_sheet() for corner in corners):  # `XFE1` is a name
        return None
    return Reference(sheet, corners)


def _sheet_name(written: str) -> str:
    name = written.removesuffix("!")
    return name[1:-1].replace("''", "'") if name.startswith("'") else name


def _corner(text: str) -> Corner:
    found = _CORNER.fullmatch(text)
    assert found is not None, text
    first, column, second, row = found.groups()
    # In `$3` of `$3:$4` the sign stands before the row.
    row_fixed = bool(second) if column else bool(first)
    return Corner(
        column=column_index_from_string(column.upper()) if column else None,
        row=int(row) if row else None,
        column_fixed=bool(column) and bool(first),
        row_fixed=row_fixed,
    )
