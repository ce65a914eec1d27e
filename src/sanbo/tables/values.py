"""What stands in a cell, whoever wrote it there: read, told as text, compared, and made what
somebody says that it is.

`1,000`, `１，０００円` and 1000 are one number, `令和6年5月1日` and `2024-05-01` one day, `ＡＢＣ`
and `abc` one word. A code such as 0012 is no number: it equals 0012 alone. Each reader gives None
where the value is not surely one. What a plan says of a value is a word of a vocabulary, with its
other spellings.
"""

import decimal
import json
import re
from calendar import monthrange
from collections.abc import Callable, Hashable, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import matching_form
from sanbo.language.cells import parse_boolean, parse_date, parse_number, parse_time
from sanbo.language.companies import company_key

Word = TypeVar("Word", bound=str)


class Vocabulary(Generic[Word]):
    def __init__(self, spellings: Mapping[Word, str]) -> None:
        """Each word with its other spellings, separated by blanks."""
        self.words: tuple[Word, ...] = tuple(spellings)
        self._words = {
            spelling: word
            for word, others in spellings.items()
            for spelling in (str(word), *others.split())
        }

    def find(self, written: str) -> Word | None:
        """Whatever its case."""
        return self._words.get(written.strip().lower())

    def __str__(self) -> str:
        return ", ".join(self.words)


Value = JsonValue | Decimal | date | time
"""Of JSON, which has no days, and of a workbook's cell, which does."""

Match = Literal["matching", "exact", "company"]
"""How values are compared: in matching form, exactly as they are, or as names of companies."""

Key = tuple[str, Hashable]
"""Two values are the same where their keys are."""

_LONGEST = 64
_LONGEST_COMPARED = 200
_REMEMBERED = 1 << 16
_AROUND_AMOUNTS = re.compile(
    r"(?:金\s*+)?(?P<amount>.*?)(?:也|ー|[(（](?:税込み?|税抜き?|税別|内税|外税|非課税)[)）])?"
)
_DIGIT = re.compile(r"\d|元")
_CODE = re.compile(r"\s*[0０][0-9０-９]*\s*")
_MONTH = re.compile(r"(.*[年/.\-])(\s*+\d{1,2})\s*+(?:月(?:分|度)?|分|度)?\s*+")
_COMPACT_MONTH = re.compile(r"\s*(\d{4})(\d{2})\s*")
# What a spreadsheet counts from, for every day after February 1900.
_SERIAL_START = datetime(1899, 12, 30)
_SERIALS = (20_000, 80_000)  # 1954 to 2119: other numbers are no days
_COMPACT_DAYS = (19_000_101, 21_991_231)
_ONE_AND_ZERO = str.maketrans("１０", "10")
_MIDNIGHT = "T00:00:00.000000"


# Reading


def is_blank(value: Value) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


def text_of(value: Value) -> str:
    """As a person would write it: 1000 and not 1000.0, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, float | Decimal) and value == value // 1 and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return value.isoformat() if isinstance(value, date | time) else str(value)


def as_number(value: Value, *, codes: bool = False) -> int | float | None:
    """`△1,000`, `￥1,000-`, `1,234千円`, `12.5%`. `codes`: 0012 is 12."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    found = _number(value)
    if found is None and codes and _CODE.fullmatch(value):
        return int(value)
    return found


def are_numbers(values: Sequence[Value]) -> bool:
    """All that are not empty, and there are some."""
    filled = [value for value in values if not is_blank(value)]
    return bool(filled) and all(as_number(value) is not None for value in filled)


def as_moment(value: Value) -> date | datetime | None:
    """A day, or with a time a moment. A number is 20240501 or a spreadsheet's serial day."""
    if isinstance(value, date):
        return value
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _day_of_number(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    return _moment(value)


def as_day(value: Value) -> date | None:
    """As `as_moment`, without the time."""
    found = as_moment(value)
    return found.date() if isinstance(found, datetime) else found


def as_month(value: Value) -> date | None:
    """The first day of the month that is named: 2024年5月, 令和6年5月分, 2024-05, 202405."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if isinstance(value, str) and len(value) <= _LONGEST:
        found = _month(value)
        if found is not None:
            return found
    day = as_day(value)
    return None if day is None else day.replace(day=1)


def as_time(value: Value) -> time | None:
    if isinstance(value, time):
        return value
    if isinstance(value, str) and len(value) <= _LONGEST:
        found = parse_time(value)
        if found is not None:
            return found
    moment = value if isinstance(value, datetime) else None
    if isinstance(value, str):
        moment = as_moment(value)
    return moment.time() if isinstance(moment, datetime) else None


def as_boolean(value: Value) -> bool | None:
    """はい/いいえ, ○/×, 有/無, TRUE/FALSE, and 1/0 where yes or no is asked for."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return {1.0: True, 0.0: False}.get(value)
    if not isinstance(value, str):
        return None
    found = parse_boolean(value)
    if found is not None:
        return found
    return {"1": True, "0": False}.get(value.strip().translate(_ONE_AND_ZERO))


@lru_cache(_REMEMBERED)
def _number(text: str) -> int | float | None:
    if not _DIGIT.search(text):
        return None
    found = parse_number(text)
    if found is not None:
        return found
    around = _AROUND_AMOUNTS.fullmatch(text.strip())
    return None if around is None else parse_number(around["amount"].rstrip())


@lru_cache(_REMEMBERED)
def _moment(text: str) -> date | datetime | None:
    return parse_date(text, compact=True) if _DIGIT.search(text) else None


@lru_cache(_REMEMBERED)
def _month(text: str) -> date | None:
    if found := _COMPACT_MONTH.fullmatch(text):
        text = f"{found[1]}-{found[2]}"
    found = _MONTH.fullmatch(text)
    if found is None:
        return None
    separator = "月" if found[1].endswith("年") else found[1][-1]
    month = parse_date(f"{found[1]}{found[2]}{separator}1")
    return month if not isinstance(month, datetime) else None


def _day_of_number(number: float) -> date | datetime | None:
    if _SERIALS[0] <= number <= _SERIALS[1]:
        moment = _SERIAL_START + timedelta(days=number)
        moment = moment.replace(microsecond=0)
        return moment.date() if float(number).is_integer() else moment
    if _COMPACT_DAYS[0] <= number <= _COMPACT_DAYS[1] and float(number).is_integer():
        return _moment(str(int(number)))
    return None


# Comparing


def key_of(value: Value, match: Match = "matching") -> Key | None:
    """None for what is empty: nothing equals that in a join."""
    if is_blank(value):
        return None
    if match == "company":
        return ("text", company_key(text_of(value)))
    if match == "matching" and isinstance(value, str):
        if len(value) > _LONGEST_COMPARED:
            return ("text", matching_form(value))
        return _key_of_text(value)
    return _exact(value)


def same(left: Value, right: Value, match: Match = "matching") -> bool:
    """Empty equals empty; はい equals true."""
    if match != "exact":
        if isinstance(left, bool) and isinstance(right, str):
            right = _yes_or_no(right)
        elif isinstance(right, bool) and isinstance(left, str):
            left = _yes_or_no(left)
    return key_of(left, match) == key_of(right, match)


def order(left: Value, right: Value) -> int | None:
    """-1, 0 or 1; None where the two can't be put in order: an amount and 未定."""
    one, other = key_of(left), key_of(right)
    if one is None or other is None or one[0] != other[0] or one[0] in ("json", "bool"):
        return None
    return _sign(one[1], other[1])


def _sign(one: Any, other: Any) -> int:
    """Of two that are both numbers or both texts."""
    return 0 if one == other else -1 if one < other else 1


def place(key: Key | None) -> tuple[str, Any]:
    """For sorting: days by time, numbers by size, texts by their form; what is empty comes last."""
    return key or ("~", "")


def key_text(key: Key | None) -> str:
    """What a key stands for, for people."""
    if key is None:
        return ""
    shown = text_of(key[1]) if isinstance(key[1], int | float) else str(key[1])
    return shown.removesuffix(_MIDNIGHT) if key[0] == "moment" else shown


def _yes_or_no(text: str) -> Value:
    found = parse_boolean(text)
    return text if found is None else found


def _exact(value: Value) -> Key:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float | Decimal):
        return ("number", as_number(value))
    if isinstance(value, str):
        return ("text", value)
    if isinstance(value, date):
        return ("moment", _wall_clock(value))
    if isinstance(value, time):
        return ("time", value.isoformat())
    return ("json", json.dumps(value, sort_keys=True, ensure_ascii=False))


@lru_cache(_REMEMBERED)
def _key_of_text(text: str) -> Key:
    number = as_number(text)
    if number is not None:
        return ("number", number)
    # Eight digits are a number here: whether they mean a day, the column's reader says.
    moment = None if text.strip().isdecimal() else as_moment(text)
    if moment is not None:
        return ("moment", _wall_clock(moment))
    clock = parse_time(text) if ":" in text or "：" in text else None
    if clock is not None:
        return ("time", clock.isoformat())
    word = matching_form(text)
    return ("bool", word == "true") if word in ("true", "false") else ("text", word)


def _wall_clock(moment: date | datetime) -> str:
    """One text for 2024-05-01 and 2024-05-01T00:00:00; such texts sort as time does."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None).isoformat(timespec="microseconds")
    return f"{moment.isoformat()}{_MIDNIGHT}"


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


def _cast_number(value: JsonValue, how: Casting) -> JsonValue:
    number = as_number(value, codes=True)
    if number is None:
        return None
    if how.scale != 1:
        scaled = number * how.scale
        number = int(scaled) if float(scaled).is_integer() else scaled
    return number if how.decimals is None else rounded(number, how.decimals, how.rounding)


def _integer(value: JsonValue, how: Casting) -> JsonValue:
    """1,000.00 is one; 1,000.5 only where somebody says how to round."""
    number = _cast_number(value, how)
    if isinstance(number, float):
        # pyrefly: ignore[missing-attribute]
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


def _cast_month(value: JsonValue, _: Casting) -> JsonValue:
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
    "number": _cast_number,
    "integer": _integer,
    "date": _date,
    "datetime": _datetime,
    "month": _cast_month,
    "time": _time,
    "boolean": _boolean,
    "text": _text,
    "list": _list,
}
