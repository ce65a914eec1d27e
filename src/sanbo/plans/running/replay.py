"""Replaying from a node: everything that does not depend on it stands, in whatever order."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sanbo.kernel.problems import NotFound
from sanbo.plans.dependencies import dependencies
from sanbo.plans.model import BlockNode, Call, Graph, LoopNode, Node, PlanSource, SubflowNode
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

ANSWER = "answer"
"""The step below a node at which a form asks."""


def kept_events(source: PlanSource, history: Sequence[Event], step: Path) -> list[Event]:
    _refuse_turn_that_never_was(history, step)
    cut = _Cut(step)
    _cut_graph(cut, plan_of(source.plan), source, (), step)
    kept = _Kept(cut, _Blocks(source), _ended(history) - cut.reopened)
    return [event for event in history if kept.stands(event)]


def _refuse_turn_that_never_was(history: Sequence[Event], step: Path) -> None:
    turns = [step[:depth] for depth in range(1, len(step) + 1) if is_iteration(step[:depth])]
    if turns and not any(event.path[: len(turns[-1])] == turns[-1] for event in history):
        raise NotFound("step_not_found", step="/".join(step))


class _Kept:
    def __init__(self, cut: "_Cut", blocks: "_Blocks", ended: set[Path]) -> None:
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
            case NodeError(continued=continued):
                return continued
            case NodeStart() | LoopIteration():  # a loop or subflow goes on where it was
                return path in self._ended or self._blocks.around(path) is None
            case NodeComplete() | NodeSkipped() | InteractionOpen() | InteractionAnswered():
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


@dataclass
class _Cut:
    """What falls away with a step."""

    step: Path
    dropped: set[Path] = field(default_factory=set[Path])
    """With everything below."""
    reopened: set[Path] = field(default_factory=set[Path])
    """What holds the step: begun as before, but not ended."""
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


def _cut_graph(cut: _Cut, graph: Graph, source: PlanSource, at: Path, step: Path) -> None:
    node = next((each for each in graph.graph if each.id == step[0]), None)
    if node is None:
        raise NotFound("step_not_found", step="/".join(cut.step))
    cut.dropped.update((*at, name) for name in _downstream(graph, node.id))
    here = (*at, node.id)
    rest = step[1:]
    match node:
        case BlockNode():
            cut.dropped.add(here)
        case SubflowNode() if rest:
            cut.reopened.add(here)
            _cut_called(cut, node.call, source, here, rest)
        case LoopNode() if rest:
            cut.reopened.add(here)
            _cut_loop(cut, node, source, here, rest)
        case _:
            cut.dropped.add(here)


def _cut_loop(cut: _Cut, loop: LoopNode, source: PlanSource, at: Path, step: Path) -> None:
    if not is_iteration(step[:1]):
        raise NotFound("step_not_found", step="/".join(cut.step))
    number, rest = int(step[0][1:]), step[1:]
    here = (*at, step[0])
    if loop.while_ is not None:  # each time may depend on the time before
        cut.after.append((at, number + 1))
    if not rest:
        cut.dropped.add(here)
        return
    cut.reopened.add(here)
    if loop.body.call is not None:
        _cut_called(cut, loop.body.call, source, here, rest)
    elif loop.body.plan is not None:
        _cut_graph(cut, loop.body.plan, source, here, rest)


def _cut_called(cut: _Cut, call: Call, source: PlanSource, at: Path, step: Path) -> None:
    _cut_graph(cut, plan_of(source.called[call.plan_id]), source, at, step)


def _downstream(graph: Graph, name: str) -> set[str]:
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
