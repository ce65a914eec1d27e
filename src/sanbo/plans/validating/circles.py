"""Nodes that wait for each other."""

from sanbo.plans.dependencies import dependencies, find_cycle
from sanbo.plans.validating.site import Site, site_of_node

_MOST = 20


def check_circles(site: Site) -> None:
    """Each circle once, at the node of it that stands first."""
    scope = site.scope
    needs = dependencies(scope.graph)
    for _ in range(_MOST):
        circle = find_cycle(needs)
        if not circle:
            return
        members = circle[:-1]
        first = min(members, key=lambda name: scope.positions[name])
        start = members.index(first)
        way = (*members[start:], *members[:start], first)
        site_of_node(scope, scope.positions[first]).error("cycle", way=" → ".join(way))
        needs = {**needs, way[0]: needs[way[0]] - set(members)}
