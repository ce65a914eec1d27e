"""A graph's variables: they are there before its nodes are, so nothing of those is in them."""

from sanbo.plans.dependencies import find_cycle
from sanbo.plans.references import references_in
from sanbo.plans.validating.reading import check_references
from sanbo.plans.validating.scope import VARS, Found
from sanbo.plans.validating.site import Site


def check_variables(site: Site) -> None:
    variables = site.scope.graph.vars
    needs: dict[str, frozenset[str]] = {}
    for name, value in variables.items():
        check_references(value, site, VARS, name)
        used: set[str] = set()
        for reference, path in references_in(value):
            found = site.scope.find(reference)
            if not isinstance(found, Found) or found.scope is not site.scope:
                continue
            if found.origin == "node":
                site.error("var_reads_node", VARS, name, *path, reference=reference.text, name=name)
            elif found.origin == "vars":
                used.add(found.name)
        needs[name] = frozenset(used)
    if circle := find_cycle(needs):
        site.error("vars_in_circle", VARS, circle[0], way=" → ".join(circle))
