"""Replaying from a node, or by a corrected plan: what depends on neither stands as it was."""

from collections.abc import Sequence

from sanbo.kernel.problems import NotFound
from sanbo.plans.model import BlockNode, Call, Graph, LoopNode, Node, PlanSource, SubflowNode
from sanbo.plans.running.corrections import Edition, cut_changes
from sanbo.plans.running.cut import Cut, downstream
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
