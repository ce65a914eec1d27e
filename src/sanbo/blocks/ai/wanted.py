"""What a plan wants to know of each file: `output_schema` in short form or as JSON Schema.

Short form: `請求金額: number`, `一致: bool`, `明細: [{品名: string, 金額: number}]`. In JSON Schema
the types of properties may be short as well (`properties: {file: string}`).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, cast

from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput

Kind = Literal["number", "integer", "string", "boolean", "date", "datetime", "array", "object"]

_KINDS: Mapping[str, Kind] = {
    "number": "number",
    "float": "number",
    "decimal": "number",
    "double": "number",
    "integer": "integer",
    "int": "integer",
    "string": "string",
    "str": "string",
    "text": "string",
    "boolean": "boolean",
    "bool": "boolean",
    "date": "date",
    "datetime": "datetime",
    "date-time": "datetime",
    "array": "array",
    "list": "array",
    "object": "object",
    "dict": "object",
    "any": "string",
}
_SCHEMA_KEYS = frozenset({"type", "properties", "enum", "items", "anyOf", "oneOf", "$ref", "const"})
MOST_FIELDS = 200
DEEPEST = 6


@dataclass(frozen=True)
class Wanted:
    """One field."""

    name: str
    kind: Kind
    description: str = ""
    enum: tuple[Any, ...] = ()
    fields: tuple["Wanted", ...] = ()
    """Of an object, or of each object of an array."""
    item: "Wanted | None" = None
    """What an array holds; None: texts."""


@dataclass(frozen=True)
class Shape:
    """How what is found is put together."""

    record: tuple[Wanted, ...]
    """Fields of one record in `results.items`."""
    many: bool = False
    """Whether a file may hold several records; else one a file."""
    common: tuple[Wanted, ...] = ()
    """Fields of `results` beside `items`."""
    summary: tuple[Wanted, ...] = ()
    """Fields that the plan wants in `summary`."""

    @property
    def asked(self) -> tuple[Wanted, ...]:
        """The fields of a record that must be looked for: what is known of a file is not."""
        return tuple(each for each in self.record if each.name not in KNOWN)

    @property
    def beside(self) -> tuple[Wanted, ...]:
        """Fields outside the records that must be looked for."""
        return (*self.common, *(each for each in self.summary if each.name not in COUNTED))


KNOWN = frozenset({"file", "group", "missing", "sources", "conflicts", "problem"})
"""What every record has; of these a plan may name some in its schema."""
COUNTED = frozenset(
    {
        "total_files",
        "total_items",
        "total_parts",
        "method",
        "calls",
        "files",
        "missing",
        "failed",
        "images",
        "conflicts",
        "truncated",
    }
)
"""What `summary` always has."""
TEXT = Wanted("text", "string")


def shape_of(output_schema: Mapping[str, JsonValue] | None) -> Shape:
    """Raises `InvalidInput` where a type can't be understood."""
    if not output_schema:
        return Shape(record=(Wanted("answer", "string"),))
    fields = _fields(_properties(output_schema), "", 0)
    by_name = {each.name: each for each in fields}
    results = by_name.get("results")
    if results is not None and results.kind in ("object", "array"):
        summary = by_name.get("summary")
        inside = results.fields if results.kind == "object" else (replace(results, name="items"),)
        return replace(_with_items(inside), summary=summary.fields if summary is not None else ())
    return _with_items(fields)


def _with_items(fields: Sequence[Wanted]) -> Shape:
    items = next((each for each in fields if each.name == "items" and each.kind == "array"), None)
    if items is None or not items.fields:
        return Shape(record=tuple(fields))
    rest = tuple(each for each in fields if each is not items)
    return Shape(record=items.fields, many=True, common=rest)


def _properties(schema: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
    """Of the whole schema: JSON Schema has them under `properties`."""
    inside = schema.get("properties")
    is_full = schema.get("type") == "object" or "$schema" in schema
    return inside if is_full and isinstance(inside, dict) else schema


def _fields(properties: Mapping[str, JsonValue], place: str, depth: int) -> tuple[Wanted, ...]:
    if len(properties) > MOST_FIELDS or depth > DEEPEST:
        raise InvalidInput("ai_schema_too_large", fields=MOST_FIELDS, depth=DEEPEST)
    return tuple(_wanted(name, each, place, depth) for name, each in properties.items())


def _wanted(name: str, written: JsonValue, place: str, depth: int) -> Wanted:
    where = f"{place}.{name}" if place else name
    if isinstance(written, str):
        return Wanted(name, _kind(written, where))
    if isinstance(written, list):
        return _array(name, written[0] if written else "string", "", where, depth)
    if isinstance(written, dict):
        return _object(name, written, where, depth)
    raise InvalidInput("ai_schema_type", field=where, written=str(written)[:60])


def _object(name: str, written: Mapping[str, JsonValue], where: str, depth: int) -> Wanted:
    if not _SCHEMA_KEYS & written.keys():
        return Wanted(name, "object", fields=_fields(written, where, depth + 1))
    said = " ".join(
        str(written[key]) for key in ("title", "description") if isinstance(written.get(key), str)
    )
    choices = written.get("enum")
    if isinstance(choices, list) and choices:
        values = tuple(each for each in choices if each is not None)
        return Wanted(name, _kind_of(written, where, "string"), said, enum=values)
    kind = _kind_of(written, where, "object" if "properties" in written else "string")
    if kind == "array":
        return _array(name, written.get("items") or "string", said, where, depth)
    if kind == "object":
        inside = written.get("properties")
        named = inside if isinstance(inside, dict) else {}
        return Wanted(name, "object", said, fields=_fields(named, where, depth + 1))
    return Wanted(name, kind, said)


def _array(name: str, item: JsonValue, said: str, where: str, depth: int) -> Wanted:
    inside = _wanted("item", item, where, depth + 1)
    return Wanted(name, "array", said, fields=inside.fields, item=inside)


def _kind_of(written: Mapping[str, JsonValue], where: str, otherwise: Kind) -> Kind:
    for kind in _types(written):
        found = _kind(kind, where)
        if found == "string" and written.get("format") in ("date", "date-time"):
            return "date" if written["format"] == "date" else "datetime"
        return found
    return "array" if "items" in written else otherwise


def _types(written: Mapping[str, JsonValue]) -> Iterator[str]:
    """Those that are not null, in order, also of `[number, "null"]` and of `anyOf`."""
    declared = written.get("type")
    for each in declared if isinstance(declared, list) else [declared]:
        if isinstance(each, str) and each != "null":
            yield each
    for key in ("anyOf", "oneOf"):
        for choice in cast("list[JsonValue]", written.get(key) or []):
            if isinstance(choice, dict):
                yield from _types(choice)


def _kind(written: str, where: str) -> Kind:
    kind = _KINDS.get(written.strip().rstrip("?").casefold())
    if kind is None:
        raise InvalidInput("ai_schema_type", field=where, written=written[:60])
    return kind


def json_schema(wanted: Wanted, *, nullable: bool = True) -> dict[str, Any]:
    """For the validator, and for people: what can stand in this field."""
    schema: dict[str, Any]
    match wanted.kind:
        case "array":
            inside = json_schema(wanted.item or TEXT, nullable=False)
            return {"type": "array", "items": inside}
        case "object":
            named = {each.name: json_schema(each) for each in wanted.fields}
            schema = {"type": "object", "properties": named, "required": list(named)}
        case "date" | "datetime":
            schema = {"type": "string"}
        case _:
            schema = {"type": wanted.kind}
    if wanted.enum:
        schema["enum"] = [*wanted.enum, *([None] if nullable else [])]
    if nullable:
        schema["type"] = [schema["type"], "null"]
    return schema


_EXAMPLES: Mapping[Kind, JsonValue] = {
    "number": 110000,
    "integer": 3,
    "boolean": True,
    "date": "2026-10-31",
    "datetime": "2026-10-31T00:00:00",
}


def example_of(wanted: Wanted) -> JsonValue:
    if wanted.enum:
        return cast("JsonValue", wanted.enum[0])
    if wanted.kind == "array":
        return [example_of(wanted.item or TEXT)]
    if wanted.kind == "object":
        return {each.name: example_of(each) for each in wanted.fields}
    return _EXAMPLES.get(wanted.kind, wanted.name)
