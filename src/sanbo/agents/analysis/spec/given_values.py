"""Values in filters: each must be one that its column can hold. None is ignored."""

import math
from typing import TypeVar

from sanbo.agents.analysis.execution.spans import read_span
from sanbo.agents.analysis.profile import ColumnProfile, TableProfile
from sanbo.agents.analysis.spec.filters import Among, AnyOf, Compare, Filters
from sanbo.agents.analysis.spec.listing import CANDIDATES, alike, listed, shown
from sanbo.agents.analysis.spec.words import Scalar
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.values import as_boolean, as_number, text_of

_EXACT = ("==", "!=")
_Condition = TypeVar("_Condition")


def with_values(filters: Filters, table: TableProfile) -> Filters:
    """Values in the spelling of their columns."""
    return tuple(
        each.model_copy(update={"any_of": tuple(_condition(inner, table) for inner in each.any_of)})
        if isinstance(each, AnyOf)
        else _condition(each, table)
        for each in filters
    )


def _condition(condition: _Condition, table: TableProfile) -> _Condition:
    if isinstance(condition, Compare):
        column = table.column(condition.col)
        exact = condition.op in _EXACT
        value = fitting_value(condition.value, column, exact=exact)
        return condition.model_copy(update={"value": value})
    if isinstance(condition, Among):
        column = table.column(condition.col)
        values = tuple(fitting_value(value, column) for value in condition.value)
        return condition.model_copy(update={"value": values})
    return condition


def fitting_value(value: Scalar, column: ColumnProfile | None, *, exact: bool = True) -> Scalar:
    """As the column spells it; `InvalidInput` where it can't be a value of this column."""
    if column is None:
        return value
    if column.is_numeric:
        return _number(value, column)
    if column.is_temporal:
        return _moment(value, column)
    if column.type == "boolean":
        return _truth(value, column)
    if column.type == "text" and exact:
        return _word(value, column)
    return value


def _number(value: Scalar, column: ColumnProfile) -> Scalar:
    number = as_number(value)
    if number is not None and math.isfinite(number):
        return value
    raise InvalidInput(
        "analysis_value_no_number",
        value=shown(value),
        column=shown(column.name),
        details={"column": column.name, "value": shown(value), "type": column.type},
    )


def _moment(value: Scalar, column: ColumnProfile) -> Scalar:
    """A year may come as a number: 2025."""
    text = str(value) if isinstance(value, str) or type(value) is int else ""
    if read_span(text) is not None:
        return text
    raise InvalidInput(
        "analysis_value_no_date",
        value=shown(value),
        column=shown(column.name),
        details={"column": column.name, "value": shown(value), "type": column.type},
    )


def _truth(value: Scalar, column: ColumnProfile) -> bool:
    truth = as_boolean(value)
    if truth is None:
        raise _unknown(value, column, ["true", "false"])
    return truth


def _word(value: Scalar, column: ColumnProfile) -> Scalar:
    text = text_of(value)  # models write 3.0 for a code 3
    # Where not all values are known, or none is, only the rows themselves can tell.
    if not column.is_whole or not column.values or text in column.values:
        return text
    same = alike(text, column.values)
    if same is None:
        raise _unknown(value, column, nearest(text, column.values, CANDIDATES, least=0))
    return same


def _unknown(value: Scalar, column: ColumnProfile, candidates: list[str]) -> InvalidInput:
    return InvalidInput(
        "analysis_value_unknown",
        value=shown(value),
        column=shown(column.name),
        candidates=listed(candidates),
        details={"column": column.name, "value": shown(value), "candidates": candidates},
    )
