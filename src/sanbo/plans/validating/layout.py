"""`ui.layout`: the order in which a plan's forms and results are shown."""

from sanbo.plans.model import BlockNode, Plan
from sanbo.plans.validating.site import Site
from sanbo.plans.validating.suggesting import suggestion
from sanbo.plans.validating.surroundings import asks_people


def check_layout(plan: Plan, site: Site) -> None:
    layout = plan.ui.layout
    seen: set[str] = set()
    for position, name in enumerate(layout):
        if name not in site.scope.nodes:
            site.error(
                "unknown_in_layout",
                "ui",
                "layout",
                position,
                name=name,
                suggestion=suggestion(name, site.scope.nodes),
            )
        elif name in seen:
            site.error("repeated_in_layout", "ui", "layout", position, name=name)
        seen.add(name)
    if layout:
        for name in _forms(plan, site):
            if name not in seen:
                site.warn("form_not_in_layout", "ui", "layout", name=name)


def _forms(plan: Plan, site: Site) -> list[str]:
    found: list[str] = []
    for node in plan.graph:
        spec = site.scope.surroundings.spec(node.block) if isinstance(node, BlockNode) else None
        if spec is not None and asks_people(spec):
            found.append(node.id)
    return found
