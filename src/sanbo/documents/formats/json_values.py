"""JSON as it is written: numbers digit by digit, members in order, names that occur twice kept."""

import json
import re
from collections.abc import Iterator
from typing import Any, TypeAlias, cast

from sanbo.kernel.problems import InvalidInput, LimitExceeded

MAX_DEPTH = 100
_BRACKETS = re.compile(r'"(?:[^"\\]++|\\.)*+(?:"|\\?\Z)|([\[{])|([\]}])', re.DOTALL)


class NumberText(str):
    """A number, as its digits: 20-digit ids and 0.10 stay what they are."""

    __slots__ = ()


class Members(list[tuple[str, "JsonText"]]):
    """An object's names and values; a list, since names may repeat."""

    def repeated(self) -> int:
        return len(self) - len({name for name, _ in self})


JsonText: TypeAlias = "str | bool | list[JsonText] | Members | None"


def parse_json(text: str, *, name: str) -> JsonText:
    _refuse_depth(text, name)
    try:
        return _decode(text)
    except json.JSONDecodeError as error:
        raise _invalid(name, error, error.lineno) from error


def parse_lines(text: str, *, name: str) -> list[JsonText]:
    """JSON Lines: a value a line."""
    values: list[JsonText] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        _refuse_depth(line, name)
        try:
            values.append(_decode(line))
        except json.JSONDecodeError as error:
            raise _invalid(name, error, number) from error
    return values


def is_lines(text: str) -> bool:
    """More than one line, and the first of them is a whole object or array."""
    lines = (line for line in text.split("\n") if line.strip())
    first, second = next(lines, ""), next(lines, None)
    if second is None or first.lstrip()[:1] not in ("{", "["):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def _decode(text: str) -> JsonText:
    return cast("JsonText", _DECODER.decode(text))


def _refuse_depth(text: str, name: str) -> None:
    """Before parsing: the parser recurses, and a file of brackets would end it."""
    if text.count("[") + text.count("{") <= MAX_DEPTH:
        return
    depth = 0
    for match in _BRACKETS.finditer(text):
        if match[1]:
            depth += 1
            if depth > MAX_DEPTH:
                raise LimitExceeded("json_too_deep", name=name, limit=MAX_DEPTH)
        elif match[2]:
            depth -= 1


def _invalid(name: str, error: json.JSONDecodeError, line: int) -> InvalidInput:
    return InvalidInput(
        "json_invalid",
        name=name,
        line=line,
        column=error.colno,
        details={"reason": error.msg},
    )


def _members(pairs: list[tuple[str, Any]]) -> Members:
    return Members(pairs)


_DECODER = json.JSONDecoder(
    object_pairs_hook=_members,
    parse_int=NumberText,
    parse_float=NumberText,
    parse_constant=NumberText,
)


def walk(value: JsonText) -> Iterator[Members]:
    """Every object in a value, without recursion."""
    todo: list[JsonText] = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Members):
            yield item
            todo.extend(inner for _, inner in item)
        elif isinstance(item, list):
            todo.extend(item)
