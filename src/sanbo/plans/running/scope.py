"""What references stand for: the nodes of a graph, its variables, and those around it."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

from pydantic import JsonValue

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import InvalidInput, MissingDependency
from sanbo.plans.references import Key, Reference, Unreachable, resolve, walk
from sanbo.plans.running.environment import Environment
from sanbo.plans.running.outputs import Outputs
from sanbo.plans.running.plan import PreparedGraph


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
    ) -> None:
        """`given` takes the place of the graph's own variables; `locals_` are a loop's."""
        self.prepared = prepared
        self.leaving = leaving
        """What is read of it by what is around it; of the plan itself, all is only shown."""
        self.outputs: dict[str, Outputs] = {}
        self._environment = environment
        self._around = around
        self._locals = locals_ or {}
        self._values: dict[str, JsonValue] = {**given, **self._locals}
        self._resolving: set[str] = set()

    def resolve(self, value: JsonValue) -> JsonValue:
        return resolve(value, self.lookup)

    def lookup(self, reference: Reference) -> JsonValue:
        return self._look(reference, Outputs.read)

    def lookup_shown(self, reference: Reference) -> JsonValue:
        """As it may be written."""
        return self._look(reference, Outputs.read_shown)

    def exports(self) -> dict[str, JsonValue]:
        return {name: self.lookup(each) for name, each in self.prepared.exports.items()}

    def shown_exports(self) -> dict[str, JsonValue]:
        return {name: self.lookup_shown(each) for name, each in self.prepared.exports.items()}

    def is_read(self, name: str) -> bool:
        """Whether anything reads what this node gives; not where it is only shown."""
        nodes = self.prepared.nodes.values()
        reading = chain(self.leaving, *(node.reads for node in nodes))
        return any(each.root == name for each in reading)

    @property
    def has_masked(self) -> bool:
        return any(outputs.is_masked for outputs in self.outputs.values())

    def _look(
        self, reference: Reference, read: Callable[[Outputs, Reference], JsonValue]
    ) -> JsonValue:
        try:
            return self._find(reference, read)
        except Unreachable as missing:
            raise MissingDependency(
                "plan_reference_unresolved",
                reference=reference.text,
                key=str(missing.key),
                known="、".join(missing.known[:20]) or tell("none"),
            ) from None

    def _find(
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
            case _:
                pass
        scope: Scope | None = self
        while scope is not None:
            if root in scope.prepared.nodes:
                outputs = scope.outputs.get(root)
                # One that has not ended: only a `while` asks so, before its first time.
                return read(outputs, reference) if outputs is not None else None
            if root in scope._locals:
                return walk(scope._locals[root], keys)
            scope = scope._around
        raise MissingDependency("plan_reference_unknown", reference=reference.text, root=root)

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
