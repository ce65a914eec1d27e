"""What a computation is written in: figures of steps (`#2`), arithmetic, a few functions."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, cast, get_args

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
