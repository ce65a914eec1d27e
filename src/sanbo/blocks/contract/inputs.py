"""What a block's `run` is given: its checked inputs, typed as its contract says.

A file is a `FileRef`, a text `{ja, en}`, a whole number an `int`, wherever they stand in a port;
all else is the JSON that it is. A block with an `Inputs` model of its own gets that model.
"""

import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from pydantic import JsonValue, ValidationError

from sanbo.blocks.block import BlockInputs, Given, Outlined
from sanbo.blocks.spec import FILE, FILE_SCHEMA, TEXT, BlockSpec, Schema
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import FileRef

_FILE_KEYS = frozenset(FILE_SCHEMA["required"])
_Typing = Callable[[Any], Any]
_made: dict[int, Mapping[str, _Typing]] = {}


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
    if (known := _made.get(id(spec))) is not None:
        return known
    typings = {name: _typing(port.schema_) for name, port in spec.inputs.items()}
    made = {name: typing for name, typing in typings.items() if typing is not None}
    _made[id(spec)] = made
    weakref.finalize(spec, _made.pop, id(spec), None)
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
