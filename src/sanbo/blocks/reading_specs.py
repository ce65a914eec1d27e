"""From a YAML file to a `BlockSpec`, with problems that name file, line and key."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

import jsonschema_rs
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sanbo.blocks.port_schemas import Lookup, PortSchemas
from sanbo.blocks.schema_failures import explain
from sanbo.blocks.schema_validators import compiled
from sanbo.blocks.spec import BlockSpec, DryRun, Port, Sample
from sanbo.blocks.yaml_files import line_of, read_yaml
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, SanboError

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
