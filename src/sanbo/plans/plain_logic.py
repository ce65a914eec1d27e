"""Comparisons put together by and, or, not: what most conditions are, decided as people mean them.

Words are Python's or CEL's. Null is less and more than nothing; where the condition of a loop asks
about what has not been yet, it counts as 0.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pydantic import JsonValue

Values = Mapping[str, JsonValue]
Ask = Callable[[Values, bool], JsonValue]
"""With `True`, null counts as 0."""

# A text that is not closed goes to the end: it is looked through once.
QUOTED = r"""(?s:'(?:[^'\\]|\\.)*+(?:'|\\?\Z)|"(?:[^"\\]|\\.)*+(?:"|\\?\Z))"""
_SIGNS = re.compile(QUOTED + r"|&&|\|\||!(?!=)")
_WORDS = {"&&": " and ", "||": " or ", "!": " not "}
_CONSTANTS: Mapping[str, JsonValue] = {"true": True, "false": False, "null": None}
_ORDERS: Mapping[type[ast.cmpop], Callable[[float | str, float | str], bool]] = {
    ast.Lt: operator.lt,  # pyright: ignore[reportAssignmentType]
    ast.LtE: operator.le,  # pyright: ignore[reportAssignmentType]
    ast.Gt: operator.gt,  # pyright: ignore[reportAssignmentType]
    ast.GtE: operator.ge,  # pyright: ignore[reportAssignmentType]
}
OPERATORS: Mapping[str, type[ast.cmpop]] = {
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "gt": ast.Gt,
    "gte": ast.GtE,
    "lt": ast.Lt,
    "lte": ast.LtE,
}
_MOST_CHARACTERS = 2000


class Undecidable(ValueError):
    """Two values that can't be compared."""


@dataclass(frozen=True)
class Plain:
    ask: Ask
    is_question: bool
    """False: a value such as a sum, which is neither yes nor no."""


def read_plainly(text: str, names: frozenset[str]) -> Plain | None:
    """None for what is more than comparisons of `names`, constants and lists of them."""
    if len(text) > _MOST_CHARACTERS:
        return None
    words = _SIGNS.sub(lambda found: _WORDS.get(found[0], found[0]), text)
    try:
        tree = ast.parse(f"({words})", mode="eval").body
        return Plain(_ask(tree, names), not isinstance(tree, ast.BinOp | ast.List | ast.Constant))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def is_true(value: JsonValue) -> bool:
    """Of a value on its own: nothing, 0 and the word false are no."""
    return value.strip().lower() not in ("", "false") if isinstance(value, str) else bool(value)


def compare(
    sign: type[ast.cmpop], left: JsonValue, right: JsonValue, *, null_is_zero: bool
) -> bool:
    """`Undecidable` for kinds that have no order between them."""
    if sign is ast.Eq or sign is ast.NotEq:
        return _same(left, right) is (sign is ast.Eq)
    if sign is ast.In or sign is ast.NotIn:
        return _is_in(left, right) is (sign is ast.In)
    if null_is_zero:
        left, right = (0 if side is None else side for side in (left, right))
    if left is None or right is None:
        return False
    if _is_number(left) and _is_number(right):
        return _ORDERS[sign](left, right)  # pyright: ignore[reportArgumentType]
    if isinstance(left, str) and isinstance(right, str):
        return _ORDERS[sign](left, right)
    raise Undecidable(f"{type(left).__name__} and {type(right).__name__}")


def _same(left: JsonValue, right: JsonValue) -> bool:
    return isinstance(left, bool) is isinstance(right, bool) and left == right


def _is_in(left: JsonValue, right: JsonValue) -> bool:
    if isinstance(right, str):
        return isinstance(left, str) and left in right
    if isinstance(right, dict):
        return left in right
    if isinstance(right, list):
        return any(_same(left, each) for each in right)
    return False


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _ask(tree: ast.expr, names: frozenset[str]) -> Ask:  # noqa: PLR0911 - one for each kind
    """`ValueError` for what is not plain."""
    match tree:
        case ast.BoolOp():
            return _together(tree, names)
        case ast.UnaryOp(op=ast.Not()):
            inner = _ask(tree.operand, names)
            return lambda values, zero: not is_true(inner(values, zero))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return lambda _values, _zero: -number
        case ast.BinOp(op=ast.Add()):
            return _sum(tree, names)
        case ast.Compare():
            return _compared(tree, names)
        case ast.List() | ast.Tuple():
            parts = [_ask(each, names) for each in tree.elts]
            return lambda values, zero: [part(values, zero) for part in parts]
        case ast.Constant(value=None | bool() | int() | float() | str() as constant):
            return lambda _values, _zero: constant
        case ast.Name(id=name) if name in _CONSTANTS:
            return lambda _values, _zero: _CONSTANTS[name]
        case ast.Name(id=name) if name in names:
            return lambda values, _zero: values[name]
        case _:
            raise ValueError(ast.dump(tree)[:80])


def _together(tree: ast.BoolOp, names: frozenset[str]) -> Ask:
    parts = [_ask(each, names) for each in tree.values]
    whether = all if isinstance(tree.op, ast.And) else any
    return lambda values, zero: whether(is_true(part(values, zero)) for part in parts)


def _compared(tree: ast.Compare, names: frozenset[str]) -> Ask:
    sides = [_ask(each, names) for each in (tree.left, *tree.comparators)]
    signs = [_SAME_AS.get(type(sign), type(sign)) for sign in tree.ops]

    def ask(values: Values, zero: bool) -> JsonValue:
        found = [side(values, zero) for side in sides]
        return all(
            compare(sign, found[at], found[at + 1], null_is_zero=zero)
            for at, sign in enumerate(signs)
        )

    return ask


_SAME_AS: Mapping[type[ast.cmpop], type[ast.cmpop]] = {ast.Is: ast.Eq, ast.IsNot: ast.NotEq}


def _sum(tree: ast.BinOp, names: frozenset[str]) -> Ask:
    """Of texts, which is how a quoted text with references stands in an expression, or numbers."""
    one, other = _ask(tree.left, names), _ask(tree.right, names)

    def ask(values: Values, zero: bool) -> JsonValue:
        left, right = one(values, zero), other(values, zero)
        if isinstance(left, str) and isinstance(right, str):
            return left + right
        if _is_number(left) and _is_number(right):
            return left + right  # pyright: ignore[reportOperatorIssue, reportUnknownVariableType]
        raise Undecidable("+")

    return ask
