"""What a transform's outputs look like, told before a plan runs.

Where the inputs are known and few, they are transformed: that has no effect and takes no time.
Else the plan's own options tell which fields there will be.
"""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import JsonValue, ValidationError
from typing_extensions import override

from sanbo.blocks.block import In, PureBlock, nowhere
from sanbo.blocks.spec import Schema
from sanbo.kernel.problems import SanboError
from sanbo.tables.rows import Row

_MOST_ROWS = 50


class Transform(PureBlock[In]):
    """A block that only computes on rows."""

    @classmethod
    @override
    def outline(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        return cls._computed(given) or cls._named(given)

    @classmethod
    def _computed(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        rows = [given.get(name) for name in cls.needed]
        if any(not isinstance(one, list) or not 0 < len(one) <= _MOST_ROWS for one in rows):
            return {}
        try:
            made = cls().run(cast("In", cls.Inputs.model_validate(given)), nowhere())
        except (SanboError, ValidationError):  # the validator tells
            return {}
        # What the summary holds, its port tells better.
        return {port: schema_of(value) for port, value in made.items() if port != "summary"}

    @classmethod
    def _named(cls, given: Mapping[str, JsonValue]) -> Mapping[str, Schema]:
        try:
            row = cls.row(given)
        except (SanboError, ValidationError):
            return {}
        return cls.ports(row) if row else {}

    @classmethod
    def row(cls, given: Mapping[str, JsonValue]) -> Row:
        """A row with the fields that the options name; empty where they name none."""
        _ = given
        return {}

    @classmethod
    def ports(cls, row: Row) -> Mapping[str, Schema]:
        return {"rows": schema_of([row])}


def schema_of(value: Any) -> Schema:
    """With the value as its example. Fields have no type: a row's may be empty."""
    if isinstance(value, list):
        entries = cast("list[object]", value)
        are_rows = all(isinstance(entry, dict) for entry in entries)
        items: Schema = {"type": "object"} if are_rows else {}
        return {"type": "array", "items": items, "examples": [entries]}
    if isinstance(value, dict):
        return {"type": "object", "examples": [value]}
    return {"examples": [value]}
