"""Expressions: what the reference promises, exact numbers, and refusals with their place."""

import json
import re
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from sanbo.plans.references import walk
from sanbo.tables.expressions.evaluation import Expression
from sanbo.tables.expressions.operations import FUNCTIONS, Failed
from sanbo.tables.expressions.syntax import ExpressionRefused, Given, Template, parse

REFERENCE = Path(__file__).parents[3] / "docs" / "reference" / "expressions.md"
VALUES: dict[str, JsonValue] = {
    "a": {"total": 100, "rate": 1.1, "none": None, "rows": [{"x": 1.1}, {"x": 2.2}], "t": "1,000"},
    "集計": {"合計": 3},
}


class _Names:
    def value(self, given: Given, /) -> JsonValue:
        return walk(VALUES[given.root], given.keys)

    def written(self, template: Template, /) -> str:
        return template.text


def _value(text: str) -> JsonValue:
    return Expression(parse(text)).value(_Names())


def _documented() -> list[tuple[str, str, JsonValue]]:
    row = r"(?m)^\| `(\w+)\([^|]*?(?:\\\|[^|]*?)*\| `(.+?)`(?: \([^|]*\))? \| `(.+)` \|$"
    rows = re.findall(row, REFERENCE.read_text("utf-8"))
    return [(name, example, json.loads(gives)) for name, example, gives in rows]


def test_every_function_is_documented_with_an_example_that_is_true() -> None:
    documented = _documented()
    assert {name for name, _, _ in documented} == FUNCTIONS.keys()
    for _, example, gives in documented:
        assert _value(example) == gives, example
    text = REFERENCE.read_text("utf-8").replace("\\|", "|")
    assert [each.usage for each in FUNCTIONS.values() if f"`{each.usage}`" not in text] == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a.total * a.rate", 110),
        ("0.1 + 0.2", 0.3),
        ("1 / 3 * 3", 1),
        ("7 / 2", 3.5),
        ("2 + 3 * 4 - -1", 15),
        ("a.rows.map(r, r.x * 3).sum()", 9.9),
        ("集計.合計 + 1", 4),
        ("a.rows[-1].x", 2.2),
        ("a.rows.filter(r, r.x > 2).size()", 1),
        ("a.none == null ? 'なし' : 'あり'", "なし"),
        ("{'n': a.none}.n.anything", None),
        ("not 1 == 2 and 3 not in [1, 2]", True),
        ("{'k': [a.total]}.k[0]", 100),
        ("a.none > 1 || a.none <= 1", False),
        ("number(a.t) * 1.08", 1080),
        ("1 // a comment", 1),
    ],
)
def test_expressions_give(text: str, value: JsonValue) -> None:
    found = _value(text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "code", "column"),
    [
        ("a.total *", "expression_invalid", 10),
        ("a.total ** 2", "expression_invalid", 10),
        ("rund(a.total)", "unknown_function", 1),
        ("1 + round()", "wrong_arguments", 5),
        ("a.rows.map(r, a.rows.map(s, s))", "expression_loops", 22),
        ("'open", "expression_invalid", 1),
        ("a; b", "expression_invalid", 2),
        ("(" * 60 + "1" + ")" * 60, "expression_too_long", 0),
        ("-" * 60 + "1", "expression_too_long", 0),
        ("1" * 2001, "expression_too_long", 0),
        ("__import__('os')", "unknown_function", 1),
    ],
)
def test_what_is_no_expression_is_refused_with_its_place(text: str, code: str, column: int) -> None:
    with pytest.raises(ExpressionRefused) as refused:
        parse(text)
    assert (refused.value.code, refused.value.column) == (code, column)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a.none + 1", "empty"),
        ("a.t * 2", "kinds"),
        ("a.total > 'x'", "kinds"),
        ("1 / (a.total - 100)", "zero"),
        ("number('未定')", "unreadable"),
        ("addDays('未定', 1)", "no_day"),
        ("a.total.trim().x", "no_member"),
        ("sum('1')", "no_number"),
        ("a.total.map(x, x)", "no_list"),
        ("round(1.5, 0.5)", "no_whole"),
        ("[1]['x']", "no_place"),
        ("addDays('2026-05-31', 99999999999)", "large"),
        (" * ".join(["1e300"] * 3), "large"),
        ("padLeft('1', 1000000)", "long"),
    ],
)
def test_what_the_values_do_not_allow_fails_with_its_reason(text: str, kind: str) -> None:
    with pytest.raises(Failed) as failed:
        _value(text)
    assert failed.value.kind == kind
    assert str(failed.value)


@given(st.text(max_size=60))
def test_any_text_is_an_expression_or_refused(text: str) -> None:
    with suppress(ExpressionRefused):
        parse(text)


_AMOUNTS = st.decimals(-(10**9), 10**9, places=3)


@given(_AMOUNTS, _AMOUNTS, _AMOUNTS)
def test_sums_and_products_are_exact(one: Decimal, two: Decimal, three: Decimal) -> None:
    wanted = (Fraction(one) + Fraction(two)) * Fraction(three)
    found = _value(f"({one} + {two}) * {three}")
    assert isinstance(found, int | float)
    assert found == float(wanted)
