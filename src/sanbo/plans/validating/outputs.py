"""What a node gives to those who read it: an object schema with a property for every name."""

from collections.abc import Mapping
from contextlib import suppress

from pydantic import JsonValue

from sanbo.blocks.spec import BlockSpec, Schema
from sanbo.plans.dependencies import aliases_of
from sanbo.plans.model import BlockNode, Call, Graph, LoopNode, Node, SubflowNode
from sanbo.plans.references import BadReference, Reference, reference_of, walk
from sanbo.plans.validating.plan_texts import UNREADABLE
from sanbo.plans.validating.schemas import (
    ANY,
    BOOLEAN,
    INTEGER,
    Missing,
    Reached,
    items_of,
    nullable,
    one_of,
    reach,
)
from sanbo.plans.validating.scope import VARS, Found, Scope
from sanbo.plans.validating.written_values import holds_reference, known_part

RESULTS, ITERATIONS, COMPLETED, COLLECT = "results", "iterations", "completed", "collect"


def outputs_of_node(node: Node, scope: Scope) -> Schema:
    if node.id not in scope.outputs:
        scope.outputs[node.id] = ANY  # what is asked for while it is worked out goes in circles
        scope.outputs[node.id] = _outputs(node, scope)
    return scope.outputs[node.id]


def _outputs(node: Node, scope: Scope) -> Schema:
    match node:
        case BlockNode():
            return _of_block(node, scope)
        case LoopNode():
            return _of_loop(node, scope)
        case SubflowNode():
            return _of_subflow(node, scope)


def _object(properties: Mapping[str, Schema]) -> Schema:
    return {"type": "object", "properties": dict(properties), "additionalProperties": False}


# ---- a block -------------------------------------------------------------------------------


def _of_block(node: BlockNode, scope: Scope) -> Schema:
    spec = None if node.block == UNREADABLE else scope.surroundings.spec(node.block)
    if spec is None:
        return ANY
    ports = outputs_of_block(node, spec, scope)
    named = {name: ports[port] for port, name in node.out.items() if port in ports}
    return _object({**ports, **named})


def outputs_of_block(node: BlockNode, spec: BlockSpec, scope: Scope) -> dict[str, Schema]:
    """By port: what its contract says, and closer where the inputs in the plan tell more."""
    ports: dict[str, Schema] = {name: port.schema_ for name, port in spec.outputs.items()}
    if all(_tells_all(schema) for schema in ports.values()):
        return ports
    closer = scope.surroundings.outline(spec, given_in_plan(node, scope))
    return {name: closer.get(name, schema) for name, schema in ports.items()}


def _tells_all(schema: Schema) -> bool:
    """Whether an outline could not say more: importing a block's code takes time."""
    if schema.get("type") in ("string", "number", "integer", "boolean"):
        return True
    return schema.get("additionalProperties") is False


def given_in_plan(node: BlockNode, scope: Scope) -> dict[str, JsonValue]:
    """A node's inputs as far as the plan itself has them, also by way of its variables."""
    given: dict[str, JsonValue] = {}
    for port, value in node.in_.items():
        with suppress(LookupError):
            given[port] = known_part(value, lambda reference: constant(reference, scope))
    return given


def constant(reference: Reference, scope: Scope) -> JsonValue:
    """A variable's value that holds no reference itself; `LookupError` for all else."""
    found = scope.find(reference) if reference.root == VARS else None
    if not isinstance(found, Found) or found.origin != "vars" or not found.name:
        raise LookupError(reference.text)
    value = found.scope.graph.vars[found.name]
    if value is None or holds_reference(value):
        raise LookupError(reference.text)
    return walk(value, reference.keys[1:])


# ---- a loop --------------------------------------------------------------------------------


def body_scope(loop: LoopNode, scope: Scope) -> Scope:
    """What can be named inside a loop; where it calls a plan, that is what the call can name."""
    if loop.id not in scope.bodies:
        scope.bodies[loop.id] = Scope(
            graph=loop.body.plan or Graph(),
            surroundings=scope.surroundings,
            notes=scope.notes,
            outputs_of=outputs_of_node,
            at=(*scope.place_of(scope.positions[loop.id]), "body", "plan"),
            within=(*scope.within, loop.id),
            variables=loop_variables(loop, scope),
            outer=scope,
            called=scope.called,
        )
    return scope.bodies[loop.id]


def loop_variables(loop: LoopNode, scope: Scope) -> dict[str, Schema]:
    variables: dict[str, Schema] = {}
    if loop.foreach is not None:
        variables[loop.foreach.item_var] = items_of(scope.type_of(loop.foreach.input))
    for each in (loop.foreach, loop.while_):
        if each is not None and each.index_var is not None:
            variables[each.index_var] = INTEGER
    return variables


def _of_loop(loop: LoopNode, scope: Scope) -> Schema:
    exports = exports_of_body(loop, scope)
    if exports is None:
        return ANY
    each = _object(exports) if loop.body.plan or exports else ANY
    is_named = loop.body.plan is not None and not loop.body.plan.exports
    collected: dict[str, Schema] = {
        name: {"type": "array", "items": each if is_named else exports.get(name, ANY)}
        for name in loop.out.collect
    }
    if collected:
        collected[COLLECT] = collected[loop.out.collect[0]]
    if loop.while_ is not None:
        last = {name: nullable(schema) if schema else ANY for name, schema in exports.items()}
        return _object({**last, **collected, ITERATIONS: INTEGER, COMPLETED: BOOLEAN})
    return _object({RESULTS: {"type": "array", "items": each}, ITERATIONS: INTEGER, **collected})


def exports_of_body(loop: LoopNode, scope: Scope) -> dict[str, Schema] | None:
    """None where they can't be known."""
    if loop.body.call is not None:
        return exports_of_call(loop.body.call, scope)
    return exports_of_graph(body_scope(loop, scope)) if loop.body.plan else None


# ---- plans ---------------------------------------------------------------------------------


def _of_subflow(node: SubflowNode, scope: Scope) -> Schema:
    exports = exports_of_call(node.call, scope)
    if exports is None:
        return ANY
    renamed = {each.as_: _of_renamed(each.from_, exports) for each in node.out.exports}
    return _object({**exports, **renamed})


def _of_renamed(path: str, exports: Mapping[str, Schema]) -> Schema:
    found = reach_export(path, exports)
    if not isinstance(found, Reached):
        return ANY
    return nullable(found.schema) if found.nullable else found.schema


def reach_export(path: str, exports: Mapping[str, Schema]) -> Reached | Missing:
    """One of a called plan's exports, or something inside one."""
    if path in exports:
        return reach(exports[path], ())
    try:
        reference = reference_of(path)
    except BadReference:
        return Missing(path, tuple(exports), ("object",))
    return reach(_object(exports), (reference.root, *reference.keys))


def exports_of_call(call: Call, scope: Scope) -> dict[str, Schema] | None:
    """What the called plan exports; None where it is not there."""
    called = scope.called.get(call.plan_id)
    return exports_of_graph(called) if called else None


def exports_of_graph(scope: Scope) -> dict[str, Schema]:
    """Those that are written or, without any, what the nodes name in `out`."""
    if scope.graph.exports:
        return {export.as_: _of_export(export.from_, scope) for export in scope.graph.exports}
    if scope.exported is not None:  # also while it is worked out: plans may call in circles
        return scope.exported
    found: dict[str, Schema] = {}
    scope.exported = found
    for name, node in scope.nodes.items():
        called = exports_of_call(node.call, scope) if isinstance(node, SubflowNode) else None
        for alias in aliases_of(node, called or ()):
            schema = _of_reference(Reference("", name, (alias,)), scope)
            found[alias] = one_of([found[alias], schema]) if alias in found else schema
    return found


def _of_export(path: str, scope: Scope) -> Schema:
    try:
        return _of_reference(reference_of(path), scope)
    except BadReference:
        return ANY


def _of_reference(reference: Reference, scope: Scope) -> Schema:
    found = scope.find(reference)
    if not isinstance(found, Found) or not isinstance(found.value, Reached):
        return ANY
    may_be_null = found.absent is not None or found.value.nullable
    return nullable(found.value.schema) if may_be_null else found.value.schema
