"""What transforms share: options read strictly, and outputs told before a plan runs.

Where the inputs are known and few, they are transformed: that has no effect and takes no time.
Else the plan's own options tell which fields there will be.
"""

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import override

from sanbo.blocks.block import In, PureBlock, nowhere
from sanbo.blocks.spec import Schema
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, SanboError
from sanbo.tables.rows import Row


class Option(BaseModel):
    """One entry of an option; keys that it does not know are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


Kind = TypeVar("Kind")


def read_as(kind: type[Kind], value: JsonValue, port: str) -> Kind:
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in (port, *first["loc"]))
        raise InvalidInput(
            "transform_option_invalid",
            port=where,
            reason=_reason(first),
            details={"port": where, "given": first["input"]},
        ) from None


_REASONS = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "string": "text",
    "int": "number",
    "float": "number",
    "bool": "truth",
    "list": "list",
    "dict": "object",
    "model": "object",
    "literal": "choice",
    "enum": "choice",
    "greater": "range",
    "less": "range",
}


def _reason(error: ErrorDetails) -> str:
    """In the reader's language what pydantic says in English."""
    kind = error["type"]
    reason = _REASONS.get(kind) or _REASONS.get(kind.split("_")[0], "value")
    return tell(f"transform_reason.{reason}")


def listed(value: JsonValue) -> list[JsonValue]:
    """One or several, as plans write either."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


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
