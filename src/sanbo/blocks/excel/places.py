"""Where on a sheet an operation works: ranges, whole columns as far as they are used, columns."""

import re
from collections.abc import Iterator

from pydantic import JsonValue

from sanbo.blocks.excel.desk import last_column, last_row
from sanbo.blocks.excel.records import Placed, may_be_letters
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.headers import labels
from sanbo.documents.excel.references import Area, Cell, area_of, cell_at, column_number
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.updates import Column, Header, Letter
from sanbo.kernel.text import matching_form

_COLUMNS = re.compile(r"\$?([A-Za-z]{1,3}):\$?([A-Za-z]{1,3})")
_ROWS = re.compile(r"\$?(\d{1,7}):\$?(\d{1,7})")
_HEADER_ROWS = 200


def areas(sheet: Sheet, operation: Operation, key: str = "ranges") -> list[Area]:
    """`B2`, `B2:D9`, `K:K` and `2:5`, one or several, as a text or a list."""
    operation.needs(key)
    return [_area(sheet, text) for text in _texts(operation, operation.get(key), key)]


def _texts(operation: Operation, given: JsonValue, key: str) -> Iterator[str]:
    for part in given if isinstance(given, list) else [given]:
        if not isinstance(part, str) or not part.strip():
            raise operation.wrong(key)
        yield from (text.strip() for text in part.split(",") if text.strip())


def _area(sheet: Sheet, text: str) -> Area:
    """A whole column or row means as much of it as the sheet uses."""
    if found := _COLUMNS.fullmatch(text):
        left, right = sorted((column_number(found[1]), column_number(found[2])))
        return Area(1, left, max(1, last_row(sheet)), right)
    if found := _ROWS.fullmatch(text):
        top, bottom = sorted((max(1, int(found[1])), max(1, int(found[2]))))
        return Area(top, 1, bottom, max(1, last_column(sheet)))
    return area_of(text)


def column_span(text: str) -> tuple[int, int]:
    """`A:P`, or one column."""
    first, _, last = text.partition(":")
    left, right = sorted((column_number(first), column_number(last or first)))
    return left, right


def start_cell(text: str) -> Cell:
    return cell_at(text.partition(":")[0])


def column_of(sheet: Sheet, placed: Placed, header_row: int | None = None) -> Column:
    """By its letter, unless the sheet has a header that reads so: `ID`, `No`."""
    if placed.is_letter:
        return Letter(letter=placed.column)
    if may_be_letters(placed.column) and not _is_header(sheet, placed.column, header_row):
        return Letter(letter=placed.column)
    return Header(header=placed.column, row=header_row)


def _is_header(sheet: Sheet, text: str, header_row: int | None) -> bool:
    rows = sheet.grid.row_numbers[:_HEADER_ROWS] if header_row is None else [header_row]
    form = matching_form(text)
    return any(
        matching_form(label) == form for row in rows for label in labels(sheet, row).values()
    )
