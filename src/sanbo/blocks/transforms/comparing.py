"""When two values of rows are the same, and which comes first.

`1,000`, `１，０００円` and 1000 are one number, `令和6年5月1日` and `2024-05-01` one day, `ＡＢＣ`
and `abc` one word. A code such as 0012 is no number: it equals 0012 alone.
"""

import json
from collections.abc import Callable, Hashable
from datetime import date, datetime
from functools import lru_cache
from typing import Any, Literal

from pydantic import JsonValue

from sanbo.blocks.matching.names import company_key
from sanbo.blocks.transforms.written import as_moment, as_number, is_blank, text_of
from sanbo.kernel.text import matching_form
from sanbo.language.cells import parse_boolean

Match = Literal["matching", "exact", "company"]
"""How values are compared: in matching form, exactly as they are, or as names of companies."""

Key = tuple[str, Hashable]
"""Two values are the same where their keys are."""

_REMEMBERED = 1 << 16
_LONGEST = 200


def key_of(value: JsonValue, match: Match = "matching") -> Key | None:
    """None for what is empty: nothing equals that in a join."""
    if is_blank(value):
        return None
    if match == "exact":
        return _exact(value)
    if match == "company":
        return ("text", company_key(text_of(value)))
    if isinstance(value, str):
        return _of_text(value) if len(value) <= _LONGEST else ("text", matching_form(value))
    return _exact(value)


def key_maker(match: Match) -> Callable[[JsonValue], Key | None]:
    return lambda value: key_of(value, match)


def same(left: JsonValue, right: JsonValue, match: Match = "matching") -> bool:
    """Empty equals empty; はい equals true."""
    if match != "exact":
        if isinstance(left, bool) and isinstance(right, str):
            right = _yes_or_no(right)
        elif isinstance(right, bool) and isinstance(left, str):
            left = _yes_or_no(left)
    return key_of(left, match) == key_of(right, match)


def order(left: JsonValue, right: JsonValue) -> int | None:
    """-1, 0 or 1; None where the two can't be put in order: an amount and 未定."""
    if is_blank(left) or is_blank(right) or isinstance(left, bool) or isinstance(right, bool):
        return None
    one, other = key_of(left), key_of(right)
    if one is None or other is None or one[0] != other[0] or one[0] == "json":
        return None
    return _sign(one[1], other[1])


def _sign(one: Any, other: Any) -> int:
    """Of two that are both numbers or both texts."""
    return 0 if one == other else -1 if one < other else 1


def _yes_or_no(text: str) -> JsonValue:
    found = parse_boolean(text)
    return text if found is None else found


def _exact(value: JsonValue) -> Key:
    if isinstance(value, bool):
        return ("bool", value)
    if isinstance(value, int | float):
        return ("number", value)
    if isinstance(value, str):
        return ("text", value)
    return ("json", json.dumps(value, sort_keys=True, ensure_ascii=False))


@lru_cache(_REMEMBERED)
def _of_text(text: str) -> Key:
    number = as_number(text)
    if number is not None:
        return ("number", number)
    moment = _compact_free(text)
    if moment is not None:
        return ("moment", _wall_clock(moment))
    return ("text", matching_form(text))


def _compact_free(text: str) -> date | datetime | None:
    """Eight digits are a number here: whether they mean a day, the column's reader says."""
    return None if text.strip().isdecimal() else as_moment(text)


def _wall_clock(moment: date | datetime) -> str:
    """One text for 2024-05-01 and 2024-05-01T00:00:00; such texts sort as time does."""
    if isinstance(moment, datetime):
        return moment.replace(tzinfo=None).isoformat(timespec="microseconds")
    return f"{moment.isoformat()}T00:00:00.000000"
