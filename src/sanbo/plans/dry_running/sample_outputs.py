"""Outputs that are declared somewhere: by the block's outline, its samples, its ports."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from pydantic import JsonValue

from sanbo.blocks.contract.samples import filled, sample_inputs, sample_outputs
from sanbo.blocks.contract.schemas import Example, example_of
from sanbo.blocks.spec import BlockSpec, Port, Sample, Schema
from sanbo.plans.validating.schema_reading import properties_of

_DEEPEST = 20


@dataclass(frozen=True)
class SampleOutputs:
    values: dict[str, JsonValue]
    without: tuple[str, ...]
    """Ports for which nothing is declared."""


def declared_outputs(
    spec: BlockSpec, given: Mapping[str, JsonValue], closer: Mapping[str, Schema]
) -> SampleOutputs:
    """`given`: the inputs that stand in the plan; `closer`: what the block makes of them."""
    defaults = {name: port.default for name, port in spec.inputs.items() if port.has_default}
    sample = _nearest_sample(spec, {**defaults, **given})
    declared = sample_outputs(spec, sample).values if sample else {}
    values: dict[str, JsonValue] = {}
    without: list[str] = []
    for name, port in spec.outputs.items():
        example = _example(name, port, closer.get(name))
        if example is not None:
            values[name] = example.value
        elif name in declared:
            values[name] = declared[name]
        elif (found := composed(port.schema_)) is not None:
            values[name] = found.value
        else:
            without.append(name)
    return SampleOutputs(values, tuple(without))


def declared_input(spec: BlockSpec, name: str) -> Example | None:
    """What a port or a sample says an input may be."""
    port = spec.inputs.get(name)
    if port is None:
        return None
    if port.has_default:
        return Example(port.default)
    if port.examples:
        return Example(filled({name: port}, {name: port.examples[0]}).values[name])
    for sample in spec.dry_run.samples:
        if name in sample.inputs:
            return Example(sample_inputs(spec, sample).values[name])
    return composed(port.schema_)


def composed(schema: Schema, depth: int = 0) -> Example | None:
    """A declared value, or one put together from the declared values of all its parts."""
    declared = example_of(schema)
    if declared is not None or depth > _DEEPEST:
        return declared
    properties = properties_of(schema)
    if not properties:
        return None
    parts: dict[str, JsonValue] = {}
    required = schema.get("required")
    needed = cast("list[str]", required) if isinstance(required, list) else []
    for name, part in properties.items():
        found = composed(part, depth + 1)
        if found is not None:
            parts[name] = found.value
        elif name in needed:
            return None
    return Example(parts)


def _example(name: str, port: Port, closer: Schema | None) -> Example | None:
    if closer is not None and (found := composed(closer)) is not None:
        told = Port(schema=closer)
        return Example(filled({name: told}, {name: found.value}).values[name])
    if port.examples:
        return Example(filled({name: port}, {name: port.examples[0]}).values[name])
    return None


def _nearest_sample(spec: BlockSpec, given: Mapping[str, JsonValue]) -> Sample | None:
    """The one whose inputs are most like the plan's; the first of those that are equally so."""
    return max(spec.dry_run.samples, key=lambda sample: _likeness(sample, given), default=None)


def _likeness(sample: Sample, given: Mapping[str, JsonValue]) -> int:
    alike = sum(name in given and given[name] == value for name, value in sample.inputs.items())
    other = sum(name in given and given[name] != value for name, value in sample.inputs.items())
    return 2 * alike - other
