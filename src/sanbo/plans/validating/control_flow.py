"""Which way a plan goes: conditions that can be read and compare what goes together, loops over
what is there, and calls of plans that exist, with what those take and give.
"""

import re
from collections import deque
from collections.abc import Iterator
from itertools import islice, product

from pydantic import JsonValue

from sanbo.blocks.contract.schema_failures import type_words
from sanbo.blocks.contract.schemas import fits
from sanbo.blocks.spec import Schema
from sanbo.kernel.nearest import nearest
from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.text import unseen_characters
from sanbo.plans.conditions import Compiled, compile_condition
from sanbo.plans.dependencies import calls_in
from sanbo.plans.model import (
    MOST_AT_ONCE,
    RESERVED,
    BlockNode,
    Call,
    Comparison,
    Condition,
    Expression,
    Graph,
    LoopNode,
    Node,
    SubflowNode,
)
from sanbo.plans.references import BadExpression, BadReference, Key, Reference
from sanbo.plans.store import is_plan_id
from sanbo.plans.validating.names import check_reference, check_references, tell_refused
from sanbo.plans.validating.outputs import (
    body_scope,
    exports_of_body,
    exports_of_call,
    reach_export,
)
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.schemas import KINDS, Missing, kinds_of, without_null
from sanbo.plans.validating.scope import Scope, Site
from sanbo.plans.validating.surroundings import asks_people
from sanbo.tables.expressions.syntax import ExpressionRefused


def check_subflow(node: SubflowNode, site: Site) -> None:
    check_call(node.call, site, "call")
    exports = exports_of_call(node.call, site.scope)
    names: dict[str, str] = {}
    for position, export in enumerate(node.out.exports):
        where: tuple[Key, ...] = ("out", "exports", position)
        found = reach_export(export.from_, exports) if exports is not None else None
        if isinstance(found, Missing):
            site.error(
                "unknown_export",
                *where,
                "from",
                plan_id=node.call.plan_id,
                name=export.from_,
                suggestion=suggestion(found.key, found.known),
            )
        if export.as_ in names:
            site.error("output_name_taken", *where, "as", name=export.as_, other=names[export.as_])
        names.setdefault(export.as_, export.from_)


def check_call(call: Call, site: Site, *below: Key) -> None:
    for name, value in call.inputs.items():
        check_references(value, site, *below, "inputs", name)
    if unseen := unseen_characters(call.plan_id):
        site.error("unseen_characters", *below, "plan_id", key="plan_id", unseen=unseen)
        return
    if not is_plan_id(call.plan_id):
        site.error("plan_outside", *below, "plan_id", plan_id=call.plan_id[:200])
        return
    called = site.scope.called.get(call.plan_id)
    if called is None:
        site.error(
            "unknown_plan",
            *below,
            "plan_id",
            plan_id=call.plan_id,
            suggestion=_meant(call.plan_id, site.scope),
        )
        return
    _check_recursion(call, called, site, below)
    variables = called.graph.vars
    for name, value in call.inputs.items():
        if name not in variables:
            site.warn(
                "unknown_plan_input",
                *below,
                "inputs",
                name,
                plan_id=call.plan_id,
                name=name,
                suggestion=suggestion(name, variables),
            )
            continue
        given = without_null(site.scope.type_of(value))
        if misfit := fits(given, called.schema_of_var(name)):
            site.error(
                "plan_input_type",
                *below,
                "inputs",
                name,
                plan_id=call.plan_id,
                name=name,
                misfit=misfit.text,
            )


def _meant(plan_id: str, scope: Scope) -> str:
    """Only plans that are called anyway are known here."""
    near = nearest(plan_id, [name for name in scope.called if name != scope.outermost.graph.id])
    return suggestion(near[0], near) if near else ""


def _check_recursion(call: Call, called: Scope, site: Site, below: tuple[Key, ...]) -> None:
    """A plan that calls itself, by way of others too, would never end."""
    own = site.scope.outermost
    way = _way_back(call.plan_id, called, own)
    if way:
        plans = " → ".join((own.graph.id, *way))
        site.error("recursive_plan", *below, "plan_id", plan_id=call.plan_id, way=plans)


def _way_back(plan_id: str, start: Scope, goal: Scope) -> tuple[str, ...]:
    """Ids of the plans that lead from one to the other, the shortest way; none where none does."""
    waiting: deque[tuple[tuple[str, ...], Scope]] = deque([((plan_id,), start)])
    seen = {id(start)}
    while waiting:
        way, scope = waiting.popleft()
        if scope is goal:
            return way
        for call in calls_in(scope.graph):
            following = scope.called.get(call.plan_id)
            if following is not None and id(following) not in seen:
                seen.add(id(following))
                waiting.append(((*way, call.plan_id), following))
    return ()


_MOST_TRIES = 64
_ORDERED = ("gt", "gte", "lt", "lte")


def check_condition(condition: Condition, site: Site, *below: Key) -> None:
    if isinstance(condition, Comparison):
        check_references(condition.left, site, *below, "left")
        check_references(condition.right, site, *below, "right")
        _check_comparison(condition, site, below)
        return
    try:
        compiled = compile_condition(condition)
    except BadExpression as error:
        position = condition.expr.find(error.text) + error.position
        tell_refused(error.refused, position, site, *below, "expr")
        return
    except BadReference as error:
        site.error("bad_reference", *below, "expr", text=error.text)
        return
    except ExpressionRefused as refused:
        tell_refused(refused, refused.column - 1, site, *below, "expr")
        return
    for reference in dict.fromkeys(compiled.references):
        check_reference(reference, site, *below, "expr")
    _check_expression(condition, compiled, site, below)


# ---- comparisons ---------------------------------------------------------------------------


def _check_comparison(condition: Comparison, site: Site, below: tuple[Key, ...]) -> None:
    left, right = (
        without_null(site.scope.type_of(side)) for side in (condition.left, condition.right)
    )
    _check_pair(condition.op in _ORDERED, left, right, site, (*below, "op"))


def _check_pair(
    is_ordered: bool, left: Schema, right: Schema, site: Site, below: tuple[Key, ...]
) -> None:
    one, other = (_plain_kinds(schema) for schema in (left, right))
    words = {"left": type_words(left), "right": type_words(right)}
    if is_ordered:
        orderable = {"number", "string"}
        if not (one & other & orderable):
            site.error("not_comparable", *below, **words)
    elif not one & other and "null" not in one | other:
        site.warn("never_equal", *below, **words)


def _plain_kinds(schema: Schema) -> frozenset[str]:
    """Without the difference between whole and other numbers."""
    return frozenset("number" if kind == "integer" else kind for kind in kinds_of(schema))


# ---- expressions ---------------------------------------------------------------------------


def _check_expression(
    condition: Expression, compiled: Compiled, site: Site, below: tuple[Key, ...]
) -> None:
    """Asked with values of the kinds that are known: what can't be decided then, never can."""
    where = (*below, "expr")
    types = {each: site.scope.type_of_reference(each) for each in compiled.references}
    for reason in _refusals(compiled, types):
        if reason in _OF_KINDS:
            kinds = ", ".join(
                f"{each.text}: {type_words(without_null(schema))}" for each, schema in types.items()
            )
            site.error("condition_types", *where, condition=condition.expr, kinds=kinds or "–")
            return
        if reason == _NOT_BOOLEAN:
            site.error("condition_not_a_question", *where, condition=condition.expr)
            return
    _check_equalities(condition, site, where)


_NOT_BOOLEAN = "not boolean"
_OF_KINDS = frozenset({"kinds", "no_number", "no_text", "no_list", "no_size", "no_member"})
"""Reasons that other values of the same kinds would not take away."""


def _refusals(compiled: Compiled, types: dict[Reference, Schema]) -> Iterator[str]:
    """Why it can't be decided; nothing where a kind is not known, or one way can be decided."""
    samples = {each: _samples(schema) for each, schema in types.items()}
    if not all(samples.values()):
        return
    reasons: list[str] = []
    for values in islice(product(*samples.values()), _MOST_TRIES):
        given = dict(zip(samples, values, strict=True))
        try:
            compiled.holds(given.__getitem__)
        except InvalidInput as error:
            if error.problem.text_id == "condition_not_boolean":
                reasons.append(_NOT_BOOLEAN)
            else:
                reasons.append(str((error.problem.details or {}).get("kind", "")))
    yield from dict.fromkeys(reasons)


_SAMPLES: dict[str, list[JsonValue]] = {
    "string": ["a", ""],
    "number": [1, 0],
    "boolean": [True, False],
    "array": [[]],
    "object": [{}],
    "null": [None],
}


def _samples(schema: Schema) -> list[JsonValue]:
    kinds = _plain_kinds(without_null(schema))
    if kinds == _plain_kinds({}) or len(kinds) != 1:
        return []
    return _SAMPLES[next(iter(kinds))]


_EQUALITY = re.compile(
    r"""(?P<reference>\$\{(?:[^}$]|\$(?!\{))*+\})\s*+(?:==|!=)\s*+
        (?P<literal>"[^"$]*"|'[^'$]*'|-?\d+(?:\.\d+)?|true|false)(?=\s*(?:$|&&|\|\||\)|\?))""",
    re.VERBOSE,
)


def _check_equalities(condition: Expression, site: Site, where: tuple[Key, ...]) -> None:
    """`${a.count} == "3"` is never true, and no error either."""
    for found in _EQUALITY.finditer(condition.expr):
        left = without_null(site.scope.type_of(found["reference"]))
        literal = found["literal"]
        if literal[0] in "\"'":
            right: Schema = {"type": "string"}
        else:
            right = {"type": "boolean" if literal in ("true", "false") else "number"}
        if kinds_of(left) != KINDS:
            _check_pair(False, left, right, site, where)


def check_loop(loop: LoopNode, site: Site) -> None:
    if (loop.foreach is None) == (loop.while_ is None):
        site.error("loop_of_both_kinds" if loop.foreach else "loop_of_no_kind")
    if (loop.body.plan is None) == (loop.body.call is None):
        site.error("body_of_both_kinds" if loop.body.plan else "body_empty", "body")
    elif loop.body.plan is not None and not loop.body.plan.graph:
        site.error("body_empty", "body")
    _check_names(loop, site)
    _check_foreach(loop, site)
    _check_while(loop, site)
    if loop.body.call is not None:
        inside = site.seen_from(body_scope(loop, site.scope))
        check_call(loop.body.call, inside, "body", "call")
    _check_collected(loop, site)


def _check_names(loop: LoopNode, site: Site) -> None:
    inside = {node.id for node in loop.body.plan.graph} if loop.body.plan else set[str]()
    names: list[str] = []
    for kind, key, name in _variables(loop):
        if name in RESERVED:
            site.error("reserved_name", kind, key, name=name)
        elif name in inside or name in names:
            site.error("name_taken", kind, key, name=name)
        elif name in site.scope.names_in_reach():
            site.warn("name_hides", kind, key, name=name)
        names.append(name)


def _variables(loop: LoopNode) -> Iterator[tuple[str, str, str]]:
    if loop.foreach is not None:
        yield "foreach", "itemVar", loop.foreach.item_var
        if loop.foreach.index_var is not None:
            yield "foreach", "indexVar", loop.foreach.index_var
    if loop.while_ is not None and loop.while_.index_var is not None:
        yield "while", "indexVar", loop.while_.index_var


def _check_foreach(loop: LoopNode, site: Site) -> None:
    if loop.foreach is None:
        return
    check_references(loop.foreach.input, site, "foreach", "input")
    given = site.scope.type_of(loop.foreach.input)
    if not {"array", "object", "null"} & kinds_of(given):
        site.error("foreach_not_a_list", "foreach", "input", kind=type_words(given))
    wanted, limit = loop.foreach.max_concurrency, _most_at_once(loop, site)
    if "max_concurrency" in loop.foreach.model_fields_set and wanted > limit:
        place = ("foreach", "max_concurrency")
        site.warn("concurrency_above_limit", *place, wanted=wanted, limit=limit)


def _most_at_once(loop: LoopNode, site: Site) -> int:
    """What the plan's policy allows, and for blocks that compute what the settings do."""
    surroundings, policy = site.scope.surroundings, site.scope.graph_policy()
    limits = [MOST_AT_ONCE]
    if policy is not None and loop.id in policy.concurrency.per_node:
        limits.append(policy.concurrency.per_node[loop.id])
    body = loop.body.plan.graph if loop.body.plan else ()
    specs = [surroundings.spec(each.block) for each in body if isinstance(each, BlockNode)]
    if body and len(specs) == len(body) and all(map(surroundings.computes, specs)):
        limits.append(surroundings.settings.max_workers)
    return min(limits)


def _check_while(loop: LoopNode, site: Site) -> None:
    if loop.while_ is None or loop.while_.condition is None:
        return
    inside = site.seen_from(body_scope(loop, site.scope))
    check_condition(loop.while_.condition, inside, "while", "condition")


def _check_collected(loop: LoopNode, site: Site) -> None:
    exports = exports_of_body(loop, site.scope)
    is_named = loop.body.plan is not None and not loop.body.plan.exports
    if exports is None or is_named:
        return
    for position, name in enumerate(loop.out.collect):
        if name not in exports:
            site.error(
                "unknown_collected",
                "out",
                "collect",
                position,
                name=name,
                suggestion=suggestion(name, exports),
            )


def check_graph_policy(site: Site) -> None:
    policy = site.scope.graph.policy
    if policy is None:
        return
    if policy.on_error == "retry" and not policy.retries:
        site.warn("retry_without_retries", "policy", "on_error")
    somewhere = any(node.policy.on_error == "retry" for node in site.scope.graph.graph)
    if policy.retries and policy.on_error == "halt" and not somewhere:
        site.warn("retries_without_retry", "policy", "retries", on_error=policy.on_error)
    known = _all_ids(site.scope.graph)
    for name in policy.concurrency.per_node:
        if name not in known:
            site.error(
                "unknown_policy_node",
                "policy",
                "concurrency",
                "per_node",
                name,
                name=name,
                suggestion=suggestion(name, known),
            )


def check_node_policy(node: Node, site: Site) -> None:
    policy = node.policy
    on_error = site.scope.on_error(node)
    if policy.on_error == "retry" and not policy.retries:
        site.warn("retry_without_retries", "policy", "on_error")
    if policy.retries and on_error == "halt":
        site.warn("retries_without_retry", "policy", "retries", on_error=on_error)
    if policy.timeout_ms is not None and isinstance(node, BlockNode):
        spec = site.scope.surroundings.spec(node.block)
        if spec is not None and asks_people(spec):
            site.warn("timeout_for_people", "policy", "timeout_ms")


def _all_ids(graph: Graph) -> list[str]:
    """Also inside loops, which the plan's policy governs too."""
    found: list[str] = []
    for node in graph.graph:
        found.append(node.id)
        if isinstance(node, LoopNode) and node.body.plan is not None:
            found.extend(_all_ids(node.body.plan))
    return found
