"""What is masked of a plan's values wherever they are written: what a port's schema calls secret
or personal, and what the journal of a run may not keep.

`masked`: a summary with everything private masked; where a node's outputs are more than that, they
are a file of the run. `none`: that a node gave something, never what; whoever needs it after the
process has ended makes it again, or is asked for it again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from pydantic import JsonValue

from sanbo.blocks.spec import PERSONAL, SECRET, BlockSpec, Port, Schema
from sanbo.kernel.personal_data import masked_private, summary
from sanbo.kernel.problems import Problem
from sanbo.kernel.secrets import MASK, protect
from sanbo.plans.settings import Persist
from sanbo.runs.model import (
    Interaction,
    InteractionOpen,
    JsonObject,
    LoopIteration,
    NodeComplete,
    NodeError,
    Payload,
    RunComplete,
)

_Shown = Callable[[JsonValue], JsonValue]


def kept_payload(payload: Payload, persist: Persist) -> Payload:
    """Itself, where all of it may be written."""
    if persist == "full":
        return payload
    part = _part(payload, summary if persist == "masked" else hidden)
    return payload if part == payload else part


def kept_answer(answer: JsonObject, persist: Persist) -> JsonObject:
    """What a person has entered, by field; what is masked in it is asked again after a restart."""
    if persist == "full":
        return answer
    return {
        name: masked_private(value, name) if persist == "masked" else hidden(value)
        for name, value in answer.items()
    }


def hidden(value: JsonValue) -> JsonValue:
    """Of an object the names of its entries, and that they were something; yes and no stay."""
    match value:
        case dict():
            return {name: _hidden(each) for name, each in value.items()}
        case _:
            return _hidden(value)


def _hidden(value: JsonValue) -> JsonValue:
    return value if value is None or isinstance(value, bool) else MASK


def _part(payload: Payload, shown: _Shown) -> Payload:
    match payload:
        case NodeComplete():
            outputs = shown(payload.outputs)
            is_masked = payload.masked or (outputs != payload.outputs and not payload.beside)
            told = tuple(_untold(each, shown) for each in payload.warnings)
            update = {"outputs": outputs, "masked": is_masked, "warnings": told}
        case NodeError():
            update = {"error": _untold(payload.error, shown)}
        case LoopIteration():
            update = {"item": shown(payload.item)}
        case InteractionOpen():
            update = {"interaction": _asked(payload.interaction, shown)}
        case RunComplete():
            problem = payload.problem and _untold(payload.problem, shown)
            update = {"result": _result(payload.result, shown), "problem": problem}
        case _:
            return payload
    return payload.model_copy(update=update)


def _untold(problem: Problem, shown: _Shown) -> Problem:
    """Its words may quote what it was about."""
    update = {
        "message": masked_private(problem.message),
        "input_snapshot": shown(dict(problem.input_snapshot)),
    }
    return problem.model_copy(update=update)


def _asked(interaction: Interaction, shown: _Shown) -> Interaction:
    """What a person needs to answer stays, with what is private masked."""
    update = {
        "message": masked_private(interaction.message),
        "context": shown(interaction.context),
        "chat": (),
    }
    return interaction.model_copy(update=update)


def _result(result: JsonObject | None, shown: _Shown) -> JsonObject | None:
    if result is None:
        return None
    nodes = result.get("nodes")
    exports = result.get("exports")
    return {
        **result,
        "exports": shown(exports),
        "nodes": {
            name: {**node, "outputs": shown(node.get("outputs"))}
            for name, node in (nodes if isinstance(nodes, Mapping) else {}).items()
            if isinstance(node, dict)
        },
    }


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
