"""One feature that a plan asks for: of days, of texts, and of amounts, with what an auditor looks
for.
"""

import itertools
import math
import statistics
from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal, localcontext
from typing import Literal

from pydantic import AliasChoices, Field, JsonValue

from sanbo.blocks.matching.readings import company_reading
from sanbo.blocks.transforms.filter import Condition, Question, Together
from sanbo.blocks.transforms.options import Option
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.companies import company_key
from sanbo.tables.aggregates import EXACT, exact_sum, plain
from sanbo.tables.operators import Pattern
from sanbo.tables.rows import Rows, grouped, shared_key, value_at
from sanbo.tables.values import Rounding, as_day, as_number, is_blank, key_of, rounded, text_of

Column = list[JsonValue]


class Feature(Option):
    name: str = Field(default="", validation_alias=AliasChoices("name", "as"))
    op: str = Field(validation_alias=AliasChoices("op", "type", "func"))
    field: str = ""
    fields: list[str] = Field(default_factory=list[str])
    value: JsonValue = None
    """One more operand, the same in every row."""
    by: list[str] = Field(default_factory=list[str])
    """Within rows that have these fields in common."""
    decimals: int | None = Field(default=None, ge=-15, le=15)
    rounding: Rounding = "half_up"
    separator: str = ""
    count: int = Field(default=1, ge=0, le=10_000)
    pattern: str = ""
    bins: list[float] = Field(default_factory=list[float])
    labels: list[str] = Field(default_factory=list[str])
    start_month: int = Field(default=4, ge=1, le=12)
    order: Literal["asc", "desc"] = "desc"
    conditions: list[Condition] = Field(default_factory=list[Condition])
    logic: Literal["all", "any", "and", "or"] = "all"

    @property
    def operands(self) -> list[str]:
        return [*([self.field] if self.field else []), *self.fields]

    def column(self, rows: Rows) -> Column:
        """Of the one field that it is about."""
        if len(self.operands) != 1:
            raise InvalidInput("transform_feature_fields", name=self.name, op=self.op, wanted=1)
        return [value_at(row, self.operands[0]) for row in rows]

    def columns(self, rows: Rows, *, least: int, most: int | None = None) -> list[Column]:
        """Of all its fields, and then of `value`."""
        columns = [[value_at(row, name) for row in rows] for name in self.operands]
        if "value" in self.model_fields_set:
            columns.append([self.value] * len(rows))
        if len(columns) < least or (most is not None and len(columns) > most):
            raise InvalidInput("transform_feature_fields", name=self.name, op=self.op, wanted=least)
        return columns


_MOST_DAYS = 100_000


def fiscal_year(day: date, start_month: int) -> int:
    return day.year if day.month >= start_month else day.year - 1


def fiscal_quarter(day: date, start_month: int) -> int:
    return (day.month - start_month) % 12 // 3 + 1


def _of_day(make: Callable[[date, Feature], JsonValue]) -> Callable[[Rows, Feature], Column]:
    def made(rows: Rows, feature: Feature) -> Column:
        days = [as_day(value) for value in feature.column(rows)]
        return [None if day is None else make(day, feature) for day in days]

    return made


def _month_end(day: date, feature: Feature) -> str:
    _ = feature
    return day.replace(day=monthrange(day.year, day.month)[1]).isoformat()


def _days_between(rows: Rows, feature: Feature) -> Column:
    """From the first to the second: below 0 where the second is earlier."""
    first, second = feature.columns(rows, least=2, most=2)
    pairs = [(as_day(one), as_day(other)) for one, other in zip(first, second, strict=True)]
    return [None if one is None or other is None else (other - one).days for one, other in pairs]


def _add_days(rows: Rows, feature: Feature) -> Column:
    first, second = feature.columns(rows, least=2, most=2)
    made: Column = []
    for one, other in zip(first, second, strict=True):
        day, count = as_day(one), as_number(other)
        if day is None or count is None or abs(count) > _MOST_DAYS:
            made.append(None)
            continue
        try:
            made.append((day + timedelta(days=int(count))).isoformat())
        except OverflowError:
            made.append(None)
    return made


OF_DATES: Mapping[str, Callable[[Rows, Feature], Column]] = {
    "year": _of_day(lambda day, _: day.year),
    "month": _of_day(lambda day, _: day.month),
    "day": _of_day(lambda day, _: day.day),
    "year_month": _of_day(lambda day, _: f"{day.year:04}-{day.month:02}"),
    "quarter": _of_day(lambda day, _: (day.month - 1) // 3 + 1),
    "weekday": _of_day(lambda day, _: day.isoweekday()),
    "is_weekend": _of_day(lambda day, _: day.isoweekday() >= 6),
    "fiscal_year": _of_day(lambda day, feature: fiscal_year(day, feature.start_month)),
    "fiscal_quarter": _of_day(lambda day, feature: fiscal_quarter(day, feature.start_month)),
    "month_start": _of_day(lambda day, _: day.replace(day=1).isoformat()),
    "month_end": _of_day(_month_end),
    "days_between": _days_between,
    "add_days": _add_days,
}


def _of_text(make: Callable[[str, Feature], JsonValue]) -> Callable[[Rows, Feature], Column]:
    def made(rows: Rows, feature: Feature) -> Column:
        return [
            None if is_blank(value) else make(text_of(value), feature)
            for value in feature.column(rows)
        ]

    return made


def _concat(rows: Rows, feature: Feature) -> Column:
    columns = feature.columns(rows, least=1)
    return [
        feature.separator.join(text_of(value) for value in values if not is_blank(value))
        for values in zip(*columns, strict=True)
    ]


def _extract(rows: Rows, feature: Feature) -> Column:
    pattern = Pattern(feature.pattern)
    return [pattern.extracted_from(text_of(value)) for value in feature.column(rows)]


def _keys(rows: Rows, feature: Feature) -> list[object]:
    columns = feature.columns(rows, least=1)
    return [tuple(key_of(value) for value in values) for values in zip(*columns, strict=True)]


def _occurrences(rows: Rows, feature: Feature) -> Column:
    """How many rows have the same values in these fields."""
    keys = _keys(rows, feature)
    counts = Counter(keys)
    return [counts[key] for key in keys]


def _is_repeated(rows: Rows, feature: Feature) -> Column:
    """Whether a row before had the same values: the first of them is no repetition."""
    seen: set[object] = set()
    made: Column = []
    for key in _keys(rows, feature):
        made.append(key in seen)
        seen.add(key)
    return made


def _coalesce(rows: Rows, feature: Feature) -> Column:
    columns = feature.columns(rows, least=1)
    return [
        next((value for value in values if not is_blank(value)), None)
        for values in zip(*columns, strict=True)
    ]


def _flag(rows: Rows, feature: Feature) -> Column:
    if not feature.conditions:
        raise InvalidInput("transform_feature_conditions", name=feature.name)
    together: Together = "all" if feature.logic in ("all", "and") else "any"
    question = Question(feature.conditions, together=together, port=f"config.{feature.name}")
    question.require_fields(rows)
    return [question.holds(row, number) for number, row in enumerate(rows)]


OF_TEXTS: Mapping[str, Callable[[Rows, Feature], Column]] = {
    "length": _of_text(lambda text, _: len(text)),
    "normalize": _of_text(lambda text, _: matching_form(text)),
    "company_key": _of_text(lambda text, _: company_key(text)),
    "reading": _of_text(lambda text, _: company_reading(text)),
    "left": _of_text(lambda text, feature: text[: feature.count]),
    "right": _of_text(lambda text, feature: text[-feature.count :] if feature.count else ""),
    "concat": _concat,
    "extract": _extract,
    "occurrences": _occurrences,
    "is_repeated": _is_repeated,
    "coalesce": _coalesce,
    "flag": _flag,
    "constant": lambda rows, feature: [feature.value] * len(rows),
}


# ---- of amounts ----------------------------------------------------------------------------------


Numeric = int | float | None
Numbers = list[Numeric]
_ROUND_UNIT = 1000
_LEAST_OUTLIERS = 2


def _numbers(column: Column) -> Numbers:
    return [as_number(value) for value in column]


def _combined(
    least: int, most: int | None, make: Callable[[Sequence[Decimal]], Decimal | None]
) -> Callable[[Rows, Feature], Column]:
    """A figure of several fields of a row; None where one of them is no number."""

    def made(rows: Rows, feature: Feature) -> Column:
        columns = [_numbers(column) for column in feature.columns(rows, least=least, most=most)]
        return [_figure(values, feature, make) for values in zip(*columns, strict=True)]

    return made


def _figure(
    values: Sequence[Numeric],
    feature: Feature,
    make: Callable[[Sequence[Decimal]], Decimal | None],
) -> JsonValue:
    numbers = [Decimal(repr(value)) for value in values if value is not None]
    if len(numbers) < len(values):
        return None
    with localcontext(EXACT):
        found = make(numbers)
    if found is None:
        return None
    whole = plain(found)
    return whole if feature.decimals is None else rounded(whole, feature.decimals, feature.rounding)


def _product(numbers: Sequence[Decimal]) -> Decimal:
    return math.prod(numbers, start=Decimal(1))


def _quotient(numbers: Sequence[Decimal]) -> Decimal | None:
    return numbers[0] / numbers[1] if numbers[1] else None


def _change_rate(numbers: Sequence[Decimal]) -> Decimal | None:
    return (numbers[0] - numbers[1]) / abs(numbers[1]) if numbers[1] else None


def _total(rows: Rows, feature: Feature) -> Column:
    """What is empty counts as nothing, unless everything is."""
    columns = [_numbers(column) for column in feature.columns(rows, least=1)]
    made: Column = []
    for values in zip(*columns, strict=True):
        filled = [value for value in values if value is not None]
        made.append(exact_sum(filled) if filled else None)
    return made


def _round(rows: Rows, feature: Feature) -> Column:
    return [
        None if number is None else rounded(number, feature.decimals or 0, feature.rounding)
        for number in _numbers(feature.column(rows))
    ]


def _absolute(rows: Rows, feature: Feature) -> Column:
    return [None if number is None else abs(number) for number in _numbers(feature.column(rows))]


def _is_round(rows: Rows, feature: Feature) -> Column:
    """A multiple of 1,000, or of `value`: estimates and invented amounts often are."""
    unit = as_number(feature.value) or _ROUND_UNIT
    return [
        None if number is None else number != 0 and number % unit == 0
        for number in _numbers(feature.column(rows))
    ]


def _first_digit(rows: Rows, feature: Feature) -> Column:
    return [
        int(f"{abs(number):e}"[0]) if number else None for number in _numbers(feature.column(rows))
    ]


def _bucket(rows: Rows, feature: Feature) -> Column:
    """Which of the ranges between the bins; a bin belongs to the range above it."""
    bins = sorted(feature.bins)
    labels = feature.labels or _range_labels(bins)
    if not bins or len(labels) != len(bins) + 1:
        raise InvalidInput("transform_feature_bins", name=feature.name, wanted=len(bins) + 1)
    return [
        None if number is None else labels[sum(number >= edge for edge in bins)]
        for number in _numbers(feature.column(rows))
    ]


def _range_labels(bins: Sequence[float]) -> list[str]:
    edges = [f"{edge:,g}" if edge < 1e6 else f"{edge:,.0f}" for edge in bins]
    inner = [f"{low}–{high}" for low, high in itertools.pairwise(edges)]
    return [f"<{edges[0]}", *inner, f"≥{edges[-1]}"] if edges else []


Within = Callable[[Numbers, Feature], Numbers]


def _grouped(make: Within) -> Callable[[Rows, Feature], Column]:
    """A figure of a row among the rows of its group."""

    def made(rows: Rows, feature: Feature) -> Column:
        numbers = _numbers(feature.column(rows))
        groups = grouped(shared_key(row, feature.by) for row in rows)
        column: Column = [None] * len(rows)
        for places in groups.values():
            found = make([numbers[place] for place in places], feature)
            for place, value in zip(places, found, strict=True):
                column[place] = value
        return column

    return made


def _filled(numbers: Numbers) -> list[int | float]:
    return [number for number in numbers if number is not None]


def _share(numbers: Numbers, feature: Feature) -> Numbers:
    total = exact_sum(_filled(numbers))
    shares = [None if number is None or not total else number / total for number in numbers]
    if feature.decimals is None:
        return [*shares]
    return [None if share is None else rounded(share, feature.decimals) for share in shares]


def _cumulative(numbers: Numbers, feature: Feature) -> Numbers:
    _ = feature
    total = Decimal(0)
    made: Numbers = []
    with localcontext(EXACT):
        for number in numbers:
            total += Decimal(repr(number or 0))
            made.append(plain(total))
    return made


def _rank(numbers: Numbers, feature: Feature) -> Numbers:
    """From 1; the same number has the same rank."""
    ordered = sorted(_filled(numbers), reverse=feature.order == "desc")
    places: dict[int | float, int] = {}
    for place, number in enumerate(ordered, 1):
        places.setdefault(number, place)
    return [None if number is None else places[number] for number in numbers]


def _z_score(numbers: Numbers, feature: Feature) -> Numbers:
    """How many standard deviations above the mean."""
    filled = _filled(numbers)
    spread = statistics.pstdev(filled) if len(filled) >= _LEAST_OUTLIERS else 0.0
    if not spread:
        return [None if number is None else 0.0 for number in numbers]
    mean = statistics.fmean(filled)
    decimals = 6 if feature.decimals is None else feature.decimals
    return [
        None if number is None else rounded((number - mean) / spread, decimals)
        for number in numbers
    ]


OF_NUMBERS: Mapping[str, Callable[[Rows, Feature], Column]] = {
    "add": _total,
    "subtract": _combined(2, 2, lambda numbers: numbers[0] - numbers[1]),
    "difference": _combined(2, 2, lambda numbers: abs(numbers[0] - numbers[1])),
    "multiply": _combined(2, None, _product),
    "divide": _combined(2, 2, _quotient),
    "change_rate": _combined(2, 2, _change_rate),
    "round": _round,
    "abs": _absolute,
    "is_round": _is_round,
    "first_digit": _first_digit,
    "bucket": _bucket,
    "share": _grouped(_share),
    "cumulative": _grouped(_cumulative),
    "rank": _grouped(_rank),
    "z_score": _grouped(_z_score),
}
