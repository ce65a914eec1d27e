"""Figures of a group of rows: totals, averages, counts, as a plan names them."""

import re
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Literal, get_args

from pydantic import AliasChoices, Field, JsonValue

from sanbo.blocks.transforms.comparing import key_of
from sanbo.blocks.transforms.options import Option, read_as
from sanbo.blocks.transforms.written import as_boolean, as_number, is_blank, text_of
from sanbo.kernel.problems import InvalidInput

Op = Literal[
    "sum",
    "count",
    "count_all",
    "count_distinct",
    "avg",
    "min",
    "max",
    "median",
    "std",
    "var",
    "first",
    "last",
    "list",
    "unique",
    "join",
    "any",
    "all",
]
OPS: tuple[Op, ...] = get_args(Op)
_SPELLINGS: Mapping[str, Op] = {
    "total": "sum",
    "size": "count_all",
    "nunique": "count_distinct",
    "distinct": "count_distinct",
    "mean": "avg",
    "average": "avg",
    "stdev": "std",
    "stddev": "std",
    "variance": "var",
    "collect": "list",
    "set": "unique",
    "concat": "join",
}
_CALL = re.compile(r"\s*+(\w++)\s*+\((.*)\)\s*+")
_SEPARATOR = "、"
# Sums of amounts must not depend on the order of rows, nor give 0.30000000000000004.
_EXACT = Context(prec=100)


@dataclass(frozen=True)
class Figure:
    name: str
    op: Op
    field: str = ""
    """Empty only in a count of rows."""
    separator: str = _SEPARATOR


class _Written(Option):
    field: str = Field(default="", validation_alias=AliasChoices("field", "column"))
    op: str = Field(
        default="", validation_alias=AliasChoices("op", "agg", "func", "function", "operation")
    )
    as_: str = Field(default="", validation_alias=AliasChoices("as", "name", "alias"))
    separator: str = _SEPARATOR


def read_aggregations(given: JsonValue) -> list[Figure]:
    """Without any, the rows are counted."""
    if given is None or given in ([], {}):
        return [Figure("count", "count_all")]
    if isinstance(given, dict):
        return [figure for name, one in given.items() for figure in _named(name, one)]
    entries = given if isinstance(given, list) else [given]
    return [_figure(read_as(_Written, one, "aggregations")) for one in entries]


def _named(name: str, given: JsonValue) -> list[Figure]:
    """`合計: {field: 金額, op: sum}`, `合計: sum(金額)`, `金額: sum`, `金額: [sum, avg]`."""
    if isinstance(given, dict):
        written = read_as(_Written, given, f"aggregations.{name}")
        return [_figure(written.model_copy(update={"as_": written.as_ or name}))]
    if isinstance(given, list):
        ops = read_as(list[str], given, f"aggregations.{name}")
        return [_figure(_Written(field=name, op=op, as_=f"{name}_{op}")) for op in ops]
    word = read_as(str, given, f"aggregations.{name}")
    if found := _CALL.fullmatch(word):
        field = "" if (inside := found[2].strip()) == "*" else inside
        return [_figure(_Written(field=field, op=found[1], as_=name))]
    return [_figure(_Written(field=name, op=word, as_=name))]


def _figure(written: _Written) -> Figure:
    op = _op(written.op)
    if op == "count" and not written.field:
        op = "count_all"
    if op == "count_all":
        return Figure(written.as_ or written.field or "count", op)
    if not written.field:
        raise InvalidInput("transform_aggregation_field", op=op)
    return Figure(written.as_ or f"{written.field}_{op}", op, written.field, written.separator)


def _op(word: str) -> Op:
    plain = word.strip().lower()
    found = _SPELLINGS.get(plain, plain)
    for known in OPS:
        if found == known:
            return known
    raise InvalidInput("transform_aggregation_unknown", given=word, known=", ".join(OPS))


def figure_of(figure: Figure, values: Sequence[JsonValue]) -> tuple[JsonValue, list[int]]:
    """The figure, and the places of values that should be numbers and are not."""
    if figure.op == "count_all":
        return len(values), []
    if figure.op in _OF_NUMBERS:
        return _of_numbers(figure.op, values)
    filled = [value for value in values if not is_blank(value)]
    if figure.op == "join":
        return figure.separator.join(text_of(value) for value in filled), []
    return _OF_VALUES[figure.op](filled), []


def _of_numbers(op: Op, values: Sequence[JsonValue]) -> tuple[JsonValue, list[int]]:
    numbers: list[int | float] = []
    odd: list[int] = []
    for place, value in enumerate(values):
        number = as_number(value)
        if number is not None:
            numbers.append(number)
        elif not is_blank(value):
            odd.append(place)
    if op == "sum":
        return exact_sum(numbers), odd
    return (_OF_NUMBERS[op](numbers) if numbers else None), odd


def exact_sum(numbers: Sequence[int | float]) -> int | float:
    """As on paper: 0.1 + 0.2 is 0.3."""
    if all(isinstance(number, int) for number in numbers):
        return sum(numbers)
    return float(_total(numbers))


def exact_mean(numbers: Sequence[int | float]) -> int | float:
    with localcontext(_EXACT):
        mean = _total(numbers) / len(numbers)
    return int(mean) if mean == mean.to_integral_value() else float(mean)


def _total(numbers: Sequence[int | float]) -> Decimal:
    with localcontext(_EXACT):
        return sum((Decimal(repr(number)) for number in numbers), Decimal(0))


def _std(numbers: Sequence[int | float]) -> float | None:
    """Of a sample: one value has none."""
    return statistics.stdev(numbers) if len(numbers) > 1 else None


def _var(numbers: Sequence[int | float]) -> float | None:
    return float(statistics.variance(numbers)) if len(numbers) > 1 else None


def _median(numbers: Sequence[int | float]) -> float:
    return statistics.median(numbers)


_OF_NUMBERS: Mapping[Op, Callable[[Sequence[int | float]], int | float | None]] = {
    "sum": exact_sum,
    "avg": exact_mean,
    "median": _median,
    "std": _std,
    "var": _var,
}


def _least(values: list[JsonValue]) -> JsonValue:
    """Numbers by size, days by time, texts by their form; kinds are not mixed up."""
    return _value(min(values, key=_rank, default=None))


def _greatest(values: list[JsonValue]) -> JsonValue:
    return _value(max(values, key=_rank, default=None))


def _value(value: JsonValue) -> JsonValue:
    number = as_number(value)
    return value if number is None else number


def _rank(value: JsonValue) -> tuple[str, str | float]:
    kind, form = key_of(value) or ("", "")
    return kind, form if isinstance(form, str | int | float) else str(form)


def _unique(values: list[JsonValue]) -> list[JsonValue]:
    seen: dict[object, JsonValue] = {}
    for value in values:
        seen.setdefault(key_of(value), value)
    return list(seen.values())


def _yes(values: list[JsonValue]) -> list[bool]:
    return [as_boolean(value) is True for value in values]


_OF_VALUES: Mapping[Op, Callable[[list[JsonValue]], JsonValue]] = {
    "count": len,
    "count_distinct": lambda values: len({key_of(value) for value in values}),
    "min": _least,
    "max": _greatest,
    "first": lambda values: values[0] if values else None,
    "last": lambda values: values[-1] if values else None,
    "list": list,
    "unique": _unique,
    "any": lambda values: any(_yes(values)),
    "all": lambda values: all(_yes(values)),
}
