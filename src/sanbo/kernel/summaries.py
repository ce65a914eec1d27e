"""What a log says of values: small ones masked, large or binary ones by size, hash and excerpt."""

import hashlib
from typing import cast

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.kernel.personal_data import masked_private

SUMMARY = "x-summary"
LARGE = 1000
"""Bytes of JSON, above which a list or an object is told by its summary."""
LONGEST_TEXT = 200
LONGEST_EXCERPT = 120
MOST_NAMES = 50
DEEPEST = 2
_LOOKED_AT = 1000
_FILE = {"file_id", "name"}
_CODED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=_-\r\n")


def summary(value: JsonValue, name: str = "") -> JsonValue:
    """`name` is that of a port, field or column: it says what a number is."""
    return _summary(value, name, DEEPEST)


def _summary(value: JsonValue, name: str, depth: int) -> JsonValue:
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return _of_large(value, value.encode("utf-8", "replace"), name)
    if not isinstance(value, dict | list):
        return masked_private(value, name)
    if isinstance(value, dict) and value.keys() >= _FILE:
        return masked_private(value)  # its name, size and hash are what it is
    data = to_json(value)
    is_large = len(data) > LARGE
    if is_large and (isinstance(value, list) or not depth or len(value) > MOST_NAMES):
        return _of_large(value, data, name)
    if isinstance(value, list):
        return [_summary(each, name, depth) for each in value]
    inside = depth - 1 if is_large else depth
    return {str(masked_private(key)): _summary(each, key, inside) for key, each in value.items()}


def _of_large(value: JsonValue, data: bytes, name: str) -> JsonValue:
    told: dict[str, JsonValue] = {"type": _type(value), "size": len(data)}
    if isinstance(value, list | dict):
        told["items"] = len(value)
    told["sha256"] = hashlib.sha256(data).hexdigest()
    if told["type"] != "binary":
        told["excerpt"] = _excerpt(value, name)
    return {SUMMARY: told}


def _type(value: JsonValue) -> str:
    if isinstance(value, str):
        return "binary" if _CODED.issuperset(value[:_LOOKED_AT]) else "text"
    return "list" if isinstance(value, list) else "object"


def _excerpt(value: JsonValue, name: str) -> str:
    """Masked before it is cut: half a number would no longer be known as one."""
    match value:
        case str():
            text = cast("str", masked_private(value[:_LOOKED_AT], name))
        case list():
            text = to_json([_summary(each, name, 0) for each in value[:3]]).decode()
        case dict():
            first = list(value.items())[:5]
            text = to_json({key: _summary(each, key, 0) for key, each in first}).decode()
        case _:
            text = str(value)
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_EXCERPT else f"{line[:LONGEST_EXCERPT]}…"
