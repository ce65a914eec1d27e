"""The validator: all checks of a plan, of the graphs of its loops and of the plans it calls.

A plan is taken only if it is valid and has no secret written into it.
"""

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.messages import tell
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.secrets import redact
from sanbo.plans.dependencies import dependencies, find_cycle
from sanbo.plans.model import (
    BlockNode,
    Finding,
    LoopNode,
    Plan,
    PlanSource,
    SubflowNode,
    finding,
    is_valid,
)
from sanbo.plans.references import references_in
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating.block_nodes import check_block_node
from sanbo.plans.validating.control_flow import (
    check_condition,
    check_graph_policy,
    check_loop,
    check_node_policy,
    check_subflow,
)
from sanbo.plans.validating.names import (
    check_exports,
    check_node_ids,
    check_plan_names,
    check_references,
    check_unused,
)
from sanbo.plans.validating.outputs import body_scope, outputs_of_node
from sanbo.plans.validating.plan_texts import Notes, Readable, read_plan, suggestion
from sanbo.plans.validating.scope import (
    VARS,
    Found,
    Scope,
    Site,
    is_unreadable,
    site_of_graph,
    site_of_node,
)
from sanbo.plans.validating.surroundings import Surroundings, asks_people

_MOST = 20


def check_circles(site: Site) -> None:
    """Each circle once, at the node of it that stands first."""
    scope = site.scope
    needs = dependencies(scope.graph)
    for _ in range(_MOST):
        circle = find_cycle(needs)
        if not circle:
            return
        members = circle[:-1]
        first = min(members, key=lambda name: scope.positions[name])
        start = members.index(first)
        way = (*members[start:], *members[:start], first)
        site_of_node(scope, scope.positions[first]).error("cycle", way=" → ".join(way))
        needs = {**needs, way[0]: needs[way[0]] - set(members)}


def check_layout(plan: Plan, site: Site) -> None:
    layout = plan.ui.layout
    seen: set[str] = set()
    for position, name in enumerate(layout):
        if name not in site.scope.nodes:
            site.error(
                "unknown_in_layout",
                "ui",
                "layout",
                position,
                name=name,
                suggestion=suggestion(name, site.scope.nodes),
            )
        elif name in seen:
            site.error("repeated_in_layout", "ui", "layout", position, name=name)
        seen.add(name)
    if layout:
        for name in _forms(plan, site):
            if name not in seen:
                site.warn("form_not_in_layout", "ui", "layout", name=name)


def _forms(plan: Plan, site: Site) -> list[str]:
    found: list[str] = []
    for node in plan.graph:
        spec = site.scope.surroundings.spec(node.block) if isinstance(node, BlockNode) else None
        if spec is not None and asks_people(spec):
            found.append(node.id)
    return found


def check_variables(site: Site) -> None:
    variables = site.scope.graph.vars
    needs: dict[str, frozenset[str]] = {}
    for name, value in variables.items():
        check_references(value, site, VARS, name)
        used: set[str] = set()
        for reference, path in references_in(value):
            found = site.scope.find(reference)
            if not isinstance(found, Found) or found.scope is not site.scope:
                continue
            if found.origin == "node":
                site.error("var_reads_node", VARS, name, *path, reference=reference.text, name=name)
            elif found.origin == "vars":
                used.add(found.name)
        needs[name] = frozenset(used)
    if circle := find_cycle(needs):
        site.error("vars_in_circle", VARS, circle[0], way=" → ".join(circle))


def check_plan(plan: Plan, scope: Scope, plan_id: str, *, is_whole: bool) -> None:
    """`plan_id`: as it is called by; what is unused is told of whole plans only."""
    site = site_of_graph(scope)
    check_plan_names(plan, site, plan_id)
    _check_graph(scope, is_whole=is_whole)
    check_layout(plan, site)


def _check_graph(scope: Scope, *, is_whole: bool) -> None:
    site = site_of_graph(scope)
    if is_whole and not scope.graph.graph and not scope.within:
        site.error("plan_empty", "graph")
    check_variables(site)
    check_node_ids(site)
    for position in range(len(scope.graph.graph)):
        _check_node(site_of_node(scope, position), is_whole=is_whole)
    check_circles(site)
    check_exports(site)
    check_graph_policy(site)
    if is_whole:
        check_unused(site)


def _check_node(site: Site, *, is_whole: bool) -> None:
    node = site.node
    if node is None or is_unreadable(node):
        return
    if node.when is not None:
        check_condition(node.when, site, "when")
    check_node_policy(node, site)
    match node:
        case BlockNode():
            check_block_node(node, site)
        case SubflowNode():
            check_subflow(node, site)
        case LoopNode():
            check_loop(node, site)
            if site.scope.nodes[node.id] is node:  # not a second one of the same name
                _check_graph(body_scope(node, site.scope), is_whole=is_whole)


@dataclass(frozen=True)
class OpenedPlan:
    plan_id: str
    """As it is called by; empty for the plan itself."""
    readable: Readable
    scope: Scope | None
    """None where nothing of it can be read."""


def open_plans(source: PlanSource, surroundings: Surroundings) -> tuple[OpenedPlan, ...]:
    """The plan itself first, then each called one; one that calls itself is there once."""
    scopes: dict[str, Scope] = {}
    main = _open("", read_plan(source.plan), scopes, surroundings)
    opened = [main]
    for plan_id, text in source.called.items():
        if text == source.plan:
            if main.scope is not None:
                scopes[plan_id] = main.scope
            continue
        called = _open(plan_id, read_plan(text), scopes, surroundings)
        if called.scope is not None:
            scopes[plan_id] = called.scope
        opened.append(called)
    if main.scope is not None:
        scopes.setdefault(main.scope.graph.id, main.scope)
    return tuple(opened)


def _open(
    plan_id: str, readable: Readable, scopes: dict[str, Scope], surroundings: Surroundings
) -> OpenedPlan:
    if readable.plan is None:
        return OpenedPlan(plan_id, readable, None)
    scope = Scope(
        graph=readable.plan,
        surroundings=surroundings,
        notes=Notes(readable.source.file, readable.marks, readable.source.text),
        outputs_of=outputs_of_node,
        called=scopes,
    )
    return OpenedPlan(plan_id, readable, scope)


_log = logging.getLogger(__name__)


def validate(
    source: PlanSource,
    catalog: Catalog,
    settings: PlanSettings,
    people: frozenset[str] = frozenset(),
) -> tuple[Finding, ...]:
    """All findings at once, by file and line. It never raises: what it can't check, it says."""
    try:
        plans = open_plans(source, Surroundings(catalog, settings, people))
        return tuple(each for opened in plans for each in findings_of(opened))
    except Exception as error:  # noqa: BLE001 - a plan may be anything
        _log.exception("the validator met what it was not made for")
        return (finding("check_failed", file=source.plan.file, reason=type(error).__name__),)


def findings_of(opened: OpenedPlan) -> tuple[Finding, ...]:
    readable, scope = opened.readable, opened.scope
    found = list(readable.findings)
    if scope is not None and readable.plan is not None:
        check_plan(readable.plan, scope, opened.plan_id, is_whole=readable.is_whole)
        found.extend(scope.notes.found)
    return tuple(sorted(dict.fromkeys(found), key=lambda each: (each.line, each.column)))


def refuse_invalid(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> None:
    findings = validate(source, catalog, settings)
    if is_valid(findings):
        return
    errors = [finding for finding in findings if finding.severity == "error"]
    raise InvalidInput(
        "plan_invalid",
        count=len(errors),
        first=errors[0].message,
        line=errors[0].line,
        details={"findings": [finding.model_dump(mode="json") for finding in findings]},
    )


def refuse_unknown_node(name: str, plan: Plan) -> None:
    """Up to which it is to run; none: to its end."""
    nodes = [node.id for node in plan.graph]
    if name and name not in nodes:
        meant = nearest(name, nodes, 3, least=0.4) or nodes
        raise InvalidInput("plan_until_unknown", node=name, known="、".join(meant[:10]))


def refuse_unknown_variables(given: Mapping[str, JsonValue], known: Mapping[str, object]) -> None:
    for name in given:
        if name not in known:
            meant = nearest(name, known, 3, least=0.4) or list(known)
            raise InvalidInput(
                "plan_variable_unknown", name=name, known="、".join(meant[:10]) or tell("none")
            )


def refuse_written_secrets(source: PlanSource, given: Mapping[str, JsonValue]) -> None:
    """The run keeps both, masked: it would go on with other values than were meant."""
    for text in (source.plan, *source.called.values()):
        for number, line in enumerate(text.text.splitlines(), start=1):
            if redact(line) != line:
                raise InvalidInput("plan_secret_written", place=f"{text.file}:{number}")
    for name, value in given.items():
        written = to_json(value).decode()
        if redact(written) != written:
            raise InvalidInput("plan_secret_written", place=f"vars.{name}")
