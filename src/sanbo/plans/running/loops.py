"""Loops: over the items of a list, some of them at a time, or as long as a condition holds."""

from collections.abc import Sequence
from typing import cast

from pydantic import JsonValue

from sanbo.kernel.problems import InvalidInput, LimitExceeded
from sanbo.kernel.secrets import MASK
from sanbo.plans.model import Foreach, LoopNode, While
from sanbo.plans.references import resolve
from sanbo.plans.running.activity import Team
from sanbo.plans.running.iterations import Iterations
from sanbo.plans.running.iterations_ended import Iteration
from sanbo.plans.running.outputs import Outputs
from sanbo.plans.running.policies import iterations_at_once
from sanbo.plans.running.prepared import PreparedNode
from sanbo.plans.running.scope import Scope
from sanbo.plans.running.surroundings import Slots, Surroundings
from sanbo.runs.model import Path

RESULTS, ITERATIONS, COMPLETED = "results", "iterations", "completed"


async def run_loop(
    here: Surroundings, node: PreparedNode, scope: Scope, path: Path, slots: Slots
) -> Outputs:
    loop = cast("LoopNode", node.node)
    if loop.foreach is not None:
        at_once = iterations_at_once(loop, scope.prepared.policy)
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
        items = scope.resolve(foreach.input)
        if not isinstance(items, list):
            kind = "null" if items is None else type(items).__name__
            raise InvalidInput("loop_input_not_list", input=str(foreach.input), kind=kind)
        self._items = items
        self._shown = self._shown_items(scope)

    def _shown_items(self, scope: Scope) -> Sequence[JsonValue]:
        shown = resolve(self._foreach.input, scope.lookup_shown)
        if isinstance(shown, list) and len(shown) == len(self._items):
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


class _AsLongAs:
    def __init__(self, loop: LoopNode, repeat: While, node: PreparedNode) -> None:
        assert node.again is not None
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
            holds = self._condition.holds(iterations.scope_asked(variables, last).lookup)
            if not holds or index == self._repeat.max_iterations:
                break
            last = await iterations.run(index, variables, before=last)
            if self._loop.out.collect:
                collected.append(last)
            index += 1
        if holds and self._repeat.on_exhausted == "fail":
            limit = self._repeat.max_iterations
            raise LimitExceeded("loop_exhausted", node=self._loop.id, limit=limit)
        counted: dict[str, JsonValue] = {ITERATIONS: index, COMPLETED: not holds}
        lists = _collected(self._loop, [each.result for each in collected])
        values = {**(last.result if last else self._nothing), **lists, **counted}
        lists = _collected(self._loop, [each.shown for each in collected])
        shown = {**(last.shown if last else self._nothing), **lists, **counted}
        return Outputs(values, values if shown == values else shown, {})

    def _variables(self, index: int) -> dict[str, JsonValue]:
        name = self._repeat.index_var
        return {} if name is None else {name: index}


def _collected(loop: LoopNode, results: list[dict[str, JsonValue]]) -> dict[str, JsonValue]:
    return {name: [result.get(name) for result in results] for name in loop.out.collect}
