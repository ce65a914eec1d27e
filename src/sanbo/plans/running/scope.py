"""What references stand for: the nodes of a graph, its variables, and those around it."""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from pydantic import JsonValue, SecretStr

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, MissingDependency, PermissionDenied, Problem
from sanbo.kernel.secrets import protect
from sanbo.plans.dependencies import lost_among
from sanbo.plans.references import Key, Reference, Unreachable, resolve, walk
from sanbo.plans.running.outcomes import Outputs
from sanbo.plans.running.plan import PreparedGraph
from sanbo.plans.settings import PlanSettings

FAILED, PROBLEM = "failed", "problem"
OUTCOMES = (FAILED, PROBLEM)
FORM = "ui.interactive_input"
"""What can be read of every node beside its outputs."""


class Environment:
    """What a plan may read of its surroundings: variables on the list, and the config."""

    def __init__(self, settings: PlanSettings, variables: Mapping[str, str] = os.environ) -> None:
        self._settings = settings
        self._variables = variables

    def protect_all(self) -> None:
        """Before anything is written: an allowed variable is a secret until shown otherwise."""
        for name in self._settings.env:
            protect(self._variables.get(name, ""))

    def variable(self, name: str) -> str | None:
        """None for one that is allowed and not set."""
        if name not in self._settings.env:
            raise PermissionDenied("plan_env_refused", name=name)
        value = self._variables.get(name)
        protect(value or "")
        return value

    @property
    def connections(self) -> Mapping[str, SecretStr]:
        return self._settings.connections

    @property
    def config(self) -> Mapping[str, JsonValue]:
        return self._settings.config


def _is_output(outputs: Outputs | None, name: str) -> bool:
    return outputs is not None and (name in outputs.ports or name in (outputs.values or {}))


class Scope:
    """Of one graph; a loop's body sees the scope around it, a called plan sees its own alone."""

    def __init__(
        self,
        prepared: PreparedGraph,
        environment: Environment,
        *,
        given: Mapping[str, JsonValue],
        around: "Scope | None" = None,
        locals_: Mapping[str, JsonValue] | None = None,
        leaving: Sequence[Reference] = (),
        about: Mapping[str, JsonValue] | None = None,
    ) -> None:
        """`given` takes the place of the graph's own variables; `locals_` are a loop's."""
        self.prepared = prepared
        self.leaving = leaving
        """What is read of it by what is around it; of the plan itself, all is only shown."""
        self.outputs: dict[str, Outputs] = {}
        self.skipped: set[str] = set()
        self.problems: dict[str, Problem] = {}
        """Of nodes that failed, and without which the run went on."""
        self._about = about or {}
        self._environment = environment
        self._around = around
        self._locals = locals_ or {}
        self._values: dict[str, JsonValue] = {**given, **self._locals}
        self._resolving: set[str] = set()

    def resolve(self, value: JsonValue, missing: list[Problem] | None = None) -> JsonValue:
        return resolve(value, partial(self.lookup, missing=missing))

    def lookup(self, reference: Reference, missing: list[Problem] | None = None) -> JsonValue:
        """Null for what is not there, which `missing` then says."""
        return self._look(reference, Outputs.read, missing)

    def lost_input(self, required: Sequence[JsonValue]) -> str:
        """The first reference among what is needed whose node was skipped, or none."""
        return lost_among(required, self._is_skipped)

    def _is_skipped(self, root: str) -> bool:
        if root in self.prepared.nodes:
            return root in self.skipped
        if root in self._locals or self._around is None:
            return False
        return self._around._is_skipped(root)

    def lookup_shown(self, reference: Reference) -> JsonValue:
        """As it may be written."""
        return self._look(reference, Outputs.read_shown)

    def exports(self) -> dict[str, JsonValue]:
        return self._exported(self.lookup)

    def shown_exports(self) -> dict[str, JsonValue]:
        return self._exported(self.lookup_shown)

    def _exported(self, look: Callable[[Reference], JsonValue]) -> dict[str, JsonValue]:
        found: dict[str, JsonValue] = {}
        for name, several in self.prepared.exports.items():
            values = [look(each) for each in several]
            found[name] = next((each for each in reversed(values) if each is not None), None)
        return found

    def is_read(self, name: str) -> bool:
        """Whether anything reads what this node gives; not where it is only shown."""
        nodes = self.prepared.nodes.values()
        reading = chain(self.leaving, *(node.reads for node in nodes))
        return any(each.root == name for each in reading)

    @property
    def has_masked(self) -> bool:
        return any(outputs.is_masked for outputs in self.outputs.values())

    def _look(
        self,
        reference: Reference,
        read: Callable[[Outputs, Reference], JsonValue],
        missing: list[Problem] | None = None,
    ) -> JsonValue:
        try:
            return self._find(reference, read)
        except Unreachable as unreachable:
            if missing is not None and not self._is_field_left_empty(reference):
                lacking = MissingDependency(
                    "plan_reference_unresolved",
                    reference=reference.text,
                    key=str(unreachable.key),
                    known="、".join(unreachable.known[:20]) or tell("none"),
                )
                missing.append(lacking.problem)
            return None

    def _is_field_left_empty(self, reference: Reference) -> bool:
        """An optional field of a form that nobody filled in is no mistake."""
        scope: Scope | None = self
        while scope is not None and reference.root not in scope.prepared.nodes:
            scope = scope._around
        node = scope.prepared.nodes[reference.root] if scope is not None else None
        if node is None or node.block is None or node.block.spec.id != FORM:
            return False
        asked = node.inputs.get("requirements")
        if len(reference.keys) < 2 or not isinstance(asked, list):
            return len(reference.keys) > 1  # which fields there are, only the run knew
        return any(isinstance(one, dict) and one.get("id") == reference.keys[1] for one in asked)

    def _find(  # noqa: PLR0911 - one for each root
        self, reference: Reference, read: Callable[[Outputs, Reference], JsonValue]
    ) -> JsonValue:
        root, keys = reference.root, reference.keys
        match root:
            case "vars":
                return self._variables(keys)
            case "env":
                return walk(self._environment.variable(str(keys[0]) if keys else ""), keys[1:])
            case "config":
                return walk(dict(self._environment.config), keys)
            case "run" | "today" | "now":
                return walk(self.about.get(root), keys)
            case _:
                pass
        scope: Scope | None = self
        while scope is not None:
            if root in scope.prepared.nodes:
                outputs = scope.outputs.get(root)
                if keys and keys[0] in OUTCOMES and not _is_output(outputs, str(keys[0])):
                    return walk(scope._outcome(root, str(keys[0])), keys[1:])
                # One that has not ended: only a `while` asks so, before its first time.
                return read(outputs, reference) if outputs is not None else None
            if root in scope._locals:
                return walk(scope._locals[root], keys)
            scope = scope._around
        raise MissingDependency("plan_reference_unknown", reference=reference.text, root=root)

    @property
    def about(self) -> Mapping[str, JsonValue]:
        """The run's id, when it began, and who began it."""
        scope: Scope = self
        while not scope._about and scope._around is not None:
            scope = scope._around
        return scope._about

    def _outcome(self, name: str, key: str) -> JsonValue:
        """`${node.failed}` and `${node.problem}`: of one that went well, false and null."""
        problem = self.problems.get(name)
        if key == FAILED:
            return problem is not None
        if problem is None:
            return None
        return {"code": str(problem.code), "message": problem.message, "hint": problem.hint}

    def _variables(self, keys: tuple[Key, ...]) -> JsonValue:
        if not keys:
            return {name: self._variable(name) for name in self._names()}
        return walk(self._variable(str(keys[0])), keys[1:])

    def _names(self) -> set[str]:
        around = self._around._names() if self._around else set[str]()
        return around | set(self._values) | set(self.prepared.variables)

    def _variable(self, name: str) -> JsonValue:
        scope: Scope | None = self
        while scope is not None:
            if name in scope._values:
                return scope._values[name]
            if name in scope.prepared.variables:
                return scope._resolved(name)
            scope = scope._around
        raise Unreachable(name, sorted(self._names()))

    def _resolved(self, name: str) -> JsonValue:
        if name in self._resolving:
            raise InvalidInput("plan_variables_circular", name=name)
        self._resolving.add(name)
        try:
            self._values[name] = self.resolve(self.prepared.variables[name])
        finally:
            self._resolving.discard(name)
        return self._values[name]
