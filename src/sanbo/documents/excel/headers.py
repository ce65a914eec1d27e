"""Columns by their headers, under titles and through merged cells, and rows by their keys."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sanbo.documents.excel.references import Cell, column_number, letters, within
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.updates import Column, Header, Letter
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.kernel.text import listed, matching_form
from sanbo.tables.values import Key, key_of

# Headers stand near the top: below so many rows, the same word is somebody's data.
_SEARCHED_ROWS = 200
_ROWS_OF_GROUPS = 5
# A merged area longer than this is a decorated column; then only the rows with cells count.
_ROWS_OF_A_KEY = 10_000

RowKey = tuple[Key | None, ...]


@dataclass(frozen=True)
class Found:
    """Columns of one table: their numbers in the order asked for, and where the table begins."""

    columns: tuple[int, ...]
    header_row: int | None
    """None when all columns were given by letter."""
    bottom: int
    """The last row of the headers, 0 without any."""


def find_columns(sheet: Sheet, wanted: Sequence[Column]) -> Found:
    headers = [column for column in wanted if isinstance(column, Header)]
    if not headers:
        return Found(tuple(map(_by_letter, wanted)), None, 0)
    row = _header_row(sheet, headers)
    columns: list[int] = []
    bottom = row
    for column in wanted:
        if isinstance(column, Letter):
            columns.append(_by_letter(column))
            continue
        at = Cell(row, _by_header(sheet, row, column))
        area = sheet.merged_at(at)
        bottom = max(bottom, at.row if area is None else area.bottom)
        columns.append(at.column)
    return Found(tuple(columns), row, bottom)


def labels(sheet: Sheet, row: int) -> dict[int, str]:
    """What a person reads in this row, by column; a merged label stands in its first column."""
    columns = {at.column for at, _ in sheet.grid.in_row(row)}
    columns |= {area.left for area in sheet.merged if area.top <= row <= area.bottom}
    found: dict[int, str] = {}
    for column in sorted(columns):
        at = Cell(row, column)
        area = sheet.merged_at(at)
        value = sheet.seen(at)
        if value not in (None, "") and (area is None or area.left == column):
            found[column] = str(value)
    return found


def rows_by_key(sheet: Sheet, found: Found, keys: int) -> dict[RowKey, list[int]]:
    """The rows below the headers by what the first `keys` of the columns show."""
    rows: dict[RowKey, list[int]] = {}
    numbers = {row for row in sheet.grid.row_numbers if row > found.bottom}
    # A key that spans merged rows counts for each of them, also where the file mentions no cell.
    for area in sheet.merged:
        if area.left in found.columns[:keys] and area.bottom - area.top < _ROWS_OF_A_KEY:
            numbers.update(range(max(area.top, found.bottom + 1), area.bottom + 1))
    for row in sorted(numbers):
        key = tuple(key_of(sheet.seen(Cell(row, column))) for column in found.columns[:keys])
        if any(key):
            rows.setdefault(key, []).append(row)
    return rows


def block_columns(sheet: Sheet, found: Found) -> tuple[int, int]:
    """The first and last column of the headers that stand side by side with those found."""
    row = found.header_row
    if row is None:
        return min(found.columns), max(found.columns)
    taken = {
        column
        for first in labels(sheet, row)
        for column in range(first, _right(sheet, Cell(row, first)) + 1)
    }
    left, right = min(found.columns), max(found.columns)
    while left - 1 in taken:
        left -= 1
    while right + 1 in taken:
        right += 1
    return left, right


def _right(sheet: Sheet, at: Cell) -> int:
    area = sheet.merged_at(at)
    return at.column if area is None else area.right


def _by_letter(column: Column) -> int:
    assert isinstance(column, Letter)
    return column_number(column.letter)


def _header_row(sheet: Sheet, headers: Sequence[Header]) -> int:
    """The row that names most of them; a title alone in its row only when no other does."""
    given = {header.row for header in headers if header.row is not None}
    if len(given) > 1:
        raise InvalidInput("excel_header_rows_differ", sheet=sheet.name)
    if given:
        return within(Cell(given.pop(), 1)).row
    wanted = {matching_form(header.path[-1]) for header in headers}
    best: tuple[int, bool, int] | None = None
    for row in _searched(sheet):
        texts = labels(sheet, row)
        named = len(wanted & {matching_form(text) for text in texts.values()})
        rank = (-named, len(texts) == 1, row)
        if named and (best is None or rank < best):
            best = rank
    if best is None:
        raise _missing(sheet, headers[0], _likely_headers(sheet))
    return best[2]


def _by_header(sheet: Sheet, row: int, header: Header) -> int:
    texts = labels(sheet, row)
    name = matching_form(header.path[-1])
    columns = [
        column
        for column, text in texts.items()
        if matching_form(text) == name and _stands_under(sheet, Cell(row, column), header.path)
    ]
    if not columns:
        raise _missing(sheet, header, texts.values())
    if len(columns) > 1:
        raise InvalidInput(
            "excel_header_duplicate",
            sheet=sheet.name,
            header=" / ".join(header.path),
            row=row,
            columns=listed(map(letters, columns)),
        )
    return columns[0]


def _stands_under(sheet: Sheet, at: Cell, path: tuple[str, ...]) -> bool:
    """Whether the groups of the path stand above, from the nearest up."""
    row = at.row
    for group in reversed(path[:-1]):
        rows = range(row - 1, max(0, at.row - 1 - _ROWS_OF_GROUPS), -1)
        above = (
            r for r in rows if matching_form(_group_at(sheet, r, at.column)) == matching_form(group)
        )
        found = next(above, None)
        if found is None:
            return False
        row = found
    return True


def _group_at(sheet: Sheet, row: int, column: int) -> str:
    """The label over this column: its own, or without merged cells the nearest to the left."""
    over = [text for first, text in labels(sheet, row).items() if first <= column]
    return over[-1] if over else ""


def _searched(sheet: Sheet) -> list[int]:
    return sheet.grid.row_numbers[:_SEARCHED_ROWS]


def _likely_headers(sheet: Sheet) -> Iterable[str]:
    """The row with most texts, for hints."""
    rows = [labels(sheet, row) for row in _searched(sheet)]
    return max(rows, key=len).values() if rows else ()


def _missing(sheet: Sheet, header: Header, known: Iterable[str]) -> NotFound:
    name = header.path[-1]
    return NotFound(
        "excel_header_missing",
        sheet=sheet.name,
        header=" / ".join(header.path),
        nearest=alternatives(name, known),
    )
