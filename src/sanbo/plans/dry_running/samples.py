"""Samples in the place of references: the stage of a rehearsal, and what its blocks would be
given and give.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import jsonschema_rs
from pydantic import JsonValue

from sanbo.blocks.contract.samples import filled, sample_inputs, sample_outputs
from sanbo.blocks.contract.schema_failures import explain
from sanbo.blocks.contract.schemas import Example, example_of, failures
from sanbo.blocks.spec import BlockSpec, Port, Sample, Schema
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.model import BlockNode, Call, Node
from sanbo.plans.references import BadReference, Key, Reference, Unreachable, resolve, walk
from sanbo.plans.validating.schemas import properties_of
from sanbo.plans.validating.scope import Scope, Site

Outputs = dict[str, JsonValue]
_INNERMOST = 50


_OF_RUN: dict[str, JsonValue] = {
    "run": {
        "id": "run_0",
        "started_at": "2026-05-31T09:00:00+09:00",
        "user": "local",
        "plan_id": "plan",
        "plan_version": "1.0.0",
    },
    "today": "2026-05-31",
    "now": "2026-05-31T09:00:00+09:00",
}


class NoSample(LookupError):
    """What a reference stands for is not declared anywhere."""

    def __init__(self, reference: Reference, *, is_given: bool = False) -> None:
        self.reference = reference
        self.is_given = is_given
        """Whether a run is to be given it: a variable without a value."""
        super().__init__(reference.text)


@dataclass
class Stage:
    scope: Scope
    around: tuple[str, ...] = ()
    """Ids of the nodes that lead here: loops and subflows."""
    given: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What a caller gives into the variables."""
    variables: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Of the loop: each item, its number."""
    outer: "Stage | None" = None
    calling: tuple[Scope, ...] = ()
    """The plans that are being gone through around this one."""
    outputs: dict[str, Outputs | None] = field(default_factory=dict[str, "Outputs | None"])
    """By node; None for one that was skipped."""
    resolved: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Its own variables, as far as they were asked for; nothing of its nodes is in them."""
    bodies: "dict[str, Stage]" = field(default_factory=dict[str, "Stage"])

    def path_of(self, node: Node) -> str:
        return "/".join((*self.around, node.id))

    def resolve(self, value: JsonValue) -> JsonValue:
        """`NoSample`, or `Unreachable` for a key that a sample does not have."""
        return resolve(value, self.look_up)

    def look_up(self, reference: Reference) -> JsonValue:
        return self._look_up(reference, 0)

    def _look_up(self, reference: Reference, depth: int) -> JsonValue:
        if depth > _INNERMOST:
            raise NoSample(reference)
        match reference.root:
            case "vars":
                return self._variable(reference, depth)
            case "env":
                name = reference.keys[0] if reference.keys else ""
                return f"<{name}>"  # nothing of the real environment
            case "config":
                return walk(self.scope.surroundings.settings.config, reference.keys)
            case "run" | "today" | "now":
                return walk(_OF_RUN[reference.root], reference.keys)
            case root:
                return self._named(root, reference)

    def _named(self, root: str, reference: Reference) -> JsonValue:
        stage: Stage | None = self
        while stage is not None:
            if root in stage.scope.nodes:
                return stage._output(root, reference)
            if root in stage.variables:
                return walk(stage.variables[root], reference.keys)
            stage = stage.outer
        raise NoSample(reference)

    def _output(self, node_id: str, reference: Reference) -> JsonValue:
        if node_id not in self.outputs:
            raise NoSample(reference)
        outputs = self.outputs[node_id]
        if outputs is None:
            return None
        if not reference.keys:
            return dict(outputs)
        first, *rest = reference.keys
        if str(first) not in outputs and first in ("failed", "problem"):
            return False if first == "failed" else None
        if str(first) not in outputs:
            raise NoSample(reference)
        return walk(outputs[str(first)], rest)

    def _variable(self, reference: Reference, depth: int) -> JsonValue:
        if not reference.keys:
            raise NoSample(reference)
        name, rest = str(reference.keys[0]), reference.keys[1:]
        stage: Stage | None = self
        while stage is not None:
            if name in stage.variables:
                return walk(stage.variables[name], rest)
            if name in stage.given:
                return walk(stage.given[name], rest)
            if name in stage.scope.graph.vars:
                return stage._own_variable(name, rest, reference, depth)
            stage = stage.outer
        raise NoSample(reference)

    def _own_variable(
        self, name: str, rest: tuple[Key, ...], reference: Reference, depth: int
    ) -> JsonValue:
        if name not in self.resolved:
            value = self.scope.graph.vars[name]
            if value is None:
                raise NoSample(reference, is_given=True)
            self.resolved[name] = resolve(value, lambda inner: self._look_up(inner, depth + 1))
        return walk(self.resolved[name], rest)


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


Kind = jsonschema_rs.ValidationErrorKind
_OF_FORM = Kind.Type | Kind.Required | Kind.AdditionalProperties | Kind.AnyOf | Kind.OneOfNotValid
"""What is wrong with any value of that kind; a limit or a choice may hold for real ones."""


def rehearsed_inputs(
    node: BlockNode, spec: BlockSpec, stage: Stage, site: Site
) -> dict[str, JsonValue]:
    """With defaults filled in; what there is no sample for, or what does not fit, is told."""
    given: dict[str, JsonValue] = {}
    for name, value in node.in_.items():
        if name not in spec.inputs:
            continue
        for found in _resolved(name, value, spec, stage, site):
            given[name] = found
    for name, port in spec.inputs.items():
        value = given.get(name)
        if value is None and port.has_default:
            given[name] = port.default
        elif value is not None:
            _check(name, port, value, site)
    return given


def rehearsed_call(call: Call, stage: Stage, site: Site, *below: str) -> dict[str, JsonValue]:
    """What a called plan would be given."""
    given: dict[str, JsonValue] = {}
    for name, value in call.inputs.items():
        try:
            given[name] = stage.resolve(value)
        except NoSample as missing:
            if not missing.is_given:
                text = missing.reference.text
                site.error("no_sample", *below, "inputs", name, name=name, reference=text)
        except Unreachable as missing:
            tell_unreachable(missing, site, *below, "inputs", name)
        except InvalidInput as failed:
            site.warn("expression_undecided", *below, "inputs", name, reason=failed.problem.message)
        except BadReference:
            continue
    return given


def _resolved(
    name: str, value: JsonValue, spec: BlockSpec, stage: Stage, site: Site
) -> Iterator[JsonValue]:
    """Nothing where there is nothing to show."""
    try:
        yield stage.resolve(value)
    except NoSample as missing:
        declared = declared_input(spec, name) if missing.is_given else None
        if declared is not None:
            yield declared.value
        elif not missing.is_given or spec.inputs[name].required:
            site.error("no_sample", "in", name, name=name, reference=missing.reference.text)
    except Unreachable as missing:
        tell_unreachable(missing, site, "in", name)
    except InvalidInput as failed:
        site.warn("expression_undecided", "in", name, reason=failed.problem.message)
    except BadReference:
        return


def tell_unreachable(missing: Unreachable, site: Site, *below: str) -> None:
    """A list of samples is short; a key that a sample lacks is another matter."""
    known = ", ".join(missing.known) or "–"
    if isinstance(missing.key, int) or missing.key.isdigit():
        site.warn("sample_too_short", *below, key=missing.key, known=known)
    else:
        site.warn("sample_lacks", *below, key=missing.key, known=known)


def check_samples(spec: BlockSpec, site: Site) -> None:
    """A sample that its own contract refuses would let anything pass."""
    for number, sample in enumerate(spec.dry_run.samples):
        sides = (
            (spec.inputs, sample_inputs(spec, sample).values),
            (spec.outputs, sample_outputs(spec, sample).values),
        )
        for ports, values in sides:
            for name, value in values.items():
                wrong = failures(ports[name].schema_, value, name) if name in ports else ()
                if name not in ports or (wrong and value is not None):
                    reason = wrong[0].text if wrong else tell("block_failure.no_ports")
                    place = f"{spec.id} dry_run.samples[{number}].{name}"
                    site.error("sample_wrong", "block", place=place, reason=reason)


def _check(name: str, port: Port, value: JsonValue, site: Site) -> None:
    validator = site.scope.surroundings.validator(port)
    if validator.is_valid(value):
        return
    errors = list(validator.iter_errors(value))
    failures = explain(iter(errors), port.schema_, name)
    reason = " ".join(f"{failure.path}: {failure.text}" for failure in failures[:3])
    is_of_form = any(isinstance(error.kind, _OF_FORM) for error in errors)
    note = site.error if is_of_form else site.warn
    note("sample_misfit", "in", name, name=name, reason=reason)
