"""Where what a person gave led to a failure: the forms at which something else can be given."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sanbo.blocks.spec import text_of
from sanbo.kernel.problems import Code
from sanbo.plans.dependencies import dependencies
from sanbo.plans.drawing.figure import FORMS
from sanbo.plans.load import load
from sanbo.plans.model import BlockNode, Graph, Node, SubflowNode
from sanbo.runs.model import Path, Run, Step
from sanbo.service.plan_runs import source_of

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
    """In the run's language; its id where it has none."""


def forms_before(run: Run, failed: Step) -> tuple[FormBefore, ...]:
    """The nearest that were filled in; none where another file or value could not help."""
    if run.problem is None or run.problem.code not in _OF_THE_MATERIAL:
        return ()
    source = source_of(run)
    called = {plan_id: load(text).plan for plan_id, text in source.called.items()}
    answered = {step.path for step in run.steps if step.status == "succeeded"}
    for path, graph in reversed(list(_graphs(load(source.plan).plan, called, failed.path))):
        found = [(*path[:-1], node.id) for node in _forms(graph, path[-1])]
        titles = {node.id: text_of(node.title, run.language) or node.id for node in graph.graph}
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
