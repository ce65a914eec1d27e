"""The dry run: a plan gone through with declared samples, every node once, and nothing else."""

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from pydantic import JsonValue

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.secrets import redact
from sanbo.plans.dependencies import aliases_of, dependencies
from sanbo.plans.dry_running.report import (
    DryRunReport,
    NodeReport,
    Readers,
    cases_of,
    of_foreach,
    of_nothing,
    of_while,
)
from sanbo.plans.dry_running.samples import (
    NoSample,
    Outputs,
    Stage,
    check_samples,
    composed,
    declared_outputs,
    rehearsed_call,
    rehearsed_inputs,
    tell_unreachable,
)
from sanbo.plans.model import (
    BlockNode,
    Call,
    Finding,
    LoopNode,
    Node,
    PlanSource,
    SubflowNode,
    finding,
    is_valid,
)
from sanbo.plans.references import BadReference, Unreachable, reference_of
from sanbo.plans.running.masks import masked_ports, masks_of
from sanbo.plans.settings import PlanSettings
from sanbo.plans.validating.outputs import body_scope, given_in_plan
from sanbo.plans.validating.schemas import items_of
from sanbo.plans.validating.scope import Scope, Site, is_unreadable
from sanbo.plans.validating.surroundings import Surroundings
from sanbo.plans.validating.validator import OpenedPlan, findings_of, open_plans

MOST_CHARACTERS = 200
MOST_ENTRIES = 5
DEEPEST = 8


def shortened(value: JsonValue, depth: int = 0) -> JsonValue:
    match value:
        case str():
            shown = redact(value)
            return shown if len(shown) <= MOST_CHARACTERS else shown[: MOST_CHARACTERS - 1] + "…"
        case list() | dict() if depth >= DEEPEST:
            return "…"
        case list():
            kept = [shortened(item, depth + 1) for item in value[:MOST_ENTRIES]]
            return (
                [*kept, f"… (+{len(value) - MOST_ENTRIES})"] if len(value) > MOST_ENTRIES else kept
            )
        case dict():
            return {key: shortened(item, depth + 1) for key, item in value.items()}
        case _:
            return value


MOST_DEEP = 20
"""Plans that call plans that call plans."""


@dataclass
class Rehearsal:
    reports: dict[str, NodeReport] = field(default_factory=dict[str, NodeReport])
    """By path; a loop before what is inside it."""

    def go_through(self, stage: Stage) -> None:
        """All nodes of a graph; what each gives is in the stage then."""
        nodes = list(in_order(stage.scope))
        for node in nodes:
            path = stage.path_of(node)
            self.reports[path] = NodeReport(node=path, type=node.type)
            inputs = self._rehearse(node, stage, site_on(stage, node))
            self.reports[path] = _report(node, stage, inputs)
        readers = Readers(stage, nodes)
        for node in nodes:
            cases = cases_of(node, stage, site_on(stage, node), readers)
            path = stage.path_of(node)
            self.reports[path] = self.reports[path].model_copy(update={"cases": cases})

    def _rehearse(self, node: Node, stage: Stage, site: Site) -> dict[str, JsonValue]:
        match node:
            case BlockNode():
                return _rehearse_block(node, stage, site)
            case LoopNode():
                return self._rehearse_loop(node, stage, site)
            case SubflowNode():
                inputs = rehearsed_call(node.call, stage, site, "call")
                exports = self._call(node.call, stage, inputs, node.id)
                if exports is not None:
                    stage.outputs[node.id] = _renamed(node, exports)
                return inputs

    def _rehearse_loop(self, loop: LoopNode, stage: Stage, site: Site) -> dict[str, JsonValue]:
        inputs: dict[str, JsonValue] = {}
        variables: dict[str, JsonValue] = {}
        if loop.foreach is not None:
            for items in _items(loop, stage, site):
                if not items:  # a turn of it is never made
                    stage.outputs[loop.id] = of_nothing(loop, {})
                    return {"input": None}
                inputs["input"] = items
                variables[loop.foreach.item_var] = items[0]
        for each in (loop.foreach, loop.while_):
            if each is not None and each.index_var is not None:
                variables[each.index_var] = 0
        inside = Stage(
            scope=body_scope(loop, stage.scope),
            around=(*stage.around, loop.id),
            variables=variables,
            outer=stage,
            calling=stage.calling,
        )
        stage.bodies[loop.id] = inside
        if loop.body.call is not None:
            given = rehearsed_call(loop.body.call, inside, site, "body", "call")
            exports = self._call(loop.body.call, stage, given, loop.id)
        else:
            self.go_through(inside)
            exports = exports_of(inside)
        if exports is not None:
            of_kind = of_foreach if loop.foreach is not None else of_while
            stage.outputs[loop.id] = of_kind(loop, exports)
        return inputs

    def _call(
        self, call: Call, stage: Stage, given: dict[str, JsonValue], node_id: str
    ) -> Outputs | None:
        """What the called plan exports; None where it can't be gone through."""
        called = stage.scope.called.get(call.plan_id)
        calling = (*stage.calling, stage.scope.outermost)
        is_inside_itself = any(called is each for each in calling)
        if called is None or is_inside_itself or len(calling) > MOST_DEEP:
            return None
        inside = Stage(
            scope=called,
            around=(*stage.around, node_id),
            given=given,
            calling=calling,
        )
        self.go_through(inside)
        return exports_of(inside)


def in_order(scope: Scope) -> Iterator[Node]:
    """Each node after those it needs; in a circle, as they are written."""
    needs = dependencies(scope.graph)
    try:
        order = list(TopologicalSorter(needs).static_order())
    except CycleError:
        order = list(scope.nodes)
    yield from (scope.nodes[name] for name in order if not is_unreadable(scope.nodes[name]))


def site_on(stage: Stage, node: Node) -> Site:
    place = stage.scope.place_of(stage.scope.positions[node.id])
    return Site(stage.scope, place, node, stage.path_of(node))


def exports_of(stage: Stage) -> Outputs:
    """As far as there are samples of them."""
    exports: Outputs = {}
    for name, source in _exported(stage):
        try:
            exports[name] = stage.look_up(reference_of(source))
        except (BadReference, NoSample, Unreachable):
            continue
    return exports


def _exported(stage: Stage) -> Iterator[tuple[str, str]]:
    """What is written or, without any, what the nodes name in `out`."""
    yield from ((each.as_, each.from_) for each in stage.scope.graph.exports)
    for name, node in stage.scope.nodes.items() if not stage.scope.graph.exports else ():
        given = stage.outputs.get(name) or {}
        yield from ((alias, f"{name}.{alias}") for alias in aliases_of(node, given))


def _rehearse_block(node: BlockNode, stage: Stage, site: Site) -> dict[str, JsonValue]:
    surroundings = stage.scope.surroundings
    spec = surroundings.spec(node.block)
    if spec is None:
        return {}
    inputs = rehearsed_inputs(node, spec, stage, site)
    given = given_in_plan(node, stage.scope)
    made = declared_outputs(spec, given, surroundings.outline(spec, given))
    values = {**made.values, **surroundings.transformed(spec, inputs)}
    names = {name: values[port] for port, name in node.out.items() if port in values}
    stage.outputs[node.id] = {**values, **names}
    check_samples(spec, site)
    leaving = _leaving(node, stage)
    for port in made.without:
        if port not in values and leaving & {port, node.out.get(port)}:
            site.error("no_sample", "block", name=port, reference=f"${{{node.id}.{port}}}")
    return inputs


def _leaving(node: BlockNode, stage: Stage) -> set[str | None]:
    """Names of outputs that the plan gives out: nobody else asks for a sample of them."""
    written = stage.scope.graph.exports
    if not written:
        return set(node.out.values())
    found: set[str | None] = set()
    for export in written:
        with suppress(BadReference):
            reference = reference_of(export.from_)
            if reference.root == node.id and reference.keys:
                found.add(str(reference.keys[0]))
    return found


def _items(loop: LoopNode, stage: Stage, site: Site) -> Iterator[list[JsonValue]]:
    """What a loop goes over; empty where the plan itself says so, nothing without a sample."""
    assert loop.foreach is not None
    try:
        found = stage.resolve(loop.foreach.input)
    except NoSample as missing:
        note = site.warn if missing.is_given else site.error
        note("no_sample", "foreach", "input", name="input", reference=missing.reference.text)
        if missing.is_given:  # null: no turns
            yield []
        return
    except Unreachable as missing:
        tell_unreachable(missing, site, "foreach", "input")
        return
    except InvalidInput as failed:
        site.warn("expression_undecided", "foreach", "input", reason=failed.problem.message)
        return
    except BadReference:
        return
    if isinstance(found, dict):
        names: list[JsonValue] = [*found]
        found = names
    if isinstance(found, list) and found:
        yield found
        return
    example = composed(items_of(stage.scope.type_of(loop.foreach.input)))
    if example is not None:
        yield [example.value]
    else:
        reference = str(loop.foreach.input)
        site.error("no_sample", "foreach", "input", name="input", reference=reference)


def _renamed(node: SubflowNode, exports: Outputs) -> Outputs:
    renamed = {each.as_: exports[each.from_] for each in node.out.exports if each.from_ in exports}
    return {**exports, **renamed}


def _report(node: Node, stage: Stage, inputs: dict[str, JsonValue]) -> NodeReport:
    outputs = stage.outputs.get(node.id) or {}
    spec = stage.scope.surroundings.spec(node.block) if isinstance(node, BlockNode) else None
    if spec is not None:
        inputs = masked_ports(inputs, masks_of(spec).inputs)
        outputs = masked_ports(outputs, masks_of(spec).outputs)
    return NodeReport(
        node=stage.path_of(node),
        type=node.type,
        block=node.block if isinstance(node, BlockNode) else "",
        inputs={name: shortened(value) for name, value in inputs.items()},
        outputs={name: shortened(value) for name, value in outputs.items()},
    )


_log = logging.getLogger(__name__)


def dry_run(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> DryRunReport:
    """No data, model, network or effect, and no block's code but its outline. It never raises."""
    try:
        return _dry_run(source, catalog, settings)
    except Exception as error:  # noqa: BLE001 - a plan may be anything
        _log.exception("the dry run met what it was not made for")
        found = finding("check_failed", file=source.plan.file, reason=type(error).__name__)
        return DryRunReport(valid=False, findings=(found,))


def _dry_run(source: PlanSource, catalog: Catalog, settings: PlanSettings) -> DryRunReport:
    plans = open_plans(source, Surroundings(catalog, settings))
    checked = [each for opened in plans for each in findings_of(opened)]
    rehearsal = Rehearsal()
    main = plans[0].scope
    if main is not None:
        _clear(plans)
        rehearsal.go_through(Stage(main))
    findings = _in_order([*checked, *_shown(plans, checked)], plans)
    return DryRunReport(
        valid=is_valid(findings),
        findings=findings,
        nodes=tuple(
            report.model_copy(update={"findings": _of_node(report, findings)})
            for report in rehearsal.reports.values()
        ),
    )


def _clear(plans: tuple[OpenedPlan, ...]) -> None:
    for opened in plans:
        if opened.scope is not None:
            opened.scope.notes.found.clear()


def _shown(plans: tuple[OpenedPlan, ...], checked: list[Finding]) -> list[Finding]:
    """What only the samples have shown: where the validator refuses a line, that is enough."""
    refused = {(each.file, each.line) for each in checked if each.severity == "error"}
    found = [each for opened in plans if opened.scope for each in opened.scope.notes.found]
    return [each for each in dict.fromkeys(found) if (each.file, each.line) not in refused]


def _in_order(findings: list[Finding], plans: tuple[OpenedPlan, ...]) -> tuple[Finding, ...]:
    files = [opened.readable.source.file for opened in plans]
    return tuple(
        sorted(findings, key=lambda each: (files.index(each.file), each.line, each.column))
    )


def _of_node(report: NodeReport, findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    return tuple(each for each in findings if each.node == report.node)
