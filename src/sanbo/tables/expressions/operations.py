"""What an expression does with values: exact arithmetic, comparisons, truth, and functions, each of
which may also be written behind its first value, `name.trim()`."""

import math
import operator
import unicodedata
from calendar import monthrange
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import (
    ROUND_CEILING,
    ROUND_DOWN,
    ROUND_FLOOR,
    ROUND_HALF_UP,
    Context,
    Decimal,
    localcontext,
)
from typing import Any, Literal, cast

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.tables.aggregates import EXACT, plain
from sanbo.tables.operators import Pattern
from sanbo.tables.rows import in_order
from sanbo.tables.values import as_boolean, as_moment, as_number, is_blank, key_of, text_of

Value = JsonValue | Decimal
"""Numbers with decimals are `Decimal` on the way, so that 1.1 × 100 is 110."""

MOST_ITEMS = 10_000
"""In a list or text that a macro or function goes through."""
MOST_STEPS = 500_000
"""Items that macros go through, with what is looked at for each of them."""
_LARGEST = Decimal(10) ** 300
_SHOWN = Context(prec=30)
"""A third of 3 is 1, and not a row of nines."""


class Failed(ValueError):
    """What these values do not allow; `kind` is a word of `expression_reasons`."""

    def __init__(self, kind: str, /, **params: Any) -> None:
        self.kind = kind
        super().__init__(tell(f"expression_reasons.{kind}", **params))


def finished(value: Value) -> JsonValue:
    """As JSON has it."""
    match value:
        case Decimal():
            return plain(_SHOWN.plus(value))
        case list():
            return [finished(item) for item in value]
        case dict():
            return {key: finished(item) for key, item in value.items()}
        case _:
            return value


def is_true(value: Value) -> bool:
    """Of a value on its own: nothing, 0 and the word false are no."""
    return value.strip().lower() not in ("", "false") if isinstance(value, str) else bool(value)


def is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def exact(value: Value) -> int | Decimal:
    """Of a number."""
    if isinstance(value, float):
        return Decimal(repr(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise Failed("no_number", kind=word_for(value))
    return value


def word_for(value: Value) -> str:
    """What kind of value it is, for people."""
    match value:
        case None:
            word = "nothing"
        case bool():
            word = "truth"
        case int() | float() | Decimal():
            word = "number"
        case str():
            word = "text"
        case list():
            word = "list"
        case dict():
            word = "object"
    return tell(f"expression_kinds.{word}")


def _sum(left: Value, right: Value) -> Value:
    if isinstance(left, str) and isinstance(right, str):
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        if len(left) + len(right) > MOST_ITEMS:
            raise Failed("long", limit=MOST_ITEMS)
        return [*left, *right]
    return _computed("+", left, right)


def _computed(sign: str, left: Value, right: Value) -> Value:
    if left is None or right is None:
        raise Failed("empty", operator=sign)
    if not is_number(left) or not is_number(right):
        raise Failed("kinds", operator=sign, left=word_for(left), right=word_for(right))
    one, other = exact(left), exact(right)
    if sign in "/%" and other == 0:
        raise Failed("zero")
    made: int | Decimal
    if sign in _WHOLE and isinstance(one, int) and isinstance(other, int):
        made = _WHOLE[sign](one, other)
    else:
        made = _DECIMAL[sign](one, other)
    if abs(made) > _LARGEST:
        raise Failed("large")
    return made


_WHOLE: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
}
_DECIMAL: Mapping[str, Callable[[int | Decimal, int | Decimal], Decimal]] = {
    "+": EXACT.add,
    "-": EXACT.subtract,
    "*": EXACT.multiply,
    "/": EXACT.divide,
    "%": EXACT.remainder,
}
_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def operate(sign: str, left: Value, right: Value, *, null_is_zero: bool = False) -> Value:
    """`&&` and `||` are not here: they may not need their right side."""
    if sign == "+":
        return _sum(left, right)
    if sign in _DECIMAL:
        return _computed(sign, left, right)
    if sign in ("==", "!="):
        return same(left, right) is (sign == "==")
    if sign == "in":
        return _is_in(left, right)
    return _ordered(sign, left, right, null_is_zero=null_is_zero)


def same(left: Value, right: Value) -> bool:
    if isinstance(left, bool) is not isinstance(right, bool):
        return False
    if isinstance(left, Decimal) or isinstance(right, Decimal):
        return is_number(left) and is_number(right) and exact(left) == exact(right)
    return left == right


def _is_in(left: Value, right: Value) -> bool:
    if isinstance(right, str):
        return isinstance(left, str) and left in right
    if isinstance(right, dict):
        return isinstance(left, str) and left in right
    if isinstance(right, list):
        return any(same(left, each) for each in right)
    return False


def _ordered(sign: str, left: Value, right: Value, *, null_is_zero: bool) -> bool:
    """Null is neither less nor more than anything, unless it counts as 0."""
    if null_is_zero:
        left, right = (0 if side is None else side for side in (left, right))
    if left is None or right is None:
        return False
    if is_number(left) and is_number(right):
        return _ORDERS[sign](exact(left), exact(right))
    if isinstance(left, str) and isinstance(right, str):
        return _ORDERS[sign](left, right)
    raise Failed("kinds", operator=sign, left=word_for(left), right=word_for(right))


Gives = Literal["string", "number", "integer", "boolean", "array", "any"]


@dataclass(frozen=True)
class Function:
    usage: str
    """`round(number, digits?)`: `?` may be left out, `…` may be several."""
    gives: Gives
    run: Callable[..., Value]
    takes_nothing: bool = False
    """Whether its first value may be null."""

    @property
    def least(self) -> int:
        return sum("?" not in each and "…" not in each for each in self._parameters)

    @property
    def most(self) -> int:
        return 100 if "…" in self.usage else len(self._parameters)

    @property
    def _parameters(self) -> list[str]:
        inside = self.usage.partition("(")[2].rstrip(")")
        return [each.strip() for each in inside.split(",") if each.strip()]


# ---- readings ------------------------------------------------------------------------------


def _text(value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list | dict | bool):
        raise Failed("no_text", kind=word_for(value))
    return text_of(value)


def _whole(value: Value) -> int:
    number = exact(value)
    if number != int(number):
        raise Failed("no_whole", value=text_of(number))
    return int(number)


def _list(value: Value) -> list[JsonValue]:
    if not isinstance(value, list):
        raise Failed("no_list", kind=word_for(value))
    if len(value) > MOST_ITEMS:
        raise Failed("long", limit=MOST_ITEMS)
    return value


def _day(value: Value) -> date:
    moment = _moment(value)
    return moment.date() if isinstance(moment, datetime) else moment


def _moment(value: Value) -> date | datetime:
    found = as_moment(value if not isinstance(value, Decimal) else finished(value))
    if found is None:
        raise Failed("no_day", value=text_of(finished(value))[:40])
    return found


# ---- text ----------------------------------------------------------------------------------


def _part(text: Value, start: Value, end: Value = None) -> Value:
    whole = _text(text)
    return whole[max(_whole(start), 0) : None if end is None else max(_whole(end), 0)]


def _padded(text: Value, width: Value, character: Value = "0") -> Value:
    wanted = _whole(width)
    if wanted > MOST_ITEMS or len(_text(character)) != 1:
        raise Failed("long", limit=MOST_ITEMS)
    return _text(text).rjust(wanted, _text(character))


def _contains(whole: Value, part: Value) -> Value:
    if isinstance(whole, list):
        return any(same(each, part) for each in whole)
    return _text(part) in _text(whole)


def _replaced(text: Value, old: Value, new: Value) -> Value:
    made = _text(text)
    if len(made) * max(len(_text(new)), 1) > 1_000_000:
        raise Failed("long", limit=1_000_000)
    return made.replace(_text(old), _text(new)) if old else made


def _split(text: Value, separator: Value) -> Value:
    return list[JsonValue](_text(text).split(_text(separator) or None))


def _joined(items: Value, separator: Value = "") -> Value:
    return _text(separator).join(_text(each) for each in _list(items) if each is not None)


def _size(value: Value) -> Value:
    if isinstance(value, str | list | dict):
        return len(value)
    raise Failed("no_size", kind=word_for(value))


def _told(value: Value) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    return _text(value) if value is not None else ""


# ---- numbers -------------------------------------------------------------------------------


def _number(value: Value) -> Value:
    """`"１，０００円"` too; what is none is a problem and not 0."""
    if is_number(value):
        return value
    found = as_number(finished(value)) if isinstance(value, str) else None
    if found is None:
        raise Failed("unreadable", value=text_of(finished(value))[:40])
    return exact(found)


def _rounding(way: str) -> Callable[..., Value]:
    def rounded(value: Value, digits: Value = 0) -> Value:
        places = _whole(digits)
        if abs(places) > 30:
            raise Failed("large")
        with localcontext(EXACT):
            number = Decimal(exact(value)).quantize(Decimal(1).scaleb(-places), rounding=way)
        return int(number) if places <= 0 else number

    return rounded


def _numbers(first: Value, rest: tuple[Value, ...]) -> Iterator[int | Decimal]:
    """Of a list, or of several values; what is empty is left out."""
    given: list[Any] = _list(first) if isinstance(first, list) and not rest else [first, *rest]
    return (exact(each) for each in given if each is not None)


def _total(first: Value, *rest: Value) -> Value:
    with localcontext(EXACT):
        return sum(_numbers(first, rest), 0)


def _average(first: Value, *rest: Value) -> Value:
    numbers = list(_numbers(first, rest))
    return operate("/", _total(*numbers), len(numbers)) if numbers else None


def _formatted(number: Value, digits: Value = 0) -> Value:
    places = min(max(_whole(digits), 0), 30)
    return f"{Decimal(exact(_rounding(ROUND_HALF_UP)(number, places))):,.{places}f}"


# ---- days ----------------------------------------------------------------------------------


def _iso(moment: date) -> str:
    return moment.isoformat()


def _later(day: Value, days: Value) -> Value:
    try:
        return _iso(_day(day) + timedelta(days=_whole(days)))
    except OverflowError:
        raise Failed("large") from None


def _months_later(day: Value, months: Value) -> Value:
    """The 31st becomes the last day of a shorter month."""
    start = _day(day)
    years, month = divmod(start.month - 1 + _whole(months), 12)
    year = start.year + years
    if not 1 <= year <= 9999:
        raise Failed("large")
    return _iso(date(year, month + 1, min(start.day, monthrange(year, month + 1)[1])))


def _month_end(day: Value) -> Value:
    start = _day(day)
    return _iso(start.replace(day=monthrange(start.year, start.month)[1]))


def _fiscal_year(day: Value, start_month: Value = 4) -> Value:
    given = _day(day)
    return given.year - (given.month < _whole(start_month))


def _day_text(day: Value, form: Value) -> Value:
    """`YYYY年M月D日`: YYYY, YY, MM, M, DD, D, hh, mm, ss; all else stays."""
    moment = _moment(day)
    full = moment if isinstance(moment, datetime) else datetime.combine(moment, datetime.min.time())
    out, rest = "", _text(form)
    while rest:
        sign = next((each for each in _DAY_SIGNS if rest.startswith(each)), "")
        out += _DAY_SIGNS[sign](full) if sign else rest[0]
        rest = rest[len(sign) or 1 :]
    return out


_DAY_SIGNS: Mapping[str, Callable[[datetime], str]] = {
    "YYYY": lambda day: f"{day.year:04}",
    "YY": lambda day: f"{day.year % 100:02}",
    "MM": lambda day: f"{day.month:02}",
    "M": lambda day: str(day.month),
    "DD": lambda day: f"{day.day:02}",
    "D": lambda day: str(day.day),
    "hh": lambda day: f"{day.hour:02}",
    "mm": lambda day: f"{day.minute:02}",
    "ss": lambda day: f"{day.second:02}",
}


# ---- lists and what is not there -----------------------------------------------------------


def _slice(items: Value, start: Value, end: Value = None) -> Value:
    return _list(items)[_whole(start) : None if end is None else _whole(end)]


def _flat(items: Value) -> Value:
    found: list[JsonValue] = []
    for each in _list(items):
        found.extend(each if isinstance(each, list) else [each])
    return _list(found)


def _distinct(items: Value) -> Value:
    seen: dict[object, JsonValue] = {}
    for each in _list(items):
        seen.setdefault(key_of(finished(each)), each)
    return list(seen.values())


def _sorted(items: Value, descending: Value = False) -> Value:
    return in_order(_list(finished(_list(items))), lambda each: each, descending=descending is True)


def _first_filled(*values: Value) -> Value:
    return next((each for each in values if not is_blank(cast("Any", each))), None)


def _among_list(position: int) -> Callable[[Value], Value]:
    def one(items: Value) -> Value:
        every = _list(items)
        return every[position] if every else None

    return one


def _extreme(pick: Callable[[list[int | Decimal]], int | Decimal]) -> Callable[..., Value]:
    def run(first: Value, *rest: Value) -> Value:
        numbers = list(_numbers(first, rest))
        return pick(numbers) if numbers else None

    return run


def _truth(value: Value) -> Value:
    found = as_boolean(finished(value))
    if found is None:
        raise Failed("unreadable", value=text_of(finished(value))[:40])
    return found


def _keys(value: Value) -> Value:
    if not isinstance(value, dict):
        raise Failed("no_object", kind=word_for(value))
    return list[JsonValue](value)


def _is_empty(value: Value) -> Value:
    return is_blank(finished(value)) or value in ([], {})


def _of_one(usage: str, gives: Gives, run: Callable[[Value], Value]) -> Function:
    return Function(usage, gives, run)


def _of_two(usage: str, gives: Gives, run: Callable[[Value, Value], Value]) -> Function:
    return Function(usage, gives, run)


FUNCTIONS: Mapping[str, Function] = {
    "text": Function("text(value)", "string", _told, takes_nothing=True),
    "string": Function("string(value)", "string", _told, takes_nothing=True),
    "size": Function("size(text|list|object)", "integer", _size),
    "trim": _of_one("trim(text)", "string", lambda text: _text(text).strip()),
    "upper": _of_one("upper(text)", "string", lambda text: _text(text).upper()),
    "lower": _of_one("lower(text)", "string", lambda text: _text(text).lower()),
    "normalize": _of_one(
        "normalize(text)", "string", lambda text: unicodedata.normalize("NFKC", _text(text))
    ),
    "contains": Function("contains(text|list, part)", "boolean", _contains),
    "startsWith": _of_two(
        "startsWith(text, part)", "boolean", lambda text, part: _text(text).startswith(_text(part))
    ),
    "endsWith": _of_two(
        "endsWith(text, part)", "boolean", lambda text, part: _text(text).endswith(_text(part))
    ),
    "matches": _of_two(
        "matches(text, pattern)",
        "boolean",
        lambda text, pattern: Pattern(_text(pattern)).found_in(_text(text)),
    ),
    "replace": Function("replace(text, old, new)", "string", _replaced),
    "substring": Function("substring(text, start, end?)", "string", _part),
    "padLeft": Function("padLeft(text, width, character?)", "string", _padded),
    "split": Function("split(text, separator)", "array", _split),
    "join": Function("join(list, separator?)", "string", _joined),
    "number": Function("number(value)", "number", _number),
    "double": Function("double(value)", "number", _number),
    "int": _of_one("int(value)", "integer", lambda value: math.trunc(exact(_number(value)))),
    "bool": Function("bool(value)", "boolean", _truth),
    "round": Function("round(number, digits?)", "number", _rounding(ROUND_HALF_UP)),
    "floor": Function("floor(number, digits?)", "number", _rounding(ROUND_FLOOR)),
    "ceil": Function("ceil(number, digits?)", "number", _rounding(ROUND_CEILING)),
    "truncate": Function("truncate(number, digits?)", "number", _rounding(ROUND_DOWN)),
    "abs": _of_one("abs(number)", "number", lambda number: abs(exact(number))),
    "sum": Function("sum(list|number, number…)", "number", _total),
    "average": Function("average(list|number, number…)", "number", _average),
    "min": Function("min(list|number, number…)", "number", _extreme(min)),
    "max": Function("max(list|number, number…)", "number", _extreme(max)),
    "formatNumber": Function("formatNumber(number, digits?)", "string", _formatted),
    "date": _of_one("date(value)", "string", lambda value: _iso(_day(value))),
    "year": _of_one("year(day)", "integer", lambda day: _day(day).year),
    "month": _of_one("month(day)", "integer", lambda day: _day(day).month),
    "day": _of_one("day(day)", "integer", lambda day: _day(day).day),
    "weekday": _of_one("weekday(day)", "integer", lambda day: _day(day).isoweekday()),
    "addDays": Function("addDays(day, days)", "string", _later),
    "addMonths": Function("addMonths(day, months)", "string", _months_later),
    "monthStart": _of_one("monthStart(day)", "string", lambda day: _iso(_day(day).replace(day=1))),
    "monthEnd": Function("monthEnd(day)", "string", _month_end),
    "daysBetween": _of_two(
        "daysBetween(from, to)", "integer", lambda one, other: (_day(other) - _day(one)).days
    ),
    "fiscalYear": Function("fiscalYear(day, startMonth?)", "integer", _fiscal_year),
    "formatDate": Function("formatDate(day, form)", "string", _day_text),
    "first": Function("first(list)", "any", _among_list(0)),
    "last": Function("last(list)", "any", _among_list(-1)),
    "slice": Function("slice(list, start, end?)", "array", _slice),
    "sort": Function("sort(list, descending?)", "array", _sorted),
    "reverse": _of_one("reverse(list)", "array", lambda items: _list(items)[::-1]),
    "distinct": Function("distinct(list)", "array", _distinct),
    "flatten": Function("flatten(list)", "array", _flat),
    "keys": Function("keys(object)", "array", _keys),
    "coalesce": Function("coalesce(value…)", "any", _first_filled, takes_nothing=True),
    "isEmpty": Function("isEmpty(value)", "boolean", _is_empty, takes_nothing=True),
}
