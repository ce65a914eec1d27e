"""What a picture of a plan shows: its nodes, what joins them, and how far each has come."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from sanbo.blocks.spec import text_of
from sanbo.kernel.messages import Language
from sanbo.plans.conditions import condition_text, condition_words
from sanbo.plans.dependencies import dependencies
from sanbo.plans.model import BlockNode, Call, Graph, LoopNode, Node, SubflowNode
from sanbo.plans.references import written
from sanbo.runs.model import Path

Kind = Literal["block", "form", "loop", "subflow"]
LinkKind = Literal["data", "condition", "after"]

FORMS = "ui."
"""Blocks of this group ask a person."""
DEEPEST = 6
"""Calls inside calls that are still drawn out."""


@dataclass(frozen=True)
class Item:
    path: Path
    """Node ids from the plan down; iterations of a loop are one."""
    title: str
    kind: Kind
    about: str
    """The block, the plan that is called, or what a loop goes through."""
    condition: str = ""
    inside: "Figure | None" = None


@dataclass(frozen=True)
class Link:
    source: int
    target: int
    kind: LinkKind


@dataclass(frozen=True)
class Figure:
    items: tuple[Item, ...]
    links: tuple[Link, ...]

    def everything(self) -> Iterator[Item]:
        for item in self.items:
            yield item
            if item.inside is not None:
                yield from item.inside.everything()


def figure_of(
    graph: Graph,
    called: Mapping[str, Graph] | None = None,
    language: Language | None = None,
    above: Path = (),
    calls: tuple[str, ...] = (),
) -> Figure:
    """`called`: plans by the id they are called by; one that is missing is drawn closed."""
    known = called or {}
    items = tuple(_item(node, known, language, above, calls) for node in graph.graph)
    return Figure(items, tuple(_links(graph)))


def _item(
    node: Node,
    called: Mapping[str, Graph],
    language: Language | None,
    above: Path,
    calls: tuple[str, ...],
) -> Item:
    path = (*above, node.id)
    title = text_of(node.title, language) or node.id
    condition = condition_words(node.when, language) if node.when is not None else ""

    def opened(call: Call) -> Figure | None:
        plan = called.get(call.plan_id)
        if plan is None or call.plan_id in calls or len(calls) >= DEEPEST:
            return None
        return figure_of(plan, called, language, path, (*calls, call.plan_id))

    match node:
        case BlockNode():
            kind: Kind = "form" if node.block.startswith(FORMS) else "block"
            return Item(path, title, kind, node.block, condition)
        case SubflowNode():
            return Item(path, title, "subflow", node.call.plan_id, condition, opened(node.call))
        case LoopNode():
            body = node.body
            inside = None
            if body.plan is not None:
                inside = figure_of(body.plan, called, language, path, calls)
            elif body.call is not None:
                inside = opened(body.call)
            return Item(path, title, "loop", _gone_through(node), condition, inside)


def _gone_through(loop: LoopNode) -> str:
    if loop.foreach is not None:
        return f"{loop.foreach.item_var} ← {written(loop.foreach.input)}"
    if loop.while_ is not None and loop.while_.condition is not None:
        return condition_text(loop.while_.condition)
    return ""


def _links(graph: Graph) -> Iterator[Link]:
    """Each pair once, by its strongest reason."""
    without_after = [node.model_copy(update={"after": ()}) for node in graph.graph]
    bare = [node.model_copy(update={"when": None}) for node in without_after]
    reasons: tuple[tuple[LinkKind, dict[str, frozenset[str]]], ...] = (
        ("data", dependencies(graph.model_copy(update={"graph": tuple(bare)}))),
        ("condition", dependencies(graph.model_copy(update={"graph": tuple(without_after)}))),
        ("after", dependencies(graph)),
    )
    position = {node.id: number for number, node in enumerate(graph.graph)}
    for number, node in enumerate(graph.graph):
        told: set[str] = set()
        for kind, needs in reasons:
            for source in sorted(needs[node.id] - told, key=position.__getitem__):
                told.add(source)
                if position[source] != number:
                    yield Link(position[source], number, kind)


NodeStatus = Literal["pending", "running", "waiting", "succeeded", "failed", "skipped"]
ChangeStatus = Literal["same", "added", "removed", "changed"]
"""Of a node in a picture of two plans."""

SIGNS: dict[NodeStatus | ChangeStatus, str] = {
    "pending": "○",
    "running": "▶",
    "waiting": "？",
    "succeeded": "✓",
    "failed": "✗",
    "skipped": "–",
    "same": "○",
    "added": "＋",
    "removed": "－",
    "changed": "～",
}
"""Beside the colour: not everybody sees that, and not every printer has it."""


@dataclass(frozen=True)
class Mark:
    """What a picture says of a node: how far it has come, or what has become of it."""

    status: NodeStatus | ChangeStatus
    done: int = 0
    """Of a loop: iterations that have ended."""
    total: int | None = None
    """Of a loop: how many there will be, where that is known."""
    duration_ms: int | None = None
    note: str = ""
    """Why it was skipped, or what went wrong."""

    @property
    def progress(self) -> str:
        """Such as `3/10`, or `×3` where the end is open; empty where nothing is counted."""
        if self.total is not None:
            return f"{self.done}/{self.total}"
        return f"×{self.done}" if self.done else ""


@dataclass(frozen=True)
class NodeState(Mark):
    status: NodeStatus


NOT_BEGUN = NodeState("pending")
