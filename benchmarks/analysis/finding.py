"""Whether the figures that were expected stand in one of the tables of an answer."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from analysis.recipes import STEP, Expected, Figure

from sanbo.kernel.text import matching_form

Cell = str | int | float | bool | None

# A number without a label would be found in any long table by chance.
MOST_ROWS_WITHOUT_LABEL = 40


class Table(NamedTuple):
    title: str
    headers: list[str]
    """Name and label of each column."""
    rows: list[tuple[Cell, ...]]


def find(expected: Expected, tables: Sequence[Table]) -> bool:
    return any(_holds(table, expected) for table in tables)


def _holds(table: Table, expected: Expected) -> bool:
    if expected.most_rows is not None and len(table.rows) > expected.most_rows:
        return False
    if expected.most_cells and len(table.rows) * len(table.headers) > expected.most_cells:
        return False
    if len(table.rows) > MOST_ROWS_WITHOUT_LABEL and not all(
        figure.labels for figure in expected.figures
    ):
        return False
    places: list[int] = []
    for figure in expected.figures:
        place = _place(table, figure)
        if place is None:
            return False
        places.append(place)
    if not expected.is_ordered:
        return bool(places)
    return places[0] == 0 and all(
        later > earlier or expected.figures[number].values == expected.figures[number + 1].values
        for number, (earlier, later) in enumerate(pairwise(places))
    )


def _place(table: Table, figure: Figure) -> int | None:
    """The row of the figure: its labels in the same row, or above it at the column's head."""
    for place, row in enumerate(table.rows):
        beside = [label for label in figure.labels if not any(_is(label, cell) for cell in row)]
        if not figure.values:
            if not beside:
                return place
            continue
        for header, cell in zip(table.headers, row, strict=True):
            if any(_equals(value, cell) for value in figure.values) and all(
                _heads(label, header) for label in beside
            ):
                return place
    return None


def _is(spellings: Sequence[str], cell: Cell) -> bool:
    if cell is None:
        return False
    # pyrefly: ignore[missing-attribute]
    if isinstance(cell, float) and cell.is_integer():
        cell = int(cell)
    text = matching_form(str(cell))
    if spellings[0].startswith(STEP):
        found = re.search(r"\d+", text)
        return found is not None and int(found[0]) == int(spellings[0].removeprefix(STEP))
    return any(text == matching_form(spelling) for spelling in spellings)


def _heads(spellings: Sequence[str], header: str) -> bool:
    return any(matching_form(spelling) in matching_form(header) for spelling in spellings)


def _equals(value: float, cell: Cell) -> bool:
    """To nine digits, or as rounded to the two or more decimals that are shown."""
    if cell is None or isinstance(cell, bool | str):
        return False
    if abs(cell - value) <= 1e-9 * max(abs(value), 1e-9):
        return True
    decimals = len(repr(float(cell)).partition(".")[2])
    return decimals >= 2 and abs(value) >= 0.1 and round(value, decimals) == cell
