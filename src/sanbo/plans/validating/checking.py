"""All checks of one graph, and of the graphs of its loops."""

from sanbo.plans.model import BlockNode, LoopNode, Plan, SubflowNode
from sanbo.plans.validating.block_nodes import check_block_node
from sanbo.plans.validating.circles import check_circles
from sanbo.plans.validating.conditions_asked import check_condition
from sanbo.plans.validating.layout import check_layout
from sanbo.plans.validating.loops import check_loop
from sanbo.plans.validating.names import check_exports, check_node_ids, check_plan_names
from sanbo.plans.validating.outputs import body_scope
from sanbo.plans.validating.policies import check_graph_policy, check_node_policy
from sanbo.plans.validating.scope import Scope, is_unreadable
from sanbo.plans.validating.site import Site, site_of_graph, site_of_node
from sanbo.plans.validating.subflows import check_subflow
from sanbo.plans.validating.unused import check_unused
from sanbo.plans.validating.variables import check_variables


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
