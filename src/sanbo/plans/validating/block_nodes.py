"""A node's block, its inputs and outputs; secrets come from the environment or a form."""

from pydantic import JsonValue
from semver import Version

from sanbo.blocks.contract.schema_failures import has_secret
from sanbo.blocks.contract.schemas import is_list
from sanbo.blocks.contract.versions import parse_range
from sanbo.blocks.spec import BlockSpec, Port, Schema, text_of
from sanbo.kernel.problems import NotFound, SanboError
from sanbo.plans.model import BlockNode
from sanbo.plans.references import Key, ValuePath, can_be_key, whole_reference
from sanbo.plans.validating.forms import check_form
from sanbo.plans.validating.inputs import Target, check_value
from sanbo.plans.validating.options import check_options
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.references import check_references
from sanbo.plans.validating.schemas import Missing, Reached, accepts_null, reach
from sanbo.plans.validating.scope import Found
from sanbo.plans.validating.site import Site
from sanbo.plans.validating.surroundings import asks_people


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


def check_block_node(node: BlockNode, site: Site) -> None:
    for port, value in node.in_.items():
        check_references(value, site, "in", port)
    found = site.scope.surroundings.find_block(node.block)
    if isinstance(found, SanboError):
        _tell_unknown(node.block, found, site)
        return
    _check_version(node.block, found, site)
    if (unloadable := site.scope.surroundings.unloadable(found)) is not None:
        site.error(
            "block_unloadable",
            "block",
            block=found.reference,
            reason=unloadable.message,
            advice=unloadable.hint,
        )
    if _check_inputs(node, found, site):
        check_options(node, found, site)
    _check_outputs(node, found, site)
    check_form(node, found, site)


# ---- which block ---------------------------------------------------------------------------


def _tell_unknown(reference: str, error: SanboError, site: Site) -> None:
    block_id, _, wanted = reference.partition("@")
    catalog = site.scope.surroundings.catalog
    versions = catalog.versions(block_id.strip())
    if not versions:
        near = catalog.nearest(block_id)
        known = near or catalog.ids
        hint = suggestion(near[0] if near else block_id, near[:1] or known)
        site.error("unknown_block", "block", block=reference, suggestion=hint)
    elif isinstance(error, NotFound):
        shown = ", ".join(str(spec.version) for spec in versions)
        site.error("no_such_version", "block", block=block_id, range=wanted, versions=shown)
    else:
        site.error("bad_version_range", "block", range=wanted)


def _check_version(reference: str, spec: BlockSpec, site: Site) -> None:
    if spec.deprecated:
        site.warn(
            "deprecated_block", "block", block=spec.reference, instead=text_of(spec.deprecated)
        )
    versions = [each.version for each in site.scope.surroundings.catalog.versions(spec.id)]
    final = [version for version in versions if not version.prerelease] or versions
    majors = {version.major for version in final}
    newest = max(final)
    wanted = reference.partition("@")[2]
    if wanted and spec.version not in parse_range(wanted):
        site.warn(
            "replaced_version",
            "block",
            block=spec.id,
            range=wanted,
            used=spec.version,
            major=spec.version.major,
        )
    elif wanted:
        if spec.version.major < newest.major:
            _tell_major("older_major", spec, newest, site)
    elif len(majors) > 1:
        _tell_major("unpinned_major", spec, newest, site)


def _tell_major(code: str, spec: BlockSpec, newest: Version, site: Site) -> None:
    site.warn(code, "block", block=spec.id, used=spec.version, newest=newest, major=newest.major)


# ---- inputs --------------------------------------------------------------------------------


def _check_inputs(node: BlockNode, spec: BlockSpec, site: Site) -> bool:
    """Whether what the plan itself gives is of the right kind."""
    all_fit = True
    for name, value in node.in_.items():
        if name not in spec.inputs:
            site.error(
                "unknown_input",
                "in",
                name,
                block=spec.id,
                name=name,
                suggestion=suggestion(name, spec.inputs),
            )
            continue
        if value is not None:  # the same as not giving it, or told below
            target = _target(name, spec.inputs[name], site)
            all_fit &= check_value(value, target, site, "in", name)
        check_secrets(value, spec.inputs[name].schema_, site, "in", name)
    for name, port in spec.inputs.items():
        is_given = node.in_.get(name) is not None
        is_null = name in node.in_ and (accepts_null(port.schema_) or is_list(port.schema_))
        if port.required and not port.has_default and not is_given and not is_null:
            site.error("missing_input", "in", name, block=spec.id, name=name)
    for group in spec.one_of:
        if not any(name in node.in_ for name in group):
            site.error("missing_one_of", "in", block=spec.id, names=", ".join(group))
    return all_fit


def _target(name: str, port: Port, site: Site) -> Target:
    is_optional = not port.required or port.has_default
    takes_null = is_optional or accepts_null(port.schema_) or is_list(port.schema_)
    return Target(name, port.schema_, site.scope.surroundings.validator(port), takes_null)


# ---- outputs -------------------------------------------------------------------------------


def _check_outputs(node: BlockNode, spec: BlockSpec, site: Site) -> None:
    """`{evidence_data: evidence}` is known from plans in circulation: the port comes second."""
    names: dict[str, str] = {}
    for port, name in node.out.items():
        if port not in spec.outputs and name not in spec.outputs:
            site.error(
                "unknown_output_port",
                "out",
                port,
                block=spec.id,
                name=port,
                suggestion=suggestion(port, spec.outputs),
            )
        elif not can_be_key(name):
            site.error("bad_name", "out", port, key=port, value=name)
        elif name in names:
            site.error("output_name_taken", "out", port, name=name, other=names[name])
        elif _hides(port, name, node, spec):
            site.warn("output_name_hides", "out", port, name=name, port=port)
        names.setdefault(name, port)


def _hides(port: str, name: str, node: BlockNode, spec: BlockSpec) -> bool:
    """Whether a name leads to another port than the one that is called so."""
    if port == name or name in node.out or port not in spec.outputs or name not in spec.outputs:
        return False
    return spec.outputs[port].schema_ != spec.outputs[name].schema_
