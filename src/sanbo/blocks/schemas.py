"""Inputs and outputs of a block against its contract, at every call."""

import math
import weakref
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import jsonschema_rs
from pydantic import JsonValue

from sanbo.blocks.schema_failures import Failure, explain, path_text
from sanbo.blocks.schema_fits import Misfit, fits, may_be_null
from sanbo.blocks.schema_validators import compiled
from sanbo.blocks.spec import BlockSpec, Port, Schema
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidOutput

__all__ = [
    "Example",
    "Failure",
    "Misfit",
    "check_inputs",
    "check_outputs",
    "example_of",
    "failures",
    "fits",
    "may_be_null",
]


@dataclass(frozen=True)
class Example:
    value: JsonValue


@dataclass(frozen=True)
class _Validators:
    inputs: Mapping[str, jsonschema_rs.Validator]
    outputs: Mapping[str, jsonschema_rs.Validator]


_made: dict[int, _Validators] = {}
_PLAIN = frozenset({str, bool})
# Longer ones are no number to whoever reads the JSON: not even to the journal itself.
_MOST_BITS = 1024


def check_inputs(spec: BlockSpec, given: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    """With defaults filled in. Nothing (null) for an optional port counts as not given."""
    validators = _validators(spec).inputs
    filled: dict[str, JsonValue] = {}
    wrong: list[Failure] = list(_unknown_ports(given, spec.inputs))
    for name, port in spec.inputs.items():
        value = given.get(name)
        if value is None and not (name in given and validators[name].is_valid(None)):
            if port.has_default:
                filled[name] = port.default
            elif port.required:
                wrong.append(Failure(name, tell("block_failure.missing_port")))
        else:
            filled[name] = value
            wrong += _port_failures(name, port, validators[name], value)
    if wrong:
        raise InvalidInput(
            "block_input_invalid",
            block=spec.id,
            failure=_first(wrong),
            more=_more(wrong),
            details=_details(spec, wrong),
        )
    return filled


def check_outputs(spec: BlockSpec, made: Mapping[str, Any]) -> dict[str, JsonValue]:
    """Every port of the contract, null where it may be and was not made."""
    validators = _validators(spec).outputs
    checked: dict[str, JsonValue] = {}
    wrong: list[Failure] = list(_unknown_ports(made, spec.outputs))
    for name, port in spec.outputs.items():
        if name not in made and not validators[name].is_valid(None):
            wrong.append(Failure(name, tell("block_failure.missing_output")))
            continue
        checked[name] = made.get(name)
        wrong += _port_failures(name, port, validators[name], checked[name])
    if wrong:
        raise InvalidOutput(
            "block_output_invalid",
            block=spec.id,
            failure=_first(wrong),
            more=_more(wrong),
            details=_details(spec, wrong),
        )
    return checked


def failures(schema: Schema, value: JsonValue, at: str = "") -> tuple[Failure, ...]:
    """Why a value does not fit a schema, each with its path below `at`."""
    validator = compiled(schema)
    if validator.is_valid(value):
        return ()
    return explain(validator.iter_errors(value), schema, at)


def example_of(schema: Schema) -> Example | None:
    """A value that the schema itself declares: its example, default, constant or first choice."""
    for key in ("examples", "enum"):
        if isinstance(declared := schema.get(key), list | tuple) and declared:
            return Example(cast("list[JsonValue]", declared)[0])
    for key in ("default", "const"):
        if key in schema:
            return Example(schema[key])
    return None


def _validators(spec: BlockSpec) -> _Validators:
    if (known := _made.get(id(spec))) is not None:
        return known
    made = _Validators(
        {name: compiled(port.schema_) for name, port in spec.inputs.items()},
        {name: compiled(port.schema_) for name, port in spec.outputs.items()},
    )
    _made[id(spec)] = made
    weakref.finalize(spec, _made.pop, id(spec), None)
    return made


def _port_failures(
    name: str, port: Port, validator: jsonschema_rs.Validator, value: object
) -> Iterable[Failure]:
    if (path := _not_json(value)) is not None:
        kind = type(_walk(value, path)).__name__
        return [Failure(path_text(name, path), tell("block_failure.not_json", kind=kind))]
    if validator.is_valid(value):
        return ()
    return explain(validator.iter_errors(value), port.schema_, name)


def _not_json(value: object) -> tuple[str | int, ...] | None:
    """Where something stands that JSON can't hold: a date, a number that is none, a set."""
    if value is None or type(value) in _PLAIN:
        return None
    if isinstance(value, float) or type(value) is int:
        return None if _is_number(value) else ()
    if isinstance(value, dict):
        pairs: Iterable[tuple[Any, object]] = cast("dict[Any, object]", value).items()
        if not all(type(key) is str for key in cast("dict[Any, object]", value)):
            return ()
    elif isinstance(value, list):
        pairs = enumerate(cast("list[object]", value))
    else:
        return ()
    for key, part in pairs:
        # Most parts, and there may be millions.
        if part is None or type(part) in _PLAIN or (type(part) is int and _is_number(part)):
            continue
        if (path := _not_json(part)) is not None:
            return (key, *path)
    return None


def _is_number(value: float) -> bool:
    if isinstance(value, int):
        return value.bit_length() <= _MOST_BITS
    return math.isfinite(value)


def _walk(value: object, path: Iterable[str | int]) -> object:
    found: Any = value
    for step in path:
        found = found[step]
    return found


def _unknown_ports(given: Mapping[str, object], ports: Mapping[str, Port]) -> Iterable[Failure]:
    for name in given:
        if name not in ports:
            near = nearest(name, ports) or list(ports)
            kind = "unknown_port" if near else "no_ports"
            known = tell("block_type.or").join(near)
            yield Failure(name, tell(f"block_failure.{kind}", nearest=known))


def _first(wrong: list[Failure]) -> str:
    return tell("block_failure.at", path=wrong[0].path, text=wrong[0].text)


def _more(wrong: list[Failure]) -> str:
    return tell("block_failure.more", count=len(wrong) - 1) if len(wrong) > 1 else ""


def _details(spec: BlockSpec, wrong: list[Failure]) -> dict[str, object]:
    return {
        "block": spec.reference,
        "fields": [{"path": failure.path, "message": failure.text} for failure in wrong],
    }
