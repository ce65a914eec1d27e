"""The operators that conditions and assertions are written with."""

from collections.abc import Callable
from typing import Literal, get_args

from pydantic import JsonValue

from sanbo.blocks.matching.names import company_key
from sanbo.blocks.transforms.comparing import Match, key_of, order, same
from sanbo.blocks.transforms.patterns import Pattern
from sanbo.blocks.transforms.written import is_blank, text_of
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form

Operator = Literal[
    "eq",
    "ne",
    "gt",
    "gte",
    "lt",
    "lte",
    "contains",
    "not_contains",
    "in",
    "not_in",
    "between",
    "not_between",
    "starts_with",
    "ends_with",
    "matches",
    "empty",
    "filled",
]
OPERATORS: tuple[Operator, ...] = get_args(Operator)
NEEDS_NOTHING: frozenset[Operator] = frozenset({"empty", "filled"})
_SPELLINGS: dict[str, Operator] = {
    "==": "eq",
    "=": "eq",
    "equals": "eq",
    "!=": "ne",
    "<>": "ne",
    "not_equals": "ne",
    ">": "gt",
    ">=": "gte",
    "ge": "gte",
    "<": "lt",
    "<=": "lte",
    "le": "lte",
    "includes": "contains",
    "startswith": "starts_with",
    "endswith": "ends_with",
    "regex": "matches",
    "is_empty": "empty",
    "is_null": "empty",
    "null": "empty",
    "not_empty": "filled",
    "is_not_null": "filled",
    "not_null": "filled",
    "exists": "filled",
}
_NEGATED: dict[Operator, Operator] = {
    "ne": "eq",
    "not_in": "in",
    "not_between": "between",
    "not_contains": "contains",
    "filled": "empty",
}

Check = Callable[[JsonValue], bool | None]
"""None: the two can't be compared, an amount and 未定."""


def operator_of(word: str) -> Operator:
    """In any spelling: `>=`, `gte`, `ge`."""
    plain = word.strip().lower()
    found = _SPELLINGS.get(plain, plain)
    if found not in OPERATORS:
        raise InvalidInput("transform_operator_unknown", operator=word, known=", ".join(OPERATORS))
    return found


def check_of(
    operator: Operator, value: JsonValue, value2: JsonValue = None, match: Match = "matching"
) -> Check:
    """What a value must pass; the other side is looked at once, not once a row."""
    if operator in _NEGATED:
        test = check_of(_NEGATED[operator], value, value2, match)
        return lambda actual: _not(test(actual))
    if operator in ("gt", "gte", "lt", "lte"):
        return _ordered(operator, value)
    if operator in ("contains", "starts_with", "ends_with"):
        return _worded(operator, value, match)
    return _special(operator, value, value2, match)


def _special(operator: Operator, value: JsonValue, value2: JsonValue, match: Match) -> Check:
    if operator == "empty":
        return _is_empty
    if operator == "between":
        return _between(value, value2)
    if operator == "matches":
        return _matches(value)
    if operator == "in":
        wanted = {key_of(one, match) for one in _several(operator, value)}
        return lambda actual: key_of(actual, match) in wanted
    return lambda actual: same(actual, value, match)


def _not(found: bool | None) -> bool | None:
    return None if found is None else not found


def _is_empty(value: JsonValue) -> bool:
    return is_blank(value) or value in ([], {})


def _several(operator: str, value: JsonValue) -> list[JsonValue]:
    if not isinstance(value, list):
        raise InvalidInput("transform_operator_value", operator=operator, wanted="[…]")
    return value


def _given(operator: str, value: JsonValue) -> JsonValue:
    if is_blank(value):
        raise InvalidInput("transform_operator_value", operator=operator, wanted="value")
    return value


def _ordered(operator: Operator, value: JsonValue) -> Check:
    _given(operator, value)
    fitting = {"gt": (1,), "gte": (0, 1), "lt": (-1,), "lte": (-1, 0)}[operator]

    def test(actual: JsonValue) -> bool | None:
        if is_blank(actual):
            return False
        found = order(actual, value)
        return None if found is None else found in fitting

    return test


def _between(value: JsonValue, value2: JsonValue) -> Check:
    if isinstance(value, list) and len(value) == 2 and value2 is None:
        value, value2 = value
    if is_blank(value) or is_blank(value2):
        raise InvalidInput("transform_operator_value", operator="between", wanted="value, value2")

    def test(actual: JsonValue) -> bool | None:
        if is_blank(actual):
            return False
        low, high = order(actual, value), order(actual, value2)
        if low is None or high is None:
            return None
        return low >= 0 and high <= 0

    return test


def _matches(value: JsonValue) -> Check:
    pattern = Pattern(text_of(_given("matches", value)))
    return lambda actual: pattern.found_in(text_of(actual))


def _worded(operator: Operator, value: JsonValue, match: Match) -> Check:
    """contains, starts_with, ends_with: with a list of words, any of them."""
    given = [_given(operator, one) for one in (value if isinstance(value, list) else [value])]
    form = _FORMS[match]
    wanted = [form(text_of(one)) for one in given]
    keys = {key_of(one, match) for one in given}

    def test(actual: JsonValue) -> bool:
        if isinstance(actual, list):
            return bool(keys & {key_of(one, match) for one in actual})
        text = form(text_of(actual))
        if operator == "starts_with":
            return text.startswith(tuple(wanted))
        if operator == "ends_with":
            return text.endswith(tuple(wanted))
        return any(word in text for word in wanted)

    return test


def _as_written(text: str) -> str:
    return text


_FORMS: dict[Match, Callable[[str], str]] = {
    "matching": matching_form,
    "exact": _as_written,
    "company": company_key,
}
