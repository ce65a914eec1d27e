"""Operations tried on an empty workbook, for what is wrong with them whatever the workbook is."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice

from openpyxl.utils.cell import column_index_from_string
from pydantic import JsonValue

from sanbo.blocks.excel.books import BookSource, opened
from sanbo.blocks.excel.desk import DEFAULT_SHEET, Desk
from sanbo.blocks.excel.spellings import Operation
from sanbo.kernel.problems import SanboError

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
