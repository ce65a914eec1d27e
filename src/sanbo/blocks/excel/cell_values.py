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


FORMULA = "x-formula"
"""Around a text that stands in the plan itself: one that comes from data is never a formula."""
_WRITING = frozenset({"update_cells", "update_cells_if"})


def with_formulas(operations: JsonValue) -> JsonValue:
    if isinstance(operations, list):
        return [with_formulas(each) for each in operations]
    if not isinstance(operations, dict) or operations.get("type") not in _WRITING:
        return operations
    return {
        key: _marked(value) if key in ("cells", "data", "value") else value
        for key, value in operations.items()
    }


def _marked(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {key: _marked(each) for key, each in value.items()}
    return {FORMULA: value} if isinstance(value, str) and value.startswith("=") else value


def formula_of(value: JsonValue) -> str | None:
    found = value.get(FORMULA) if isinstance(value, dict) else None
    return found if isinstance(found, str) else None


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
