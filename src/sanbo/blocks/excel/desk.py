"""A workbook at work: updates are applied and remembered, so that a summary can tell them, with
values between JSON, which has no dates, and cells, which do. Rehearsed on an empty workbook,
operations show what is wrong with them whatever the workbook is.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from decimal import Decimal
from itertools import islice

from openpyxl.utils.cell import column_index_from_string
from pydantic import JsonValue

from sanbo.blocks.block import BlockContext
from sanbo.blocks.excel.books import BookSource, opened
from sanbo.blocks.excel.spellings import Operation
from sanbo.documents.excel.book import AddSheet, Change, TakeTotalsOff, Update
from sanbo.documents.excel.references import Cell
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.values import Scalar
from sanbo.documents.excel.workbook import Workbook
from sanbo.kernel.problems import InvalidInput, NotFound, Problem, SanboError
from sanbo.kernel.text import listed, matching_form

# ---- values --------------------------------------------------------------------------------------


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[-+]\d{2}:?\d{2})?", re.ASCII
)


FORMULA = "x-formula"
"""Around a text that stands in the plan itself: one that comes from data is never a formula."""
_WRITING = frozenset({"update_cells", "update_cells_if"})


def with_formulas(operations: JsonValue) -> JsonValue:
    if isinstance(operations, list):
        return [with_formulas(each) for each in operations]
    if not isinstance(operations, dict) or operations.get("type") not in _WRITING:
        return operations
    return {
        key: _marked(value) if key in ("cells", "data", "value") else value
        for key, value in operations.items()
    }


def _marked(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _marked(each) for key, each in value.items()}
    return {FORMULA: value} if isinstance(value, str) and value.startswith("=") else value


def formula_of(value: JsonValue) -> str | None:
    found = value.get(FORMULA) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


def cell_value(value: JsonValue, *, dates_as_text: bool = False) -> Scalar:
    """As a cell holds it: an ISO date is a date, a list of words one text, an object its JSON."""
    if isinstance(value, str):
        return value if dates_as_text else _dated(value)
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return "、".join("" if each is None else str(each) for each in value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value


def _dated(text: str) -> Scalar:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
        if _MOMENT.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:  # 2025-02-30
        return text
    return text


def json_value(value: Scalar) -> JsonValue:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat()
    return value.isoformat() if isinstance(value, date | time) else value


# ---- the desk ------------------------------------------------------------------------------------


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


# ---- the rehearsal -------------------------------------------------------------------------------


_NAME = "workbook.xlsx"
_WHATEVER_THE_WORKBOOK = frozenset(
    {
        "excel_operation_key_missing",
        "excel_operation_value",
        "excel_pattern_invalid",
        "excel_address_invalid",
        "excel_condition_invalid",
        "excel_formula_invalid",
        "excel_sheet_name_invalid",
        "excel_rows_unreadable",
        "excel_rows_mixed",
        "excel_columns_unreadable",
        "excel_match_needs_field",
        "excel_match_items",
        "excel_cell_twice",
    }
)
"""Other problems come from what is in the workbook: a sheet or a header that is not there."""


_MOST_STEPS = 200
_MOST_CELLS = 200
"""Of one step. A plan is checked while somebody waits, and a range may have a million cells."""
_LARGEST_RANGE = 20
_RANGE = re.compile(r"\$?([A-Za-z]{0,3})\$?(\d{0,7})\s*:\s*\$?([A-Za-z]{0,3})\$?(\d{0,7})")

Step = tuple[Operation, Callable[[Desk, Operation], None]]


def rehearse(steps: Iterable[Step]) -> None:
    """Each by itself, as far as they are small."""
    for operation, step in islice(steps, _MOST_STEPS):
        given = _smaller(dict(operation.given))
        if isinstance(given, dict) and _count(given) <= _MOST_CELLS:
            _try(replace(operation, given=given), step)


def _try(operation: Operation, step: Callable[[Desk, Operation], None]) -> None:
    sheet = operation.text("sheet") or DEFAULT_SHEET
    try:
        step(Desk(opened(BookSource(_NAME, None), sheet), _NAME), operation)
    except SanboError as error:
        if error.problem.text_id in _WHATEVER_THE_WORKBOOK:
            raise


def _smaller(value: JsonValue) -> JsonValue:
    """With the first cell of each large range: what is wrong there is wrong everywhere."""
    match value:
        case str():
            return ",".join(_first_of(part) for part in value.split(","))
        case list():
            return [_smaller(item) for item in value]
        case dict():
            return {str(_smaller(key)): _smaller(item) for key, item in value.items()}
        case _:
            return value


def _first_of(text: str) -> str:
    found = _RANGE.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if found is None:
        return text
    left, right = (column_index_from_string(found[side] or "A") for side in (1, 3))
    top, bottom = (int(found[side] or 1) for side in (2, 4))
    size = (abs(bottom - top) + 1) * (abs(right - left) + 1)
    first = f"{found[1]}{found[2]}"
    return text if size <= _LARGEST_RANGE else f"{first}:{first}"


def _count(value: JsonValue) -> int:
    match value:
        case list():
            return sum(map(_count, value))
        case dict():
            return sum(map(_count, value.values()))
        case _:
            return 1
