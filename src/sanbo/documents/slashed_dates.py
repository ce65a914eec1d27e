"""Dates written 12/30/17 or 30/12/2017: which part is the day, a whole column tells."""

import re
from collections.abc import Iterable, Sequence
from datetime import date
from typing import Literal

DayOrder = Literal["month_first", "day_first"]

_SLASHED = re.compile(r"\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})\s*", re.ASCII)
_TURN_OF_CENTURY = 69  # as POSIX reads two digits: 69 is 1969, 68 is 2068
_FEWEST = 3


def day_order(cells: Iterable[str]) -> DayOrder | None:
    """None where a cell is no such date, or where no day above 12 tells days from months."""
    first_is_day = second_is_day = False
    count = 0
    for cell in cells:
        found = _SLASHED.fullmatch(cell)
        if found is None:
            return None
        count += 1
        first_is_day |= int(found[1]) > 12
        second_is_day |= int(found[2]) > 12
    if count < _FEWEST or first_is_day == second_is_day:
        return None
    return "day_first" if first_is_day else "month_first"


def read_slashed(cell: str, order: DayOrder) -> date | None:
    found = _SLASHED.fullmatch(cell)
    if found is None:
        return None
    first, second = int(found[1]), int(found[2])
    month, day = (second, first) if order == "day_first" else (first, second)
    try:
        return date(_year(found[3]), month, day)
    except ValueError:
        return None


def _year(digits: str) -> int:
    year = int(digits)
    if len(digits) == 4:
        return year
    return year + (1900 if year >= _TURN_OF_CENTURY else 2000)


def slashed_column(cells: Sequence[str]) -> list[date | None] | None:
    """The column's dates, or None where it holds anything else; empty cells are None."""
    filled = [cell for cell in cells if cell.strip()]
    order = day_order(filled)
    if order is None:
        return None
    dates = [read_slashed(cell, order) if cell.strip() else None for cell in cells]
    is_whole = all(day is not None for day, cell in zip(dates, cells, strict=True) if cell.strip())
    return dates if is_whole else None
