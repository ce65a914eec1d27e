"""A workbook at work: updates are applied and remembered, so that a summary can tell them."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from sanbo.blocks.block import BlockContext
from sanbo.blocks.excel.cell_values import json_value
from sanbo.documents.excel.references import Cell
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.updates import AddSheet, Change, TakeTotalsOff, Update
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput, NotFound, Problem, SanboError
from sanbo.kernel.text import listed, matching_form

DEFAULT_SHEET = "Results"
"""Where results go in plans that name no sheet, as plans in circulation expect."""
_SHOWN_CELLS = 200
_MOST_KEYS = 5
_LIKE_FORMULAS = ("=", "＝")


@dataclass
class Desk:
    workbook: Workbook
    name: str
    dates_as_text: bool = False
    changes: list[tuple[int, str, Change]] = field(default_factory=list[tuple[int, str, Change]])
    skipped: list[dict[str, JsonValue]] = field(default_factory=list[dict[str, JsonValue]])
    missing_keys: list[JsonValue] = field(default_factory=list[JsonValue])
    warnings: list[Problem] = field(default_factory=list[Problem])
    told: list[SanboError] = field(default_factory=list[SanboError])
    rows_appended: int = 0
    rows_updated: int = 0
    cells_formatted: int = 0
    lifted: dict[str, list[int]] = field(default_factory=dict[str, list[int]])
    """Sheets whose row of sums was taken off, and which columns it summed."""
    totals: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """Which columns have sums below them in the end, by sheet."""
    number: int = 0
    """Of the operation under way, from 1, and its name, for the record of changes."""
    operation: str = ""

    def apply(self, update: Update) -> Change:
        change = self.workbook.apply(update)
        self.changes.append((self.number, self.operation or update.kind, change))
        self.warnings.extend(change.warnings)
        like_formulas = [
            each.cell
            for each in change.cells
            if isinstance(each.after.value, str) and each.after.value.startswith(_LIKE_FORMULAS)
        ]
        if like_formulas:
            self.warn(InvalidInput("excel_text_like_formula", cells=listed(like_formulas)).problem)
        return change

    def warn(self, problem: Problem) -> None:
        self.warnings.append(problem)

    def tell(self, context: BlockContext) -> None:
        """What a person should know of the run: what was asked for and could not be done."""
        for told in dict.fromkeys(self.told):
            context.warn(told)
        if self.missing_keys:
            keys = listed(str(key) for key in self.missing_keys[:_MOST_KEYS])
            missing = NotFound("excel_keys_missing", count=len(self.missing_keys), keys=keys)
            context.warn(missing)

    def skip(self, reason: str) -> None:
        self.skipped.append({"operation": self.number, "type": self.operation, "reason": reason})

    # Sheets

    def sheet(self, wanted: str) -> Sheet:
        """One that is there, or the one for results."""
        return self.workbook.sheet(wanted) if wanted else self.sheet_to_write("")

    def sheet_to_write(self, wanted: str) -> Sheet:
        """Added where it is missing: a plan's results often go to a sheet of their own."""
        name = wanted or DEFAULT_SHEET
        if not self.has_sheet(name):
            self.apply(AddSheet(name=name))
            self.warn(InvalidInput("excel_sheet_added", sheet=name).problem)
        return self.workbook.sheet(name)

    def sheet_for_rows(self, wanted: str) -> Sheet:
        """Where rows are added, its own sums are none of them; they come back below."""
        sheet = self.sheet_to_write(wanted)
        self.lift_totals(sheet.name)
        return self.workbook.sheet(sheet.name)

    def lift_totals(self, name: str) -> None:
        if columns := self.workbook.totals(name):
            self.workbook.apply(TakeTotalsOff(sheet=name))
            self.lifted[name] = columns

    def has_sheet(self, name: str) -> bool:
        form = matching_form(name)
        return any(matching_form(known) == form for known in self.workbook.sheets)

    # The record

    @property
    def cells_updated(self) -> int:
        return sum(len(change.cells) for _, _, change in self.changes)

    def summary(self, operations: int) -> dict[str, JsonValue]:
        cells = [each for _, _, change in self.changes for each in change.cells]
        shown: list[JsonValue] = [
            {
                "sheet": each.sheet,
                "cell": each.cell,
                "before": each.before.formula or json_value(each.before.value),
                "after": each.after.formula or json_value(each.after.value),
            }
            for each in cells[:_SHOWN_CELLS]
        ]
        return {
            "workbook_name": self.name,
            "operations": operations,
            "cells_updated": len(cells),
            "cells_formatted": self.cells_formatted,
            "rows_updated": self.rows_updated,
            "rows_appended": self.rows_appended,
            "sheets": list[JsonValue](self.workbook.sheets),
            "sheets_added": [name for _, _, change in self.changes for name in change.sheets],
            "skipped": list[JsonValue](self.skipped),
            "missing_keys": list(self.missing_keys),
            "changes": self._by_operation(),
            "cell_changes": shown,
            "cell_changes_left_out": len(cells) - len(shown),
            "results_to_calculate": self.workbook.results_to_calculate,
            "totals": {name: list[JsonValue](each) for name, each in self.totals.items()},
            "warnings": _told(self.warnings),
            "losses": _told(self.workbook.losses()),
        }

    def _by_operation(self) -> list[JsonValue]:
        return [
            {
                "operation": number,
                "type": kind,
                "cells": len(change.cells),
                "area": change.area or _area(change),
            }
            for number, kind, change in self.changes
        ]


def last_row(sheet: Sheet, columns: Sequence[int] = ()) -> int:
    """The last row with something in it, in these columns or in any; 0 where there is none."""
    for row in reversed(sheet.grid.row_numbers):
        cells = (
            (Cell(row, column) for column in columns)
            if columns
            else (at for at, _ in sheet.grid.in_row(row))
        )
        if any(not sheet.is_empty(at) for at in cells):
            return row
    return 0


def last_column(sheet: Sheet) -> int:
    used = (at.column for at, _ in sheet.grid if not sheet.is_empty(at))
    return max(used, default=0)


def _area(change: Change) -> str | None:
    cells = [each.cell for each in change.cells]
    if not cells:
        return None
    return cells[0] if len(cells) == 1 else f"{cells[0]}…{cells[-1]}"


def _told(problems: Sequence[Problem]) -> list[JsonValue]:
    return list(dict.fromkeys(f"{each.message} {each.hint}" for each in problems))
