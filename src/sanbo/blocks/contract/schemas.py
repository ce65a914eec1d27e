"""Values against the schemas of a contract: at every call, and one port's against another's before;
then typed as the contract says, as a block's `run` is given them.

A file is a `FileRef` there, a text `{ja, en}`, a whole number an `int`, wherever they stand in a
port; all else is the JSON that it is. A block with an `Inputs` model of its own gets that model.

Validators reach nothing outside and can't be slowed down by a pattern.
"""

import math
import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import jsonschema_rs
from pydantic import JsonValue, ValidationError

from sanbo.blocks.block import BlockInputs, Given, Outlined
from sanbo.blocks.contract.schema_failures import Failure, explain, path_text, type_words
from sanbo.blocks.spec import FILE, FILE_SCHEMA, TEXT, BlockSpec, Port, Schema
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput, InvalidOutput
from sanbo.runs.model import FileRef

_PATTERNS = jsonschema_rs.RegexOptions(size_limit=2_000_000)


def compiled(schema: Mapping[str, Any]) -> jsonschema_rs.Validator:
    """`jsonschema_rs.ValidationError` or `ValueError` for what is no JSON Schema."""
    return jsonschema_rs.Draft202012Validator(
        dict(schema), offline=True, pattern_options=_PATTERNS, validate_formats=True
    )


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
            elif name in given and port.required and is_list(port.schema_):
                filled[name] = []
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


def is_list(schema: Schema) -> bool:
    """A list of things to work on: of nothing it is empty."""
    return "array" in _listed(schema.get("type"))


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


def schema_by_example(value: Any) -> Schema:
    """With the value as its example. Fields have no type: a row's may be empty."""
    if isinstance(value, list):
        entries = cast("list[object]", value)
        are_rows = all(isinstance(entry, dict) for entry in entries)
        items: Schema = {"type": "object"} if are_rows else {}
        return {"type": "array", "items": items, "examples": [entries]}
    if isinstance(value, dict):
        return {"type": "object", "examples": [value]}
    return {"examples": [value]}


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


# ---- what a block's `run` is given ---------------------------------------------------------------


_FILE_KEYS = frozenset(FILE_SCHEMA["required"])
_Typing = Callable[[Any], Any]
_typings_made: dict[int, Mapping[str, _Typing]] = {}


def typed_inputs(
    block: type[Outlined], spec: BlockSpec, checked: Mapping[str, JsonValue]
) -> BlockInputs | Given:
    """`checked`: by `check_inputs`. `InvalidInput` for what the block's own model refuses."""
    try:
        if block.Inputs is not None:
            return block.Inputs.model_validate(checked)
        typings = _typings(spec)
        typed = {
            name: typings[name](value) if name in typings else value
            for name, value in checked.items()
        }
        return Given(dict.fromkeys(spec.inputs) | typed, frozenset(checked))
    except ValidationError as error:
        wrong = {".".join(map(str, each["loc"])): each["msg"] for each in error.errors()}
        raise InvalidInput(
            "block_input_unfit",
            block=spec.reference,
            ports=", ".join(sorted({name.partition(".")[0] for name in wrong})),
            details={"fields": wrong},
        ) from None


def _typings(spec: BlockSpec) -> Mapping[str, _Typing]:
    """By port; ports that stay as they are have none, for rows come by the ten thousand."""
    if (known := _typings_made.get(id(spec))) is not None:
        return known
    typings = {name: _typing(port.schema_) for name, port in spec.inputs.items()}
    made = {name: typing for name, typing in typings.items() if typing is not None}
    _typings_made[id(spec)] = made
    weakref.finalize(spec, _typings_made.pop, id(spec), None)
    return made


def _typing(schema: object) -> _Typing | None:
    if not isinstance(schema, Mapping):
        return None
    told = cast("Schema", schema)
    if told.get(FILE):
        return _file
    if told.get(TEXT):
        return _text
    kinds = told.get("type") or ()
    inside = [] if "integer" not in kinds or "number" in kinds else [_whole]
    inside += [
        each
        for key in ("anyOf", "oneOf", "allOf")
        for part in told.get(key) or ()
        if (each := _typing(part)) is not None
    ]
    items, rest = _typing(told.get("items")), _typing(told.get("additionalProperties"))
    properties: Mapping[str, Any] = told.get("properties") or {}
    named = {name: each for name in properties if (each := _typing(properties[name])) is not None}
    if items is not None:
        inside.append(lambda value: _each(value, items))
    if named or rest is not None:
        inside.append(lambda value: _parts(value, named, rest, properties.keys()))
    return _all(inside) if inside else None


def _all(typings: Sequence[_Typing]) -> _Typing:
    if len(typings) == 1:
        return typings[0]

    def typed(value: Any) -> Any:
        for typing in typings:
            value = typing(value)
        return value

    return typed


def _file(value: Any) -> Any:
    """Of a choice, what is no file stays what it is."""
    if isinstance(value, dict) and value.keys() >= _FILE_KEYS:
        return FileRef.model_validate(value)
    return cast("Any", value)


def _text(value: Any) -> Any:
    return {"ja": value, "en": value} if isinstance(value, str) else value


def _whole(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _each(value: Any, typing: _Typing) -> Any:
    return [typing(part) for part in cast("list[Any]", value)] if isinstance(value, list) else value


def _parts(value: Any, named: Mapping[str, _Typing], rest: _Typing | None, known: Any) -> Any:
    if not isinstance(value, dict):
        return value
    made: dict[str, Any] = {}
    for name, part in cast("dict[str, Any]", value).items():
        typing = named.get(name) or (None if name in known else rest)
        made[name] = part if typing is None else typing(part)
    return made


# ---- one schema's values for another, as far as the two can tell beforehand ----------------------


_NULL = frozenset({"null"})
_ALL = frozenset({"string", "number", "integer", "boolean", "array", "object", "null"})


@dataclass(frozen=True)
class Misfit:
    path: str
    """Inside the value: `items[].amount`; empty for the value itself."""
    given: str
    wanted: str
    """In words, in the reader's language."""

    @property
    def text(self) -> str:
        kind = "inside" if self.path else "whole"
        return tell(f"block_misfit.{kind}", path=self.path, given=self.given, wanted=self.wanted)


def fits(output: Schema, input: Schema) -> Misfit | None:
    """None where some value of the first can be given to the second."""
    return _misfit(output, input, "")


def may_be_null(schema: Schema) -> bool:
    """Whether the schema itself says that there may be nothing."""
    if branches := _branches(schema):
        return any(may_be_null(branch) for branch in branches)
    if "enum" in schema:
        return None in schema["enum"]
    return "null" in _listed(schema.get("type"))


def _misfit(output: Any, wanted: Any, path: str) -> Misfit | None:
    if not isinstance(output, Mapping) or not isinstance(wanted, Mapping):
        return None
    given, want = cast("Schema", output), cast("Schema", wanted)
    if branches := _branches(given):
        return _best([_misfit(branch, want, path) for branch in branches], given, want, path)
    if branches := _branches(want):
        return _best([_misfit(given, branch, path) for branch in branches], given, want, path)
    shared = _kinds(given) & _kinds(want)
    # That both may be nothing is no reason to pass one to the other.
    is_only_null = shared == _NULL and _NULL not in (_kinds(given), _kinds(want))
    if not shared or is_only_null:
        return _different(given, want, path)
    return (
        _first_misfit(_misfit(given, part, path) for part in _listed(want.get("allOf")))
        or _literals(given, want, path)
        or _inside(given, want, shared, path)
    )


def _first_misfit(found: Iterable[Misfit | None]) -> Misfit | None:
    return next((each for each in found if each), None)


def _best(found: Sequence[Misfit | None], given: Schema, want: Schema, path: str) -> Misfit | None:
    if not found or None in found:
        return None
    return found[0] if len(found) == 1 else _different(given, want, path)


def _different(given: Schema, want: Schema, path: str) -> Misfit:
    return Misfit(path, type_words(given), type_words(want))


def _literals(given: Schema, want: Schema, path: str) -> Misfit | None:
    """Two lists of choices with nothing in common."""
    offered, allowed = _choices(given), _choices(want)
    if offered is None or allowed is None or any(each in allowed for each in offered):
        return None
    return Misfit(path, _or(offered), _or(allowed))


def _inside(given: Schema, want: Schema, shared: frozenset[str], path: str) -> Misfit | None:
    if "array" in shared and (found := _misfit(given.get("items"), want.get("items"), f"{path}[]")):
        return found
    if "object" not in shared:
        return None
    if bool(want.get(FILE)) and not given.get(FILE) and _lacks(given, "file_id"):
        return _different(given, want, path)
    return _properties(given, want, path)


def _properties(given: Schema, want: Schema, path: str) -> Misfit | None:
    offered = cast("Mapping[str, Any]", given.get("properties") or {})
    wanted = cast("Mapping[str, Any]", want.get("properties") or {})
    for name in wanted:
        below = f"{path}.{name}" if path else name
        if name in offered and (found := _misfit(offered[name], wanted[name], below)):
            return found
        if name in _listed(want.get("required")) and _lacks(given, name):
            return Misfit(below, tell("block_type.nothing"), type_words(wanted[name]))
    if want.get("additionalProperties") is False:
        for name in _listed(given.get("required")):
            if name not in wanted:
                below = f"{path}.{name}" if path else name
                kind = type_words(offered.get(name, {}))
                return Misfit(below, kind, tell("block_type.nothing"))
    return None


def _lacks(given: Schema, name: str) -> bool:
    """Whether values of this schema surely have no such property."""
    properties: Mapping[str, Any] = given.get("properties") or {}
    return name not in properties and given.get("additionalProperties") is False


def _kinds(schema: Schema) -> frozenset[str]:
    kinds = frozenset(_listed(schema.get("type"))) or _ALL
    # A number may be whole, and a whole one is a number.
    return kinds | {"integer", "number"} if kinds & {"integer", "number"} else kinds


def _choices(schema: Schema) -> list[Any] | None:
    if "const" in schema:
        return [schema["const"]]
    return list(schema["enum"]) if "enum" in schema else None


def _branches(schema: Schema) -> list[Schema]:
    return [*_listed(schema.get("anyOf")), *_listed(schema.get("oneOf"))]


def _listed(value: object) -> list[Any]:
    if isinstance(value, list | tuple):
        return list(cast("Sequence[Any]", value))
    return [] if value is None else [value]


def _or(values: Sequence[object]) -> str:
    return tell("block_type.or").join(str(value) for value in values[:10])
