"""Calculations: what they are written in (figures of steps as `#2`, arithmetic, a few functions),
and working them out by code: no word of a model or a document is executed.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast, get_args

from sanbo.agents.grace.figures import MONEY, Figure, is_rounded, told
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import InvalidOutput

LONGEST = 300
DEEPEST = 20
"""Parentheses and signs within each other."""
MOST_ARGUMENTS = 20

Operator = Literal["+", "-", "*", "/"]
Function = Literal["sum", "mean", "min", "max", "difference", "times", "share"]
"""`difference`: never negative. `times`: 3 for 30 and 10. `share`: in percent of the second."""
_OF_TWO = frozenset({"difference", "times", "share"})
_TOKEN = re.compile(
    r"\s{0,99}+(?:(?P<number>[0-9]{1,15}(?:\.[0-9]{1,9})?)|(?P<step>#[0-9]{1,6})|(?P<name>[a-z]{1,12})"
    r"|(?P<mark>[-+*/%(),]))",
    re.ASCII,
)
_STEP = re.compile("[#＃]([0-9０-９]{1,6})")
_MARKS = str.maketrans({"×": "*", "÷": "/", "−": "-", "–": "-", "、": ","})


@dataclass(frozen=True)
class Number:
    value: Fraction


@dataclass(frozen=True)
class StepFigure:
    step_id: int


@dataclass(frozen=True)
class Negative:
    of: "Expression"


@dataclass(frozen=True)
class Percent:
    """10% in what is written is a tenth."""

    of: "Expression"


@dataclass(frozen=True)
class Operation:
    operator: Operator
    left: "Expression"
    right: "Expression"


@dataclass(frozen=True)
class Call:
    function: Function
    arguments: "tuple[Expression, ...]"


Expression = Number | StepFigure | Negative | Percent | Operation | Call


def parse(text: str) -> Expression:
    """Raises `grace_expression_invalid` for all that is not exactly such an expression."""
    if len(text) > LONGEST:
        raise _invalid(text[:LONGEST])
    form = unicodedata.normalize("NFKC", text).translate(_MARKS).lower().strip()
    return _Parser(form).whole()


def steps_of(expression: Expression) -> Iterator[int]:
    """The steps whose figures it needs; one may come more than once."""
    match expression:
        case StepFigure(step_id):
            yield step_id
        case Negative(of) | Percent(of):
            yield from steps_of(of)
        case Operation(_, left, right):
            yield from steps_of(left)
            yield from steps_of(right)
        case Call(_, arguments):
            for argument in arguments:
                yield from steps_of(argument)
        case Number():
            return


def with_numbers(text: str, numbers: Mapping[int, int]) -> str:
    """The same over steps that have got other numbers; in one pass, so that none moves twice."""
    return _STEP.sub(lambda found: f"#{numbers.get(int(found[1]), int(found[1]))}", text)


def call_written(function: Function, texts: Sequence[str]) -> str:
    """As a person writes it down, with the figures or the steps in their places."""
    match function:
        case "sum":
            return " + ".join(texts)
        case "mean":
            return f"({' + '.join(texts)}) ÷ {len(texts)}"
        case "difference":
            return " - ".join(texts)
        case "times":
            return " ÷ ".join(texts)
        case "share":
            return f"{texts[0]} ÷ {texts[1]} × 100"
        case "min" | "max":
            return f"{function}({', '.join(texts)})"


def _invalid(text: str) -> InvalidOutput:
    return InvalidOutput("grace_expression_invalid", expression=text)


class _Parser:
    """By recursive descent: a sum of products of signed figures."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = list(self._read())
        self._at = 0
        self._depth = 0

    def _read(self) -> Iterator[tuple[str, str]]:
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            if found is None or found.lastgroup is None:
                raise _invalid(self._text)
            yield found.lastgroup, found[found.lastgroup]
            at = found.end()

    def whole(self) -> Expression:
        expression = self._sum()
        if self._at < len(self._tokens):
            raise _invalid(self._text)
        return expression

    def _sum(self) -> Expression:
        self._depth += 1
        if self._depth > DEEPEST:
            raise _invalid(self._text)
        left = self._product()
        while self._next_is("+", "-"):
            operator = cast("Operator", self._taken())
            left = Operation(operator, left, self._product())
        self._depth -= 1
        return left

    def _product(self) -> Expression:
        left = self._signed()
        while self._next_is("*", "/"):
            operator = cast("Operator", self._taken())
            left = Operation(operator, left, self._signed())
        return left

    def _signed(self) -> Expression:
        if not self._next_is("-"):
            return self._percent()
        self._taken()
        self._depth += 1
        if self._depth > DEEPEST:
            raise _invalid(self._text)
        negative = Negative(self._signed())
        self._depth -= 1
        return negative

    def _percent(self) -> Expression:
        figure = self._figure()
        while self._next_is("%"):
            self._taken()
            figure = Percent(figure)
        return figure

    def _figure(self) -> Expression:
        if self._at >= len(self._tokens):
            raise _invalid(self._text)
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return Number(Fraction(text))
        if kind == "step":
            return StepFigure(int(text[1:]))
        if kind == "name" and text in get_args(Function):
            self._expect("(")
            return self._call(cast("Function", text))
        if text == "(":
            inner = self._sum()
            self._expect(")")
            return inner
        raise _invalid(self._text)

    def _call(self, function: Function) -> Call:
        arguments = [self._sum()]
        while self._next_is(","):
            self._taken()
            arguments.append(self._sum())
        self._expect(")")
        if len(arguments) > MOST_ARGUMENTS or (function in _OF_TWO and len(arguments) != 2):
            raise _invalid(self._text)
        return Call(function, tuple(arguments))

    def _next_is(self, *marks: str) -> bool:
        return self._at < len(self._tokens) and self._tokens[self._at][1] in marks

    def _taken(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1][1]

    def _expect(self, mark: str) -> None:
        if not self._next_is(mark):
            raise _invalid(self._text)
        self._taken()


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
