"""What a plan writes into a block's options, read strictly, with problems that say where."""

from collections.abc import Sequence
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sanbo.blocks.transforms.paths import MISSING, Missing, path_of
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import alternatives
from sanbo.kernel.problems import InvalidInput

Row = dict[str, JsonValue]
Rows = list[Row]


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


def fields_in(rows: Sequence[JsonValue]) -> list[str]:
    """Names of fields, in the order in which they come up."""
    known: dict[str, None] = {}
    for row in rows:
        if isinstance(row, dict):
            for name in row:
                known.setdefault(name)
    return list(known)


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


def listed(value: JsonValue) -> list[JsonValue]:
    """One or several, as plans write either."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
