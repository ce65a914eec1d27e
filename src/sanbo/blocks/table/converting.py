"""Cells brought to the kind that a plan asks for."""

from collections.abc import Callable, Mapping
from datetime import datetime

from pydantic import JsonValue

from sanbo.blocks.transforms.written import as_boolean, as_moment, as_number, is_blank, text_of
from sanbo.kernel.problems import InvalidInput

_SPELLINGS = {
    **dict.fromkeys(("string", "str", "text", "category", "文字列"), "string"),
    **dict.fromkeys(("integer", "int", "int64", "int32", "整数"), "integer"),
    **dict.fromkeys(("number", "float", "float64", "double", "decimal", "数値"), "number"),
    **dict.fromkeys(("boolean", "bool", "真偽"), "boolean"),
    **dict.fromkeys(("date", "日付"), "date"),
    **dict.fromkeys(("datetime", "datetime64", "datetime64[ns]", "timestamp", "日時"), "datetime"),
    **dict.fromkeys(("object", "any"), "object"),
}


def dtype_named(word: str, column: str) -> str:
    """One of ours for all its spellings, those of pandas among them."""
    found = _SPELLINGS.get(word.strip().lower())
    if found is None:
        known = ", ".join(dict.fromkeys(_SPELLINGS.values()))
        raise InvalidInput("table_dtype_unknown", dtype=word, column=column, known=known)
    return found


def converted(value: JsonValue, dtype: str) -> JsonValue:
    """`ValueError` for what is not of that kind; what is empty is null."""
    if is_blank(value) and not (dtype == "string" and value is not None):
        return None
    found = _CONVERTERS[dtype](value)
    if found is None:
        raise ValueError(dtype)
    return found


def _integer(value: JsonValue) -> JsonValue:
    number = as_number(value, codes=True)
    return int(number) if number is not None and float(number).is_integer() else None


def _number(value: JsonValue) -> JsonValue:
    return as_number(value, codes=True)


def _day(value: JsonValue) -> JsonValue:
    moment = as_moment(value)
    if isinstance(moment, datetime):
        return moment.date().isoformat()
    return moment.isoformat() if moment else None


def _moment(value: JsonValue) -> JsonValue:
    moment = as_moment(value)
    if moment is None or isinstance(moment, datetime):
        return moment.isoformat() if moment else None
    return f"{moment.isoformat()}T00:00:00"


def _text(value: JsonValue) -> JsonValue:
    return str(value).lower() if isinstance(value, bool) else text_of(value)


_CONVERTERS: Mapping[str, Callable[[JsonValue], JsonValue]] = {
    "string": _text,
    "integer": _integer,
    "number": _number,
    "boolean": as_boolean,
    "date": _day,
    "datetime": _moment,
    "object": lambda value: value,
}
