"""What a dry run tells of every node, and of both ways of every branch: a node skipped, a loop
with nothing to do, and who feels it.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from heapq import heappop, heappush
from itertools import islice
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.blocks.contract.schemas import check_inputs
from sanbo.kernel.problems import InvalidInput
from sanbo.plans.conditions import compile_condition, condition_text
from sanbo.plans.dependencies import (
    dependencies,
    lost_among,
    references_of_condition,
    required_values,
)
from sanbo.plans.dry_running.samples import NoSample, Outputs, Stage
from sanbo.plans.model import BlockNode, Condition, Finding, LoopNode, Node, SubflowNode
from sanbo.plans.references import BadReference, Reference, Unreachable, references_in, resolve
from sanbo.plans.validating.outputs import COLLECT, COMPLETED, ITERATIONS, RESULTS
from sanbo.plans.validating.scope import Site, absence_of
from sanbo.tables.expressions.syntax import ExpressionRefused

Outcome = Literal["accepts", "skipped", "fails"]
"""What a reader does with nothing: it works on, it is skipped itself, or it fails."""


class Reported(BaseModel):
    model_config = ConfigDict(frozen=True)


class Consequence(Reported):
    """What another case means to a node that reads from it."""

    node: str
    outcome: Outcome
    reads: tuple[str, ...] = ()
    """The references that would be null, or that would no longer lead anywhere."""
    reason: str = ""


class Case(Reported):
    """A way that a run may take at a node, beside the one that its samples take."""

    kind: Literal["taken", "skipped", "empty", "not_entered"]
    is_sampled: bool
    """Whether the samples themselves lead here."""
    condition: str = ""
    consequences: tuple[Consequence, ...] = ()


class NodeReport(Reported):
    node: str
    """Path of node ids: `each_file/analyze_file`."""
    type: Literal["block", "loop", "subflow"]
    block: str = ""
    inputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    outputs: dict[str, JsonValue] = Field(default_factory=dict[str, JsonValue])
    """By the names they are read by; long values are shortened, files have no bytes."""
    cases: tuple[Case, ...] = ()
    findings: tuple[Finding, ...] = ()


class DryRunReport(Reported):
    valid: bool
    findings: tuple[Finding, ...]
    """Of the validator and of the dry run, by file and line."""
    nodes: tuple[NodeReport, ...] = ()
    """In an order in which they could run."""


def of_foreach(loop: LoopNode, exports: Outputs) -> Outputs:
    return {RESULTS: [dict(exports)], ITERATIONS: 1, **_collected(loop, exports)}


def of_while(loop: LoopNode, exports: Outputs) -> Outputs:
    return {**exports, **_collected(loop, exports), ITERATIONS: 1, COMPLETED: True}


def of_nothing(loop: LoopNode, sampled: Outputs) -> Outputs:
    """No entry to go over, or a condition that does not hold at once."""
    collected: Outputs = {name: [] for name in (*loop.out.collect, COLLECT)}
    if loop.foreach is not None:
        return {RESULTS: [], ITERATIONS: 0, **collected}
    last: Outputs = dict.fromkeys(sampled)
    return {**last, ITERATIONS: 0, COMPLETED: True, **collected}


def _collected(loop: LoopNode, exports: Outputs) -> Outputs:
    is_named = loop.body.plan is not None and not loop.body.plan.exports
    lists: Outputs = {
        name: [dict(exports) if is_named else exports[name]]
        for name in loop.out.collect
        if is_named or name in exports
    }
    return {**lists, COLLECT: next(iter(lists.values()))} if lists else {}


MOST_CONSEQUENCES = 30
"""Of one case: in a long row of steps each would be told of all that come after it."""


class Readers:
    """Who reads whom in one graph, and in which order they run."""

    def __init__(self, stage: Stage, order: Sequence[Node]) -> None:
        self._position = {node.id: position for position, node in enumerate(order)}
        self._order = order
        self._readers: dict[str, list[int]] = {}
        for name, needed in dependencies(stage.scope.graph).items():
            for each in needed:
                if name in self._position:
                    self._readers.setdefault(each, []).append(self._position[name])

    def in_turn(self, node: Node, changed: set[str]) -> Iterator[Node]:
        """Readers of a node, then of those that are added to `changed` on the way."""
        waiting: list[int] = []
        asked: set[str] = set()
        seen: set[int] = {self._position.get(node.id, -1)}
        while True:
            for name in changed - asked:
                asked.add(name)
                for position in self._readers.get(name, ()):
                    if position not in seen:
                        seen.add(position)
                        heappush(waiting, position)
            if not waiting:
                return
            yield self._order[heappop(waiting)]


def cases_of(node: Node, stage: Stage, site: Site, readers: Readers) -> tuple[Case, ...]:
    return (*_of_when(node, stage, site, readers), *_of_loop(node, stage, site, readers))


def _of_when(node: Node, stage: Stage, site: Site, readers: Readers) -> Iterator[Case]:
    if node.when is None:
        return
    holds = _asked(node.when, stage, site)
    text = condition_text(node.when)
    consequences = tuple(_consequences(node, None, stage, readers))
    yield Case(kind="taken", is_sampled=holds is not False, condition=text)
    yield Case(
        kind="skipped",
        is_sampled=holds is False,
        condition=text,
        consequences=consequences,
    )
    if absence_of(node, stage.scope) == "skipped":
        _tell_failing("skipping_breaks", consequences, site, "when")


def _of_loop(node: Node, stage: Stage, site: Site, readers: Readers) -> Iterator[Case]:
    if not isinstance(node, LoopNode):
        return
    sampled = stage.outputs.get(node.id) or {}
    consequences = tuple(_consequences(node, of_nothing(node, sampled), stage, readers))
    if node.while_ is not None and node.while_.condition is None:
        return
    if node.while_ is None or node.while_.condition is None:
        yield Case(kind="empty", is_sampled=False, consequences=consequences)
        _tell_failing("empty_breaks", consequences, site, "foreach")
        return
    yield Case(
        kind="not_entered",
        is_sampled=False,
        condition=condition_text(node.while_.condition),
        consequences=consequences,
    )
    _tell_failing("not_entered_breaks", consequences, site, "while")


def _asked(condition: Condition, stage: Stage, site: Site) -> bool | None:
    """What the samples answer; None where they can't."""
    try:
        return compile_condition(condition).holds(stage.look_up)
    except InvalidInput as error:
        site.warn("condition_undecided", "when", reason=error.problem.message)
    except (NoSample, Unreachable, BadReference, ExpressionRefused):
        return None
    return None


def _tell_failing(code: str, consequences: tuple[Consequence, ...], site: Site, where: str) -> None:
    failing = [each for each in consequences if each.outcome == "fails"]
    if failing:
        nodes = ", ".join(each.node for each in failing)
        site.warn(code, where, nodes=nodes, reason=failing[0].reason)


# ---- who feels it --------------------------------------------------------------------------


def _consequences(
    node: Node, instead: Outputs | None, stage: Stage, readers: Readers
) -> Iterator[Consequence]:
    """Of every node that reads it; one that is skipped then has consequences itself."""
    other = replace(stage, outputs={**stage.outputs, node.id: instead})
    changed = {node.id}
    skipped = {node.id} if instead is None else set[str]()
    for reader in islice(readers.in_turn(node, changed), MOST_CONSEQUENCES):
        reads = _reads(reader, changed)
        outcome: Outcome = "accepts"
        if reads:
            is_alike = instead is None and reader.when is not None and reader.when == node.when
            needed = _required(reader, stage)
            is_alike = is_alike or bool(lost_among(needed, skipped.__contains__))
            outcome, reason = ("skipped", "") if is_alike else _outcome(reader, other)
            path = stage.path_of(reader)
            yield Consequence(node=path, outcome=outcome, reads=reads, reason=reason)
        goes_on = stage.scope.on_error(reader) == "continue"
        if outcome == "skipped":
            skipped.add(reader.id)
        if outcome == "skipped" or (outcome == "fails" and goes_on):
            other.outputs[reader.id] = None
            changed.add(reader.id)
        elif outcome == "accepts" and reader.id in stage.bodies:
            yield from _inside(stage.bodies[reader.id], changed, other, skipped)


def _required(node: Node, stage: Stage) -> tuple[JsonValue, ...]:
    spec = stage.scope.surroundings.spec(node.block) if isinstance(node, BlockNode) else None
    called = stage.scope.called.get(node.call.plan_id) if isinstance(node, SubflowNode) else None
    return required_values(node, spec, called.graph.vars if called else {})


def _reads(node: Node, names: Set[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.text for each in _references(node) if each.root in names))


def _outcome(node: Node, stage: Stage) -> tuple[Outcome, str]:
    try:
        if node.when is not None and not compile_condition(node.when).holds(stage.look_up):
            return "skipped", ""
        _try(node, stage)
    except InvalidInput as error:
        return "fails", error.problem.message
    except (Unreachable, NoSample, BadReference, ExpressionRefused):
        return "accepts", ""
    return "accepts", ""


def _try(node: Node, stage: Stage) -> None:
    match node:
        case BlockNode():
            spec = stage.scope.surroundings.spec(node.block)
            given = {
                name: resolve(value, partial(_found, stage)) for name, value in node.in_.items()
            }
            if spec is not None:
                check_inputs(spec, {name: given[name] for name in given if name in spec.inputs})
        case _:
            pass


def _found(stage: Stage, reference: Reference) -> JsonValue:
    try:
        return stage.look_up(reference)
    except Unreachable:
        return None


def _inside(
    body: Stage, changed: Set[str], around: Stage, skipped: Set[str]
) -> Iterator[Consequence]:
    """Of the nodes of a loop that reads it, and of the loops in that."""
    inside = replace(body, outer=around, resolved={})
    names = changed - inside.scope.nodes.keys()
    for name, node in inside.scope.nodes.items():
        reads = _reads(node, names)
        if reads and name in inside.outputs:
            is_lost = lost_among(_required(node, inside), (skipped & names).__contains__)
            outcome, reason = ("skipped", "") if is_lost else _outcome(node, inside)
            path = inside.path_of(node)
            yield Consequence(node=path, outcome=outcome, reads=reads, reason=reason)
        if name in inside.bodies:
            yield from _inside(inside.bodies[name], names, inside, skipped)


def _references(node: Node) -> Iterator[Reference]:
    """What a node itself reads; a loop's body is looked into on its own."""
    values: list[JsonValue] = []
    match node:
        case BlockNode():
            values.extend(node.in_.values())
        case LoopNode():
            values.append(node.foreach.input if node.foreach else None)
        case _:
            values.extend(node.call.inputs.values())
    for value in values:
        yield from (found for found, _ in references_in(value))
    if node.when is not None:
        yield from references_of_condition(node.when)
