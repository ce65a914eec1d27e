"""What nothing uses: nodes, names of outputs, variables.

A node is used when something reads it or waits for it, when it is exported, or when it does
something by itself: it asks a person, makes a file, or stops the plan. A graph that exports nothing
shows the outputs of its last nodes, so these are used. An output that keeps its own name in `out`
only documents itself.
"""

from collections.abc import Iterator

from sanbo.plans.model import BlockNode, LoopNode, Node, SubflowNode
from sanbo.plans.validating.schema_reading import holds_file
from sanbo.plans.validating.scope import VARS, Scope
from sanbo.plans.validating.site import Site, site_of_node

_DOES_SOMETHING = ("ui.", "flow.", "agent.", "notifier.", "external.", "evidence.")


def check_unused(site: Site) -> None:
    scope = site.scope
    awaited = {name for node in scope.graph.graph for name in node.after}
    is_last_shown = not scope.graph.exports
    for position, node in enumerate(scope.graph.graph):
        read = scope.read_outputs.get(node.id, set())
        here = site_of_node(scope, position)
        if read or (node.id in awaited and not is_last_shown):
            _tell_unused_outputs(node, read, here)
        elif not is_last_shown and not _does_something(node, scope):
            here.warn("unused_node", "id", name=node.id)
    for name in scope.graph.vars:
        if name not in scope.read_variables:
            site.warn("unused_var", VARS, name, name=name)


def _tell_unused_outputs(node: Node, read: set[str], site: Site) -> None:
    if "" in read:
        return
    match node:
        case BlockNode():
            for port, name in node.out.items():
                if name != port and name not in read and port not in read:
                    site.warn("unused_output", "out", port, name=name)
        case LoopNode():
            for position, name in enumerate(node.out.collect):
                if name not in read:
                    site.warn("unused_output", "out", "collect", position, name=name)
        case SubflowNode():
            for position, export in enumerate(node.out.exports):
                if export.as_ not in read:
                    site.warn("unused_output", "out", "exports", position, "as", name=export.as_)


def _does_something(node: Node, scope: Scope) -> bool:
    match node:
        case BlockNode():
            spec = scope.surroundings.spec(node.block)
            if spec is None:
                return True
            return spec.id.startswith(_DOES_SOMETHING) or any(
                holds_file(port.schema_) for port in spec.outputs.values()
            )
        case LoopNode():
            return any(_does_something(each, inside) for each, inside in _inside(node, scope))
        case SubflowNode():
            called = scope.called.get(node.call.plan_id)
            return called is None or _plan_does_something(called, frozenset())


def _inside(loop: LoopNode, scope: Scope) -> Iterator[tuple[Node, Scope]]:
    inside = scope.bodies.get(loop.id)
    if inside is not None:
        yield from ((node, inside) for node in inside.graph.graph)


def _plan_does_something(scope: Scope, seen: frozenset[int]) -> bool:
    if id(scope) in seen:
        return False
    return any(
        _plan_does_something(scope.called[node.call.plan_id], seen | {id(scope)})
        if isinstance(node, SubflowNode) and node.call.plan_id in scope.called
        else _does_something(node, scope)
        for node in scope.graph.graph
    )
