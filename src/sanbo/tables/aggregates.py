"""Figures of a group of values (totals, averages, counts; sums are exact, as on paper), and cross
tables of them: one set of fields down, one across, figures where they meet."""

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from typing import Literal

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Row, Rows, free_name, grouped
from sanbo.tables.values import (
    Key,
    Vocabulary,
    as_boolean,
    as_number,
    is_blank,
    key_of,
    place,
    text_of,
)

Aggregate = Literal[
    "sum", "count", "count_all", "count_distinct", "avg", "min", "max", "median", "std", "var",
    "first", "last", "list", "unique", "join", "any", "all",
]  # fmt: skip
AGGREGATES = Vocabulary[Aggregate](
    {
        "sum": "total",
        "count": "",
        "count_all": "size",
        "count_distinct": "nunique distinct",
        "avg": "mean average",
        "min": "",
        "max": "",
        "median": "",
        "std": "stdev stddev",
        "var": "variance",
        "first": "",
        "last": "",
        "list": "collect",
        "unique": "set",
        "join": "concat",
        "any": "",
        "all": "",
    }
)
SEPARATOR = "、"
# Sums of amounts must not depend on the order of rows, nor give 0.30000000000000004.
EXACT = Context(prec=100)
_MOST_EXAMPLES = 20


@dataclass(frozen=True)
class Figure:
    """One that a plan asks for."""

    name: str
    kind: Aggregate
    field: str = ""
    """Empty only in a count of rows."""
    separator: str = SEPARATOR

    def of(self, values: Sequence[JsonValue]) -> tuple[JsonValue, list[int]]:
        return aggregate(values, self.kind, self.separator)


class Unreadable:
    """Cells of rows that should have been amounts: how many, and the first of them."""

    def __init__(self) -> None:
        self.count = 0
        self.examples: list[dict[str, JsonValue]] = []

    def told(self, text_id: str) -> InvalidInput:
        first = self.examples[0]
        return InvalidInput(
            text_id,
            count=self.count,
            field=str(first["field"]),
            value=text_of(first["value"])[:40],
            details={"examples": self.examples},
        )

    def add(self, field: str, cells: Iterable[tuple[int, JsonValue]]) -> None:
        for row, value in cells:
            self.count += 1
            if len(self.examples) < _MOST_EXAMPLES:
                self.examples.append({"row": row, "field": field, "value": value})


def aggregate(
    values: Sequence[JsonValue], kind: Aggregate, separator: str = SEPARATOR
) -> tuple[JsonValue, list[int]]:
    """The figure, and the places of values that should be numbers and are not."""
    if kind == "count_all":
        return len(values), []
    if kind in _OF_NUMBERS:
        return _of_numbers(kind, values)
    filled = [value for value in values if not is_blank(value)]
    if kind == "join":
        return separator.join(text_of(value) for value in filled), []
    return _OF_VALUES[kind](filled), []


def _of_numbers(kind: Aggregate, values: Sequence[JsonValue]) -> tuple[JsonValue, list[int]]:
    numbers: list[int | float] = []
    odd: list[int] = []
    for at, value in enumerate(values):
        number = as_number(value)
        if number is not None:
            numbers.append(number)
        elif not is_blank(value):
            odd.append(at)
    if kind == "sum":
        return exact_sum(numbers), odd
    return (_OF_NUMBERS[kind](numbers) if numbers else None), odd


def exact_sum(numbers: Sequence[int | float]) -> int | float:
    """As on paper: 0.1 + 0.2 is 0.3."""
    if all(isinstance(number, int) for number in numbers):
        return sum(numbers)
    return float(_total(numbers))


def exact_mean(numbers: Sequence[int | float]) -> int | float:
    with localcontext(EXACT):
        return plain(_total(numbers) / len(numbers))


def plain(exact: Decimal) -> int | float:
    return int(exact) if exact == exact.to_integral_value() else float(exact)


def _total(numbers: Sequence[int | float]) -> Decimal:
    with localcontext(EXACT):
        return sum((Decimal(repr(number)) for number in numbers), Decimal(0))


def _std(numbers: Sequence[int | float]) -> float | None:
    """Of a sample: one value has none."""
    return statistics.stdev(numbers) if len(numbers) > 1 else None


def _var(numbers: Sequence[int | float]) -> float | None:
    return float(statistics.variance(numbers)) if len(numbers) > 1 else None


_OF_NUMBERS: Mapping[Aggregate, Callable[[Sequence[int | float]], int | float | None]] = {
    "sum": exact_sum,
    "avg": exact_mean,
    "median": statistics.median,
    "std": _std,
    "var": _var,
}


def _least(values: list[JsonValue]) -> JsonValue:
    """Numbers by size, days by time, texts by their form; kinds are not mixed up."""
    return _value(min(values, key=lambda value: place(key_of(value)), default=None))


def _greatest(values: list[JsonValue]) -> JsonValue:
    return _value(max(values, key=lambda value: place(key_of(value)), default=None))


def _value(value: JsonValue) -> JsonValue:
    number = as_number(value)
    return value if number is None else number


def _unique(values: list[JsonValue]) -> list[JsonValue]:
    seen: dict[object, JsonValue] = {}
    for value in values:
        seen.setdefault(key_of(value), value)
    return list(seen.values())


def _yes(values: list[JsonValue]) -> list[bool]:
    return [as_boolean(value) is True for value in values]


_OF_VALUES: Mapping[Aggregate, Callable[[list[JsonValue]], JsonValue]] = {
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


_Place = tuple[Key | None, ...]


@dataclass(frozen=True)
class Layout:
    index: Sequence[str]
    columns: Sequence[str]
    figures: Sequence[Figure]
    fill: JsonValue = None
    """What stands where there is no row."""
    margins: str = ""
    """The name of totals; empty for none."""
    is_sorted: bool = True
    joiner: str = "__"
    is_named: bool = False
    """Whether figures are named though there is one."""


class CrossTable:
    def __init__(self, rows: Rows, layout: Layout) -> None:
        self._rows = rows
        self._layout = layout
        self._down = _Axis(rows, layout.index, is_sorted=layout.is_sorted)
        self._across = _Axis(rows, layout.columns, is_sorted=layout.is_sorted)
        self._cells = grouped(zip(self._down.key_of_row, self._across.key_of_row, strict=True))
        self.columns = [*layout.index, *self._names()]
        self.unreadable = Unreadable()

    def rows(self) -> Rows:
        made = [self._row(key, self._down.values[key]) for key in self._down.keys]
        return [*made, self._totals()] if self._layout.margins and self._rows else made

    def _names(self) -> list[str]:
        """One a figure and column; the figure is named where there are several."""
        joiner = self._layout.joiner
        labels = [self._across.label(key, joiner) for key in self._across.keys]
        if self._layout.margins and self._layout.columns:
            labels.append(self._layout.margins)
        layout = self._layout
        is_named = len(layout.figures) > 1 or layout.is_named or not layout.columns
        taken = dict.fromkeys(self._layout.index)
        for figure in self._layout.figures:
            for label in labels:
                name = layout.joiner.join(
                    part for part in (figure.name if is_named else "", label) if part
                )
                taken[free_name(" ".join(name.split()), taken)] = None
        return list(taken)[len(self._layout.index) :]

    def _row(self, down: _Place, values: Sequence[JsonValue]) -> Row:
        cells: list[JsonValue] = list(values)
        for figure in self._layout.figures:
            found = [self._cells.get((down, across), []) for across in self._across.keys]
            cells += [self._figure(figure, numbers) for numbers in found]
            if self._layout.margins and self._layout.columns:
                cells.append(self._total(figure, [number for each in found for number in each]))
        return dict(zip(self.columns, cells, strict=True))

    def _totals(self) -> Row:
        blank: list[JsonValue] = [None] * (len(self._layout.index) - 1)
        cells: list[JsonValue] = [self._layout.margins, *blank]
        for figure in self._layout.figures:
            for across in self._across.keys:
                cells.append(self._total(figure, self._across.rows_of[across]))
            if self._layout.columns:
                cells.append(self._total(figure, range(len(self._rows))))
        return dict(zip(self.columns, cells, strict=True))

    def _figure(self, figure: Figure, numbers: Sequence[int]) -> JsonValue:
        if not numbers:
            return self._layout.fill
        values = [self._rows[number].get(figure.field) for number in numbers]
        found, odd = figure.of(values)
        self.unreadable.add(figure.field, [(numbers[at], values[at]) for at in odd])
        return found

    def _total(self, figure: Figure, numbers: Sequence[int]) -> JsonValue:
        """Of the rows themselves: an average of averages would be another figure."""
        values = [self._rows[number].get(figure.field) for number in numbers]
        return figure.of(values)[0] if values else self._layout.fill


class _Axis:
    """The different values of some fields, as they are first written."""

    def __init__(self, rows: Rows, fields: Sequence[str], *, is_sorted: bool) -> None:
        self.key_of_row: list[_Place] = [
            tuple(key_of(row.get(name)) for name in fields) for row in rows
        ]
        self.rows_of = grouped(self.key_of_row)
        self.values: dict[_Place, tuple[JsonValue, ...]] = {
            key: tuple(rows[numbers[0]].get(name) for name in fields)
            for key, numbers in self.rows_of.items()
        }
        self.keys = list(self.values)
        if is_sorted:
            self.keys.sort(key=lambda key: tuple(map(place, key)))

    def label(self, key: _Place, joiner: str) -> str:
        return joiner.join(
            tell("table_blank") if is_blank(value) else text_of(value) for value in self.values[key]
        )
