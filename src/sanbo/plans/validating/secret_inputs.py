"""Secrets come from the environment or from a form's secret field, never out of a plan's text."""

from pydantic import JsonValue

from sanbo.blocks.contract.schema_failures import has_secret
from sanbo.blocks.spec import Schema
from sanbo.plans.model import BlockNode
from sanbo.plans.references import Key, ValuePath
from sanbo.plans.validating.schema_reading import Missing, Reached, reach
from sanbo.plans.validating.scope import Found
from sanbo.plans.validating.site import Site
from sanbo.plans.validating.surroundings import asks_people
from sanbo.plans.validating.written_values import whole_reference


def check_secrets(value: JsonValue, schema: Schema, site: Site, *below: Key) -> None:
    if has_secret(schema):
        _check(value, schema, site, below, ())


def _check(
    value: JsonValue, schema: Schema, site: Site, below: tuple[Key, ...], path: ValuePath
) -> None:
    reached = reach(schema, path)
    if isinstance(reached, Missing):
        return
    if reached.secret:
        _check_source(value, site, (*below, *path))
        return
    match value:
        case list():
            for index, item in enumerate(value):
                _check(item, schema, site, below, (*path, index))
        case dict():
            for key, item in value.items():
                _check(item, schema, site, below, (*path, key))
        case _:
            pass


def _check_source(value: JsonValue, site: Site, below: tuple[Key, ...]) -> None:
    if value is None or value in ("", [], {}):
        return
    reference = whole_reference(value) if isinstance(value, str) else None
    if reference is None:
        if isinstance(value, str) and "${" in value:
            return  # "Bearer ${env.TOKEN}": what is read is masked
        site.error("secret_literal", *below)
        return
    found = site.find(reference)
    if not isinstance(found, Found) or not isinstance(found.value, Reached):
        return
    if found.origin == "vars" and _is_literal(found.scope.graph.vars.get(found.name)):
        site.error("secret_literal", *below)
    if found.origin != "node" or found.value.secret:
        return
    if _is_form(found, site) and reference.keys[1:]:
        field = reference.keys[-1]
        site.error("secret_from_plain_field", *below, reference=reference.text, field=field)
    else:
        site.warn("secret_from_plain_output", *below, reference=reference.text)


def _is_form(found: Found, site: Site) -> bool:
    if not isinstance(found.node, BlockNode):
        return False
    spec = site.scope.surroundings.spec(found.node.block)
    return spec is not None and asks_people(spec)


def _is_literal(value: JsonValue) -> bool:
    if value is None or value == "":
        return False
    return not isinstance(value, str) or whole_reference(value) is None
