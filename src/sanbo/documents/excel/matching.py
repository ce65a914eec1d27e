"""When a cell holds what someone looks for, and when a condition holds for it.

People compare what they see: `1001` is the number 1001 or the text "1001", width and case of
letters don't matter. But "001" is not 1.
"""

from collections.abc import Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from sanbo.documents.excel.updates import Condition
from sanbo.documents.excel.values import Scalar
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form

Number = int | float | Decimal


def key_of(value: Scalar) -> str:
    """Equal for two values that read the same."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).casefold()
    if isinstance(value, Number):
        return _plain(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else matching_form(value)


def holds(condition: Condition, seen: Scalar) -> bool:
    """Numbers have an order, and dates and times: an empty cell or a text is not less than 5."""
    operator = condition.operator
    if operator in ("empty", "filled"):
        return (seen is None or seen == "") == (operator == "empty")
    if operator == "in":
        return key_of(seen) in {key_of(value) for value in _several(condition)}
    wanted = _single(condition)
    if operator in ("eq", "ne"):
        return (key_of(seen) == key_of(wanted)) == (operator == "eq")
    if operator == "contains":
        return key_of(wanted) in key_of(seen)
    order = _order(seen, wanted)
    if operator == "between":
        upper = _order(seen, condition.value2)
        return order is not None and upper is not None and order >= 0 >= upper
    return order is not None and order in _ORDERS[operator]


_ORDERS = {"gt": (1,), "gte": (0, 1), "lt": (-1,), "lte": (-1, 0)}


def _several(condition: Condition) -> Sequence[Scalar]:
    if not isinstance(condition.value, tuple):
        raise InvalidInput("excel_condition_invalid", operator=condition.operator)
    return condition.value


def _single(condition: Condition) -> Scalar:
    if isinstance(condition.value, tuple):
        raise InvalidInput("excel_condition_invalid", operator=condition.operator)
    return condition.value


def _order(seen: Scalar, wanted: Scalar) -> int | None:
    """-1, 0, 1 for less, equal, more; None for what has no order."""
    if isinstance(seen, bool) or isinstance(wanted, bool):
        return None
    if isinstance(seen, Number) and isinstance(wanted, Number):
        if not (_exact(seen).is_finite() and _exact(wanted).is_finite()):
            return None
        return _sign(_exact(seen), _exact(wanted))
    if isinstance(seen, date):
        moment = _moment(wanted)
        return None if moment is None else _sign(_moment(seen), moment)
    if isinstance(seen, time) and isinstance(wanted, time):
        return _sign(seen, wanted)
    return None


def _sign(one: Any, other: Any) -> int:
    return (one > other) - (one < other)


def _moment(value: Scalar) -> datetime | None:
    """A date, a date and time, or a text that writes one as `2025-04-01`."""
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value.strip()).replace(tzinfo=None)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return datetime.combine(value, time()) if isinstance(value, date) else None


def _exact(value: Number) -> Decimal:
    return Decimal(repr(value)) if isinstance(value, float) else Decimal(value)


def _plain(value: Number) -> str:
    """`1`, `0.1`: as the cell shows it, however it is stored."""
    exact = _exact(value)
    if not exact.is_finite():
        return str(exact).casefold()
    text = format(exact.normalize(), "f")
    return "0" if text == "-0" else text
