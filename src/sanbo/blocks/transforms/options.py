"""Options of blocks, read strictly: what is wrong with them is told with its place."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.tables.rows import Rows, known_as, require_field


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


def chosen_fields(given: JsonValue, rows: Rows, port: str) -> dict[str, str]:
    """New name → field: `[取引先, 金額]`, `{顧客: 取引先}`; nothing where none are named."""
    if given is None or given in ([], {}, ""):
        return {}
    if isinstance(given, dict):
        wanted = read_as(dict[str, str], given, port)
    else:
        wanted = {name: name for name in read_as(list[str], listed(given), port)}
    found = {name: known_as(rows, field) for name, field in wanted.items()}
    for field in found.values():
        require_field(rows, field, port)
    return found
