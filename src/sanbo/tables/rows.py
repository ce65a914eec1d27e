"""Rows as JSON has them: where a value stands, which fields there are, what rows have in common.

A path goes any way down: `請求.明細.0.金額`, `files[0].name`, `items[*].id`.
"""

import re
from collections.abc import Callable, Container, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, TypeVar

from pydantic import JsonValue

from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.values import Key, Match, is_blank, key_of, place

Row = dict[str, JsonValue]
Rows = list[Row]
Item = TypeVar("Item")
Group = TypeVar("Group", bound=Hashable)

EVERY: Final = "*"
_PART = re.compile(r"\.?(?:\[(-?\d+|\*|\"[^\"]*\"|'[^']*')\]|([^.\[\]]+))")
_ROOT = re.compile(r"^\$?\.?")


class Missing:
    """What stands for a value that is not there; null is one that is."""

    def __bool__(self) -> Literal[False]:
        return False


MISSING: Final = Missing()


@dataclass(frozen=True)
class Path:
    text: str
    keys: tuple[str, ...]

    def of(self, value: JsonValue) -> JsonValue | Missing:
        """A field named exactly so comes first: names in offices have dots in them, too."""
        if isinstance(value, dict):
            found = value.get(self.text, MISSING)
            if found is not MISSING or len(self.keys) == 1:
                return found
        return _walk(value, self.keys)


@lru_cache(1024)
def path_of(text: str) -> Path:
    """What can't be read as a path is the name of a field: `No.`, `数量[個]`."""
    keys = _keys(text)
    return Path(text, (text,) if keys is None else keys)


def strict_path(text: str) -> Path:
    keys = _keys(text)
    if keys is None:
        raise InvalidInput("transform_path_unreadable", path=text)
    return Path(text, keys)


def _keys(text: str) -> tuple[str, ...] | None:
    keys: list[str] = []
    rest = _ROOT.sub("", text.strip(), count=1)
    position = 0
    while position < len(rest):
        found = _PART.match(rest, position)
        if found is None:
            return None
        keys.append((found[1] or found[2]).strip("\"'") if found[1] else found[2])
        position = found.end()
    return tuple(keys)


def _walk(value: JsonValue | Missing, keys: Sequence[str]) -> JsonValue | Missing:
    for number, key in enumerate(keys):
        if key == EVERY and isinstance(value, list):
            rest = keys[number + 1 :]
            found = [_walk(item, rest) for item in value]
            return [item for item in found if not isinstance(item, Missing)]
        value = step(value, key)
        if isinstance(value, Missing):
            return MISSING
    return value


def step(value: JsonValue | Missing, key: str) -> JsonValue | Missing:
    """One key down: a field, a position (also from the end: -1), `length` of a list."""
    if isinstance(value, dict):
        return value.get(key, MISSING)
    if isinstance(value, list):
        if re.fullmatch(r"-?\d{1,9}", key):
            index = int(key)
            return value[index] if -len(value) <= index < len(value) else MISSING
        if key == "length":
            return len(value)
    return MISSING


def fields_in(rows: Sequence[JsonValue]) -> list[str]:
    """Names of fields, in the order in which they come up."""
    return list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))


def known_as(rows: Sequence[JsonValue], name: str) -> str:
    """The field's name as the rows write it, where the plan writes it in another case."""
    names = fields_in(rows)
    if name in names:
        return name
    first, dot, rest = name.partition(".")
    other = {each.casefold(): each for each in reversed(names)}
    if (whole := other.get(name.casefold())) is not None:
        return whole
    found = other.get(first.casefold())
    if found is None or not dot:
        return name
    below = [row[found] for row in rows if isinstance(row, dict) and found in row]
    inside = [part for each in below for part in (each if isinstance(each, list) else [each])]
    return f"{found}.{known_as(inside, rest)}"


def require_field(rows: Sequence[JsonValue], name: str, port: str) -> None:
    """A field that no row has is a slip of the pen, and not an empty column."""
    path = path_of(name)
    if rows and all(path.of(row) is MISSING for row in rows):
        raise _unknown(rows, name, port)


def require_column(rows: Rows, name: str, port: str) -> None:
    """The same for a field of the rows themselves, and not of something inside them."""
    if rows and all(name not in row for row in rows):
        raise _unknown(list[JsonValue](rows), name, port)


def _unknown(rows: Sequence[JsonValue], name: str, port: str) -> InvalidInput:
    known = fields_in(rows)
    return InvalidInput(
        "transform_field_unknown",
        port=port,
        field=name,
        nearest=alternatives(name, known),
        details={"port": port, "field": name, "fields": known[:100]},
    )


def value_at(row: JsonValue, name: str) -> JsonValue:
    """The field's value; null where the row lacks it."""
    found = path_of(name).of(row)
    return None if isinstance(found, Missing) else found


def free_name(name: str, taken: Container[str]) -> str:
    """Another name where this one stands already."""
    number, free = 2, name
    while free in taken:
        free, number = f"{name}_{number}", number + 1
    return free


def shared_key(
    row: JsonValue, names: Iterable[str], match: Match = "matching"
) -> tuple[Key | None, ...]:
    """What rows of one group have in common."""
    return tuple(key_of(value_at(row, name), match) for name in names)


def grouped(keys: Iterable[Group]) -> dict[Group, list[int]]:
    """Places by key, the first that comes up first."""
    groups: dict[Group, list[int]] = {}
    for number, key in enumerate(keys):
        groups.setdefault(key, []).append(number)
    return groups


def in_order(
    items: Iterable[Item], value: Callable[[Item], JsonValue], *, descending: bool = False
) -> list[Item]:
    """Numbers by size, days by time, texts by their form; what is empty comes last either way."""
    every = list(items)
    filled = [item for item in every if not is_blank(value(item))]
    filled.sort(key=lambda item: place(key_of(value(item))), reverse=descending)
    return [*filled, *(item for item in every if is_blank(value(item)))]
