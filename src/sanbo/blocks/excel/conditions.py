"""Conditions of operations: whether to do it at all, or for which cells."""

from typing import Any, cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.excel.cell_values import cell_value
from sanbo.blocks.excel.spellings import Operation, truth
from sanbo.documents.excel.matching import holds
from sanbo.documents.excel.references import cell_at
from sanbo.documents.excel.sheet import Sheet
from sanbo.documents.excel.updates import Condition

_OPERATORS = {
    "==": "eq",
    "=": "eq",
    "equals": "eq",
    "!=": "ne",
    "<>": "ne",
    "not_equals": "ne",
    ">": "gt",
    ">=": "gte",
    "<": "lt",
    "<=": "lte",
    "is_empty": "empty",
    "not_empty": "filled",
    "is_not_empty": "filled",
}
_CELL = "cell"


def is_about_cells(condition: JsonValue) -> bool:
    """Whether it asks something of each cell, not once for the whole operation."""
    return isinstance(condition, dict) and _CELL not in condition


def is_wanted(sheet: Sheet | None, operation: Operation) -> bool:
    """Whether to do it: `true`, or `{cell: B2, operator: eq, value: …}`."""
    condition = operation.get("condition")
    if condition is None or is_about_cells(condition):
        return True
    if isinstance(condition, dict) and sheet is not None:
        at = condition.get(_CELL)
        if not isinstance(at, str):
            raise operation.wrong("condition")
        return holds(condition_of(operation), sheet.seen(cell_at(at)))
    return truth(condition)


def condition_of(operation: Operation) -> Condition:
    given = operation.get("condition")
    if not isinstance(given, dict):
        raise operation.wrong("condition")
    written = given.get("operator", given.get("op", "eq"))
    operator = _OPERATORS.get(str(written), str(written))
    value = given.get("value")
    try:
        return Condition(
            operator=cast("Any", operator),
            value=tuple(cell_value(each) for each in value)
            if isinstance(value, list)
            else cell_value(value),
            value2=cell_value(given.get("value2")),
        )
    except ValidationError:
        raise operation.wrong("condition") from None
