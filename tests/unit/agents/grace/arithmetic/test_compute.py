"""Arithmetic on figures found: exactly what is written, in units that go together."""

from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.grace.calculations import (
    DEEPEST,
    LONGEST,
    compute,
    parse,
    steps_of,
    with_numbers,
    work_out,
)
from sanbo.agents.grace.figures import Figure
from sanbo.kernel.problems import InvalidOutput
from tests.examples import examples

VALUES = {2: 12_000.0, 3: 10_000.0, 4: 0.5}


def counted(number: int, unit: str) -> Figure:
    return Figure(Fraction(number), unit)


def yen(amount: int) -> Figure:
    return counted(amount, "円")


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("#2 + #3", 22_000),
        ("#2 + #3 * 1.1", 23_000),
        ("(#2 + #3) * 2", 44_000),
        ("-#2 - -#3", -2_000),
        ("sum(#2, #3, 500)", 22_500),
        ("mean(#2, #3)", 11_000),
        ("min(#2, #3) / max(#2, #3)", 10 / 12),
        ("difference(#3, #2)", 2_000),
        ("times(#2, #3)", 1.2),
        ("share(#3, #2)", 10_000 / 12_000 * 100),
        ("#2 * 10%", 1_200),
        ("＃２　＋　＃３", 22_000),
        ("#2 × 3 ÷ 2", 18_000),
        ("0.1 + 0.2", 0.3),
    ],
)
def test_an_expression_is_worked_out(expression: str, value: float) -> None:
    assert compute(expression, VALUES) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    "expression",
    [
        "", " ", "#2 +", "+ #2", "#2 #3", "(#2", "#2)", "()", "sum()", "sum(#2,)", "sum #2", "#",
        "#a",
        "pow(2, 3)", "2 ** 3", "__import__('os')", "#2.value", "lambda: 1", "1; 2", "1e5", "2 // 3",
        "difference(#2)", "times(1, 2, 3)", "#2 = 3", "“#2”", "1" * 16, "x", "#1234567", "%5",
        "1" + " + 1" * LONGEST, "(" * (DEEPEST + 1) + "1" + ")" * (DEEPEST + 1), "-" * 30 + "1",
        f"sum({','.join('1' * 25)})",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_and_never_executed(expression: str) -> None:
    with pytest.raises(InvalidOutput) as problem:
        compute(expression, VALUES)
    assert problem.value.problem.text_id == "grace_expression_invalid"


@settings(max_examples=examples(60))
@given(st.text(max_size=60) | st.text(alphabet="#123 +-*/%(),.summeanx", max_size=40))
def test_any_text_is_an_expression_or_a_problem(text: str) -> None:
    with suppress(InvalidOutput):
        assert isinstance(compute(text, VALUES), float)


@pytest.mark.parametrize(
    ("expression", "text_id"),
    [
        ("#2 / 0", "grace_division_by_zero"),
        ("times(1, #3 - #3)", "grace_division_by_zero"),
        ("#2 + #9", "grace_figure_missing"),
        (" * ".join(["999999999999999"] * 17), "grace_expression_invalid"),
    ],
)
def test_what_can_t_be_worked_out_is_a_problem(expression: str, text_id: str) -> None:
    with pytest.raises(InvalidOutput) as problem:
        compute(expression, VALUES)
    assert problem.value.problem.text_id in {text_id, "grace_figure_not_finite"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf")])
def test_a_figure_that_is_no_number_is_a_problem(value: float) -> None:
    with pytest.raises(InvalidOutput):
        compute("#2", {2: value})


def test_a_result_that_no_number_can_hold_is_a_problem() -> None:
    with pytest.raises(InvalidOutput) as problem:
        compute("#2 * #2", {2: 1e200})
    assert problem.value.problem.text_id == "grace_figure_not_finite"


@dataclass(frozen=True)
class Spelt:
    text: str
    value: Fraction | None
    """What Python makes of it; None where that divides by zero."""


def _number(number: int | Decimal) -> Spelt:
    return Spelt(str(number), Fraction(number))


def _signed(sign: str, left: Spelt, right: Spelt) -> Spelt:
    text = f"({left.text} {sign} {right.text})"
    one, other = left.value, right.value
    if one is None or other is None or (sign == "/" and other == 0):
        return Spelt(text, None)
    results = {"+": one + other, "-": one - other, "*": one * other}
    return Spelt(text, one / other if sign == "/" else results[sign])


def _called(name: str, parts: list[Spelt]) -> Spelt:
    text = f"{name}({', '.join(part.text for part in parts)})"
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(parts):
        return Spelt(text, None)
    total = sum(values, Fraction(0))
    results = {"sum": total, "mean": total / len(values), "min": min(values), "max": max(values)}
    return Spelt(text, results[name])


_SPELT = st.recursive(
    (st.integers(0, 10_000) | st.decimals(0, 1_000, places=2)).map(_number),
    lambda inner: (
        st.builds(_signed, st.sampled_from("+-*/"), inner, inner)
        | st.builds(
            _called,
            st.sampled_from(["sum", "mean", "min", "max"]),
            st.lists(inner, min_size=1, max_size=3),
        )
    ),
    max_leaves=6,
)


@settings(max_examples=examples(60))
@given(_SPELT)
def test_the_result_is_that_of_python_s_own_arithmetic(spelt: Spelt) -> None:
    if spelt.value is None:
        with pytest.raises(InvalidOutput):
            compute(spelt.text, {})
    else:
        assert compute(spelt.text, {}) == pytest.approx(float(spelt.value), rel=1e-9, abs=1e-12)


def test_steps_keep_their_figures_when_they_get_other_numbers() -> None:
    moved = with_numbers("#2 + #3 * #23", {2: 3, 3: 7})
    assert moved == "#3 + #7 * #23"
    assert list(steps_of(parse(moved))) == [3, 7, 23]


# ---- units ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("expression", "formula"),
    [
        ("#2 + #3", "12,000円 + 10,000円 = 22,000円"),
        ("difference(#3, #2)", "12,000円 - 10,000円 = 2,000円"),
        ("mean(#2, #3)", "(12,000円 + 10,000円) ÷ 2 = 11,000円"),
        ("times(#2, #3)", "12,000円 ÷ 10,000円 = 1.2倍"),
        ("share(#3, #2)", "10,000円 ÷ 12,000円 × 100 ≈ 83.33%"),
        ("#2 * #4", "12,000円 × 3泊 = 36,000円"),
        ("#2 * #5", "12,000円 × 10% = 1,200円"),
        ("#2 - (#3 + 500)", "12,000円 - (10,000円 + 500) = 1,500円"),
    ],
)
def test_the_result_has_its_unit_and_says_how_it_came_about(expression: str, formula: str) -> None:
    known = {
        2: yen(12_000),
        3: yen(10_000),
        4: Figure(Fraction(3), "泊"),
        5: Figure(Fraction(10), "%"),
    }
    assert work_out(expression, known, "ja").formula == formula


def test_units_are_told_in_the_language_of_the_run() -> None:
    known = {
        1: Figure(Fraction(10), "日"),
        2: Figure(Fraction(5), "日"),
        3: Figure(Fraction(9), "$"),
    }
    assert work_out("#1 + #2", known, "en").formula == "10 days + 5 days = 15 days"
    assert work_out("#3 * 2", known, "en").formula == "$9 × 2 = $18"


@pytest.mark.parametrize("expression", ["#1 + #2", "sum(#1, #2)", "#2 - #1", "#2 * #3", "#2 / #1"])
def test_money_and_people_can_t_be_added_up(expression: str) -> None:
    known = {1: yen(500), 2: counted(3, "人"), 3: counted(2, "日")}
    with pytest.raises(InvalidOutput) as problem:
        work_out(expression, known, "ja")
    assert problem.value.problem.text_id == "grace_units_differ"


@pytest.mark.parametrize(
    "expression",
    ["*".join(["#1"] * 90), "1 / (" + "*".join(["#1"] * 90) + ")", "1" + "%" * 290],
    ids=["too large", "too small", "percent of percent"],
)
def test_what_grows_or_shrinks_beyond_all_bounds_is_a_problem(expression: str) -> None:
    known = {1: Figure(Fraction("999999999999999.5"))}
    with pytest.raises(InvalidOutput):
        work_out(expression, known, "ja")
    with pytest.raises(InvalidOutput):
        compute(expression, {1: 999999999999999.5})
