import pytest
from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput
from sanbo.plans.conditions import compile_condition, condition_words
from sanbo.plans.model import Comparison, Expression
from sanbo.plans.references import BadReference, Reference, walk
from sanbo.tables.expressions.syntax import ExpressionRefused

VALUES: dict[str, JsonValue] = {
    "a": {"n": 3, "x": 2.5, "t": "請求", "none": None, "yes": True, "list": [1, 2, 3]},
    "quote": {"t": "' || true || '"},
    "some": {"list": list(range(5_000))},
    "big": {"n": 10**30, "list": list(range(20_000))},
}


def _lookup(reference: Reference) -> JsonValue:
    return walk(VALUES[reference.root], reference.keys)


def _holds(expr: str) -> bool:
    return compile_condition(Expression(expr=expr)).holds(_lookup)


@pytest.mark.parametrize(
    ("expr", "outcome"),
    [
        ("${a.n} > 2", True),
        ("${a.x} < 2", False),
        ("${a.n} == 3.0", True),
        ("${a.list.length} > 0 && ${a.yes}", True),
        ("${a.none} != null", False),
        ("${a.none}", False),
        ("!${a.yes}", False),
        ("${a.t} == '請求'", True),
        ("'${a.t}書' == '請求書'", True),
        ('"${a.n}" == "3"', True),
        ("${a.t} in ['請求', '入金']", True),
        ("${a.list}.exists(x, x > 2)", True),
        ("size(${a.list}) == 3", True),
        ("${a.none} == null || ${a.none} > 1", True),
        ("${big.n} > 5", True),
        ("${a.n} > 2 and not ${a.none}", True),
        ("${a.none} == None or ${a.none} > 1", True),
        ("${a.none} > 1", False),
        ("${a.none} <= 1", False),
        ("${a.n}", True),
        ("not ${a.n} == 3", False),
        ("${a.yes} == True and ${a.t} != 'and not'", True),
        ("size(${a.list}) == 3 and not false", True),
        ("${a.yes} == 1", False),
        ("${= size(a.list) * 1.1} == 3.3", True),
        ("${= a.none}", False),
        ("${a.x} + 0.1 == 2.6", True),
    ],
)
def test_expressions_decide(expr: str, outcome: bool) -> None:
    assert _holds(expr) is outcome


@pytest.mark.parametrize(
    ("left", "op", "right", "outcome"),
    [
        ("${a.n}", "gt", 2, True),
        ("${a.n}", "lte", 2, False),
        ("${a.t}", "eq", "請求", True),
        ("${a.t}", "ne", "入金", True),
        ("${a.none}", "eq", None, True),
        ("${a.n}", "gte", "${a.x}", True),
        (1, "lt", "${a.x}", True),
    ],
)
def test_comparisons_decide(left: JsonValue, op: str, right: JsonValue, outcome: bool) -> None:
    condition = Comparison.model_validate({"left": left, "op": op, "right": right})
    assert compile_condition(condition).holds(_lookup) is outcome


def test_a_value_never_becomes_part_of_the_expression() -> None:
    assert _holds("${quote.t} == 'x'") is False
    assert _holds("'${quote.t}' == 'x'") is False


@pytest.mark.parametrize(
    ("expr", "code"),
    [
        ("1 +", "expression_invalid"),
        ("unknown_name > 3", "unknown_word"),
        ("", "expression_invalid"),
        ("'not closed", "expression_invalid"),
        ("${a.list}.map(x, ${a.list}.map(y, x + y)).size() > 0", "expression_loops"),
        ("[1].all(x, [2].exists (y, y > x))", "expression_loops"),
        ("[1].//\nall(x, [2].//\nexists(y, y > x))", "expression_loops"),
        (r"r'\' != '' || [1].all(x, [2].all(y, true))", "expression_invalid"),
        ("'''a''' == 'a'", "expression_invalid"),
        ("true || " * 300 + "true", "expression_too_long"),
        ("(" * 60 + "true" + ")" * 60, "expression_too_long"),
    ],
)
def test_what_can_not_be_asked_is_refused(expr: str, code: str) -> None:
    with pytest.raises(ExpressionRefused) as refused:
        compile_condition(Expression(expr=expr))
    assert refused.value.code == code


def test_a_reference_that_can_not_be_read_is_refused() -> None:
    with pytest.raises(BadReference):
        compile_condition(Expression(expr="${a. > 1"))


@pytest.mark.parametrize(
    ("expr", "text_id"),
    [
        ("${a.t} > 3", "condition_not_decidable"),
        ("${a.n} + 1", "condition_not_boolean"),
        ("${big.list}.exists(x, x > 2)", "condition_list_long"),
        ("${some.list}.all(x, x in ${some.list})", "condition_list_long"),
    ],
)
def test_what_the_values_do_not_allow_is_a_problem(expr: str, text_id: str) -> None:
    with pytest.raises(InvalidInput) as problem:
        _holds(expr)
    assert problem.value.problem.text_id == text_id


@pytest.mark.parametrize(
    ("expr", "words"),
    [
        ("${approve.approved} == true", "承認された場合"),
        ("${approve.approved}", "承認された場合"),
        ("not ${approve.approved}", "承認されなかった場合"),
        ("${approve.approved} != true", "承認されなかった場合"),
        ("${approve.approved} == null", "${approve.approved} == null"),
        ("${a.approved} && ${b.approved}", "${a.approved} && ${b.approved}"),
        ("${read.count} > 0", "${read.count} > 0"),
        ("${approve.approved} ==", "${approve.approved} =="),
    ],
)
def test_a_condition_of_approval_alone_is_said_in_words(expr: str, words: str) -> None:
    assert condition_words(Expression(expr=expr), "ja") == words


def test_a_comparison_with_an_approval_is_said_in_words() -> None:
    condition = Comparison(left="${approve.approved}", op="eq", right=True)
    assert condition_words(condition, "en") == "approved"
