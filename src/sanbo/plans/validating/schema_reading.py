"""What stands under the keys of values, as far as their schema tells."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from sanbo.blocks.spec import FILE, SECRET, Schema
from sanbo.plans.references import BYTES, LENGTH, Key
from sanbo.plans.validating.schema_kinds import (
    ANY,
    DEEPEST,
    INTEGER,
    KINDS,
    admits_null,
    branches_of,
    carried,
    is_null,
    kinds_of,
    one_of,
    schemas_in,
    without_null,
)


@dataclass(frozen=True)
class Reached:
    """What stands under some keys."""

    schema: Schema
    nullable: bool = False
    secret: bool = False
    declared: bool = True
    """False: the schema names other keys, and allows this one without telling about it."""
    known: tuple[str, ...] = ()
    """The keys that it names, where this one is not declared."""


@dataclass(frozen=True)
class Missing:
    """A key that no value under the schema has."""

    key: Key
    known: tuple[str, ...]
    kinds: tuple[str, ...]
    """What stands there instead: a text has no keys but `length`."""


def reach(schema: Schema, keys: Sequence[Key]) -> Reached | Missing:
    reached = Reached(schema, admits_null(schema), bool(schema.get(SECRET)))
    for key in keys:
        step = _step(reached.schema, key, 0)
        if isinstance(step, Missing):
            return step
        reached = Reached(
            step.schema,
            reached.nullable or admits_null(step.schema),
            reached.secret or bool(step.schema.get(SECRET)),
            reached.declared and step.declared,
            reached.known or step.known,
        )
    return reached


def holds_file(schema: Schema, depth: int = 0) -> bool:
    """Whether there is a file anywhere in values of this schema."""
    if depth > DEEPEST:
        return False
    if schema.get(FILE):
        return True
    inside = [*branches_of(schema), *_properties(schema).values()]
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), Mapping):
            inside.append(carried(schema, schema[word]))
    return any(holds_file(each, depth + 1) for each in inside)


def items_of(schema: Schema) -> Schema:
    """What the entries of a list are."""
    step = _step(without_null(schema), 0, 0)
    return step.schema if isinstance(step, Reached) else ANY


def properties_of(schema: Schema) -> dict[str, Schema]:
    """Named keys, also those of its alternatives."""
    found = _properties(schema)
    for each in branches_of(schema):
        found |= {key: value for key, value in _properties(each).items() if key not in found}
    return found


def _step(schema: Schema, key: Key, depth: int) -> Reached | Missing:
    if depth > DEEPEST:
        return Reached(ANY)
    branches = branches_of(schema)
    if branches:
        own = {word: value for word, value in schema.items() if word not in _COMBINING}
        steps = [_step(each, key, depth + 1) for each in branches if not is_null(each)]
        if set(own) - {"type", "description", "title", "$defs", "default", "examples"}:
            steps.append(_step(own, key, depth + 1))
        return _merged(steps, key)
    return _plain_step(schema, key)


_COMBINING = frozenset({"anyOf", "oneOf", "allOf", "$ref"})


def _merged(steps: list[Reached | Missing], key: Key) -> Reached | Missing:
    reached = [each for each in steps if isinstance(each, Reached)]
    if not reached:
        missing = [each for each in steps if isinstance(each, Missing)]
        known = dict.fromkeys(name for each in missing for name in each.known)
        kinds = dict.fromkeys(kind for each in missing for kind in each.kinds)
        return Missing(key, tuple(known), tuple(kinds)) if missing else Reached(ANY)
    sure = [each for each in reached if each.declared]
    chosen = sure or reached
    known = tuple(name for each in reached for name in each.known) if not sure else ()
    return Reached(one_of(each.schema for each in chosen), declared=bool(sure), known=known)


def _plain_step(schema: Schema, key: Key) -> Reached | Missing:
    kinds = kinds_of(schema) - {"null"}
    if kinds == KINDS - {"null"}:
        return Reached(ANY)
    found: list[Reached | Missing] = []
    if "object" in kinds:
        found.append(_property(schema, str(key)))
    if "array" in kinds:
        found.append(_entry(schema, key))
    if kinds - {"object", "array"}:
        has_length = "string" in kinds and key == LENGTH
        known = (LENGTH,) if "string" in kinds else ()
        found.append(Reached(INTEGER) if has_length else Missing(key, known, tuple(sorted(kinds))))
    return _merged(found, key)


def _property(schema: Schema, key: str) -> Reached | Missing:
    properties = _properties(schema)
    if key in properties:
        return Reached(properties[key])
    if key == BYTES and schema.get(FILE):
        return Reached(schema)
    if key == LENGTH:
        return Reached(INTEGER)
    return _undeclared(schema, key, tuple(properties))


def _undeclared(schema: Schema, key: str, known: tuple[str, ...]) -> Reached | Missing:
    """What a schema says about keys that it does not name."""
    for pattern in _patterns(schema):
        return Reached(pattern)
    rest = schema.get("additionalProperties")
    if isinstance(rest, Mapping):
        return Reached(carried(schema, cast("Schema", rest)))
    if rest is False or schema.get(FILE):
        return Missing(key, known, ("object",))
    return Reached(ANY, declared=rest is True or not known, known=known)


def _entry(schema: Schema, key: Key) -> Reached | Missing:
    if key == LENGTH:
        return Reached(INTEGER)
    position = key if isinstance(key, int) else int(key) if _is_index(key) else None
    if position is None:
        return Missing(key, ("0", LENGTH), ("array",))
    first = schemas_in(schema.get("prefixItems"))
    if position < len(first):
        return Reached(carried(schema, first[position]))
    if "items" not in schema:
        return Reached(ANY)
    if schema["items"] is False:
        return Missing(key, (LENGTH,), ("array",))
    return Reached(carried(schema, schema["items"]))


def _is_index(key: str) -> bool:
    return key.isascii() and key.isdigit() and len(key) < 10


def _properties(schema: Schema) -> dict[str, Schema]:
    found = schema.get("properties")
    if not isinstance(found, Mapping):
        return {}
    pairs = cast("Mapping[str, object]", found)
    return {str(key): carried(schema, value) for key, value in pairs.items()}


def _patterns(schema: Schema) -> Iterator[Schema]:
    found = schema.get("patternProperties")
    if isinstance(found, Mapping):
        yield one_of(carried(schema, each) for each in cast("Mapping[str, object]", found).values())
