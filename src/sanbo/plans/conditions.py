"""Conditions: expressions over the values of references, which never become part of them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from pydantic import JsonValue

from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.model import Comparison, Condition, Expression
from sanbo.plans.references import (
    BadReference,
    Looked,
    Lookup,
    Reference,
    parse,
    references_in,
    references_of_tree,
    resolve,
    written,
)
from sanbo.runs.model import APPROVED
from sanbo.tables.expressions.evaluation import Expression as Asked
from sanbo.tables.expressions.operations import MOST_ITEMS, Failed, is_true, operate
from sanbo.tables.expressions.syntax import (
    Choice,
    ExpressionRefused,
    Given,
    Template,
    Tree,
    parts_of,
)
from sanbo.tables.expressions.syntax import parse as parse_expression


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
    """`ExpressionRefused` or `BadReference` for what can't be asked."""
    if isinstance(condition, Comparison):
        return _comparison(condition)
    return _expression(condition.expr)


def condition_text(condition: Condition) -> str:
    if isinstance(condition, Expression):
        return condition.expr
    return f"{written(condition.left)} {_SIGNS[condition.op]} {written(condition.right)}"


def condition_words(condition: Condition, language: Language | None = None) -> str:
    """In the reader's words where it asks for nothing but a person's approval; else as written."""
    try:
        compiled = compile_condition(condition)
        asked = frozenset(compiled.references)
        is_about_one = len(asked) == 1 and all(one.keys[-1:] == (APPROVED,) for one in asked)
        holds = [
            is_about_one and compiled.holds(lambda _, said=said: said) for said in (True, False)
        ]
    except (BadReference, ExpressionRefused, InvalidInput):  # told by validation
        return condition_text(condition)
    match holds:
        case [True, False]:
            return tell("plan_drawing.approved", language)
        case [False, True]:
            return tell("plan_drawing.not_approved", language)
        case _:
            return condition_text(condition)


# ---- comparisons ---------------------------------------------------------------------------

_SIGNS = {"eq": "==", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def _comparison(condition: Comparison) -> Compiled:
    sides = [condition.left, condition.right]
    for side in sides:
        _refuse_unreadable(side)
    references = tuple(found for found, _ in references_in(sides))
    text = condition_text(condition)
    sign = _SIGNS[condition.op]

    def evaluate(lookup: Lookup, null_is_zero: bool) -> bool:
        left, right = resolve(condition.left, lookup), resolve(condition.right, lookup)
        try:
            return is_true(operate(sign, left, right, null_is_zero=null_is_zero))
        except Failed as failed:
            raise _undecidable(failed, text, {"left": left, "right": right}) from None

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


@lru_cache(maxsize=1024)
def _expression(expr: str) -> Compiled:
    try:
        tree = parse_expression(expr)
    except ExpressionRefused as refused:
        if refused.reason == "$":  # `${` that is not closed
            raise BadReference(expr[refused.column - 1 :]) from None
        raise
    _refuse_bare_names(tree)
    references = references_of_tree(tree)
    asked = Asked(tree)

    def evaluate(lookup: Lookup, null_is_zero: bool) -> bool:
        try:
            outcome = asked.value(Looked(lookup), null_is_zero=null_is_zero)
        except Failed as failed:
            raise _undecidable(
                failed, expr, {each.text: lookup(each) for each in references}
            ) from None
        # Null counts as false: what was skipped has not happened.
        if outcome is None or isinstance(outcome, bool) or isinstance(tree, _COUNT_BY_TRUTH):
            return is_true(outcome)
        raise InvalidInput("condition_not_boolean", condition=expr, value=str(outcome)[:200])

    return Compiled(expr, references, evaluate)


_COUNT_BY_TRUTH = (Given, Template, Choice)
"""A value on its own; a sum is neither yes nor no."""


def _refuse_bare_names(tree: Tree) -> None:
    """Values are named by references in a condition: `read.count` is most likely a slip."""
    for part in parts_of(tree):
        if isinstance(part, Given) and part.root:
            raise ExpressionRefused("unknown_word", part.root, part.column, word=part.root)


def _undecidable(failed: Failed, text: str, values: dict[str, JsonValue]) -> InvalidInput:
    if failed.kind == "long":
        return InvalidInput("condition_list_long", condition=text, limit=MOST_ITEMS)
    return InvalidInput(
        "condition_not_decidable",
        condition=text,
        reason=str(failed),
        details={"values": values, "kind": failed.kind},
    )
