"""What references in one graph can name, what is known about the values they stand for, and where
in it a check looks: a node, or the plan itself.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue

from sanbo.blocks.spec import SECRET, Schema
from sanbo.plans.model import BlockNode, Condition, Expression, Graph, Node, OnError, Policy
from sanbo.plans.references import Key, Reference, whole_reference
from sanbo.plans.validating.plan_texts import UNREADABLE, Notes, YamlPath
from sanbo.plans.validating.schemas import ANY, Missing, Reached, accepts_null, reach
from sanbo.plans.validating.surroundings import Surroundings
from sanbo.plans.validating.written_values import schema_of_value

VARS, ENV, CONFIG = "vars", "env", "config"
_TEXT: Schema = {"type": "string"}
_ABOUT = ("id", "started_at", "user", "plan_id", "plan_version")
OF_RUN: Mapping[str, Schema] = {
    "run": {"type": "object", "properties": dict.fromkeys(_ABOUT, _TEXT)},
    "today": _TEXT,
    "now": _TEXT,
}
"""What a plan may read of its run."""
Origin = Literal["node", "vars", "env", "config", "variable"]
Absent = Literal["skipped", "failed"]


_OUTCOMES: Mapping[str, Schema] = {
    "failed": {"type": "boolean"},
    "problem": {
        "type": ["object", "null"],
        "properties": {"code": _TEXT, "message": _TEXT, "hint": _TEXT},
    },
}
"""What can be read of every node beside its outputs."""


@dataclass(frozen=True)
class Found:
    """What a reference leads to."""

    origin: Origin
    value: Reached | Missing
    name: str
    """Of the node, variable or key that it names first."""
    scope: "Scope"
    """Where that is."""
    node: Node | None = None
    absent: Absent | None = None
    """Why there may be nothing at all: its node has a `when`, or may fail and be passed over."""


@dataclass(frozen=True)
class Unknown:
    """A first word, or a variable, that is not there."""

    origin: Origin
    name: str
    known: tuple[str, ...]


@dataclass
class Scope:
    graph: Graph
    surroundings: Surroundings
    notes: Notes
    outputs_of: "Callable[[Node, Scope], Schema]"
    """What a node gives."""
    at: YamlPath = ()
    """Where the graph's own keys stand in the text."""
    within: tuple[str, ...] = ()
    """Ids of the loops around it."""
    variables: Mapping[str, Schema] = field(default_factory=dict[str, Schema])
    """Of the loop: each item, its number."""
    outer: "Scope | None" = None
    called: "Mapping[str, Scope]" = field(default_factory=dict[str, "Scope"])
    """The plans that this one can call, by id; they see nothing of it."""
    bodies: "dict[str, Scope]" = field(default_factory=dict[str, "Scope"])
    """Of its loops, by id, as far as they were asked for."""
    nodes: dict[str, Node] = field(init=False)
    positions: dict[str, int] = field(init=False)
    outputs: dict[str, Schema] = field(default_factory=dict[str, Schema])
    """What nodes give, by id, as far as it was asked for."""
    var_schemas: dict[str, Schema] = field(default_factory=dict[str, Schema])
    absences: "dict[str, Absent | None]" = field(default_factory=dict[str, "Absent | None"])
    """Why nodes may give nothing, as far as it was asked for."""
    found: "dict[Reference, Found | Unknown]" = field(
        default_factory=dict[Reference, "Found | Unknown"]
    )
    """What references lead to, as far as a check asked for it."""
    read_outputs: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    """Keys that something reads, by node id; "" where a node is named as a whole."""
    read_variables: set[str] = field(default_factory=set[str])
    exported: dict[str, Schema] | None = None
    """What it gives where no exports are written, once that was asked for."""

    def __post_init__(self) -> None:
        self.nodes, self.positions = {}, {}
        for position, node in enumerate(self.graph.graph):
            self.nodes.setdefault(node.id, node)
            self.positions.setdefault(node.id, position)

    @property
    def outermost(self) -> "Scope":
        """Of the plan itself."""
        return self if self.outer is None else self.outer.outermost

    def path_of(self, node_id: str) -> str:
        """For findings: the ids of the loops around it, then its own."""
        return "/".join((*self.within, node_id))

    def place_of(self, position: int) -> YamlPath:
        """Nodes of `finally` stand in a list of their own."""
        if not self.graph.graph[position].always:
            return (*self.at, "graph", position)
        before = sum(not node.always for node in self.graph.graph)
        return (*self.at, "finally", position - before)

    def find(self, reference: Reference) -> Found | Unknown:
        match reference.root:
            case "vars":
                return self._find_var(reference.keys)
            case "env":
                return self._find_env(reference.keys)
            case "config":
                config = reach(self.surroundings.config_schema, reference.keys)
                name = str(reference.keys[0]) if reference.keys else ""
                return Found("config", config, name, self)
            case "run" | "today" | "now":
                return Found("variable", reach(OF_RUN[reference.root], reference.keys), "", self)
            case _:
                return self._find_named(reference.root, reference.keys)

    def _find_named(self, root: str, keys: tuple[Key, ...]) -> Found | Unknown:
        scope: Scope | None = self
        while scope is not None:
            if root in scope.nodes:
                return scope.find_in_node(scope.nodes[root], keys)
            if root in scope.variables:
                return Found("variable", reach(scope.variables[root], keys), root, scope)
            scope = scope.outer
        return Unknown("node", root, tuple(self.names_in_reach()))

    def find_in_node(self, node: Node, keys: tuple[Key, ...]) -> Found:
        value = reach(self.outputs_of(node, self), keys)
        if isinstance(value, Missing) and keys and keys[0] in _OUTCOMES:
            return Found("node", reach(_OUTCOMES[str(keys[0])], keys[1:]), node.id, self, node)
        return Found("node", value, node.id, self, node, absence_of(node, self))

    def _find_var(self, keys: tuple[Key, ...]) -> Found | Unknown:
        if not keys:
            return Found("vars", Reached({"type": "object"}), "", self)
        name = str(keys[0])
        scope: Scope | None = self
        while scope is not None:
            if name in scope.graph.vars:
                value = reach(scope.schema_of_var(name), keys[1:])
                return Found("vars", value, name, scope)
            if name in scope.variables:
                return Found("variable", reach(scope.variables[name], keys[1:]), name, scope)
            scope = scope.outer
        return Unknown("vars", name, tuple(self.variables_in_reach()))

    def _find_env(self, keys: tuple[Key, ...]) -> Found | Unknown:
        name = str(keys[0]) if keys else ""
        allowed = self.surroundings.settings.env
        if name not in allowed:
            return Unknown("env", name, allowed)
        return Found("env", reach({"type": ["string", "null"], SECRET: True}, keys[1:]), name, self)

    def schema_of_var(self, name: str) -> Schema:
        """Of what a variable is set to; null says that a run has to give it, or a caller."""
        if name not in self.var_schemas:
            value = self.graph.vars[name]
            self.var_schemas[name] = schema_of_value(value, self._of_reference, loosely=True)
        return self.var_schemas[name]

    def _of_reference(self, reference: Reference) -> Schema:
        if reference.root == VARS:
            return ANY  # a variable made of variables may go in circles
        found = self.find(reference)
        if isinstance(found, Found) and isinstance(found.value, Reached):
            return found.value.schema
        return ANY

    def type_of(self, value: JsonValue) -> Schema:
        """What is known of a value as it is written, references and all."""
        return schema_of_value(value, self.type_of_reference)

    def type_of_reference(self, reference: Reference) -> Schema:
        found = self.find(reference)
        if isinstance(found, Found) and isinstance(found.value, Reached):
            return found.value.schema
        return ANY

    def names_in_reach(self) -> list[str]:
        readable = [
            name
            for name, node in self.nodes.items()
            if not (is_unreadable(node) and name.startswith(UNREADABLE))
        ]
        names = [*readable, *self.variables]
        return [
            *names,
            *(self.outer.names_in_reach() if self.outer else (VARS, ENV, CONFIG, *OF_RUN)),
        ]

    def variables_in_reach(self) -> list[str]:
        names = [*self.graph.vars, *self.variables]
        return [*names, *(self.outer.variables_in_reach() if self.outer else ())]

    def on_error(self, node: Node) -> OnError:
        """The node's own policy, or that of the nearest graph around it that has one."""
        if "policy" in node.model_fields_set:
            return node.policy.on_error or ("retry" if node.policy.retries else "halt")
        policy = self.graph_policy()
        return policy.on_error if policy else "halt"

    def graph_policy(self) -> Policy | None:
        if self.graph.policy is None and self.outer is not None:
            return self.outer.graph_policy()
        return self.graph.policy


def absence_of(node: Node, scope: Scope) -> Absent | None:
    """Why a node may give nothing at all."""
    if node.id not in scope.absences:
        scope.absences[node.id] = "skipped"  # where conditions go in circles
        scope.absences[node.id] = _absence(node, scope)
    return scope.absences[node.id]


def _absence(node: Node, scope: Scope) -> Absent | None:
    if node.when is not None and not _always_holds(node.when, scope):
        return "skipped"
    return "failed" if scope.on_error(node) == "continue" else None


_IS_THERE = re.compile(r"\s*(\$\{[^}]*\})\s*!=\s*(?:null|None)\s*")


def _always_holds(condition: Condition, scope: Scope) -> bool:
    """Whether it only asks for something to be there that is always there."""
    if isinstance(condition, Expression):
        asked = _IS_THERE.fullmatch(condition.expr)
        wanted: JsonValue = asked[1] if asked else None
    else:
        is_question = condition.op == "ne" and condition.right is None
        wanted = condition.left if is_question else None
    reference = whole_reference(wanted) if isinstance(wanted, str) else None
    found = scope.find(reference) if reference else None
    if not isinstance(found, Found) or not isinstance(found.value, Reached):
        return False
    may_be_null = found.value.nullable or accepts_null(found.value.schema)
    return found.absent is None and not may_be_null


def is_unreadable(node: Node) -> bool:
    return isinstance(node, BlockNode) and node.block == UNREADABLE


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
