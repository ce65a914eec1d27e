"""Rows of a file's table that only add up the others: people are told of them, and they are left
out where the plan says so.
"""

import re
from collections.abc import Sequence

from sanbo.blocks.block import BlockContext
from sanbo.documents.columns import Cell
from sanbo.documents.file_table import FoundTable
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import listed

_MAY_SAY_SO = re.compile("計|total", re.IGNORECASE)


class TotalRows:
    def __init__(self, totals: str, context: BlockContext) -> None:
        self.is_left_out = totals == "drop"
        self._context = context
        self.numbers: dict[str, list[int]] = {}
        """Of those that were found, by sheet; "" is a file that has none."""

    def places_kept(
        self,
        names: Sequence[str],
        rows: Sequence[Sequence[Cell]],
        numbers: Sequence[int],
        sheet: str = "",
    ) -> list[int]:
        """`numbers`: of the rows in the file, from 1."""
        kept = _others(names, rows)
        found = sorted(set(range(len(rows))) - kept)
        if found:
            self.numbers[sheet] = [numbers[place] for place in found]
        if found and not self.is_left_out:
            told = (
                tell("block_total_row", row=numbers[place], label=_label(rows[place]))
                for place in found
            )
            where = tell("block_totals_place", sheet=sheet) if sheet else ""
            self._context.warn(InvalidInput("block_totals", place=where, rows=listed(told)))
        return sorted(kept) if self.is_left_out else list(range(len(rows)))


def _others(names: Sequence[str], rows: Sequence[Sequence[Cell]]) -> set[int]:
    """All but those whose label says that they are totals, and whose figures bear it out."""
    if not any(_may_say_so(cell) for row in rows for cell in row):
        return set(range(len(rows)))
    # Here: few tables have any, and an analysis takes a moment to load.
    from sanbo.agents.analysis.loading.totals import without_totals  # noqa: PLC0415
    from sanbo.agents.analysis.loading.word_lists import Preparations  # noqa: PLC0415

    cells = [list(row) for row in rows]
    found = FoundTable(list(names), cells, row_numbers=list(range(len(rows))), heads=[])
    return set(without_totals(found, Preparations()).row_numbers)


def _may_say_so(cell: Cell) -> bool:
    return isinstance(cell, str) and _MAY_SAY_SO.search(cell) is not None


def _label(row: Sequence[Cell]) -> str:
    return next((str(cell).strip() for cell in row if _may_say_so(cell)), "")
