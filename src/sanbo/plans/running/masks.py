"""What a port's schema calls secret or personal is masked wherever it is written."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from sanbo.blocks.spec import PERSONAL, SECRET, BlockSpec, Port, Schema
from sanbo.kernel.secrets import MASK, protect

_INSIDE = ("items", "additionalProperties", "contains", "not", "if", "then", "else")
_ALTERNATIVES = ("anyOf", "oneOf", "allOf", "prefixItems")
_NAMED = ("properties", "patternProperties", "$defs")


@dataclass(frozen=True)
class PortMasks:
    """Of a block: the ports, inside which or with which something is to be masked."""

    inputs: Mapping[str, Schema]
    outputs: Mapping[str, Schema]


def masks_of(spec: BlockSpec) -> PortMasks:
    return PortMasks(_sensitive(spec.inputs), _sensitive(spec.outputs))


def _sensitive(ports: Mapping[str, Port]) -> dict[str, Schema]:
    return {name: port.schema_ for name, port in ports.items() if is_sensitive(port.schema_)}


def is_sensitive(schema: Any) -> bool:
    """Whether anything that fits the schema is to be masked."""
    if not isinstance(schema, Mapping):
        return False
    known = cast("Schema", schema)
    if known.get(SECRET) or known.get(PERSONAL):
        return True
    return any(is_sensitive(part) for part in _parts(known))


def _parts(schema: Schema) -> Iterator[Any]:
    yield from (schema[key] for key in _INSIDE if key in schema)
    for key in _ALTERNATIVES:
        yield from schema.get(key) or ()
    for key in _NAMED:
        yield from (schema.get(key) or {}).values()


def masked_ports(
    values: Mapping[str, JsonValue], schemas: Mapping[str, Schema]
) -> dict[str, JsonValue]:
    """The same values, masked where the schemas say so."""
    return {
        name: masked(value, schemas[name]) if name in schemas else value
        for name, value in values.items()
    }


def masked(value: JsonValue, schema: Any) -> JsonValue:
    if value is None or not isinstance(schema, Mapping):
        return value
    known = cast("Schema", schema)
    if known.get(SECRET) or known.get(PERSONAL):
        return MASK
    for key in ("anyOf", "oneOf", "allOf"):
        for part in known.get(key) or ():
            value = masked(value, part)
    match value:
        case dict():
            return {name: masked(item, _of_property(known, name)) for name, item in value.items()}
        case list():
            first = list(known.get("prefixItems") or ())
            rest = known.get("items")
            return [
                masked(item, first[index] if index < len(first) else rest)
                for index, item in enumerate(value)
            ]
        case _:
            return value


def _of_property(schema: Schema, name: str) -> Any:
    named = cast("Mapping[str, Any]", schema.get("properties") or {})
    return named[name] if name in named else schema.get("additionalProperties")


def protect_secrets(values: Mapping[str, JsonValue], schemas: Mapping[str, Schema]) -> None:
    """What a schema calls secret is masked by its value too, wherever else it may turn up."""
    for name, schema in schemas.items():
        if name in values:
            for secret in _secrets(values[name], schema, within=False):
                protect(secret)


def _secrets(value: JsonValue, schema: Any, *, within: bool) -> Iterator[str]:
    known = cast("Schema", schema if isinstance(schema, Mapping) else {})
    within = within or bool(known.get(SECRET))
    for key in ("anyOf", "oneOf", "allOf"):
        for part in known.get(key) or ():
            yield from _secrets(value, part, within=within)
    match value:
        case str() if within:
            yield value
        case dict():
            for name, item in value.items():
                yield from _secrets(item, _of_property(known, name), within=within)
        case list():
            for item in value:
                yield from _secrets(item, known.get("items"), within=within)
        case _:
            pass
