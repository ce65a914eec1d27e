"""One iteration of a loop: its own scope, its own steps, and what it leaves when it has ended."""

from collections.abc import Mapping
from typing import cast

from pydantic import JsonValue

from sanbo.kernel.personal_data import masked_personal
from sanbo.plans.model import Concurrency
from sanbo.plans.references import Reference
from sanbo.plans.running.iterations_ended import Iteration
from sanbo.plans.running.outputs import NOTHING, Outputs
from sanbo.plans.running.prepared import NO_GRAPH, PreparedNode
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.shortened import shortened
from sanbo.plans.running.storing import restored, stored
from sanbo.plans.running.surroundings import Slots, Surroundings
from sanbo.runs.model import LoopIteration, NodeComplete, Path

_RESULT, _READ = "result", "read"


class Iterations:
    def __init__(
        self,
        here: Surroundings,
        node: PreparedNode,
        scope: Scope,
        path: Path,
        slots: Slots,
        *,
        at_once: int = 1,
    ) -> None:
        assert node.inner is not None
        self._here = here
        self._node = node
        self._scope = scope
        self._path = path
        self._inner = node.inner
        self._slots = self._slots_inside(slots, at_once)
        asked = node.again.references if node.again else ()
        self._read = frozenset(each.root for each in asked) & self._inner.nodes.keys()
        self._leaving = self._read_around(node, scope)

    def _read_around(self, node: PreparedNode, scope: Scope) -> tuple[Reference, ...]:
        if node.again is not None:  # the next time and the condition read it too
            return (*self._inner.leaving, *node.again.references)
        return self._inner.leaving if scope.is_read(node.node.id) else ()

    def _slots_inside(self, slots: Slots, at_once: int) -> Slots:
        policy = self._inner.policy
        own = self._node.calls is not None or self._inner.graph.policy is not None
        if not own and at_once <= slots.most:
            return slots
        most = max(at_once, policy.concurrency.default_max_workers)
        per_node = policy.concurrency.per_node
        return Slots(Concurrency(default_max_workers=most, per_node=per_node))

    async def run(
        self,
        index: int,
        variables: Mapping[str, JsonValue],
        *,
        shown: JsonValue = None,
        of: int | None = None,
        before: Iteration | None = None,
    ) -> Iteration:
        """`shown` tells which it is, in the journal."""
        path = (*self._path, f"#{index}")
        step_id = (path, "/".join(path))
        fold = self._here.context.fold
        kept = self._here.unwritten.iterations.get(step_id[1])
        if step_id in fold.outputs and kept is not None:
            return kept
        has_ended = step_id in fold.outputs
        if has_ended and (step_id not in fold.masked or not self._leaving):
            return self._from_record(await restored(self._here.context, step_id))
        is_new = step_id not in fold.steps and not has_ended
        if is_new or has_ended or fold.steps[step_id].status == "failed":
            item = masked_personal(shortened(shown))
            begun = LoopIteration(iteration=index, item=item, of=of)
            self._here.context.record_soon(begun, *path)
        inner = self._scope_inside(variables, before)
        await self._here.run_graph(self._here, inner, path, self._slots, is_new=is_new)
        return await self._end(path, inner)

    def _scope_inside(self, variables: Mapping[str, JsonValue], before: Iteration | None) -> Scope:
        last: Mapping[str, JsonValue] = before.result if before else {}
        if self._node.calls is not None:
            asking = Scope(
                NO_GRAPH, self._here.environment, given={}, around=self._scope, locals_=variables
            )
            given = {name: asking.resolve(each) for name, each in self._node.calls.inputs.items()}
            return Scope(self._inner, self._here.environment, given=given, leaving=self._leaving)
        # What one time exports under the name of a variable, the next time finds in it.
        carried = {name: last[name] for name in self._inner.variables if name in last}
        return Scope(
            self._inner,
            self._here.environment,
            given=carried,
            around=self._scope,
            locals_=variables,
            leaving=self._leaving,
        )

    def scope_asked(self, variables: Mapping[str, JsonValue], before: Iteration | None) -> Scope:
        """In which a condition is asked: with the outputs of the time before."""
        scope = Scope(
            self._inner,
            self._here.environment,
            given={},
            around=self._scope,
            locals_=variables,
        )
        scope.outputs.update(before.read if before else {})
        return scope

    async def _end(self, path: Path, inner: Scope) -> Iteration:
        result = _result(inner, shown=False)
        shown = _result(inner, shown=True) if inner.has_masked else result
        read = {name: inner.outputs[name] for name in self._read}
        ended = Iteration(result, result if shown == result else shown, read)
        context = self._here.context
        is_masked = ended.shown is not ended.result or any(each.is_masked for each in read.values())
        written = await stored(context, self._record(ended), is_masked=is_masked)
        completion = NodeComplete.trusted(
            key="/".join(path),
            outputs=written.value,
            masked=written.is_masked,
            beside=written.beside,
        )
        # Its nodes are stored already: this can be told again out of them.
        if cast("NodeComplete", context.record_soon(completion, *path)).masked:
            self._here.unwritten.iterations[completion.key] = ended
        return ended

    def _record(self, ended: Iteration) -> JsonValue:
        if self._node.again is None:
            return ended.shown
        read: dict[str, JsonValue] = {
            name: None if each.shown is None else dict(each.shown)
            for name, each in ended.read.items()
        }
        return {_RESULT: ended.shown, _READ: read}

    def _from_record(self, recorded: JsonValue) -> Iteration:
        record = cast("dict[str, JsonValue]", recorded)
        if self._node.again is None:
            return Iteration(record, record)
        result = cast("dict[str, JsonValue]", record[_RESULT])
        kept = cast("dict[str, dict[str, JsonValue] | None]", record[_READ])
        read = {name: self._outputs(name, values) for name, values in kept.items()}
        return Iteration(result, result, read)

    def _outputs(self, name: str, values: dict[str, JsonValue] | None) -> Outputs:
        if values is None:
            return NOTHING
        return Outputs(values, values, self._inner.nodes[name].ports)


def _result(inner: Scope, *, shown: bool) -> dict[str, JsonValue]:
    if inner.prepared.exports:
        return inner.shown_exports() if shown else inner.exports()
    found: dict[str, JsonValue] = {}
    for name, outputs in inner.outputs.items():
        values = outputs.shown if shown else outputs.values
        found[name] = None if values is None else outputs.named(values)
    return found
