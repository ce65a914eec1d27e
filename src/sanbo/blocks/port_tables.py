"""Ports as lines of a table: name, type, whether it must be given, what it is."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, cast, get_args

from sanbo.blocks.port_schemas import DESCRIPTION
from sanbo.blocks.schema_failures import type_words
from sanbo.blocks.spec import FILE, TEXT, BlockSpec, Port, Schema, text_of
from sanbo.kernel.messages import Language, tell

Side = Literal["inputs", "outputs"]
SIDES: tuple[Side, ...] = get_args(Side)

_DEPTH = 2
_SHORT = 60


@dataclass(frozen=True)
class PortLine:
    name: str
    """Of a port, or of a part of one: `summary.rows`."""
    type: str
    note: str
    """Beside the description: must be given, the default, the choices."""
    description: str


def port_lines(spec: BlockSpec, side: Side) -> Iterator[PortLine]:
    """Each port, and below it what is inside, as far as the contract tells."""
    ports = spec.inputs if side == "inputs" else spec.outputs
    told: list[Schema] = []
    for name, port in ports.items():
        yield PortLine(
            name=name,
            type=type_words(port.schema_),
            note=_note(port.schema_, required=port.required, default=_default(port)),
            description=text_of(port.description),
        )
        if port.schema_ not in told:  # a second name of the same thing is not told again
            yield from _parts(name, port.schema_, side, _DEPTH)
        told.append(port.schema_)


def _parts(name: str, schema: Schema, side: Side, depth: int) -> Iterator[PortLine]:
    if depth == 0 or FILE in schema or TEXT in schema:
        return
    if isinstance(items := schema.get("items"), Mapping):
        yield from _parts(f"{name}[]", cast("Schema", items), side, depth)
    properties: Mapping[str, Any] = schema.get("properties") or {}
    for key, part in properties.items():
        if not isinstance(part, Mapping):
            continue
        inner = cast("Schema", part)
        about: Mapping[Language, str] = inner.get(DESCRIPTION) or {}
        yield PortLine(
            name=f"{name}.{key}",
            type=type_words(inner),
            note=_note(
                inner,
                required=side == "inputs" and key in (schema.get("required") or ()),
                default=_short(inner["default"]) if "default" in inner else "",
            ),
            description=text_of(about) or str(inner.get("description") or ""),
        )
        yield from _parts(f"{name}.{key}", inner, side, depth - 1)


def _default(port: Port) -> str:
    return _short(port.default) if port.has_default and port.default is not None else ""


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}…"


def _note(schema: Schema, *, required: bool, default: str) -> str:
    choices = [str(each) for each in schema.get("enum") or () if each is not None]
    notes: list[str] = []
    if required:
        notes.append(tell("block_port.required"))
    if default:
        notes.append(tell("block_port.default", value=default))
    if choices:
        notes.append(tell("block_port.choices", values=" ".join(choices)))
    return tell("block_port.and").join(notes)
