"""Loops: over the items of a list, some of them at a time, or as long as a condition holds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import cast

from pydantic import JsonValue

from sanbo.kernel.personal_data import masked_personal
from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.kernel.secrets import MASK
from sanbo.plans.model import Concurrency, Foreach, LoopNode, While
from sanbo.plans.references import Reference, resolve
from sanbo.plans.running.outcomes import NOTHING, Outputs, restored, shortened, stored
from sanbo.plans.running.plan import NO_GRAPH, PreparedNode, iterations_at_once
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import Iteration, Slots, Surroundings, Team
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
            return Scope(
                self._inner,
                self._here.environment,
                given=given,
                leaving=self._leaving,
                about=self._scope.about,
            )
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
        result = inner.exports()
        shown = inner.shown_exports() if inner.has_masked else result
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


RESULTS, ITERATIONS, COMPLETED, COLLECT = "results", "iterations", "completed", "collect"


async def run_loop(
    here: Surroundings, node: PreparedNode, scope: Scope, path: Path, slots: Slots
) -> Outputs:
    loop = cast("LoopNode", node.node)
    if loop.foreach is not None:
        at_once = iterations_at_once(loop, scope.prepared.policy)
        if here.loop_executor and at_once > 1:
            here = replace(here, executor=here.loop_executor)
        iterations = Iterations(here, node, scope, path, slots, at_once=at_once)
        return await _Each(loop, loop.foreach, scope).run(here, iterations, at_once)
    assert loop.while_ is not None
    assert node.inner is not None
    iterations = Iterations(here, node, scope, path, slots)
    return await _AsLongAs(loop, loop.while_, node).run(iterations)


class _Each:
    def __init__(self, loop: LoopNode, foreach: Foreach, scope: Scope) -> None:
        self._loop = loop
        self._foreach = foreach
        items = _turns(scope.resolve(foreach.input))
        if items is None:
            kind = type(scope.resolve(foreach.input)).__name__
            raise InvalidInput("loop_input_not_list", input=str(foreach.input), kind=kind)
        self._items = items
        self._shown = self._shown_items(scope)

    def _shown_items(self, scope: Scope) -> Sequence[JsonValue]:
        shown = _turns(resolve(self._foreach.input, scope.lookup_shown))
        if shown is not None and len(shown) == len(self._items):
            return shown
        return [MASK] * len(self._items)

    async def run(self, here: Surroundings, iterations: Iterations, at_once: int) -> Outputs:
        ended: dict[int, Iteration] = {}
        numbers = iter(range(len(self._items)))

        async def work() -> None:
            for index in numbers:  # shared: whoever is free takes the next
                ended[index] = await iterations.run(
                    index,
                    self._variables(index),
                    shown=self._shown[index],
                    of=len(self._items),
                )

        team = Team(here.activity)
        for _ in range(min(at_once, len(self._items))):
            team.start(work())
        await team.finish()
        return self._collected([ended[index] for index in range(len(self._items))])

    def _variables(self, index: int) -> dict[str, JsonValue]:
        variables: dict[str, JsonValue] = {self._foreach.item_var: self._items[index]}
        if self._foreach.index_var is not None:
            variables[self._foreach.index_var] = index
        return variables

    def _collected(self, ended: list[Iteration]) -> Outputs:
        values = self._lists([each.result for each in ended])
        if all(each.shown is each.result for each in ended):
            return Outputs(values, values, {})
        return Outputs(values, self._lists([each.shown for each in ended]), {})

    def _lists(self, results: list[dict[str, JsonValue]]) -> dict[str, JsonValue]:
        return {
            RESULTS: cast("list[JsonValue]", results),
            ITERATIONS: len(results),
            **_collected(self._loop, results),
        }


def _turns(items: JsonValue) -> list[JsonValue] | None:
    """No turns for nothing, and of an object its keys."""
    if isinstance(items, dict):
        return list(items)
    return items if isinstance(items, list) else [] if items is None else None


class _AsLongAs:
    def __init__(self, loop: LoopNode, repeat: While, node: PreparedNode) -> None:
        assert node.inner is not None
        self._loop = loop
        self._repeat = repeat
        self._condition = node.again
        self._nothing: dict[str, JsonValue] = dict.fromkeys(node.inner.exports)

    async def run(self, iterations: Iterations) -> Outputs:
        collected: list[Iteration] = []
        last: Iteration | None = None
        index = 0
        while True:
            variables = self._variables(index)
            scope = iterations.scope_asked(variables, last)
            holds = self._condition is None or self._condition.holds(
                scope.lookup, null_is_zero=True
            )
            if not holds or index == self._repeat.max_iterations:
                break
            last = await iterations.run(index, variables, before=last)
            if self._loop.out.collect:
                collected.append(last)
            index += 1
        is_exhausted = holds and self._condition is not None
        exhausted = LimitExceeded(
            "loop_exhausted", node=self._loop.id, limit=self._repeat.max_iterations
        )
        if is_exhausted and self._repeat.on_exhausted == "fail":
            raise exhausted
        warnings = (exhausted.problem,) if is_exhausted else ()
        counted: dict[str, JsonValue] = {ITERATIONS: index, COMPLETED: not is_exhausted}
        lists = _collected(self._loop, [each.result for each in collected])
        values = {**(last.result if last else self._nothing), **lists, **counted}
        lists = _collected(self._loop, [each.shown for each in collected])
        shown = {**(last.shown if last else self._nothing), **lists, **counted}
        return Outputs(values, values if shown == values else shown, {}, warnings)

    def _variables(self, index: int) -> dict[str, JsonValue]:
        name = self._repeat.index_var
        return {} if name is None else {name: index}


def _collected(loop: LoopNode, results: list[dict[str, JsonValue]]) -> dict[str, JsonValue]:
    """Of each export its list; of a body without exports, the list of what each turn gave."""
    if not loop.out.collect:
        return {}
    exports = {each.as_ for each in loop.body.plan.exports} if loop.body.plan else None
    lists: dict[str, JsonValue] = {}
    for name in loop.out.collect:
        is_export = name in exports if exports is not None else any(name in one for one in results)
        lists[name] = [result.get(name) if is_export else result for result in results]
    return {COLLECT: lists[loop.out.collect[0]], **lists}
