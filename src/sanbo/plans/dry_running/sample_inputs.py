"""What a block would be given: its inputs with samples in the place of references."""

from collections.abc import Iterator

import jsonschema_rs
from pydantic import JsonValue

from sanbo.blocks.contract.schema_failures import explain
from sanbo.blocks.spec import BlockSpec, Port
from sanbo.plans.dry_running.sample_outputs import declared_input
from sanbo.plans.dry_running.stage import NoSample, Stage
from sanbo.plans.model import BlockNode, Call
from sanbo.plans.references import BadReference, Unreachable
from sanbo.plans.validating.site import Site

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
    except BadReference:
        return


def tell_unreachable(missing: Unreachable, site: Site, *below: str) -> None:
    """A list of samples is short; a key that a sample lacks is another matter."""
    known = ", ".join(missing.known) or "–"
    if isinstance(missing.key, int) or missing.key.isdigit():
        site.warn("sample_too_short", *below, key=missing.key, known=known)
    else:
        site.error("sample_lacks", *below, key=missing.key, known=known)


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
