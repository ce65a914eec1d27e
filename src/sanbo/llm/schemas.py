"""JSON Schema as providers want it, and as a model reads it."""

import json
import re
from collections import Counter
from typing import Any, cast

Schema = dict[str, Any]

# Understood by OpenAI's strict mode neither as a rule nor as a remark; pydantic checks them later.
_DROPPED = frozenset(
    {"default", "examples", "minLength", "maxLength", "uniqueItems", "discriminator"}
)
_FORMATS = frozenset(
    {"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
)
_NAMED = ("properties", "$defs")  # keywords whose keys are names, not keywords
_UNSAID = frozenset({"title", "default"})
_REFERENCE = re.compile(r'"\$ref": "#/\$defs/([^"]+)"')


def strict_schema(schema: Schema) -> Schema | None:
    """The schema in the form of OpenAI's strict mode, or None where it can't be said so.

    Strict mode wants every property required and nothing besides; a free map, a tuple or an
    `Any` has no such form. Fields with a default become required: the model states them.
    """
    try:
        return _strict(schema)
    except _NotStrict:
        return None


class _NotStrict(Exception):
    pass


def _strict(node: Schema) -> Schema:
    if not node or "prefixItems" in node or "patternProperties" in node or "allOf" in node:
        raise _NotStrict
    kept: Schema = {}
    for key, value in node.items():
        if key in _DROPPED or (key == "format" and value not in _FORMATS):
            continue
        name = "anyOf" if key == "oneOf" else key
        if key in _NAMED:
            kept[name] = {inner: _strict(_schema(child)) for inner, child in value.items()}
        elif name == "anyOf":
            kept[name] = [_strict(_schema(child)) for child in value]
        elif key == "items":
            kept[name] = _strict(_schema(value))
        else:
            kept[name] = value
    if kept.get("type") == "object":
        if not kept.get("properties") or kept.get("additionalProperties") not in (None, False):
            raise _NotStrict
        kept["additionalProperties"] = False
        kept["required"] = list(kept["properties"])
    elif (kept.get("type") == "array" and "items" not in kept) or not kept.keys() & {
        "type",
        "anyOf",
        "$ref",
        "enum",
        "const",
    }:
        raise _NotStrict
    if "$ref" in kept:  # no other keyword may stand beside it
        if "$defs" in kept:  # the root refers to itself, but must be an object
            raise _NotStrict
        return {"$ref": kept["$ref"]}
    return kept


def _schema(value: object) -> Schema:
    if not isinstance(value, dict):
        raise _NotStrict
    return cast("Schema", value)


def brief_schema(schema: Schema) -> Schema:
    """The same in few words: small models read a prompt slowly, and lose their way in long ones.

    Without titles and defaults; a definition that is used once stands where it is used.
    """
    uses = Counter(_REFERENCE.findall(json.dumps(schema, ensure_ascii=False)))
    definitions = cast("dict[str, Schema]", schema.get("$defs", {}))
    once = {name: each for name, each in definitions.items() if uses[name] == 1}
    kept = {name: each for name, each in definitions.items() if name not in once}
    rest = {name: each for name, each in schema.items() if name != "$defs"}
    return _brief(rest | ({"$defs": kept} if kept else {}), once)


def _brief(node: Any, once: dict[str, Schema]) -> Any:
    if isinstance(node, list):
        return [_brief(each, once) for each in cast("list[Any]", node)]
    if not isinstance(node, dict):
        return node
    said: Schema = {}
    for key, value in cast("Schema", node).items():
        if key in _NAMED:
            said[key] = {name: _brief(child, once) for name, child in value.items()}
        elif key == "$ref" and (found := once.get(str(value).removeprefix("#/$defs/"))):
            said = _brief(found, once) | said
        elif key not in _UNSAID:
            said[key] = value if key in ("enum", "const") else _brief(value, once)
    return _or_null(said)


def _or_null(said: Schema) -> Schema:
    """`anyOf` of something and null as `type: [something, null]`, where nothing else is said."""
    match said.get("anyOf"):
        case [{"type": str(kind), **more}, {"type": "null"}] if "enum" not in more:
            rest = {key: value for key, value in said.items() if key != "anyOf"}
            return {"type": [kind, "null"], **more, **rest}
        case _:
            return said
