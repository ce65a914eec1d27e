"""What a dry run tells of every node and branch, and the values while it is rehearsed."""

from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.plans.findings import Finding
from sanbo.plans.model import Node
from sanbo.plans.references import Key, Reference, resolve, walk
from sanbo.plans.validating.scope import Scope

Outcome = Literal["accepts", "skipped", "fails"]
"""What a reader does with nothing: it works on, it is skipped itself, or it fails."""


class Reported(BaseModel):
    model_config = ConfigDict(frozen=True)


class Consequence(Reported):
    """What another case means to a node that reads from it."""

    node: str
    outcome: Outcome
    reads: tuple[str, ...] = ()
    """The references that would be null, or that would no longer lead anywhere."""
    reason: str = ""


class Case(Reported):
    """A way that a run may take at a node, beside the one that its samples take."""

    kind: Literal["taken", "skipped", "empty", "not_entered"]
    is_sampled: bool
    """Whether the samples themselves lead here."""
    condition: str = ""
    consequences: tuple[Consequence, ...] = ()


class NodeReport(Reported):
    node: str
    """Path of node ids: `each_file/analyze_file`."""
    type: Literal["block", "loop", "subflow"]
    block: str = ""
    inputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    outputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """By the names they are read by; long values are shortened, files have no bytes."""
    cases: tuple[Case, ...] = ()
    findings: tuple[Finding, ...] = ()


class DryRunReport(Reported):
    valid: bool
    findings: tuple[Finding, ...]
    """Of the validator and of the dry run, by file and line."""
    nodes: tuple[NodeReport, ...] = ()
    """In an order in which they could run."""


Outputs = dict[str, JsonValue]
_INNERMOST = 50


_OF_RUN: dict[str, JsonValue] = {
    "run": {
        "id": "run_0",
        "started_at": "2026-05-31T09:00:00+09:00",
        "user": "local",
        "plan_id": "plan",
        "plan_version": "1.0.0",
    },
    "today": "2026-05-31",
    "now": "2026-05-31T09:00:00+09:00",
}


class NoSample(LookupError):
    """What a reference stands for is not declared anywhere."""

    def __init__(self, reference: Reference, *, is_given: bool = False) -> None:
        self.reference = reference
        self.is_given = is_given
        """Whether a run is to be given it: a variable without a value."""
        super().__init__(reference.text)


@dataclass
class Stage:
    scope: Scope
    around: tuple[str, ...] = ()
    """Ids of the nodes that lead here: loops and subflows."""
    given: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """What a caller gives into the variables."""
    variables: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Of the loop: each item, its number."""
    outer: "Stage | None" = None
    calling: tuple[Scope, ...] = ()
    """The plans that are being gone through around this one."""
    outputs: dict[str, Outputs | None] = field(default_factory=dict[str, "Outputs | None"])
    """By node; None for one that was skipped."""
    resolved: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Its own variables, as far as they were asked for; nothing of its nodes is in them."""
    bodies: "dict[str, Stage]" = field(default_factory=dict[str, "Stage"])

    def path_of(self, node: Node) -> str:
        return "/".join((*self.around, node.id))

    def resolve(self, value: JsonValue) -> JsonValue:
        """`NoSample`, or `Unreachable` for a key that a sample does not have."""
        return resolve(value, self.look_up)

    def look_up(self, reference: Reference) -> JsonValue:
        return self._look_up(reference, 0)

    def _look_up(self, reference: Reference, depth: int) -> JsonValue:
        if depth > _INNERMOST:
            raise NoSample(reference)
        match reference.root:
            case "vars":
                return self._variable(reference, depth)
            case "env":
                name = reference.keys[0] if reference.keys else ""
                return f"<{name}>"  # nothing of the real environment
            case "config":
                return walk(self.scope.surroundings.settings.config, reference.keys)
            case "run" | "today" | "now":
                return walk(_OF_RUN[reference.root], reference.keys)
            case root:
                return self._named(root, reference)

    def _named(self, root: str, reference: Reference) -> JsonValue:
        stage: Stage | None = self
        while stage is not None:
            if root in stage.scope.nodes:
                return stage._output(root, reference)
            if root in stage.variables:
                return walk(stage.variables[root], reference.keys)
            stage = stage.outer
        raise NoSample(reference)

    def _output(self, node_id: str, reference: Reference) -> JsonValue:
        if node_id not in self.outputs:
            raise NoSample(reference)
        outputs = self.outputs[node_id]
        if outputs is None:
            return None
        if not reference.keys:
            return dict(outputs)
        first, *rest = reference.keys
        if str(first) not in outputs and first in ("failed", "problem"):
            return False if first == "failed" else None
        if str(first) not in outputs:
            raise NoSample(reference)
        return walk(outputs[str(first)], rest)

    def _variable(self, reference: Reference, depth: int) -> JsonValue:
        if not reference.keys:
            raise NoSample(reference)
        name, rest = str(reference.keys[0]), reference.keys[1:]
        stage: Stage | None = self
        while stage is not None:
            if name in stage.variables:
                return walk(stage.variables[name], rest)
            if name in stage.given:
                return walk(stage.given[name], rest)
            if name in stage.scope.graph.vars:
                return stage._own_variable(name, rest, reference, depth)
            stage = stage.outer
        raise NoSample(reference)

    def _own_variable(
        self, name: str, rest: tuple[Key, ...], reference: Reference, depth: int
    ) -> JsonValue:
        if name not in self.resolved:
            value = self.scope.graph.vars[name]
            if value is None:
                raise NoSample(reference, is_given=True)
            self.resolved[name] = resolve(value, lambda inner: self._look_up(inner, depth + 1))
        return walk(self.resolved[name], rest)
