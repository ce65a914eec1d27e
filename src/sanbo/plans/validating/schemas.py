"""What kinds of values a schema allows, and what stands under their keys."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from sanbo.blocks.spec import FILE, SECRET, Schema
from sanbo.plans.references import BYTES, LENGTH, Key

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
    """What the entries of a list are, or, as a loop goes over them, the keys of an object."""
    if without_null(schema).get("type") == "object":
        return {"type": "string"}
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
