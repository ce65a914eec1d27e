"""Conditions: CEL over the values that references stand for, which never become part of it."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from typing import Protocol, cast

from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput
from sanbo.plans.model import Comparison, Condition, Expression
from sanbo.plans.plain_logic import (
    OPERATORS,
    QUOTED,
    Plain,
    Undecidable,
    compare,
    is_true,
    read_plainly,
)
from sanbo.plans.references import (
    OPENING,
    BadReference,
    Reference,
    parse,
    references_in,
    resolve,
    written,
)


class Program(Protocol):
    def execute(self, context: dict[str, JsonValue]) -> object: ...


class _Cel(Protocol):
    def compile(self, source: str) -> Program: ...


def compile_program(source: str) -> Program:
    """`ValueError` for what is no CEL."""
    return _module().compile(source)


@cache
def _module() -> _Cel:
    package = find_spec("cel")
    assert package is not None
    found = PathFinder.find_spec("cel.cel", package.submodule_search_locations)
    assert found is not None
    assert found.loader is not None
    module = module_from_spec(found)
    found.loader.exec_module(module)
    return cast("_Cel", module)


MOST_CHARACTERS = 2000
MOST_DEPTH = 50
MOST_ITEMS = 10_000
"""In a list or text that a macro goes through."""
MOST_STEPS = 5_000_000
"""Items that a macro goes through, times what it looks at for each of them."""

_MACRO = re.compile(
    r"\.\s*(?:all|exists|exists_one|map|filter|mapKeys|transformList|transformMap)\s*\("
)
_INTEGERS = range(-(2**63), 2**63)

Lookup = Callable[[Reference], JsonValue]


class ConditionRefused(ValueError):
    """`code` names the finding: `expression_invalid`, `expression_loops`, `expression_too_long`."""

    def __init__(self, code: str, reason: str = "", column: int = 0) -> None:
        self.code = code
        self.reason = reason
        self.column = column
        """In the expression as it is written, from 1; 0 where it can't be told."""
        super().__init__(f"{code}: {reason}")


@dataclass(frozen=True)
class Compiled:
    text: str
    """As a person reads it."""
    references: tuple[Reference, ...]
    evaluate: Callable[[Lookup, bool], bool]

    def holds(self, lookup: Lookup, *, null_is_zero: bool = False) -> bool:
        """`InvalidInput` where the values don't allow the question."""
        return self.evaluate(lookup, null_is_zero)


def compile_condition(condition: Condition) -> Compiled:
    """`ConditionRefused` or `BadReference` for what can't be asked."""
    if isinstance(condition, Comparison):
        return _comparison(condition)
    return _expression(condition)


def condition_text(condition: Condition) -> str:
    if isinstance(condition, Expression):
        return condition.expr
    return f"{written(condition.left)} {_SIGNS[condition.op]} {written(condition.right)}"


# ---- comparisons ---------------------------------------------------------------------------

_SIGNS = {"eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def _comparison(condition: Comparison) -> Compiled:
    sides = [condition.left, condition.right]
    for side in sides:
        _refuse_unreadable(side)
    references = tuple(found for found, _ in references_in(sides))
    text = condition_text(condition)
    sign = OPERATORS[condition.op]

    def evaluate(lookup: Lookup, null_is_zero: bool) -> bool:
        left, right = resolve(condition.left, lookup), resolve(condition.right, lookup)
        try:
            return compare(sign, left, right, null_is_zero=null_is_zero)
        except Undecidable as error:
            raise _undecidable(error, {"left": left, "right": right}, text) from None

    return Compiled(text, references, evaluate)


def _refuse_unreadable(value: JsonValue) -> None:
    match value:
        case str():
            parse(value)
        case list():
            for item in value:
                _refuse_unreadable(item)
        case dict():
            for item in value.values():
                _refuse_unreadable(item)
        case _:
            pass


# ---- expressions ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Source:
    text: str
    """CEL, with a variable for each reference: `r0` its value, `t0` its value written out."""
    references: tuple[Reference, ...]
    plain: Plain | None = None
    """Where it is no more than comparisons."""


def _expression(condition: Expression) -> Compiled:
    source = _translate(condition.expr)
    goes_through_lists = _MACRO.search(source.text) is not None

    def evaluate(lookup: Lookup, null_is_zero: bool) -> bool:
        values: dict[str, JsonValue] = {}
        for index, reference in enumerate(source.references):
            value = lookup(reference)
            values[f"r{index}"] = value
            values[f"t{index}"] = written(value)
        if source.plain is not None:
            return _decide_plainly(source.plain, values, condition.expr, null_is_zero)
        if goes_through_lists and _takes_long([values[f"r{n}"] for n in range(len(values) // 2)]):
            raise InvalidInput("condition_list_long", condition=condition.expr, limit=MOST_ITEMS)
        return _decide(source.text, values, condition.expr)

    return Compiled(condition.expr, source.references, evaluate)


def _takes_long(values: Sequence[JsonValue]) -> bool:
    """A macro goes through one of them, and may look at all others for each item."""
    sizes = sorted(len(each) for each in values if isinstance(each, list | dict | str))
    if not sizes:
        return False
    return sizes[-1] > MOST_ITEMS or sizes[-1] * sum(sizes[:-1]) > MOST_STEPS


@lru_cache(maxsize=1024)
def _translate(expr: str) -> _Source:
    if not expr.strip():
        raise ConditionRefused("expression_invalid", "–", 1)
    if len(expr) > MOST_CHARACTERS:
        raise ConditionRefused("expression_too_long", str(MOST_CHARACTERS))
    translated, references = _with_variables(expr)
    bare = re.sub(r"(?<!\\)(?:\"(?:\\.|[^\"\\])*+\"|'(?:\\.|[^'\\])*+')", "''", translated)
    if _depth(bare) > MOST_DEPTH:
        raise ConditionRefused("expression_too_long", str(MOST_DEPTH))
    if len(_MACRO.findall(bare)) > 1:
        raise ConditionRefused("expression_loops")
    names = frozenset(f"{kind}{n}" for n in range(len(references)) for kind in "rt")
    if (plain := read_plainly(translated, names)) is not None:
        return _Source(translated, references, plain)
    translated = _in_cel(translated)
    try:
        compile_program(translated)
    except (ValueError, TypeError, RuntimeError) as error:
        raise ConditionRefused("expression_invalid", _reason(error), _column(error)) from None
    return _Source(translated, references)


_WORDS = re.compile(QUOTED + r"|(?<![\w.])(?:and|or|not|True|False|None)(?!\w)")
_CEL = {"and": "&&", "or": "||", "not": "!", "True": "true", "False": "false", "None": "null"}


def _in_cel(expr: str) -> str:
    return _WORDS.sub(lambda found: _CEL.get(found[0], found[0]), expr)


def _with_variables(expr: str) -> tuple[str, tuple[Reference, ...]]:
    """References outside quotes become `r0`; a quoted text with some becomes a sum of texts."""
    references: list[Reference] = []
    out: list[str] = []
    position = 0
    while position < len(expr):
        character = expr[position]
        if character in "\"'":
            _refuse_other_quotes(expr, position)
            literal = _literal(expr, position)
            out.append(_quoted(literal, references))
            position += len(literal)
        elif expr.startswith("//", position):
            # A comment: between a dot and a name, it would hide a macro.
            end = expr.find("\n", position)
            position = len(expr) if end < 0 else end
        elif expr.startswith(OPENING, position):
            end = expr.find("}", position)
            if end < 0:
                raise BadReference(expr[position:])
            (reference,) = cast("tuple[Reference]", parse(expr[position : end + 1]))
            out.append(f"r{len(references)}")
            references.append(reference)
            position = end + 1
        else:
            out.append(character)
            position += 1
    return "".join(out), tuple(references)


def _refuse_other_quotes(expr: str, start: int) -> None:
    """In `r'…'` and three quotes, CEL ends a text elsewhere: a macro could hide behind that."""
    if (start > 0 and expr[start - 1] in "rRbB") or expr[start : start + 3] == expr[start] * 3:
        raise ConditionRefused("expression_invalid", expr[max(start - 1, 0) : start + 3], start + 1)


def _literal(expr: str, start: int) -> str:
    quote, position = expr[start], start + 1
    while position < len(expr):
        if expr[position] == "\\":
            position += 2
            continue
        if expr[position] == quote:
            return expr[start : position + 1]
        position += 1
    raise ConditionRefused("expression_invalid", quote, start + 1)


def _quoted(literal: str, references: list[Reference]) -> str:
    if OPENING not in literal:
        return literal
    quote = literal[0]
    pieces: list[str] = []
    for part in parse(literal[1:-1]):
        if isinstance(part, str):
            pieces.append(f"{quote}{part}{quote}")
        else:
            pieces.append(f"t{len(references)}")
            references.append(part)
    return f"({' + '.join(pieces)})"


def _depth(text: str) -> int:
    deepest = depth = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    return deepest


# ---- CEL -----------------------------------------------------------------------------------

_program = lru_cache(maxsize=1024)(compile_program)


def _decide(source: str, values: Mapping[str, JsonValue], text: str) -> bool:
    """Null counts as false: what was skipped has not happened."""
    given = {key: _number_safe(value) for key, value in values.items()}
    try:
        outcome: object = _program(source).execute(given)
    except (ValueError, TypeError, RuntimeError, ArithmeticError, LookupError) as error:
        raise _undecidable(error, values, text) from None
    if outcome is None or isinstance(outcome, bool):
        return bool(outcome)
    # Also a duration or a timestamp, which JSON does not have.
    raise InvalidInput("condition_not_boolean", condition=text, value=str(outcome)[:200])


def _decide_plainly(
    plain: Plain, values: Mapping[str, JsonValue], text: str, null_is_zero: bool
) -> bool:
    try:
        outcome = plain.ask(values, null_is_zero)
    except Undecidable as error:
        raise _undecidable(error, values, text) from None
    if not plain.is_question and not isinstance(outcome, bool):
        raise InvalidInput("condition_not_boolean", condition=text, value=str(outcome)[:200])
    return is_true(outcome)


def _undecidable(error: Exception, values: Mapping[str, JsonValue], text: str) -> InvalidInput:
    reason = UNCOMPARABLE if isinstance(error, Undecidable) else _reason(error)
    shown = {key: value for key, value in values.items() if key[0] != "t"}
    return InvalidInput(
        "condition_not_decidable", condition=text, reason=reason, details={"values": shown}
    )


UNCOMPARABLE = "No such overload"
"""As CEL says it."""


def _number_safe(value: JsonValue) -> JsonValue:
    """CEL's integers have 64 bits; larger ones are compared as floating numbers."""
    if isinstance(value, int) and not isinstance(value, bool) and value not in _INTEGERS:
        return float(value) if abs(value) < 10**308 else float("inf")
    return value


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return re.sub(r"^Failed to parse expression .*?: (?:ERROR: )?(?:<input>:\d+:\d+: )?", "", text)[
        :200
    ]


def _column(error: Exception) -> int:
    found = re.search(r"<input>:\d+:(\d+)", str(error))
    return int(found[1]) if found else 0
