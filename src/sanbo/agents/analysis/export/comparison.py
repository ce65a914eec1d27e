"""Whether a replay gave the same: tables by position, columns by name, numbers to 1e-9."""

import math
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import Literal

from sanbo.agents.analysis.export.recipe import Recipe, RecipeStep
from sanbo.agents.analysis.outcome import JsonCell, Made, Outcome, ResultTable
from sanbo.kernel.messages import tell

TOLERANCE = 1e-9
"""Relative. Sums differ in their last digits between machines."""
MOST_DIFFERENCES = 100
_NOISE = 1e-12
"""Beside the largest number of its column this is zero."""


class Difference(Made):
    kind: Literal["result", "table", "columns", "rows", "value"]
    result_id: str
    title: str = ""
    """Of the table."""
    column: str = ""
    row: int = 0
    """Counted from 1."""
    expected: JsonCell = None
    actual: JsonCell = None

    def describe(self) -> str:
        return tell(
            f"analysis_export.difference.{self.kind}",
            result_id=self.result_id,
            title=self.title,
            column=self.column,
            row=self.row,
            expected=_said(self.expected),
            actual=_said(self.actual),
        )


def _said(cell: JsonCell) -> str:
    return tell("analysis_export.difference_nothing") if cell is None else str(cell)[:200]


def compare(recipe: Recipe, outcomes: Sequence[Outcome | None]) -> list[Difference]:
    """`outcomes` in the order of the steps; None where a step failed. The first 100 differences."""
    pairs = zip_longest(recipe.steps, outcomes[: len(recipe.steps)])
    found = (one for step, outcome in pairs for one in _step(step, outcome))
    return list(islice(found, MOST_DIFFERENCES))


def _step(step: RecipeStep, outcome: Outcome | None) -> Iterator[Difference]:
    if outcome is None:
        yield Difference(kind="result", result_id=step.result_id)
        return
    expected = [*step.tables, *step.figures]
    actual = [*outcome.tables, *(figure.table for figure in outcome.figures)]
    if (len(step.tables), len(step.figures)) != (len(outcome.tables), len(outcome.figures)):
        yield Difference(
            kind="table", result_id=step.result_id, expected=len(expected), actual=len(actual)
        )
        return
    for before, after in zip(expected, actual, strict=True):
        yield from _table(step.result_id, before, after)


def _table(result_id: str, before: ResultTable, after: ResultTable) -> Iterator[Difference]:
    names = [column.name for column in before.columns]
    new_names = [column.name for column in after.columns]
    if names != new_names:
        yield Difference(
            kind="columns",
            result_id=result_id,
            title=before.title,
            expected=", ".join(names),
            actual=", ".join(new_names),
        )
        return
    if (before.row_count, len(before.rows)) != (after.row_count, len(after.rows)):
        yield Difference(
            kind="rows",
            result_id=result_id,
            title=before.title,
            expected=before.row_count,
            actual=after.row_count,
        )
        return
    for position, name in enumerate(names):
        noise = _NOISE * _largest([row[position] for row in before.rows])
        for number, (row, new_row) in enumerate(zip(before.rows, after.rows, strict=True), 1):
            if not _is_same(row[position], new_row[position], noise):
                yield Difference(
                    kind="value",
                    result_id=result_id,
                    title=before.title,
                    column=name,
                    row=number,
                    expected=row[position],
                    actual=new_row[position],
                )


def _largest(cells: Sequence[JsonCell]) -> float:
    return max((abs(cell) for cell in cells if isinstance(cell, int | float)), default=0.0)


def _is_same(before: JsonCell, after: JsonCell, noise: float) -> bool:
    if isinstance(before, bool) or isinstance(after, bool):
        return before is after
    if isinstance(before, int | float) and isinstance(after, int | float):
        return before == after or math.isclose(before, after, rel_tol=TOLERANCE, abs_tol=noise)
    return before == after
