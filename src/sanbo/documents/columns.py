"""What the columns of a table hold, judged by all their cells, and their cells as values."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import zip_longest
from typing import Literal, TypeVar

from sanbo.language.cells import Number, parse_boolean, parse_date, parse_time, read_number

ColumnType = Literal[
    "text",
    "integer",
    "number",
    "percent",
    "currency",
    "date",
    "datetime",
    "time",
    "boolean",
    "empty",
]
Cell = str | int | float | bool | date | datetime | time | timedelta | None
"""As a file holds it: text in CSV, values already in a workbook."""

MOST_COLUMNS = 16_384  # of a spreadsheet
MOST_CELLS = 10_000_000
"""A million rows of ten columns: about what fits into memory in all the forms it takes."""

# How a table says that there is no value, in a column whose other cells have one.
_NO_VALUE = frozenset(("", "-", "－", "―", "—", "−", "ー", "…", "n/a", "na", "#n/a", "null", "nil"))

# One odd cell in twenty at most, and in long columns far fewer.
_MOST_ODD = 0.05
_MOST_ODD_IN_LONG = 0.005
_ALWAYS_ALLOWED = 3
_FEWEST_COMPACT_DATES = 3
_ITEM_NUMBER = re.compile(r"\s*[(（](\d{1,3})[)）]\s*")

_DISTINCT_CELLS = 1 << 12
_LONGEST_TO_REMEMBER = 64

_Value = TypeVar("_Value")


def _remembering(read: Callable[[str], _Value | None]) -> Callable[[str], _Value | None]:
    """Cells repeat each other, and are read to judge the column and again for their values."""
    remembered = lru_cache(_DISTINCT_CELLS)(read)
    return lambda text: remembered(text) if len(text) <= _LONGEST_TO_REMEMBER else read(text)


_read_number = _remembering(read_number)
_parse_date = _remembering(parse_date)
_parse_time = _remembering(parse_time)
_parse_boolean = _remembering(parse_boolean)


@dataclass(frozen=True)
class Unreadable:
    """A cell that is not what its column holds; row and column count from 0."""

    row: int
    column: int
    text: str


@dataclass(frozen=True)
class Typed:
    rows: list[list[Cell]]
    unreadable: list[Unreadable]
    """Their cells are None in the rows."""


def infer_columns(rows: Iterable[Sequence[Cell]]) -> list[ColumnType]:
    """Text wherever there is doubt: a column of codes such as 0012 stays text."""
    return [_type_of(column) for column in zip_longest(*rows, fillvalue=None)]


def typed(rows: Iterable[Sequence[Cell]], types: Sequence[ColumnType]) -> Typed:
    """The cells as values of their columns' types, and those that are none."""
    readers = [_READERS[kind] for kind in types]
    result: list[list[Cell]] = []
    unreadable: list[Unreadable] = []
    for number, row in enumerate(rows):
        values: list[Cell] = []
        for column, (cell, read) in enumerate(zip(row, readers, strict=False)):
            value = None if _is_empty(cell) else read(cell)
            if value is None and not _has_no_value(cell):
                unreadable.append(Unreadable(number, column, str(cell)))
            values.append(value)
        values.extend([None] * (len(types) - len(values)))
        result.append(values)
    return Typed(result, unreadable)


def _is_empty(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and not cell.strip())


def _has_no_value(cell: Cell) -> bool:
    return cell is None or (isinstance(cell, str) and cell.strip().lower() in _NO_VALUE)


def _type_of(column: Sequence[Cell]) -> ColumnType:
    if all(_is_empty(cell) for cell in column):
        return "empty"
    cells = [cell for cell in column if not _has_no_value(cell)]
    if not cells or any(_is_code(cell) for cell in cells) or _counts_up(cells):
        return "text"
    if _fitting(cells, _as_boolean):
        return "boolean"
    if numbers := _fitting(cells, _number_of):
        return _kind_of_number(cells, numbers)
    if moments := _fitting(cells, _as_moment):
        return "datetime" if any(isinstance(moment, datetime) for moment in moments) else "date"
    return "time" if _fitting(cells, _as_time) else "text"


def _is_code(cell: Cell) -> bool:
    return isinstance(cell, str) and cell[:1] == "0" and len(cell) > 1 and cell.isdecimal()


def _counts_up(cells: Sequence[Cell]) -> bool:
    """(1) (2) (3), which may begin again: numbers of items, though brackets also mean a minus."""
    previous = 0
    for cell in cells:
        found = _ITEM_NUMBER.fullmatch(cell) if isinstance(cell, str) else None
        if found is None:
            return False
        number = int(found[1])
        if number != previous + 1 and not (number == 1 and previous > 1):
            return False
        previous = number
    return len(cells) > 1


def _fitting(cells: Sequence[Cell], read: Callable[[Cell], _Value | None]) -> list[_Value] | None:
    """The values of the cells, or None where more cells have none than an oversight explains."""
    most = min(len(cells) * _MOST_ODD, max(_ALWAYS_ALLOWED, len(cells) * _MOST_ODD_IN_LONG))
    values: list[_Value] = []
    for number, cell in enumerate(cells, start=1):
        value = read(cell)
        if value is not None:
            values.append(value)
        elif number - len(values) > most:
            return None
    return values


def _kind_of_number(cells: Sequence[Cell], numbers: Sequence[Number]) -> ColumnType:
    if len(cells) >= _FEWEST_COMPACT_DATES and all(_as_compact_date(cell) for cell in cells):
        return "date"
    written = sum(isinstance(cell, str) for cell in cells)
    percents = sum(number.is_percent for number in numbers)
    if percents and percents >= written / 2:
        # A percentage among plain numbers is a different measure, not another spelling.
        return "percent" if _fitting(cells, _as_ratio) else "text"
    if percents and not _fitting(cells, _as_plain_number):
        return "text"
    if sum(number.is_currency for number in numbers) >= len(cells) / 2:
        return "currency"
    has_fractions = any(isinstance(number.value, float) for number in numbers)
    return "number" if has_fractions else "integer"


def _number_of(cell: Cell) -> Number | None:
    if isinstance(cell, str):
        return _read_number(cell)
    return Number(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else None


def _as_text(cell: Cell) -> Cell:
    return cell if isinstance(cell, str) else str(cell)


def _as_number(cell: Cell) -> int | float | None:
    number = _number_of(cell)
    return None if number is None else number.value


def _as_integer(cell: Cell) -> int | None:
    value = _as_plain_number(cell)
    if isinstance(value, float):
        # pyrefly: ignore[missing-attribute]
        return int(value) if value.is_integer() else None
    return value


def _as_ratio(cell: Cell) -> int | float | None:
    if not isinstance(cell, str):
        return _as_number(cell)
    number = _read_number(cell)
    return number.value if number and (number.is_percent or number.value == 0) else None


def _as_plain_number(cell: Cell) -> int | float | None:
    number = _read_number(cell) if isinstance(cell, str) else None
    return None if number and number.is_percent else _as_number(cell)


def _as_moment(cell: Cell) -> date | None:
    """A date or a datetime."""
    return _parse_date(cell) if isinstance(cell, str) else cell if isinstance(cell, date) else None


def _as_datetime(cell: Cell) -> datetime | None:
    moment = _as_moment(cell)
    if moment is None or isinstance(moment, datetime):
        return moment
    return datetime.combine(moment, time())


def _as_compact_date(cell: Cell) -> date | None:
    """20250401, also where a workbook holds it as a number."""
    text = cell if isinstance(cell, str) else str(cell) if isinstance(cell, int) else ""
    day = parse_date(text, compact=True) if len(text) == 8 else None
    return day if day and 1900 <= day.year <= 2100 else None


def _as_date(cell: Cell) -> date | None:
    moment = _as_moment(cell) or _as_compact_date(cell)
    return moment.date() if isinstance(moment, datetime) else moment


def _as_time(cell: Cell) -> time | timedelta | None:
    if isinstance(cell, str):
        return _parse_time(cell)
    return cell if isinstance(cell, time | timedelta) else None


def _as_boolean(cell: Cell) -> bool | None:
    if isinstance(cell, str):
        return _parse_boolean(cell)
    return cell if isinstance(cell, bool) else None


_READERS: dict[ColumnType, Callable[[Cell], Cell]] = {
    "text": _as_text,
    "empty": _as_text,
    "integer": _as_integer,
    "number": _as_plain_number,
    "currency": _as_plain_number,
    "percent": _as_ratio,
    "date": _as_date,
    "datetime": _as_datetime,
    "time": _as_time,
    "boolean": _as_boolean,
}
