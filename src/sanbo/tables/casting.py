"""A value made what somebody says that it is: a number, a day, yes or no, text."""

import decimal
import json
from calendar import monthrange
from collections.abc import Callable, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.kernel.problems import InvalidInput
from sanbo.tables.values import (
    as_boolean,
    as_day,
    as_moment,
    as_month,
    as_number,
    as_time,
    text_of,
)
from sanbo.tables.vocabulary import Vocabulary

Kind = Literal["number", "integer", "date", "datetime", "month", "time", "boolean", "text", "list"]
KINDS = Vocabulary[Kind](
    {
        "number": "float float64 double decimal amount currency 数値 金額",
        "integer": "int int64 int32 整数",
        "date": "日付",
        "datetime": "日時 timestamp datetime64 datetime64[ns]",
        "month": "年月",
        "time": "時刻",
        "boolean": "bool 真偽",
        "text": "string str category 文字列",
        "list": "array",
    }
)
Rounding = Literal["half_up", "half_even", "down", "up", "floor", "ceil"]
_ROUNDINGS: Mapping[Rounding, str] = {
    "half_up": decimal.ROUND_HALF_UP,
    "half_even": decimal.ROUND_HALF_EVEN,
    "down": decimal.ROUND_DOWN,
    "up": decimal.ROUND_UP,
    "floor": decimal.ROUND_FLOOR,
    "ceil": decimal.ROUND_CEILING,
}
_EXACT = decimal.Context(prec=400)


class Casting(BaseModel):
    """How, where there is more than one way."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)

    decimals: int | None = Field(default=None, ge=-15, le=15)
    rounding: Rounding = "half_up"
    scale: float = 1
    """Multiplies numbers: 1000 where a column is in 千円."""
    day: Literal["first", "last"] | None = None
    """Which day a month without a day stands for; without it, for none."""
    true_values: list[JsonValue] = Field(default_factory=list[JsonValue])
    false_values: list[JsonValue] = Field(default_factory=list[JsonValue])
    separator: str = ","


PLAINLY = Casting()


def kind_of(word: str) -> Kind:
    found = KINDS.find(word)
    if found is None:
        raise InvalidInput("transform_type_unknown", given=word, known=str(KINDS))
    return found


def cast(value: JsonValue, kind: Kind, how: Casting = PLAINLY) -> JsonValue:
    """None where the value can't be read as that."""
    return _CASTS[kind](value, how)


def rounded(number: int | float, decimals: int = 0, rounding: Rounding = "half_up") -> int | float:
    """By the digits that are written: 2.675 to two decimals is 2.68. Below 0, tens and hundreds."""
    step = Decimal(1).scaleb(-decimals)
    found = Decimal(repr(number)).quantize(step, rounding=_ROUNDINGS[rounding], context=_EXACT)
    return int(found) if decimals <= 0 else float(found)


def _number(value: JsonValue, how: Casting) -> JsonValue:
    number = as_number(value, codes=True)
    if number is None:
        return None
    if how.scale != 1:
        scaled = number * how.scale
        number = int(scaled) if float(scaled).is_integer() else scaled
    return number if how.decimals is None else rounded(number, how.decimals, how.rounding)


def _integer(value: JsonValue, how: Casting) -> JsonValue:
    """1,000.00 is one; 1,000.5 only where somebody says how to round."""
    number = _number(value, how)
    if isinstance(number, float):
        if number.is_integer():
            return int(number)
        return rounded(number, 0, how.rounding) if "rounding" in how.model_fields_set else None
    return number


def _date(value: JsonValue, how: Casting) -> JsonValue:
    day = as_day(value) or _day_of_month(value, how)
    return None if day is None else day.isoformat()


def _datetime(value: JsonValue, how: Casting) -> JsonValue:
    moment = as_moment(value) or _day_of_month(value, how)
    if moment is None:
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return moment.isoformat()


def _day_of_month(value: JsonValue, how: Casting) -> date | None:
    month = as_month(value) if how.day else None
    if month is None or how.day == "first":
        return month
    return month.replace(day=monthrange(month.year, month.month)[1])


def _month(value: JsonValue, _: Casting) -> JsonValue:
    month = as_month(value)
    return None if month is None else f"{month.year:04}-{month.month:02}"


def _time(value: JsonValue, _: Casting) -> JsonValue:
    found = as_time(value)
    return None if found is None else found.isoformat()


def _boolean(value: JsonValue, how: Casting) -> JsonValue:
    word = text_of(value).strip()
    if word in map(text_of, how.true_values):
        return True
    if word in map(text_of, how.false_values):
        return False
    return as_boolean(value)


def _text(value: JsonValue, _: Casting) -> JsonValue:
    if isinstance(value, dict | list | bool):
        return json.dumps(value, ensure_ascii=False)
    return text_of(value)


def _list(value: JsonValue, how: Casting) -> JsonValue:
    if isinstance(value, list):
        return value
    if not isinstance(value, str) or not how.separator:
        return [value]
    return [part.strip() for part in value.split(how.separator) if part.strip()]


_CASTS: Mapping[Kind, Callable[[JsonValue, Casting], JsonValue]] = {
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
