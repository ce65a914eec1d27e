"""What an expression does with values: exact arithmetic, comparisons, truth."""

import operator
from collections.abc import Callable, Mapping
from decimal import Context, Decimal
from typing import Any

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.tables.aggregates import EXACT, plain

Value = JsonValue | Decimal
"""Numbers with decimals are `Decimal` on the way, so that 1.1 × 100 is 110."""

MOST_ITEMS = 10_000
"""In a list or text that a macro or function goes through."""
MOST_STEPS = 500_000
"""Items that macros go through, with what is looked at for each of them."""
_LARGEST = Decimal(10) ** 300
_SHOWN = Context(prec=30)
"""A third of 3 is 1, and not a row of nines."""


class Failed(ValueError):
    """What these values do not allow; `kind` is a word of `expression_reasons`."""

    def __init__(self, kind: str, /, **params: Any) -> None:
        self.kind = kind
        super().__init__(tell(f"expression_reasons.{kind}", **params))


def finished(value: Value) -> JsonValue:
    """As JSON has it."""
    match value:
        case Decimal():
            return plain(_SHOWN.plus(value))
        case list():
            return [finished(item) for item in value]
        case dict():
            return {key: finished(item) for key, item in value.items()}
        case _:
            return value


def is_true(value: Value) -> bool:
    """Of a value on its own: nothing, 0 and the word false are no."""
    return value.strip().lower() not in ("", "false") if isinstance(value, str) else bool(value)


def is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def exact(value: Value) -> int | Decimal:
    """Of a number."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise Failed("no_number", kind=word_for(value))
    return value


def word_for(value: Value) -> str:
    """What kind of value it is, for people."""
    match value:
        case None:
            word = "nothing"
        case bool():
            word = "truth"
        case int() | float() | Decimal():
            word = "number"
        case str():
            word = "text"
        case list():
            word = "list"
        case dict():
            word = "object"
    return tell(f"expression_kinds.{word}")


def _sum(left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        if len(left) + len(right) > MOST_ITEMS:
            raise Failed("long", limit=MOST_ITEMS)
        return [*left, *right]
    return _computed("+", left, right)


def _computed(sign: str, left: Value, right: Value) -> Value:
    if left is None or right is None:
        raise Failed("empty", operator=sign)
    if not is_number(left) or not is_number(right):
        raise Failed("kinds", operator=sign, left=word_for(left), right=word_for(right))
    one, other = exact(left), exact(right)
    if sign in "/%" and other == 0:
        raise Failed("zero")
    made: int | Decimal
    if sign in _WHOLE and isinstance(one, int) and isinstance(other, int):
        made = _WHOLE[sign](one, other)
    else:
        made = _DECIMAL[sign](one, other)
    if abs(made) > _LARGEST:
        raise Failed("large")
    return made


_WHOLE: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_DECIMAL: Mapping[str, Callable[[int | Decimal, int | Decimal], Decimal]] = {
    "+": EXACT.add,
    "-": EXACT.subtract,
    "*": EXACT.multiply,
    "/": EXACT.divide,
    "%": EXACT.remainder,
}
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def operate(sign: str, left: Value, right: Value, *, null_is_zero: bool = False) -> Value:
    """`&&` and `||` are not here: they may not need their right side."""
    if sign == "+":
        return _sum(left, right)
    if sign in _DECIMAL:
        return _computed(sign, left, right)
    if sign in ("==", "!="):
        return same(left, right) is (sign == "==")
    if sign == "in":
        return _is_in(left, right)
    return _ordered(sign, left, right, null_is_zero=null_is_zero)


def same(left: Value, right: Value) -> bool:
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return is_number(left) and is_number(right) and exact(left) == exact(right)
    return left == right


def _is_in(left: Value, right: Value) -> bool:
    if isinstance(right, str):
        return isinstance(left, str) and left in right
    if isinstance(right, dict):
        return isinstance(left, str) and left in right
    if isinstance(right, list):
        return any(same(left, each) for each in right)
    return False


def _ordered(sign: str, left: Value, right: Value, *, null_is_zero: bool) -> bool:
    """Null is neither less nor more than anything, unless it counts as 0."""
    if null_is_zero:
        left, right = (0 if side is None else side for side in (left, right))
    if left is None or right is None:
        return False
    if is_number(left) and is_number(right):
        return _ORDERS[sign](exact(left), exact(right))
    if isinstance(left, str) and isinstance(right, str):
        return _ORDERS[sign](left, right)
    raise Failed("kinds", operator=sign, left=word_for(left), right=word_for(right))
