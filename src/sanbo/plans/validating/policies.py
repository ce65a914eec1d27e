"""How failures are met: settings that have no effect, or not the one that was meant."""

from sanbo.plans.model import BlockNode, Graph, LoopNode, Node
from sanbo.plans.validating.site import Site
from sanbo.plans.validating.suggesting import suggestion
from sanbo.plans.validating.surroundings import asks_people


def check_graph_policy(site: Site) -> None:
    policy = site.scope.graph.policy
    if policy is None:
        return
    if policy.on_error == "retry" and not policy.retries:
        site.warn("retry_without_retries", "policy", "on_error")
    somewhere = any(node.policy.on_error == "retry" for node in site.scope.graph.graph)
    if policy.retries and policy.on_error != "retry" and not somewhere:
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
    around = site.scope.graph_policy()
    on_error = site.scope.on_error(node)
    retries = policy.retries if policy.retries is not None else (around.retries if around else 0)
    if policy.on_error == "retry" and not retries:
        site.warn("retry_without_retries", "policy", "on_error")
    if policy.retries and on_error != "retry":
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
