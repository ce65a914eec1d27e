"""How far a plan's run has come: its own copy of the plan, its nodes, and where to try again."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from pydantic import JsonValue, ValidationError

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language, current_language
from sanbo.kernel.problems import Code, InvalidInput, NotFound
from sanbo.plans.dependencies import dependencies
from sanbo.plans.drawing.figure import (
    FORMS,
    NOT_BEGUN,
    Figure,
    NodeState,
    NodeStatus,
    figure_of,
)
from sanbo.plans.load import load
from sanbo.plans.model import (
    BlockNode,
    Finding,
    Graph,
    Node,
    Plan,
    PlanSource,
    PlanText,
    SubflowNode,
)
from sanbo.plans.validating.names import FINAL
from sanbo.runs.model import Artifact, Path, Run, Step, is_iteration, without_iterations

# What is shown of a node that is in several iterations at once.
_FIRST: tuple[NodeStatus, ...] = (
    "waiting",
    "failed",
    "running",
    "succeeded",
    "skipped",
    "pending",
)
_OF_THE_MATERIAL = frozenset(
    {
        Code.INPUT_VALIDATION_FAILED,
        Code.NOT_FOUND,
        Code.RESOURCE_LIMIT,
        Code.UNSUPPORTED_FORMAT,
    }
)


@dataclass(frozen=True)
class FormBefore:
    path: Path
    title: str
    """Its id where it has none."""


# ---- the plan ------------------------------------------------------------------------------


def source_of(run: Run) -> PlanSource:
    """The run's own copy: what has become of the file since does not matter."""
    try:
        return PlanSource.model_validate(run.input.get("source"))
    except ValidationError:  # recorded by a later version of Sanbo
        raise NotFound("run_not_found", run_id=run.run_id) from None


def title_of(run: Run) -> str:
    """In the current language; the plan's id where it has none."""
    plan = load(source_of(run).plan).plan
    return str(run.input.get("plan_id", "")) if plan is None else text_of(plan.title) or plan.id


_BOOKS = (".xlsx", ".xlsm")


def files_given_out(run: Run) -> tuple[Artifact, ...]:
    """The files that a plan was run for: those it exports, or names as its final ones, each once.

    A plan without `exports` does not say: there it is what its last nodes made, those that nothing
    reads from, and every workbook that has an alias. Files made on the way are neither.
    """
    result = run.result or {}
    plan = load(source_of(run).plan).plan
    exported = result.get("exports")
    final = plan.vars.get(FINAL) if plan is not None else None
    if run.input.get("until"):
        wanted = set(file_ids(exported))
    elif isinstance(final, list) and isinstance(exported, dict):
        named = [exported.get(str(alias)) for alias in final]
        wanted = set(file_ids(named))
    elif plan is None or plan.exports:
        wanted = set(file_ids(exported))
    else:
        # What stands under `finally` waits for all others, whether it reads them or not.
        graph = {node.id for node in plan.graph if not node.always}
        told = ((name, before) for name, before in dependencies(plan).items() if name in graph)
        read = frozenset[str]().union(*(before for _, before in told))
        nodes = result.get("nodes")
        ends = nodes.items() if isinstance(nodes, dict) else ()
        wanted = {file for name, node in ends if name not in read for file in file_ids(node)}
        books = {made.artifact_id for made in run.artifacts if made.name.lower().endswith(_BOOKS)}
        wanted |= books & set(file_ids(exported))
    # The same file may have passed several nodes.
    once = {(made.name, made.artifact_id): made for made in run.artifacts}
    return tuple(made for made in once.values() if made.artifact_id in wanted)


def file_ids(value: JsonValue) -> Iterator[str]:
    match value:
        case {"file_id": str(file_id)}:
            yield file_id
        case dict():
            for item in value.values():
                yield from file_ids(item)
        case list():
            for item in value:
                yield from file_ids(item)
        case _:
            pass


def figure_of_source(source: PlanSource, language: Language | None = None) -> Figure:
    """The nodes with their titles, also those inside loops and called plans."""
    called = tuple((plan_id, text.text) for plan_id, text in source.called.items())
    return _figure(source.plan.text, called, language or current_language())


@lru_cache(maxsize=16)
def _figure(plan: str, called: tuple[tuple[str, str], ...], language: Language) -> Figure:
    """Kept: whoever watches a run asks for it several times a second."""
    texts = {plan_id: PlanText(text=text) for plan_id, text in called}
    loaded, plans = loaded_plans(PlanSource(plan=PlanText(text=plan), called=texts))
    return figure_of(loaded, plans, language)


def loaded_plans(source: PlanSource) -> tuple[Plan, dict[str, Plan]]:
    loaded = load(source.plan)
    if loaded.plan is None:
        raise InvalidInput(
            "plan_not_drawable",
            reason=_first(loaded.findings),
            details={"findings": [each.model_dump(mode="json") for each in loaded.findings]},
        )
    called = {plan_id: load(text).plan for plan_id, text in source.called.items()}
    return loaded.plan, {plan_id: plan for plan_id, plan in called.items() if plan is not None}


def _first(findings: tuple[Finding, ...]) -> str:
    return f"{findings[0].line}:{findings[0].column} {findings[0].message}" if findings else "–"


# ---- its nodes -----------------------------------------------------------------------------


def states_of(run: Run, figure: Figure) -> dict[Path, NodeState]:
    """Of every node of the plan; what is inside a node belongs to it."""
    steps: dict[Path, list[Step]] = {item.path: [] for item in figure.everything()}
    waiting: set[Path] = set()
    for step in run.steps:
        path = without_iterations(step.path)
        if path in steps:
            if not is_iteration(step.path):
                steps[path].append(step)
        elif step.status == "waiting":
            waiting.add(_known_above(path, steps))
    states = dict(_states(figure, steps, waiting, None))
    if not run.status.is_final:
        return states
    return {path: _left(state) for path, state in states.items()}


def _left(state: NodeState) -> NodeState:
    """Of a run that has ended: what was at work then has not come to its end."""
    return replace(state, status="pending") if state.status in ("waiting", "running") else state


def _known_above(path: Path, known: Mapping[Path, object]) -> Path:
    while path and path not in known:
        path = path[:-1]
    return path


def _states(
    figure: Figure, steps: Mapping[Path, list[Step]], waiting: set[Path], above: NodeState | None
) -> Iterator[tuple[Path, NodeState]]:
    for item in figure.items:
        state = _state(steps[item.path], above)
        if item.path in waiting:
            state = NodeState("waiting", state.done, state.total)
        yield item.path, state
        if item.inside is not None:
            inner = state if item.kind == "loop" or state.status == "skipped" else above
            yield from _states(item.inside, steps, waiting, inner)


def _state(steps: list[Step], above: NodeState | None) -> NodeState:
    """`above`: the loop around it. What was in iterations that have ended is forgotten."""
    if not steps:
        if above is None or above.status == "pending":
            return NOT_BEGUN
        if above.status == "skipped":
            return NodeState("skipped")
        return NodeState("succeeded", above.done, above.total) if above.done else NOT_BEGUN
    first = min(steps, key=lambda step: _FIRST.index(step.status))
    note = first.reason or (first.problem.message if first.problem else "")
    if above is not None:
        return NodeState(first.status, above.done, above.total, note=note)
    return NodeState(first.status, first.iterations, first.of, first.duration_ms, note)


# ---- where to try again --------------------------------------------------------------------


def failed_node(run: Run) -> Step | None:
    """The innermost that failed, in whichever turn of a loop."""
    failed = [step for step in run.steps if step.status == "failed" and step.path]
    return max(failed, key=lambda step: len(step.path), default=None)


def forms_before(
    run: Run, failed: Step, language: Language | None = None
) -> tuple[FormBefore, ...]:
    """The nearest that were filled in; none where another file or value could not help."""
    if run.problem is None or run.problem.code not in _OF_THE_MATERIAL:
        return ()
    source = source_of(run)
    called = {plan_id: load(text).plan for plan_id, text in source.called.items()}
    answered = {step.path for step in run.steps if step.status == "succeeded"}
    for path, graph in reversed(list(_graphs(load(source.plan).plan, called, failed.path))):
        found = [(*path[:-1], node.id) for node in _forms(graph, path[-1])]
        titles = {
            node.id: text_of(node.title, language or run.language) or node.id
            for node in graph.graph
        }
        if forms := tuple(FormBefore(p, titles[p[-1]]) for p in found if p in answered):
            return forms
    return ()


def _graphs(
    graph: Graph | None, called: Mapping[str, Graph | None], path: Path
) -> Iterator[tuple[Path, Graph]]:
    """Every graph on the way to a node, with the path so far."""
    for depth in range(1, len(path) + 1):
        node = _node(graph, path[depth - 1])
        if graph is None or node is None:
            return
        yield path[:depth], graph
        graph = called.get(node.call.plan_id) if isinstance(node, SubflowNode) else None


def _forms(graph: Graph, node_id: str) -> Iterator[BlockNode]:
    """Those that the node's inputs go back to, the nearest on each way."""
    needs = dependencies(graph)
    seen = {node_id}
    waiting = [node_id]
    while waiting:
        for name in sorted(needs[waiting.pop(0)] - seen):
            seen.add(name)
            node = _node(graph, name)
            if isinstance(node, BlockNode) and _takes_values(node):
                yield node
            else:
                waiting.append(name)


def _node(graph: Graph | None, node_id: str) -> Node | None:
    return next((node for node in graph.graph if node.id == node_id), None) if graph else None


def _takes_values(node: BlockNode) -> bool:
    """Not one that only asks for approval."""
    return node.block.startswith(FORMS) and bool(node.in_.get("requirements"))
