"""Conditions: whether they can be read, and whether the kinds they compare go together."""

import re
from collections.abc import Iterator
from itertools import islice, product

from pydantic import JsonValue

from sanbo.blocks.contract.schema_failures import type_words
from sanbo.blocks.spec import Schema
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.conditions import Compiled, compile_condition
from sanbo.plans.model import Comparison, Condition, Expression
from sanbo.plans.references import BadExpression, BadReference, Key, Reference
from sanbo.plans.validating.references import check_reference, check_references, tell_refused
from sanbo.plans.validating.schemas import KINDS, kinds_of, without_null
from sanbo.plans.validating.site import Site
from sanbo.tables.expressions.syntax import ExpressionRefused

_MOST_TRIES = 64
_ORDERED = ("gt", "gte", "lt", "lte")


def check_condition(condition: Condition, site: Site, *below: Key) -> None:
    if isinstance(condition, Comparison):
        check_references(condition.left, site, *below, "left")
        check_references(condition.right, site, *below, "right")
        _check_comparison(condition, site, below)
        return
    try:
        compiled = compile_condition(condition)
    except BadExpression as error:
        position = condition.expr.find(error.text) + error.position
        tell_refused(error.refused, position, site, *below, "expr")
        return
    except BadReference as error:
        site.error("bad_reference", *below, "expr", text=error.text)
        return
    except ExpressionRefused as refused:
        tell_refused(refused, refused.column - 1, site, *below, "expr")
        return
    for reference in dict.fromkeys(compiled.references):
        check_reference(reference, site, *below, "expr")
    _check_expression(condition, compiled, site, below)


# ---- comparisons ---------------------------------------------------------------------------


def _check_comparison(condition: Comparison, site: Site, below: tuple[Key, ...]) -> None:
    left, right = (
        without_null(site.scope.type_of(side)) for side in (condition.left, condition.right)
    )
    _check_pair(condition.op in _ORDERED, left, right, site, (*below, "op"))


def _check_pair(
    is_ordered: bool, left: Schema, right: Schema, site: Site, below: tuple[Key, ...]
) -> None:
    one, other = (_plain_kinds(schema) for schema in (left, right))
    words = {"left": type_words(left), "right": type_words(right)}
    if is_ordered:
        orderable = {"number", "string"}
        if not (one & other & orderable):
            site.error("not_comparable", *below, **words)
    elif not one & other and "null" not in one | other:
        site.warn("never_equal", *below, **words)


def _plain_kinds(schema: Schema) -> frozenset[str]:
    """Without the difference between whole and other numbers."""
    return frozenset("number" if kind == "integer" else kind for kind in kinds_of(schema))


# ---- expressions ---------------------------------------------------------------------------


def _check_expression(
    condition: Expression, compiled: Compiled, site: Site, below: tuple[Key, ...]
) -> None:
    """Asked with values of the kinds that are known: what can't be decided then, never can."""
    where = (*below, "expr")
    types = {each: site.scope.type_of_reference(each) for each in compiled.references}
    for reason in _refusals(compiled, types):
        if reason in _OF_KINDS:
            kinds = ", ".join(
                f"{each.text}: {type_words(without_null(schema))}" for each, schema in types.items()
            )
            site.error("condition_types", *where, condition=condition.expr, kinds=kinds or "–")
            return
        if reason == _NOT_BOOLEAN:
            site.error("condition_not_a_question", *where, condition=condition.expr)
            return
    _check_equalities(condition, site, where)


_NOT_BOOLEAN = "not boolean"
_OF_KINDS = frozenset({"kinds", "no_number", "no_text", "no_list", "no_size", "no_member"})
"""Reasons that other values of the same kinds would not take away."""


def _refusals(compiled: Compiled, types: dict[Reference, Schema]) -> Iterator[str]:
    """Why it can't be decided; nothing where a kind is not known, or one way can be decided."""
    samples = {each: _samples(schema) for each, schema in types.items()}
    if not all(samples.values()):
        return
    reasons: list[str] = []
    for values in islice(product(*samples.values()), _MOST_TRIES):
        given = dict(zip(samples, values, strict=True))
        try:
            compiled.holds(given.__getitem__)
        except InvalidInput as error:
            if error.problem.text_id == "condition_not_boolean":
                reasons.append(_NOT_BOOLEAN)
            else:
                reasons.append(str((error.problem.details or {}).get("kind", "")))
    yield from dict.fromkeys(reasons)


_SAMPLES: dict[str, list[JsonValue]] = {
    "string": ["a", ""],
    "number": [1, 0],
    "boolean": [True, False],
    "array": [[]],
    "object": [{}],
    "null": [None],
}


def _samples(schema: Schema) -> list[JsonValue]:
    kinds = _plain_kinds(without_null(schema))
    if kinds == _plain_kinds({}) or len(kinds) != 1:
        return []
    return _SAMPLES[next(iter(kinds))]


_EQUALITY = re.compile(
    r"""(?P<reference>\$\{(?:[^}$]|\$(?!\{))*+\})\s*+(?:==|!=)\s*+
        (?P<literal>"[^"$]*"|'[^'$]*'|-?\d+(?:\.\d+)?|true|false)(?=\s*(?:$|&&|\|\||\)|\?))""",
    re.VERBOSE,
)


def _check_equalities(condition: Expression, site: Site, where: tuple[Key, ...]) -> None:
    """`${a.count} == "3"` is never true, and no error either."""
    for found in _EQUALITY.finditer(condition.expr):
        left = without_null(site.scope.type_of(found["reference"]))
        literal = found["literal"]
        if literal[0] in "\"'":
            right: Schema = {"type": "string"}
        else:
            right = {"type": "boolean" if literal in ("true", "false") else "number"}
        if kinds_of(left) != KINDS:
            _check_pair(False, left, right, site, where)
