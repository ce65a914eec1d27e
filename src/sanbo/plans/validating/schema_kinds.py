"""What kinds of values a schema allows, and schemas made of others."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from sanbo.blocks.spec import Schema

ANY: Schema = {}
TEXT: Schema = {"type": "string"}
INTEGER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
KINDS = frozenset({"null", "boolean", "integer", "number", "string", "array", "object"})
DEEPEST = 20
_MOST_BRANCHES = 50


def kinds_of(schema: Schema) -> frozenset[str]:
    """Types that a value may have, all where the schema does not say; integer is also a number."""
    return _kinds(schema, 0)


def admits_null(schema: Schema) -> bool:
    """Whether it says so: one that says nothing about types is not taken to."""
    kinds = kinds_of(schema)
    return "null" in kinds and kinds != KINDS


def is_null(schema: Schema) -> bool:
    """Whether there is never a value."""
    return kinds_of(schema) == frozenset({"null"})


def accepts_null(schema: Schema) -> bool:
    return "null" in kinds_of(schema)


def without_null(schema: Schema) -> Schema:
    """The same for the case that there is a value."""
    kinds = kinds_of(schema)
    if "null" not in kinds or kinds == KINDS:
        return schema
    rest: dict[str, Any] = dict(schema)
    if isinstance(rest.get("type"), list | tuple):
        types = [kind for kind in _texts(rest["type"]) if kind != "null"]
        rest["type"] = types[0] if len(types) == 1 else types
    if isinstance(rest.get("enum"), list | tuple):
        rest["enum"] = [value for value in cast("list[object]", rest["enum"]) if value is not None]
    for word in ("anyOf", "oneOf"):
        if word in rest:
            branches = [carried(rest, each) for each in schemas_in(rest[word])]
            kept = [without_null(each) for each in branches if not is_null(each)]
            if len(kept) == 1 and set(rest) <= {word, "$defs", "description", "title"}:
                return kept[0]
            rest[word] = kept
    return rest


def nullable(schema: Schema) -> Schema:
    return schema if accepts_null(schema) else {"anyOf": [schema, {"type": "null"}]}


def one_of(schemas: Iterable[Schema]) -> Schema:
    """A value of any of them."""
    different: list[Schema] = []
    for each in schemas:
        if not each or len(different) > _MOST_BRANCHES:
            return ANY
        if each not in different:
            different.append(each)
    if len(different) < 2:
        return different[0] if different else ANY
    return {"anyOf": different}


def branches_of(schema: Schema) -> list[Schema]:
    """The alternatives and parts that a schema is made of."""
    found: list[Schema] = []
    if "$ref" in schema:
        found.append(followed(schema))
    for word in ("anyOf", "oneOf", "allOf"):
        found.extend(carried(schema, each) for each in schemas_in(schema.get(word)))
    return found[:_MOST_BRANCHES]


def carried(parent: Schema, child: object) -> Schema:
    """A part of a schema, which may name definitions that stand at the whole's top."""
    if not isinstance(child, Mapping):
        return ANY if child is not False else {"not": {}}
    part = cast("Schema", child)
    if "$defs" in parent and "$defs" not in part:
        return {**part, "$defs": parent["$defs"]}
    return part


def followed(schema: Schema) -> Schema:
    """What a `$ref` to the schema's own definitions stands for."""
    for _ in range(DEEPEST):
        target = schema.get("$ref")
        if not isinstance(target, str):
            return schema
        definitions = schema.get("$defs")
        name = target.removeprefix("#/$defs/")
        if not isinstance(definitions, Mapping) or name not in definitions:
            return ANY
        schema = carried(schema, cast("Mapping[str, object]", definitions)[name])
    return ANY


def kind_of(value: object) -> str:
    if value is None:
        return "null"
    return next((kind for types, kind in _KINDS if isinstance(value, types)), "object")


_KINDS: tuple[tuple[type | tuple[type, ...], str], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (str, "string"),
    ((list, tuple), "array"),
)


def _kinds(schema: Schema, depth: int) -> frozenset[str]:
    if depth > DEEPEST:
        return KINDS
    kinds = KINDS
    if "type" in schema:
        kinds &= _with_integers(_texts(schema["type"]))
    if "const" in schema:
        kinds &= _with_integers([kind_of(schema["const"])])
    if isinstance(schema.get("enum"), list | tuple):
        kinds &= _with_integers(kind_of(each) for each in cast("list[object]", schema["enum"]))
    if "$ref" in schema:
        kinds &= _kinds(followed(schema), depth + 1)
    for word in ("anyOf", "oneOf"):
        if schemas := schemas_in(schema.get(word)):
            kinds &= frozenset[str]().union(
                *(_kinds(carried(schema, each), depth + 1) for each in schemas[:_MOST_BRANCHES])
            )
    for each in schemas_in(schema.get("allOf"))[:_MOST_BRANCHES]:
        kinds &= _kinds(carried(schema, each), depth + 1)
    return kinds


def _with_integers(kinds: Iterable[str]) -> frozenset[str]:
    found = frozenset(kinds)
    return found | {"integer"} if "number" in found else found


def schemas_in(value: object) -> list[object]:
    return list(cast("Sequence[object]", value)) if isinstance(value, list | tuple) else []


def _texts(value: object) -> list[str]:
    if isinstance(value, list | tuple):
        return [str(each) for each in cast("Sequence[object]", value)]
    return [str(value)]
