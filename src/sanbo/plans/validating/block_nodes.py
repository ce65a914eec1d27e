"""A node's block, its inputs and outputs; secrets come from the environment or a form.

Options that stand in the plan are tried with the block's own code before there is any data. It
tells the first thing that is wrong. To tell all, each entry of a list or a mapping is tried alone,
and what was told is taken away before the rest is tried again.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue
from semver import Version

from sanbo.blocks.contract.catalog import parse_range
from sanbo.blocks.contract.schema_failures import has_secret
from sanbo.blocks.contract.schemas import is_list
from sanbo.blocks.spec import BlockSpec, Port, Schema, text_of
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput, NotFound, Problem, SanboError
from sanbo.plans.model import BlockNode
from sanbo.plans.references import (
    BadReference,
    Key,
    Reference,
    ValuePath,
    can_be_key,
    resolve,
    whole_reference,
)
from sanbo.plans.validating.forms import check_form
from sanbo.plans.validating.inputs import Target, check_value
from sanbo.plans.validating.names import check_references
from sanbo.plans.validating.outputs import constant
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.schemas import Missing, Reached, accepts_null, reach
from sanbo.plans.validating.scope import Found, Scope, Site
from sanbo.plans.validating.surroundings import asks_people
from sanbo.plans.validating.written_values import open_places

_MOST_ENTRIES = 200
_STEP = re.compile(r"[^.\[\]]+")

Given = dict[str, JsonValue]


def check_options(node: BlockNode, spec: BlockSpec, site: Site) -> None:
    """`node`: its inputs fit the types of the block's ports."""
    if (problem := site.scope.surroundings.misplaced(spec, node.in_)) is not None:
        path = _way(dict(node.in_), _steps(problem))
        name = ".".join(_steps(problem))
        reason, hint = problem.message, problem.hint
        site.error("wrong_input", "in", *path, name=name, reason=reason, suggestion=hint)
        return
    given = {
        port: _known(value, site)
        for port, value in node.in_.items()
        if port in spec.inputs and value is not None
    }
    if not all(isinstance(value, str) and "${" in value for value in given.values()):
        _Trial(spec, site, given).run()


def _known(value: JsonValue, site: Site) -> JsonValue:
    """With the values of variables; other references stay as they are written."""
    match value:
        case str() if "$" in value:
            try:
                return resolve(value, lambda reference: _stated(reference, site.scope))
            except (BadReference, LookupError, InvalidInput):
                return value
        case list():
            return [_known(item, site) for item in value]
        case dict():
            return {key: _known(item, site) for key, item in value.items()}
        case _:
            return value


def _stated(reference: Reference, scope: Scope) -> JsonValue:
    """An empty variable is there to be filled in: by who starts the plan, or by who calls it."""
    value = constant(reference, scope)
    if not value:
        raise LookupError(reference.text)
    return value


@dataclass(frozen=True)
class _Fault:
    problem: Problem
    path: ValuePath
    """From the port on, as far as it is known."""


class _Trial:
    def __init__(self, spec: BlockSpec, site: Site, given: Given) -> None:
        self._spec = spec
        self._site = site
        self._given = given
        self._lacks = False
        """Whether something was taken away without which a block may be wrong in other ways."""

    def run(self) -> None:
        told: set[str] = set()
        while (problem := self._refusal(self._given)) is not None:
            port = self._port_of(problem)
            if port is None or port in told:
                return
            told.add(port)
            faults = list(self._of_entries(port, problem)) or [self._fault(problem, (port,))]
            certain = [fault for fault in faults if self._is_certain(fault)]
            for fault in certain:
                self._tell(fault)
            if len(certain) < len(faults):
                return
            self._take_away(port, faults)

    def _refusal(self, given: Given) -> Problem | None:
        return self._site.scope.surroundings.refusal(self._spec, given)

    # ---- where it is -----------------------------------------------------------------------

    def _port_of(self, problem: Problem) -> str | None:
        """The port that a problem names, or without which there is another problem, or none."""
        if self._names_a_port(problem):
            return _steps(problem)[0]
        if self._lacks:
            return None
        required = [port for port in self._given if self._spec.inputs[port].required]
        optional = [port for port in self._given if port not in required]
        for port in (*optional, *required):
            other = self._refusal(self._without(port))
            if other is None or other.text_id != problem.text_id:
                return port
        return None

    def _names_a_port(self, problem: Problem) -> bool:
        return bool(_steps(problem)) and _steps(problem)[0] in self._given

    def _of_entries(self, port: str, whole: Problem) -> Iterator[_Fault]:
        value = self._given[port]
        entries: list[tuple[Key, JsonValue, JsonValue]] = []
        if isinstance(value, list):
            entries = [(index, entry, [entry]) for index, entry in enumerate(value)]
        elif isinstance(value, dict):
            entries = [(key, entry, {key: entry}) for key, entry in value.items()]
        are_alike = all(isinstance(entry, dict) for _, entry, _ in entries)
        if isinstance(value, list) and not are_alike:
            return
        for key, _, alone in entries[:_MOST_ENTRIES]:
            problem = self._refusal({**self._given, port: alone})
            if problem and _steps(problem)[:1] != [port] and self._names_a_port(problem):
                continue  # another's: it comes now that this one passes
            # A mapping may be one option: a part of it alone is wrong in other ways.
            if problem and (are_alike or problem.text_id == whole.text_id):
                yield self._fault(_renumbered(problem, key), (port, key))

    def _fault(self, problem: Problem, path: ValuePath) -> _Fault:
        named = _steps(problem)
        inside = named[len(path) :] if named[:1] == [path[0]] else []
        value = self._given[str(path[0])]
        for step in path[1:]:
            value = _below(value, step)
        return _Fault(problem, (*path, *_way(value, inside)))

    # ---- what is told of it ----------------------------------------------------------------

    def _is_certain(self, fault: _Fault) -> bool:
        return not _is_open(self._given[str(fault.path[0])], fault.path[1:])

    def _tell(self, fault: _Fault) -> None:
        self._site.error(
            "wrong_input",
            "in",
            *fault.path,
            name=".".join(str(step) for step in fault.path),
            reason=fault.problem.message,
            suggestion=fault.problem.hint,
        )

    # ---- what is left ----------------------------------------------------------------------

    def _take_away(self, port: str, faults: list[_Fault]) -> None:
        entries = {fault.path[1] for fault in faults if len(fault.path) > 1}
        value = self._given[port]
        rest: JsonValue = None
        if entries and isinstance(value, list):
            rest = [entry for index, entry in enumerate(value) if index not in entries]
        elif entries and isinstance(value, dict):
            rest = {key: entry for key, entry in value.items() if key not in entries}
        self._given = {**self._given, port: rest} if rest else self._without(port)
        self._lacks = self._lacks or not rest

    def _without(self, port: str) -> Given:
        return {name: value for name, value in self._given.items() if name != port}


def _renumbered(problem: Problem, key: Key) -> Problem:
    """What was tried alone was the first; in the plan it has a number of its own."""
    params = {
        name: re.sub(r"(?<=[\[.])0(?=[\].]|$)", str(key), str(value), count=1)
        for name, value in problem.params.items()
        if name in ("port", "place") and value and isinstance(key, int)
    }
    if not params:
        return problem
    numbered = problem.model_copy(update={"params": {**problem.params, **params}})
    return numbered.in_language(current_language())


def _steps(problem: Problem) -> list[str]:
    """`conditions.0.operator`, or `operations[2]` with the key that is wrong there."""
    place = problem.params.get("port") or problem.params.get("place")
    steps = _STEP.findall(str(place)) if place else []
    key = problem.params.get("key")
    return [*steps, str(key)] if steps and key else steps


def _way(value: JsonValue, steps: list[str]) -> Iterator[Key]:
    """As far as the value has them: a block may count one condition as a list of it."""
    for step in steps:
        key: Key = int(step) if isinstance(value, list) and step.isdecimal() else step
        below = _below(value, key)
        if below is not None:
            value = below
            yield key


def _below(value: JsonValue, step: Key) -> JsonValue:
    if isinstance(value, dict):
        return value.get(str(step))
    if isinstance(value, list) and isinstance(step, int) and step < len(value):
        return value[step]
    return None


def _is_open(value: JsonValue, path: ValuePath) -> bool:
    """Whether something stands there, or in there, that only a run knows."""
    return any(
        path[: len(place)] == place or place[: len(path)] == path for place, _ in open_places(value)
    )


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
