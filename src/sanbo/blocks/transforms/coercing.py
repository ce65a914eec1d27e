"""A value made what a plan says that it is: a number, a day, yes or no, text."""

import json
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Literal, get_args

from pydantic import AliasChoices, Field, JsonValue

from sanbo.blocks.transforms.options import Option
from sanbo.blocks.transforms.rounding import Rounding, rounded
from sanbo.blocks.transforms.written import (
    as_boolean,
    as_day,
    as_moment,
    as_month,
    as_number,
    as_time,
    text_of,
)
from sanbo.kernel.problems import InvalidInput

Kind = Literal["number", "integer", "date", "datetime", "month", "time", "boolean", "text", "list"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_SPELLINGS: Mapping[str, Kind] = {
    "float": "number",
    "decimal": "number",
    "amount": "number",
    "currency": "number",
    "数値": "number",
    "金額": "number",
    "int": "integer",
    "整数": "integer",
    "日付": "date",
    "日時": "datetime",
    "timestamp": "datetime",
    "年月": "month",
    "時刻": "time",
    "bool": "boolean",
    "真偽": "boolean",
    "string": "text",
    "str": "text",
    "文字列": "text",
    "array": "list",
}
OnError = Literal["null", "keep", "fail"]


class Coercion(Option):
    field: str
    type: str = Field(validation_alias=AliasChoices("type", "to"))
    on_error: OnError | None = "null"
    decimals: int | None = Field(default=None, ge=-15, le=15)
    rounding: Rounding = "half_up"
    scale: float = 1
    """Multiplies numbers: 1000 where a column is in 千円."""
    day: Literal["first", "last"] = "first"
    """Which day a month without a day stands for."""
    true_values: list[JsonValue] = Field(default_factory=list[JsonValue])
    false_values: list[JsonValue] = Field(default_factory=list[JsonValue])
    separator: str = ","
    default: JsonValue = None
    """For empty values."""
    optional: bool = False
    """The rows may be without the field."""


def kind_of(word: str) -> Kind:
    plain = word.strip().lower()
    found = _SPELLINGS.get(plain, plain)
    for known in KINDS:
        if found == known:
            return known
    raise InvalidInput("transform_type_unknown", given=word, known=", ".join(KINDS))


def coerced(value: JsonValue, coercion: Coercion) -> JsonValue:
    """None where the value can't be read as that."""
    return _MADE[kind_of(coercion.type)](value, coercion)


def _number(value: JsonValue, coercion: Coercion) -> JsonValue:
    number = as_number(value, codes=True)
    if number is None:
        return None
    if coercion.scale != 1:
        scaled = number * coercion.scale
        number = int(scaled) if float(scaled).is_integer() else scaled
    if coercion.decimals is not None:
        return rounded(number, coercion.decimals, coercion.rounding)
    return number


def _integer(value: JsonValue, coercion: Coercion) -> JsonValue:
    """1,000.00 is one; 1,000.5 only where the plan says how to round."""
    number = _number(value, coercion)
    if isinstance(number, int):
        return number
    if not isinstance(number, float):
        return None
    if number.is_integer():
        return int(number)
    if "rounding" in coercion.model_fields_set:
        return rounded(number, 0, coercion.rounding)
    return None


def _date(value: JsonValue, coercion: Coercion) -> JsonValue:
    day = as_day(value) or _day_of_month(value, coercion)
    return None if day is None else day.isoformat()


def _day_of_month(value: JsonValue, coercion: Coercion) -> date | None:
    month = as_month(value)
    if month is None or coercion.day == "first":
        return month
    return month.replace(day=monthrange(month.year, month.month)[1])


def _datetime(value: JsonValue, coercion: Coercion) -> JsonValue:
    moment = as_moment(value) or _day_of_month(value, coercion)
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return moment.isoformat()


def _month(value: JsonValue, coercion: Coercion) -> JsonValue:
    _ = coercion
    month = as_month(value)
    return None if month is None else f"{month.year:04}-{month.month:02}"


def _time(value: JsonValue, coercion: Coercion) -> JsonValue:
    _ = coercion
    found = as_time(value)
    return None if found is None else found.isoformat()


def _boolean(value: JsonValue, coercion: Coercion) -> JsonValue:
    word = text_of(value).strip()
    if word in map(text_of, coercion.true_values):
        return True
    if word in map(text_of, coercion.false_values):
        return False
    return as_boolean(value)


def _text(value: JsonValue, coercion: Coercion) -> JsonValue:
    _ = coercion
    if isinstance(value, dict | list | bool):
        return json.dumps(value, ensure_ascii=False)
    return text_of(value)


def _list(value: JsonValue, coercion: Coercion) -> JsonValue:
    if isinstance(value, list):
        return value
    if not isinstance(value, str) or not coercion.separator:
        return [value]
    return [part.strip() for part in value.split(coercion.separator) if part.strip()]


EXAMPLES: Mapping[Kind, JsonValue] = {
    "number": 1000,
    "integer": 1000,
    "date": "2024-05-01",
    "datetime": "2024-05-01T09:00:00",
    "month": "2024-05",
    "time": "09:00:00",
    "boolean": True,
    "text": "A",
    "list": ["A"],
}
_MADE: Mapping[Kind, Callable[[JsonValue, Coercion], JsonValue]] = {
    "number": _number,
    "integer": _integer,
    "date": _date,
    "datetime": _datetime,
    "month": _month,
    "time": _time,
    "boolean": _boolean,
    "text": _text,
    "list": _list,
}
