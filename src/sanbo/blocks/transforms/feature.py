"""One feature that a plan asks for, and the values of the rows that it is made of."""

from calendar import monthrange
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Literal

from pydantic import AliasChoices, Field, JsonValue

from sanbo.blocks.matching.readings import company_reading
from sanbo.blocks.transforms.filter import Condition, Question, Together
from sanbo.blocks.transforms.options import Option
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.companies import company_key
from sanbo.tables.casting import Rounding
from sanbo.tables.operators import Pattern
from sanbo.tables.rows import Rows, value_at
from sanbo.tables.values import as_day, as_number, is_blank, key_of, text_of

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
