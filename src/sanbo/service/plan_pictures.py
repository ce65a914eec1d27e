"""Pictures of plans and of their runs, with how far each node has come."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.drawing import (
    NOT_BEGUN,
    SIGNS,
    Direction,
    Figure,
    NodeState,
    NodeStatus,
    Theme,
    draw_mermaid,
    figure_of,
)
from sanbo.plans.drawing.figure import Item
from sanbo.plans.drawing.process import Drawing
from sanbo.plans.findings import Finding
from sanbo.plans.load import load
from sanbo.plans.model import Plan, PlanSource
from sanbo.runs.model import Path, Run, Step, is_iteration
from sanbo.sandbox.process import StoppableThreads

__all__ = [
    "MEDIA_TYPES",
    "NOT_BEGUN",
    "SIGNS",
    "Direction",
    "Figure",
    "Item",
    "NodeState",
    "NodeStatus",
    "PictureFormat",
    "States",
    "Theme",
    "figure_of_source",
    "picture",
    "states_of",
    "without_iterations",
]

PictureFormat = Literal["svg", "png", "mermaid"]
MEDIA_TYPES: dict[PictureFormat, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "mermaid": "text/plain",
}

DRAWN_HERE = 100
"""Nodes: their picture takes about a tenth of a second. A PNG takes more at any size."""
States = Mapping[Path, NodeState]
"""By path of node ids, loop items left out."""

# What is shown of a node that is in several iterations at once.
_FIRST: tuple[NodeStatus, ...] = (
    "waiting",
    "failed",
    "running",
    "succeeded",
    "skipped",
    "pending",
)
_THREADS = StoppableThreads(4, "pictures")


def picture(
    source: PlanSource,
    states: States | None = None,
    *,
    kind: PictureFormat = "svg",
    direction: Direction = "down",
    theme: Theme = "auto",
) -> bytes:
    """In the current language; of a plan that has no form at all there is no picture.

    Blocks, but without holding the interpreter for long: what takes seconds is drawn elsewhere.
    """
    plan, called = _loaded(source)
    if kind == "mermaid":
        return draw_mermaid(plan, states, called=called, direction=direction).encode()
    drawing = Drawing(kind, plan, called, states, current_language(), direction, theme)
    if kind == "svg" and sum(1 for _ in figure_of(plan, called).everything()) <= DRAWN_HERE:
        return drawing.drawn()
    return drawing.drawn_apart()


async def picture_apart(draw: Callable[[], bytes]) -> bytes:
    """What calls `picture`, in threads of its own: others do not wait for those who wait here."""
    return await _THREADS.run(draw)


def figure_of_source(source: PlanSource) -> Figure:
    """The nodes with their titles, also those inside loops and called plans."""
    plan, called = _loaded(source)
    return figure_of(plan, called)


def _loaded(source: PlanSource) -> tuple[Plan, dict[str, Plan]]:
    loaded = load(source.plan)
    if loaded.plan is None:
        raise InvalidInput(
            "plan_not_drawable",
            reason=_first(loaded.findings),
            details={"findings": [each.model_dump(mode="json") for each in loaded.findings]},
        )
    called = {plan_id: load(text).plan for plan_id, text in source.called.items()}
    return loaded.plan, {plan_id: plan for plan_id, plan in called.items() if plan is not None}


def _first(findings: tuple[Finding, ...]) -> str:
    return f"{findings[0].line}:{findings[0].column} {findings[0].message}" if findings else "–"


# ---- how far a run has come ----------------------------------------------------------------


def without_iterations(path: Path) -> Path:
    return tuple(name for depth, name in enumerate(path) if not is_iteration(path[: depth + 1]))


def states_of(run: Run, figure: Figure) -> dict[Path, NodeState]:
    """Of every node of the plan; what is inside a node belongs to it."""
    steps: dict[Path, list[Step]] = {item.path: [] for item in figure.everything()}
    waiting: set[Path] = set()
    for step in run.steps:
        path = without_iterations(step.path)
        if path in steps:
            if not is_iteration(step.path):
                steps[path].append(step)
        elif step.status == "waiting":
            waiting.add(_known_above(path, steps))
    states = dict(_states(figure, steps, waiting, None))
    if not run.status.is_final:
        return states
    return {path: _left(state) for path, state in states.items()}


def _left(state: NodeState) -> NodeState:
    """Of a run that has ended: what was at work then has not come to its end."""
    return replace(state, status="pending") if state.status in ("waiting", "running") else state


def _known_above(path: Path, known: Mapping[Path, object]) -> Path:
    while path and path not in known:
        path = path[:-1]
    return path


def _states(
    figure: Figure, steps: Mapping[Path, list[Step]], waiting: set[Path], above: NodeState | None
) -> Iterator[tuple[Path, NodeState]]:
    for item in figure.items:
        state = _state(steps[item.path], above)
        if item.path in waiting:
            state = NodeState("waiting", state.done, state.total)
        yield item.path, state
        if item.inside is not None:
            inner = state if item.kind == "loop" or state.status == "skipped" else above
            yield from _states(item.inside, steps, waiting, inner)


def _state(steps: list[Step], above: NodeState | None) -> NodeState:
    """`above`: the loop around it. What was in iterations that have ended is forgotten."""
    if not steps:
        if above is None or above.status == "pending":
            return NOT_BEGUN
        if above.status == "skipped":
            return NodeState("skipped")
        return NodeState("succeeded", above.done, above.total) if above.done else NOT_BEGUN
    first = min(steps, key=lambda step: _FIRST.index(step.status))
    note = first.reason or (first.problem.message if first.problem else "")
    if above is not None:
        return NodeState(first.status, above.done, above.total, note=note)
    return NodeState(first.status, first.iterations, first.of, first.duration_ms, note)
