"""Between JSON, which has no dates, and cells, which do."""

import json
import re
from datetime import date, datetime, time
from decimal import Decimal

from pydantic import JsonValue

from sanbo.documents.excel.values import Scalar

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_MOMENT = re.compile(
    r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,6})?)?(?:Z|[-+]\d{2}:?\d{2})?", re.ASCII
)


def cell_value(value: JsonValue, *, dates_as_text: bool = False) -> Scalar:
    """As a cell holds it: an ISO date is a date, a list of words one text, an object its JSON."""
    if isinstance(value, str):
        return value if dates_as_text else _dated(value)
    if isinstance(value, list) and not any(isinstance(each, list | dict) for each in value):
        return "、".join("" if each is None else str(each) for each in value)
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False)
    return value


def _dated(text: str) -> Scalar:
    try:
        if _DAY.fullmatch(text):
            return date.fromisoformat(text)
        if _MOMENT.fullmatch(text):
            return datetime.fromisoformat(text)
    except ValueError:  # 2025-02-30
        return text
    return text


def json_value(value: Scalar) -> JsonValue:
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat()
    return value.isoformat() if isinstance(value, date | time) else value
