"""The names of an expression as the fields of a row, and values beside it."""

from collections.abc import Mapping

from pydantic import JsonValue

from sanbo.tables.expressions.syntax import Given, Template
from sanbo.tables.rows import Row, known_as

ROW = "row"
"""The row itself, for fields that are no plain words: `row["税 率"]`."""


class RowNames:
    def __init__(self, row: Row, values: Mapping[str, JsonValue]) -> None:
        self.row = row
        self.missing: list[str] = []
        """What is neither a field nor a value: null."""
        self._values = values

    def value(self, given: Given, /) -> JsonValue:
        found: JsonValue
        name = given.root if given.root in self.row else known_as([self.row], given.root)
        if name in self.row:
            found = self.row[name]
        elif given.root in self._values:
            found = self._values[given.root]
        elif given.root == ROW:
            found = self.row
        else:
            self.missing.append(given.text)
            return None
        for key in given.keys:
            found = _below(found, key)
        return found

    def written(self, template: Template, /) -> str:
        return template.text


def _below(value: JsonValue, key: str | int) -> JsonValue:
    if isinstance(value, dict):
        return value.get(known_as([value], str(key)))
    if isinstance(value, list):
        place = int(key) if isinstance(key, str) and key.isdecimal() else key
        return value[place] if isinstance(place, int) and place < len(value) else None
    return None
