"""Replaying from a node, or by a corrected plan: what depends on neither stands as it was, and the
rest of the run falls away.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import JsonValue
from pydantic_core import to_json

from sanbo.kernel.problems import NotFound
from sanbo.plans.dependencies import dependencies, references_of_condition
from sanbo.plans.model import BlockNode, Call, Graph, LoopNode, Node, PlanSource, SubflowNode
from sanbo.plans.references import Reference, references_in
from sanbo.plans.running.plan import plan_of
from sanbo.runs.model import (
    Event,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
    LoopIteration,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    RunComplete,
    RunStart,
    RunWaiting,
    is_iteration,
)


@dataclass
class Cut:
    dropped: set[Path] = field(default_factory=set[Path])
    """With everything below."""
    reopened: set[Path] = field(default_factory=set[Path])
    """What holds a dropped step: begun as before, but not ended."""
    after: list[tuple[Path, int]] = field(default_factory=list[tuple[Path, int]])
    """Loops of which the iterations from a number on fall away."""

    def drops(self, path: Path) -> bool:
        if any(path[:depth] in self.dropped for depth in range(1, len(path) + 1)):
            return True
        return any(
            len(path) > len(loop)
            and path[: len(loop)] == loop
            and is_iteration(path[: len(loop) + 1])
            and int(path[len(loop)][1:]) >= first
            for loop, first in self.after
        )


def downstream(graph: Graph, name: str) -> set[str]:
    """All that needs the node, or what needs it in turn; not itself."""
    needs = dependencies(graph)
    found: set[str] = set()
    waiting = [name]
    while waiting:
        each = waiting.pop()
        for reader, wanted in needs.items():
            if each in wanted and reader not in found:
                found.add(reader)
                waiting.append(reader)
    return found


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


ANSWER = "answer"
"""The step below a node at which a form asks."""


def kept_events(
    before: Edition, after: Edition, history: Sequence[Event], step: Path
) -> list[Event]:
    """Without a step, all that a corrected plan leaves as it was."""
    cut, source = Cut(), after.source
    if step:
        _refuse_turn_that_never_was(history, step)
        _Steps(cut, step, source).cut_graph(plan_of(source.plan), (), step)
    given_up = {
        event.path
        for event in history
        if isinstance(event.payload, NodeError) and event.payload.continued
    }
    cut_changes(cut, before, after, {event.path for event in history}, given_up)
    kept = _Kept(cut, _Blocks(source), _ended(history) - cut.reopened)
    return [event for event in history if kept.stands(event)]


def _refuse_turn_that_never_was(history: Sequence[Event], step: Path) -> None:
    turns = [step[:depth] for depth in range(1, len(step) + 1) if is_iteration(step[:depth])]
    if turns and not any(event.path[: len(turns[-1])] == turns[-1] for event in history):
        raise NotFound("step_not_found", step="/".join(step))


class _Kept:
    def __init__(self, cut: "Cut", blocks: "_Blocks", ended: set[Path]) -> None:
        self._cut = cut
        self._blocks = blocks
        self._ended = ended

    def stands(self, event: Event) -> bool:
        if isinstance(event.payload, RunStart | RunWaiting | RunComplete):
            return False
        if self._cut.drops(event.path):
            return False
        return self._is_of_what_stands(event.path) and self._is_over(event)

    def _is_of_what_stands(self, path: Path) -> bool:
        """A block that has not ended begins anew; what a person answered to its form stands."""
        node = self._blocks.around(path)
        is_answer = node is not None and path[:-1] == node and path[-1].startswith(ANSWER)
        return node is None or node == path or node in self._ended or is_answer

    def _is_over(self, event: Event) -> bool:
        path = event.path
        match event.payload:
            case NodeStart() | LoopIteration():  # a loop or subflow goes on where it was
                return path in self._ended or self._blocks.around(path) is None
            case NodeError(continued=False):
                return False
            case (
                NodeComplete()
                | NodeError()
                | NodeSkipped()
                | InteractionOpen()
                | InteractionAnswered()
            ):
                return path in self._ended
            case InteractionDue():
                return False
            case _:
                return True


def _ended(history: Sequence[Event]) -> set[Path]:
    """Paths of steps that are over; one that began again after its end is not."""
    ended: set[Path] = set()
    for event in history:
        match event.payload:
            case NodeComplete() | NodeSkipped() | NodeError(continued=True):
                ended.add(event.path)
            case NodeStart() | LoopIteration():
                ended.discard(event.path)
            case _:
                pass
    return ended


class _Steps:
    """Cuts one step, and what depends on it, out of a plan."""

    def __init__(self, cut: Cut, step: Path, source: PlanSource) -> None:
        self._cut = cut
        self._step = step
        self._source = source

    def cut_graph(self, graph: Graph, at: Path, step: Path) -> None:
        node = next((each for each in graph.graph if each.id == step[0]), None)
        if node is None:
            raise self._not_found()
        self._cut.dropped.update((*at, name) for name in downstream(graph, node.id))
        here = (*at, node.id)
        rest = step[1:]
        match node:
            case BlockNode():
                self._cut.dropped.add(here)
            case SubflowNode() if rest:
                self._cut.reopened.add(here)
                self._cut_called(node.call, here, rest)
            case LoopNode() if rest:
                self._cut.reopened.add(here)
                self._cut_loop(node, here, rest)
            case _:
                self._cut.dropped.add(here)

    def _cut_loop(self, loop: LoopNode, at: Path, step: Path) -> None:
        if not is_iteration(step[:1]):
            raise self._not_found()
        number, rest = int(step[0][1:]), step[1:]
        here = (*at, step[0])
        if loop.while_ is not None:  # each time may depend on the time before
            self._cut.after.append((at, number + 1))
        if not rest:
            self._cut.dropped.add(here)
            return
        self._cut.reopened.add(here)
        if loop.body.call is not None:
            self._cut_called(loop.body.call, here, rest)
        elif loop.body.plan is not None:
            self.cut_graph(loop.body.plan, here, rest)

    def _cut_called(self, call: Call, at: Path, step: Path) -> None:
        self.cut_graph(plan_of(self._source.called[call.plan_id]), at, step)

    def _not_found(self) -> NotFound:
        return NotFound("step_not_found", step="/".join(self._step))


class _Blocks:
    """Which paths are inside a block's node: its own steps, and those of an agent."""

    def __init__(self, source: PlanSource) -> None:
        self._source = source
        self._known: dict[Path, Path | None] = {}

    def around(self, path: Path) -> Path | None:
        """The path of the block's node that this is or is inside of."""
        if path not in self._known:
            self._known[path] = self._find(path)
        return self._known[path]

    def _find(self, path: Path) -> Path | None:
        graph: Graph | None = plan_of(self._source.plan)
        depth = 0
        while graph is not None and depth < len(path):
            node: Node | None = next((n for n in graph.graph if n.id == path[depth]), None)
            depth += 1
            match node:
                case BlockNode():
                    return path[:depth]
                case SubflowNode():
                    graph = plan_of(self._source.called[node.call.plan_id])
                case LoopNode():
                    depth += 1
                    graph = self._body(node)
                case None:
                    return None
        return None

    def _body(self, loop: LoopNode) -> Graph | None:
        call = loop.body.call
        return plan_of(self._source.called[call.plan_id]) if call else loop.body.plan
