"""A port's schema as its YAML writes it, made plain JSON Schema that every reader can walk.

`type: bytes` becomes a file's schema and `type: text` that of a text in one or two languages,
`nullable` is folded into the type, references are put in place, descriptions in two languages
move out of the way of JSON Schema's own `description`.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from sanbo.blocks.spec import FILE_SCHEMA, TEXT_SCHEMA, Schema
from sanbo.kernel.problems import InvalidInput

DESCRIPTION = "x-description"
"""In a schema inside a port: what the part is, `{ja, en}`."""

_ONE = frozenset(
    {"items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"}
)
_MANY = frozenset({"anyOf", "oneOf", "allOf", "prefixItems"})
_NAMED = frozenset({"properties", "patternProperties", "dependentSchemas"})
_LEFT_OUT = frozenset({"$ref", "$defs", "definitions"})
_MAX_PARTS = 5_000
_OWN_TYPES: Mapping[str, Schema] = {"bytes": FILE_SCHEMA, "text": TEXT_SCHEMA}

Lookup = Callable[[str], Mapping[str, Any]]
"""The schema document of a `$ref` that is not `#/…`."""


class PortSchemas:
    """Makes the schemas of one spec plain; counts their parts, so that references can't explode."""

    def __init__(self, lookup: Lookup) -> None:
        self._lookup = lookup
        self._parts = 0

    def plain(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        return self._schema(schema, schema, ())

    def _schema(self, schema: Any, root: Mapping[str, Any], seen: tuple[str, ...]) -> Any:
        if isinstance(schema, bool):
            return schema
        if not isinstance(schema, Mapping):
            raise InvalidInput("block_schema_not_mapping", found=repr(schema)[:80])
        self._parts += 1
        if self._parts > _MAX_PARTS:
            raise InvalidInput("block_schema_too_large", limit=_MAX_PARTS)
        written = cast("Mapping[str, Any]", schema)
        if "$ref" in written:
            return self._referred(written, root, seen)
        made = {
            key: self._part(key, value, root, seen)
            for key, value in written.items()
            if key not in _LEFT_OUT
        }
        return _nullable(_lifted(_described(_with_own_type(made))), written)

    def _part(self, key: str, value: Any, root: Mapping[str, Any], seen: tuple[str, ...]) -> Any:
        if key in _ONE:
            return self._schema(value, root, seen)
        if key in _MANY and isinstance(value, list):
            return [self._schema(each, root, seen) for each in cast("list[Any]", value)]
        if key in _NAMED and isinstance(value, Mapping):
            named = cast("Mapping[str, Any]", value)
            return {str(name): self._schema(each, root, seen) for name, each in named.items()}
        return value

    def _referred(
        self, schema: Mapping[str, Any], root: Mapping[str, Any], seen: tuple[str, ...]
    ) -> dict[str, Any]:
        name = str(schema["$ref"])
        target, document = self._target(name, root)
        mark = f"{id(document)}{name}"
        if mark in seen:  # a tree of its own kind: from here on only the kind is checked
            return {"type": target["type"]} if "type" in target else {}
        found = self._schema(target, document, (*seen, mark))
        beside = {key: value for key, value in schema.items() if key not in _LEFT_OUT}
        if not beside:
            return found
        return _nullable({**found, **_described(beside)}, beside)

    def _target(
        self, name: str, root: Mapping[str, Any]
    ) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
        document, _, pointer = name.partition("#")
        place = self._lookup(document) if document else root
        found: Any = place
        for step in pointer.strip("/").split("/") if pointer.strip("/") else ():
            if isinstance(found, Mapping):
                key = step.replace("~1", "/").replace("~0", "~")
                found = cast("Mapping[str, Any]", found).get(key)
        if not isinstance(found, Mapping):
            raise InvalidInput("block_schema_reference", reference=name)
        return cast("Mapping[str, Any]", found), place


def _with_own_type(schema: dict[str, Any]) -> dict[str, Any]:
    own = _OWN_TYPES.get(kind) if isinstance(kind := schema.get("type"), str) else None
    if own is None:
        return schema
    return {**{key: value for key, value in schema.items() if key != "type"}, **own}


def _described(schema: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(schema.get("description"), Mapping):
        return schema
    return {(DESCRIPTION if key == "description" else key): value for key, value in schema.items()}


def _lifted(schema: dict[str, Any]) -> dict[str, Any]:
    """`required: true` beside a property's type belongs into the list of the object around it."""
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return schema
    named = cast("dict[str, Any]", properties)
    marked = {name: part for name, part in named.items() if _is_marked(part)}
    plain = {
        name: {key: value for key, value in part.items() if key != "required"}
        for name, part in marked.items()
    }
    listed = cast("list[str]", schema.get("required") or [])
    wanted = [name for name, part in marked.items() if part["required"]]
    made = {**schema, "properties": {**named, **plain}}
    if listed or wanted:
        made["required"] = list(dict.fromkeys([*listed, *wanted]))
    return made


def _is_marked(part: object) -> bool:
    return isinstance(part, dict) and isinstance(cast("dict[str, Any]", part).get("required"), bool)


def _nullable(schema: dict[str, Any], written: Mapping[str, Any]) -> dict[str, Any]:
    made = {key: value for key, value in schema.items() if key != "nullable"}
    if written.get("nullable") is not True:
        return made
    if isinstance(kind := made.get("type"), str):
        made["type"] = [kind, "null"]
    elif isinstance(kind, list) and "null" not in kind:
        made["type"] = [*cast("list[str]", kind), "null"]
    if isinstance(values := made.get("enum"), list) and None not in values:
        made["enum"] = [*cast("list[Any]", values), None]
    for key in ("anyOf", "oneOf"):
        if isinstance(branches := made.get(key), list):
            made[key] = [*cast("list[Any]", branches), {"type": "null"}]
    return made
