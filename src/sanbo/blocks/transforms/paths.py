"""Where a value stands in another: `請求.明細.0.金額`, `files[0].name`, `items[*].id`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput

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
