"""A corrected plan: which of its nodes are as they were, so that what they gave stands."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.plans.dependencies import references_of_condition
from sanbo.plans.model import (
    BlockNode,
    Call,
    Graph,
    LoopNode,
    Node,
    PlanSource,
    SubflowNode,
)
from sanbo.plans.references import Reference, references_in
from sanbo.plans.running.cut import Cut, downstream
from sanbo.plans.running.plan import plan_of
from sanbo.runs.model import Path, is_iteration

Kinship = Literal["same", "inside", "other"]
"""`inside`: it holds something that has changed, but is itself as it was."""
_Layers = tuple[Mapping[str, JsonValue], ...]
"""Variables, the innermost first."""


@dataclass(frozen=True)
class Edition:
    """A plan as a run has it: its texts, the versions of its blocks, and the values given to it."""

    source: PlanSource
    blocks: Mapping[str, str]
    values: Mapping[str, JsonValue]

    def called(self, call: Call) -> Graph:
        return plan_of(self.source.called[call.plan_id])


def cut_changes(
    cut: Cut, before: Edition, after: Edition, paths: Collection[Path], given_up: Collection[Path]
) -> None:
    """`paths` of all that was done; `given_up`: nodes that failed, and the run went on."""
    if before == after:
        return
    comparison = _Comparison(cut, before, after, paths, given_up)
    old, new = plan_of(before.source.plan), plan_of(after.source.plan)
    old_values, new_values = {**old.vars, **before.values}, {**new.vars, **after.values}
    comparison.graphs(old, new, (), ((old_values,), (new_values,)))


class _Comparison:
    def __init__(
        self,
        cut: Cut,
        before: Edition,
        after: Edition,
        paths: Collection[Path],
        given_up: Collection[Path],
    ) -> None:
        self._cut = cut
        self._before = before
        self._after = after
        self._paths = paths
        self._given_up = given_up

    def graphs(self, old: Graph, new: Graph, at: Path, layers: tuple[_Layers, _Layers]) -> bool:
        """Whether what comes out of it may be another; what is to be done again is cut."""
        olds = {node.id: node for node in old.graph}
        touched: set[str] = set()
        for node in new.graph:
            before, here = olds.pop(node.id, None), (*at, node.id)
            kinship = "other" if before is None else self._kinship(before, node, here, layers)
            if kinship == "same":
                continue
            touched.add(node.id)
            (self._cut.dropped if kinship == "other" else self._cut.reopened).add(here)
        gone = {(*at, name) for name in olds}
        self._cut.dropped |= gone
        for name in touched:
            self._cut.dropped.update((*at, each) for each in downstream(new, name))
        return bool(touched or gone) or _leaving(old) != _leaving(new)

    def _kinship(self, old: Node, new: Node, at: Path, layers: tuple[_Layers, _Layers]) -> Kinship:
        heads = (
            _head(old, self._before, layers[0], with_policy=at in self._given_up),
            _head(new, self._after, layers[1], with_policy=at in self._given_up),
        )
        if heads[0] != heads[1]:
            return "other"
        match old, new:
            case SubflowNode(), SubflowNode():
                is_same = old.out == new.out
                is_same &= not self._called(old.call, new.call, at)
            case LoopNode(), LoopNode():
                is_same = (old.out, old.while_) == (new.out, new.while_)
                is_same &= not self._turns_differ(old, new, at, layers)
            case _:
                return "same"
        return "same" if is_same else "inside"

    def _called(self, old: Call, new: Call, at: Path) -> bool:
        before, after = self._before.called(old), self._after.called(new)
        return self.graphs(before, after, at, ((before.vars,), (after.vars,)))

    def _turns_differ(
        self, old: LoopNode, new: LoopNode, at: Path, layers: tuple[_Layers, _Layers]
    ) -> bool:
        turns = self._turns(at)
        differing = [turn for turn in turns if self._turn_differs(old, new, turn, layers)]
        self._cut.reopened.update(differing)
        if differing and new.while_ is not None:  # each time may depend on the time before
            self._cut.after.append((at, 1))
        return bool(differing)

    def _turn_differs(
        self, old: LoopNode, new: LoopNode, at: Path, layers: tuple[_Layers, _Layers]
    ) -> bool:
        if old.body.call is not None and new.body.call is not None:
            return self._called(old.body.call, new.body.call, at)
        before, after = old.body.plan or Graph(), new.body.plan or Graph()
        inner = ((before.vars, *layers[0]), (after.vars, *layers[1]))
        return self.graphs(before, after, at, inner)

    def _turns(self, loop: Path) -> list[Path]:
        """Those that were begun."""
        depth = len(loop) + 1
        below = {path[:depth] for path in self._paths if path[: depth - 1] == loop}
        return sorted(path for path in below if is_iteration(path))


def _leaving(graph: Graph) -> object:
    names = [(node.id, node.out) for node in graph.graph] if not graph.exports else []
    return graph.exports, names


def _head(node: Node, edition: Edition, layers: _Layers, *, with_policy: bool) -> bytes:
    """All that decides what a node itself gives; titles and limits do not."""
    own: dict[str, object] = {"type": node.type, "when": node.when, "always": node.always}
    if with_policy:
        own["policy"] = node.policy
    read = list(references_of_condition(node.when)) if node.when else []
    match node:
        case BlockNode():
            own |= {"block": edition.blocks.get(node.block, node.block), "in": node.in_}
            read += _references(dict(node.in_))
        case SubflowNode():
            own["call"] = node.call
            read += _references(dict(node.call.inputs))
        case LoopNode():
            own["call"] = call = node.body.call
            read += _references(dict(call.inputs) if call else {})
            if each := node.foreach:
                own["foreach"] = each.input, each.item_var, each.index_var
                read += _references(each.input)
            if again := node.while_:
                own["while"] = again.condition, again.index_var
                read += references_of_condition(again.condition) if again.condition else ()
    own["vars"] = dict(sorted(_variables(read, layers)))
    return to_json(own)


def _references(value: JsonValue) -> list[Reference]:
    return [found for found, _ in references_in(value)]


def _variables(read: Iterable[Reference], layers: _Layers) -> Iterator[tuple[str, JsonValue]]:
    """The variables that these stand on, however deep, as they are written."""
    every = dict.fromkeys(name for layer in layers for name in layer)
    seen: set[str] = set()
    waiting = [each for each in read if each.root == "vars"]
    while waiting:
        reference = waiting.pop()
        for name in (str(reference.keys[0]),) if reference.keys else every:
            layer = next((layer for layer in layers if name in layer), None)
            if layer is not None and name not in seen:
                seen.add(name)
                yield name, layer[name]
                waiting += [each for each in _references(layer[name]) if each.root == "vars"]
