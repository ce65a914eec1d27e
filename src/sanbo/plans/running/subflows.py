"""Another plan called as a node: its own variables, its own nodes, and what it exports."""

from collections.abc import Mapping

from pydantic import JsonValue

from sanbo.plans.model import SubflowNode
from sanbo.plans.references import reference_of, walk
from sanbo.plans.running.outputs import Outputs
from sanbo.plans.running.prepared import PreparedNode
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import Slots, Surroundings
from sanbo.runs.model import Path


async def run_subflow(here: Surroundings, node: PreparedNode, scope: Scope, path: Path) -> Outputs:
    inner = called_scope(here, node, scope)
    is_new = (path, "/".join(path)) not in here.context.fold.steps
    slots = Slots(inner.prepared.policy.concurrency)
    await here.run_graph(here, inner, path, slots, is_new=is_new)
    assert isinstance(node.node, SubflowNode)
    exported = inner.exports()
    values = _renamed(node.node, exported)
    shown = _renamed(node.node, inner.shown_exports()) if inner.has_masked else values
    return Outputs(values, values if shown == values else shown, {})


def called_scope(here: Surroundings, node: PreparedNode, scope: Scope) -> Scope:
    """Of a plan that is called: nothing of the caller's is seen but what it is given."""
    assert node.inner is not None
    assert node.calls is not None
    given = {name: scope.resolve(value) for name, value in node.calls.inputs.items()}
    leaving = tuple(node.inner.exports.values()) if scope.is_read(node.node.id) else ()
    return Scope(node.inner, here.environment, given=given, leaving=leaving)


def _renamed(node: SubflowNode, exported: Mapping[str, JsonValue]) -> dict[str, JsonValue]:
    if not node.out.exports:
        return dict(exported)
    found: dict[str, JsonValue] = {}
    for export in node.out.exports:
        if export.from_ in exported:
            found[export.as_] = exported[export.from_]
            continue
        reference = reference_of(export.from_)
        found[export.as_] = walk(dict(exported), (reference.root, *reference.keys))
    return found
