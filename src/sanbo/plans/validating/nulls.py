"""Values that may not be there: what a skipped node gives, or one that failed and was passed over.

A warning, not an error: as long as the condition holds the plan works, and whether both sides
depend on the same thing is more than a schema can tell. A reader with a condition of its own on
that node, or with the same condition, or that may fail itself without stopping the plan, is fine.
"""

from collections.abc import Iterator

from sanbo.kernel.messages import tell
from sanbo.plans.dependencies import references_of_condition
from sanbo.plans.model import LoopNode, Node
from sanbo.plans.references import Key, Reference, references_in
from sanbo.plans.validating.schema_reading import Reached
from sanbo.plans.validating.scope import Found, Scope
from sanbo.plans.validating.site import Site


def check_nulls(
    reference: Reference, found: Found, site: Site, *below: Key, takes_null: bool
) -> None:
    """Whether what needs a value may get none."""
    if takes_null or site.node is None or not isinstance(found.value, Reached):
        return
    absent = found.absent or ("empty" if found.value.nullable else None)
    if absent is None or _is_prepared(found, site):
        return
    site.warn(
        "may_be_null",
        *below,
        reference=reference.text,
        name=found.name,
        reason=tell(f"plan_findings.null_because.{absent}", name=found.name),
    )


def _is_prepared(found: Found, site: Site) -> bool:
    """Whether the reader does nothing either then, or may fail without harm."""
    assert site.node is not None
    if site.scope.on_error(site.node) == "continue" or _asks_first(found, site.node):
        return True
    around = _loops_around(site.scope)
    return any(_asks_first(found, loop) or _goes_over(found, loop) for loop in around)


def _loops_around(scope: Scope) -> Iterator[Node]:
    while scope.outer is not None:
        yield scope.outer.nodes[scope.within[-1]]
        scope = scope.outer


def _asks_first(found: Found, node: Node) -> bool:
    if node.when is None or node is found.node:
        return False
    if found.node is not None and found.node.when == node.when:
        return True
    return any(_names(found, each) for each in references_of_condition(node.when))


def _goes_over(found: Found, loop: Node) -> bool:
    """What is inside a loop over what a node gives is not reached when there is nothing."""
    over = loop.foreach.input if isinstance(loop, LoopNode) and loop.foreach else None
    return any(_names(found, each) for each, _ in references_in(over))


def _names(found: Found, reference: Reference) -> bool:
    if found.origin == "vars":
        return reference.root == "vars" and reference.keys[:1] == (found.name,)
    return reference.root == found.name
