"""From a YAML file to a `BlockSpec`, with problems that name file, line and key.

A port's schema is made plain JSON Schema that every reader can walk: `type: bytes` becomes a file's
schema and `type: text` that of a text in one or two languages, `nullable` is folded into the type,
references are put in place, descriptions in two languages move out of the way of JSON Schema's own
`description`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sanbo.blocks.contract.schema_failures import explain
from sanbo.blocks.contract.schemas import compiled
from sanbo.blocks.contract.yaml_tree import MOST_DEPTH, Marks, YamlRefused, read_tree
from sanbo.blocks.spec import FILE_SCHEMA, TEXT_SCHEMA, BlockSpec, DryRun, Port, Sample, Schema
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, LimitExceeded, SanboError

MAX_BYTES = 1_000_000


def read_yaml(path: Path, file: str) -> dict[str, Any]:
    """A file's mapping; `InvalidInput` names file and line of what is not right in it."""
    try:
        tree = read_tree(_text(path, file))
    except YamlRefused as refused:
        raise _refused(refused, file) from None
    if tree.repeated:  # of two values under one key, YAML would silently take the second
        first = tree.repeated[0]
        line = tree.marks.at(*first)[0]
        key = str(first[-1])
        raise InvalidInput(
            "block_yaml_repeated", file=file, line=line, key=key, details=_where(file, line)
        )
    if not isinstance(tree.value, dict):
        raise InvalidInput("block_yaml_not_mapping", file=file, details=_where(file, 1))
    return tree.value


def line_of(path: Path, keys: Sequence[str | int]) -> int:
    """The line of the value at these keys, or of the nearest thing around it that is there."""
    try:
        marks = read_tree(path.read_text("utf-8")).marks
    except (OSError, UnicodeDecodeError, YamlRefused):
        marks = Marks()
    return marks.at(*keys)[0]


def _refused(refused: YamlRefused, file: str) -> InvalidInput | LimitExceeded:
    line = refused.place[0]
    where = _where(file, line)
    match refused.code:
        case "yaml_too_deep":
            return LimitExceeded(
                "block_yaml_depth", file=file, line=line, limit=MOST_DEPTH, details=where
            )
        case "yaml_expands":
            return LimitExceeded("block_yaml_alias", file=file, line=line, details=where)
        case _:
            return InvalidInput("block_yaml", file=file, line=line, details=where)


def _where(file: str, line: int) -> dict[str, object]:
    return {"file": file, "line": line}


def _text(path: Path, file: str) -> str:
    try:
        with path.open("rb") as opened:
            data = opened.read(MAX_BYTES + 1)
    except OSError as error:
        raise InvalidInput(
            "block_file_unreadable", file=file, reason=error.strerror or type(error).__name__
        ) from None
    if len(data) > MAX_BYTES:
        raise LimitExceeded("block_file_too_large", file=file, limit=MAX_BYTES // 1000)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput("block_yaml", file=file, line=line, details=_where(file, line)) from None


# ---- the schemas of ports ------------------------------------------------------------------------


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


# ---- the contract --------------------------------------------------------------------------------


_PORT_KEYS = ("default", "examples", "description")
_REASONS = {
    "missing": "missing",
    "extra_forbidden": "unknown",
    "string_pattern_mismatch": "pattern",
}


@dataclass(frozen=True)
class Place:
    """A file with a contract, and a key in it."""

    path: Path
    file: str
    """The path as the person knows it."""
    is_trusted: bool = False
    """What the package ships is checked by its tests, not each time it is read."""
    keys: tuple[str, ...] = ()

    def below(self, *keys: str) -> "Place":
        return replace(self, keys=(*self.keys, *keys))

    def refuse(self, reason: str) -> InvalidInput:
        line, key = line_of(self.path, self.keys), ".".join(self.keys)
        return InvalidInput(
            "block_spec_invalid",
            file=self.file,
            line=line,
            key=key,
            reason=reason,
            details={"file": self.file, "line": line, "key": key},
        )


def read_spec(place: Place, lookup: Lookup) -> BlockSpec:
    """`lookup` finds what a `$ref` refers to."""
    written = read_yaml(place.path, place.file)
    schemas = PortSchemas(lookup)
    made = {str(key): value for key, value in written.items() if value is not None}
    for side in ("inputs", "outputs"):
        if isinstance(ports := made.get(side), dict):
            made[side] = {
                str(name): _port(port, schemas, place.below(side, str(name)))
                for name, port in cast("dict[str, Any]", ports).items()
            }
    try:
        return BlockSpec.model_validate(made)
    except ValidationError as error:
        raise _explained(error, place) from None


def _port(written: object, schemas: PortSchemas, place: Place) -> dict[str, Any]:
    """As `Port` takes it: its own keys, and the schema apart."""
    if not isinstance(written, dict):
        raise place.refuse(tell("block_spec_reason.port"))
    given = cast("dict[str, Any]", written)
    port = {key: given[key] for key in _PORT_KEYS if key in given}
    schema = {key: value for key, value in given.items() if key not in _PORT_KEYS}
    if isinstance(schema.get("required"), bool):
        port["required"] = schema.pop("required")
    port["has_default"] = "default" in given
    try:
        port["schema"] = schemas.plain(schema)
        if not place.is_trusted:
            _check(port)
    except SanboError as error:
        raise place.refuse(error.problem.message) from None
    return port


def _check(port: Mapping[str, Any]) -> None:
    try:
        validator = compiled(port["schema"])
    except jsonschema_rs.ValidationError as error:
        wrong = explain(iter([error]), {}, "")[0]
        raise InvalidInput("block_schema_invalid", at=wrong.path, reason=wrong.text) from None
    default = port.get("default")
    if default is not None and not validator.is_valid(default):
        raise InvalidInput("block_default_misfit", default=repr(default)[:80])


def _explained(error: ValidationError, place: Place) -> InvalidInput:
    """The first thing that is wrong; the next shows when it is put right.

    A key that is not known goes before one that is missing: it is often the same one, misspelt.
    """
    found = sorted(error.errors(include_url=False), key=lambda each: each["type"] == "missing")
    first = found[0]
    keys = tuple(str(part) for part in first["loc"] if part != "schema")
    return place.below(*keys).refuse(_reason(first, keys))


def _reason(error: ErrorDetails, keys: tuple[str, ...]) -> str:
    kind = "version" if keys == ("version",) else _REASONS.get(error["type"], "value")
    if kind == "unknown":
        known = {1: BlockSpec, 4: Sample}.get(len(keys), DryRun if "dry_run" in keys else Port)
        (near,) = nearest(keys[-1], known.model_fields, least=0)
        return tell("block_spec_reason.unknown", nearest=near)
    return tell(f"block_spec_reason.{kind}", given=str(error["input"])[:80])
