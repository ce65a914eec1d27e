"""Loops: what they go over, what they call each thing, and what they collect."""

from collections.abc import Iterator

from sanbo.blocks.contract.schema_failures import type_words
from sanbo.plans.model import MOST_AT_ONCE, RESERVED, BlockNode, Graph, LoopNode, Node
from sanbo.plans.validating.conditions import check_condition
from sanbo.plans.validating.outputs import body_scope, exports_of_body
from sanbo.plans.validating.plan_texts import suggestion
from sanbo.plans.validating.references import check_references
from sanbo.plans.validating.schemas import kinds_of
from sanbo.plans.validating.site import Site
from sanbo.plans.validating.subflows import check_call
from sanbo.plans.validating.surroundings import asks_people


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
