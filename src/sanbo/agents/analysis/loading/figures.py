"""Figures with something behind them in their cells: 120名, 1,200※1."""

import re
from dataclasses import replace

from sanbo.agents.analysis.loading.preparations import Preparations, few
from sanbo.agents.analysis.loading.units import is_unit
from sanbo.agents.analysis.loading.word_lists import narrow
from sanbo.documents.columns import Cell
from sanbo.documents.found_table import FoundTable
from sanbo.documents.table_heads import ROWS_TO_JUDGE_BY, is_empty
from sanbo.tables.values import as_number

_FIGURE = re.compile(r"([-+▲△]?[\d,]+(?:\.\d+)?) ?([^\d\s.,]{1,8})?", re.ASCII)
_NOTE = re.compile(r" ?[(]?(?:※|\*|注)\d{0,2}[)]?$", re.ASCII)
_LONGEST = 30
# 3年 and 4月 are times, and 2日 a day.
_TIMES = frozenset("年月日週時分秒")


def with_figures_alone(found: FoundTable, preparations: Preparations) -> FoundTable:
    """Where all cells of a column are so, with one unit; it becomes the column's."""
    if not preparations.wants("unit"):
        return found
    for at, name in enumerate(found.names):
        cells = [row[at] for row in found.rows[:ROWS_TO_JUDGE_BY] if not is_empty(row[at])]
        if not any(map(_is_dressed, cells)) or not all(map(_read, cells)):
            continue
        nothing: tuple[Cell, str] = (None, "")
        read = [nothing if is_empty(row[at]) else _read(row[at]) for row in found.rows]
        whole = [each for each in read if each is not None]
        units = {unit for _, unit in whole if unit}
        if len(units) > 1 or len(whole) < len(read):
            continue
        dressed = [row[at] for row in found.rows if _is_dressed(row[at])]
        preparations.say(
            "unit", "figures", column=name, count=len(dressed), example=few(dressed[:1])
        )
        rows = [
            [*row[:at], figure, *row[at + 1 :]]
            for row, (figure, _) in zip(found.rows, whole, strict=True)
        ]
        unit = next(iter(units), "")
        found = replace(found, rows=rows, units={**found.units, name: unit})
    return found


def _is_dressed(cell: Cell) -> bool:
    return isinstance(cell, str) and as_number(cell) is None and _read(cell) is not None


def _read(cell: Cell) -> tuple[Cell, str] | None:
    """The figure, and its unit if it has one; None of what is no figure."""
    if not isinstance(cell, str):
        return (cell, "") if isinstance(cell, int | float) else None
    if len(cell) > _LONGEST:
        return None
    if as_number(cell) is not None:
        return cell, ""
    found = _FIGURE.fullmatch(_NOTE.sub("", narrow(cell).strip()))
    number = None if found is None else as_number(found[1])
    if found is None or number is None:
        return None
    unit = found[2] or ""
    return (number, unit) if not unit or (is_unit(unit) and unit not in _TIMES) else None
