"""Where in a plan a check looks: a node, or the plan itself."""

from dataclasses import dataclass

from sanbo.plans.model import Node
from sanbo.plans.references import Key, Reference
from sanbo.plans.validating.plan_texts import YamlPath
from sanbo.plans.validating.scope import Found, Scope, Unknown


@dataclass(frozen=True)
class Site:
    scope: Scope
    """What references here can name."""
    at: YamlPath
    node: Node | None = None
    node_path: str = ""

    def find(self, reference: Reference) -> Found | Unknown:
        """Kept, unlike what is found on the way to what a node gives, which may go in circles."""
        known = self.scope.found
        if reference not in known:
            known[reference] = self.scope.find(reference)
        return known[reference]

    def error(self, code: str, *below: Key, **params: object) -> None:
        self.scope.notes.error(code, (*self.at, *below), self.node_path, **params)

    def error_inside(self, code: str, *below: Key, position: int, **params: object) -> None:
        """At a character of the text that stands there."""
        place = (*self.at, *below)
        self.scope.notes.error_inside(code, place, position, self.node_path, **params)

    def warn(self, code: str, *below: Key, **params: object) -> None:
        self.scope.notes.warn(code, (*self.at, *below), self.node_path, **params)

    def seen_from(self, scope: Scope) -> "Site":
        """The same place, with what can be named inside a loop."""
        return Site(scope, self.at, self.node, self.node_path)


def site_of_node(scope: Scope, position: int) -> Site:
    node = scope.graph.graph[position]
    return Site(scope, scope.place_of(position), node, scope.path_of(node.id))


def site_of_graph(scope: Scope) -> Site:
    return Site(scope, scope.at, None, "/".join(scope.within))
