"""Arithmetic on figures that were found, by code: no word of a model or a document is executed."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sanbo.agents.grace.arithmetic.expressions import (
    Call,
    Expression,
    Function,
    Negative,
    Number,
    Operation,
    Percent,
    StepFigure,
    call_written,
    parse,
)
from sanbo.agents.grace.arithmetic.figures import (
    MONEY,
    Figure,
    figure_of,
    figures_of,
    is_rounded,
    told,
)
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import InvalidOutput

__all__ = ["Worked", "compute", "figure_of", "figures_of", "parse", "work_out"]

# What overflows a float or vanishes in it is no figure that an office counts.
_LARGEST = Fraction(10) ** 300
_SIGNS = {"+": " + ", "-": " - ", "*": " × ", "/": " ÷ "}


@dataclass(frozen=True)
class Worked:
    value: float
    unit: str
    formula: str
    """12,000円 + 10,000円 = 22,000円"""


def compute(expression: str, values: Mapping[int, float]) -> float:
    """The value for mere numbers, by the ids of the steps that gave them."""
    known = {step: Figure(_exactly(value)) for step, value in values.items()}
    return _as_float(_value(parse(expression), known))


def work_out(expression: str, known: Mapping[int, Figure], language: Language) -> Worked:
    """The value with its unit, and how it came about; a problem where the units don't go."""
    parsed = parse(expression)
    result = _value(parsed, known)
    value = _as_float(result)  # before it is told: of what is beyond all bounds, nothing is
    equals = "≈" if is_rounded(result) else "="
    formula = f"{_written(parsed, known, language)} {equals} {told(result, language)}"
    return Worked(value, result.unit, formula)


def _exactly(value: float) -> Fraction:
    """0.1 as it is written, so that 0.1 + 0.2 is 0.3."""
    if not math.isfinite(value):
        raise InvalidOutput("grace_figure_not_finite")
    return Fraction(repr(value))


def _as_float(figure: Figure) -> float:
    if abs(figure.value) > _LARGEST or 0 < abs(figure.value) < 1 / _LARGEST:
        raise InvalidOutput("grace_figure_not_finite")
    return float(figure.value)


def _value(expression: Expression, known: Mapping[int, Figure]) -> Figure:
    match expression:
        case Number(value):
            return Figure(value)
        case StepFigure(step_id):
            if step_id not in known:
                raise InvalidOutput("grace_figure_missing", step=step_id)
            return known[step_id]
        case Negative(of):
            figure = _value(of, known)
            return Figure(-figure.value, figure.unit)
        case Percent(of):
            return Figure(_value(of, known).value / 100)
        case Operation(operator, left, right):
            return _operated(operator, _value(left, known), _value(right, known))
        case Call(function, arguments):
            return _called(function, [_value(each, known) for each in arguments])


def _operated(operator: str, left: Figure, right: Figure) -> Figure:
    if operator in "+-":
        unit = _same_unit((left, right))
        return Figure(left.value + (right.value if operator == "+" else -right.value), unit)
    if operator == "*":
        return _product(left, right)
    return _quotient(left, right)


def _same_unit(figures: Sequence[Figure]) -> str:
    """A mere number goes with any."""
    units = dict.fromkeys(figure.unit for figure in figures if figure.unit)
    if len(units) > 1:
        raise InvalidOutput("grace_units_differ", units=", ".join(units))
    return next(iter(units), "")


def _product(left: Figure, right: Figure) -> Figure:
    """12,000円 × 3泊 is money; 円 × 円 and 人 × 日 are nothing that an office counts."""
    for one, other in ((left, right), (right, left)):
        if one.unit == "%":
            return Figure(one.value / 100 * other.value, other.unit if other.unit != "%" else "")
    units = {left.unit, right.unit}
    money = units & MONEY
    if "" in units:
        unit = max(units)
    elif len(money) == 1 and len(units) == 2:
        unit = next(iter(money))
    else:
        raise InvalidOutput("grace_units_differ", units=", ".join(sorted(units)))
    return Figure(left.value * right.value, unit)


def _quotient(left: Figure, right: Figure) -> Figure:
    if right.value == 0:
        raise InvalidOutput("grace_division_by_zero")
    if right.unit == "%" and left.unit != "%":
        return Figure(left.value / (right.value / 100), left.unit)
    if left.unit == right.unit:
        return Figure(left.value / right.value)
    if not right.unit or (left.unit in MONEY and right.unit not in MONEY):
        return Figure(left.value / right.value, left.unit)
    raise InvalidOutput("grace_units_differ", units=f"{left.unit or '-'}, {right.unit}")


def _called(function: Function, figures: Sequence[Figure]) -> Figure:
    unit = _same_unit(figures)
    numbers = [figure.value for figure in figures]
    match function:
        case "sum":
            return Figure(sum(numbers, Fraction(0)), unit)
        case "mean":
            return Figure(sum(numbers, Fraction(0)) / len(numbers), unit)
        case "min":
            return Figure(min(numbers), unit)
        case "max":
            return Figure(max(numbers), unit)
        case "difference":
            return Figure(abs(numbers[0] - numbers[1]), unit)
        case "times" | "share":
            if numbers[1] == 0:
                raise InvalidOutput("grace_division_by_zero")
            ratio = numbers[0] / numbers[1]
            return Figure(ratio, "倍") if function == "times" else Figure(ratio * 100, "%")


# ---- how it is told ------------------------------------------------------------------------


def _written(expression: Expression, known: Mapping[int, Figure], language: Language) -> str:
    """With the figures in their places, as a person would write it down."""

    def inner(part: Expression) -> str:
        text = _written(part, known, language)
        return f"({text})" if isinstance(part, (Operation, Call, Negative)) else text

    match expression:
        case Number() | StepFigure():
            return told(_value(expression, known), language)
        case Negative(of):
            return f"-{inner(of)}"
        case Percent(of):
            return f"{inner(of)}%"
        case Operation("+", left, right):
            return f"{_written(left, known, language)} + {inner(right)}"
        case Operation(operator, left, right):
            return f"{inner(left)}{_SIGNS[operator]}{inner(right)}"
        case Call(function, arguments):
            if function == "difference":
                arguments = tuple(
                    sorted(arguments, key=lambda each: _value(each, known).value, reverse=True)
                )
            return call_written(function, [inner(each) for each in arguments])
