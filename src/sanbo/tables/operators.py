"""The operators of conditions on rows and cells, and of assertions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeVar

import regex

from sanbo.kernel.problems import InvalidInput, TimedOut
from sanbo.kernel.text import matching_form
from sanbo.language.companies import company_key
from sanbo.tables.values import Match, Value, Vocabulary, is_blank, key_of, order, same, text_of

Operator = Literal[
    "eq", "ne", "gt", "gte", "lt", "lte", "contains", "not_contains", "in", "not_in", "between",
    "not_between", "starts_with", "ends_with", "matches", "empty", "filled",
]  # fmt: skip
OPERATORS = Vocabulary[Operator](
    {
        "eq": "= == equals",
        "ne": "!= <> not_equals",
        "gt": ">",
        "gte": ">= ge",
        "lt": "<",
        "lte": "<= le",
        "contains": "includes",
        "not_contains": "",
        "in": "",
        "not_in": "",
        "between": "",
        "not_between": "",
        "starts_with": "startswith",
        "ends_with": "endswith",
        "matches": "regex",
        "empty": "is_empty is_null null",
        "filled": "not_empty is_not_empty is_not_null not_null exists",
    }
)
NEEDS_NOTHING: frozenset[Operator] = frozenset({"empty", "filled"})
_NEGATED: Mapping[Operator, Operator] = {
    "ne": "eq",
    "not_in": "in",
    "not_between": "between",
    "not_contains": "contains",
    "filled": "empty",
}

ORDERED: Mapping[str, tuple[int, ...]] = {"gt": (1,), "gte": (0, 1), "lt": (-1,), "lte": (-1, 0)}
"""Which of less (-1), equal and more (1) fit."""

Operand = Value | tuple[Value, ...]
"""What is compared with; of a workbook, several for `in`."""

Check = Callable[[Value], bool | None]
"""None: the two can't be compared, an amount and 未定."""


def operator_of(word: str) -> Operator:
    """In any spelling: `>=`, `gte`, `ge`."""
    found = OPERATORS.find(word)
    if found is None:
        raise InvalidInput("transform_operator_unknown", operator=word, known=str(OPERATORS))
    return found


def check_of(
    operator: Operator, value: Operand, value2: Value = None, match: Match = "matching"
) -> Check:
    """What a value must pass; the other side is looked at once, not once a row."""
    if operator in _NEGATED:
        test = check_of(_NEGATED[operator], value, value2, match)
        return lambda actual: _not(test(actual))
    if operator == "in":
        return _among(value, match)
    if isinstance(value, tuple):
        raise InvalidInput("transform_operator_value", operator=operator, wanted="value")
    if operator in ORDERED:
        return _ordered(operator, value)
    if operator in ("contains", "starts_with", "ends_with"):
        return _worded(operator, value, match)
    return _special(operator, value, value2, match)


def _special(operator: Operator, value: Value, value2: Value, match: Match) -> Check:
    if operator == "empty":
        return _is_empty
    if operator == "between":
        return _between(value, value2)
    if operator == "matches":
        return _matches(value)
    return lambda actual: same(actual, value, match)


def _among(value: Operand, match: Match) -> Check:
    if not isinstance(value, list | tuple):
        raise InvalidInput("transform_operator_value", operator="in", wanted="[…]")
    values: Sequence[Value] = value
    keys = {key_of(one, match) for one in values}
    return lambda actual: (
        key_of(actual, match) in keys
        or (isinstance(actual, bool) and any(same(actual, one, match) for one in values))
    )


def _not(found: bool | None) -> bool | None:
    return None if found is None else not found


def _is_empty(value: Value) -> bool:
    return is_blank(value) or value in ([], {})


def _given(operator: str, value: Value) -> Value:
    if is_blank(value):
        raise InvalidInput("transform_operator_value", operator=operator, wanted="value")
    return value


def _ordered(operator: Operator, value: Value) -> Check:
    _given(operator, value)
    fitting = ORDERED[operator]

    def test(actual: Value) -> bool | None:
        if is_blank(actual):
            return False
        found = order(actual, value)
        return None if found is None else found in fitting

    return test


def _between(value: Value, value2: Value) -> Check:
    if isinstance(value, list) and len(value) == 2 and value2 is None:
        value, value2 = value
    if is_blank(value) or is_blank(value2):
        raise InvalidInput("transform_operator_value", operator="between", wanted="value, value2")

    def test(actual: Value) -> bool | None:
        if is_blank(actual):
            return False
        low, high = order(actual, value), order(actual, value2)
        if low is None or high is None:
            return None
        return low >= 0 and high <= 0

    return test


def _matches(value: Value) -> Check:
    pattern = Pattern(text_of(_given("matches", value)))
    return lambda actual: pattern.found_in(text_of(actual))


def _worded(operator: Operator, value: Value, match: Match) -> Check:
    """contains, starts_with, ends_with: with a list of words, any of them."""
    given = [_given(operator, one) for one in (value if isinstance(value, list) else [value])]
    form = _FORMS[match]
    wanted = [form(text_of(one)) for one in given]
    keys = {key_of(one, match) for one in given}

    def test(actual: Value) -> bool:
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


_FORMS: Mapping[Match, Callable[[str], str]] = {
    "matching": matching_form,
    "exact": _as_written,
    "company": company_key,
}


_SECONDS = 1.0
_Result = TypeVar("_Result")


class Pattern:
    """A regular expression from a plan: it is data, so it may not run without end."""

    def __init__(self, text: str, *, ignoring_case: bool = False) -> None:
        self._text = text
        flags = regex.IGNORECASE if ignoring_case else 0
        self._compiled = self._guarded(lambda: regex.compile(text, flags))

    def found_in(self, text: str) -> bool:
        return self._guarded(lambda: self._compiled.search(text, timeout=_SECONDS)) is not None

    def extracted_from(self, text: str) -> str | None:
        """What its first group finds, or all of it where it has none."""
        found = self._guarded(lambda: self._compiled.search(text, timeout=_SECONDS))
        return None if found is None else found[1 if self._compiled.groups else 0]

    def replaced_in(self, text: str, by: str) -> str:
        return self._guarded(lambda: self._compiled.sub(by, text, timeout=_SECONDS))

    def _guarded(self, use: Callable[[], _Result]) -> _Result:
        try:
            return use()
        except TimeoutError:
            raise TimedOut("transform_pattern_slow", pattern=self._text) from None
        except (regex.error, IndexError) as error:  # IndexError: \7 where there is no seventh group
            raise InvalidInput(
                "transform_pattern_unreadable", pattern=self._text, reason=str(error)
            ) from None
