"""A plan made ready to run: loaded, its blocks found, its conditions compiled, its policies."""

import threading
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

from pydantic import JsonValue

from sanbo.blocks.block import EngineBlock, Outlined
from sanbo.blocks.contract.catalog import BlockClass, Catalog
from sanbo.blocks.spec import BlockSpec
from sanbo.kernel.problems import InvalidInput, MissingDependency
from sanbo.plans.conditions import Compiled, compile_condition
from sanbo.plans.dependencies import dependencies, references_of
from sanbo.plans.load import load
from sanbo.plans.model import (
    Backoff,
    BlockNode,
    Call,
    Graph,
    LoopNode,
    Node,
    NodePolicy,
    Plan,
    PlanSource,
    PlanText,
    Policy,
    SubflowNode,
)
from sanbo.plans.references import Reference, reference_of
from sanbo.plans.running.masks import PortMasks, masks_of

DEFAULT = Policy()


@dataclass(frozen=True)
class Effective:
    goes_on: bool
    """Failed for good, its outputs are null and the run goes on."""
    retries: int
    backoff: Backoff
    timeout_ms: int | None

    def pause_ms(self, retry: int) -> int:
        """Before the first, second … retry."""
        seconds = self.backoff.seconds * self.backoff.factor ** (retry - 1)
        return int(min(seconds, self.backoff.max_seconds) * 1000)


def effective(own: NodePolicy, plan: Policy) -> Effective:
    on_error = own.on_error or plan.on_error
    if own.on_error is None and own.retries:  # said here, so it is meant
        on_error = "retry"
    retries = plan.retries if own.retries is None else own.retries
    return Effective(
        goes_on=on_error == "continue",
        retries=retries if on_error == "retry" else 0,
        backoff=own.backoff or plan.backoff,
        timeout_ms=plan.timeout_ms if own.timeout_ms is None else own.timeout_ms,
    )


def iterations_at_once(loop: LoopNode, plan: Policy) -> int:
    """What the loop says, and no more than the plan allows this node."""
    assert loop.foreach is not None
    own = loop.foreach.max_concurrency
    allowed = plan.concurrency.per_node.get(loop.id)
    if allowed is None:
        return own
    return min(own, allowed) if "max_concurrency" in loop.foreach.model_fields_set else allowed


MOST_DEEP = 20
"""Plans that call plans that call plans."""
MOST_KEPT = 32

_Key = tuple[tuple[tuple[str, str, str], ...], tuple[tuple[str, str], ...], int]


@dataclass(frozen=True)
class PreparedBlock:
    spec: BlockSpec
    block: BlockClass
    masks: PortMasks

    @cached_property
    def reference(self) -> str:
        return self.spec.reference

    @cached_property
    def needs_engine(self) -> bool:
        return issubclass(self.block, EngineBlock)

    @cached_property
    def has_outline(self) -> bool:
        own = self.block.outline
        return own.__func__ is not Outlined.outline.__func__


@dataclass(frozen=True)
class PreparedNode:
    node: Node
    needs: frozenset[str]
    policy: Effective
    reads: tuple[Reference, ...] = ()
    """With what its body reads, if it has one."""
    inputs: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Of a block, as written."""
    when: Compiled | None = None
    again: Compiled | None = None
    """The condition of a `while`."""
    block: PreparedBlock | None = None
    inner: "PreparedGraph | None" = None
    """What a loop repeats, or what a subflow calls."""
    calls: Call | None = None
    """Where `inner` is another plan: with variables of its own, and none of this one's."""
    ports: Mapping[str, str] = field(default_factory=dict[str, str])
    """The port behind each name in `out`."""


@dataclass(frozen=True)
class PreparedGraph:
    graph: Graph
    plan_id: str
    policy: Policy
    nodes: Mapping[str, PreparedNode]
    readers: Mapping[str, tuple[str, ...]]
    """By node: those that wait for it."""
    exports: Mapping[str, Reference]

    @cached_property
    def leaving(self) -> tuple[Reference, ...]:
        """What comes out of a loop's body: its exports or, without any, all that its nodes give."""
        return tuple(self.exports.values()) or tuple(map(reference_of, self.nodes))

    @property
    def variables(self) -> Mapping[str, JsonValue]:
        return self.graph.vars


NO_GRAPH = PreparedGraph(Graph(), "", DEFAULT, {}, {}, {})


def plan_of(text: PlanText) -> Plan:
    """The plan of a text that was validated before its run began."""
    return _plan_of(text.text, text.file)


@lru_cache(maxsize=64)
def _plan_of(text: str, file: str) -> Plan:
    loaded = load(PlanText(text=text, file=file))
    if loaded.plan is None:
        raise InvalidInput("plan_unreadable", file=file)
    return loaded.plan


class Preparation:
    """Of one source with one catalog; `pinned` are the versions that a run has begun with."""

    def __init__(self, source: PlanSource, catalog: Catalog, pinned: Mapping[str, str]) -> None:
        self._source = source
        self._catalog = catalog
        self._pinned = pinned
        self._called: dict[str, PreparedGraph] = {}
        self._blocks: dict[str, PreparedBlock] = {}

    def plan(self) -> PreparedGraph:
        plan = plan_of(self._source.plan)
        return self._graph(plan, plan.id, plan.policy or DEFAULT, 0)

    def _graph(self, graph: Graph, plan_id: str, policy: Policy, depth: int) -> PreparedGraph:
        needs = dependencies(graph)
        nodes = {
            node.id: self._node(node, needs[node.id], plan_id, policy, depth)
            for node in graph.graph
        }
        readers: dict[str, list[str]] = {name: [] for name in nodes}
        for name, wanted in needs.items():
            for each in wanted:
                readers[each].append(name)
        return PreparedGraph(
            graph=graph,
            plan_id=plan_id,
            policy=policy,
            nodes=nodes,
            readers={name: tuple(found) for name, found in readers.items()},
            exports={each.as_: reference_of(each.from_) for each in graph.exports},
        )

    def _node(
        self, node: Node, needs: frozenset[str], plan_id: str, policy: Policy, depth: int
    ) -> PreparedNode:
        made = PreparedNode(
            node=node,
            needs=needs,
            policy=effective(node.policy, policy),
            reads=tuple(references_of(node)),
            when=compile_condition(node.when) if node.when else None,
        )
        match node:
            case BlockNode():
                return replace(
                    made,
                    block=self._block(node.block),
                    inputs=dict(node.in_),
                    ports={name: port for port, name in node.out.items()},
                )
            case SubflowNode():
                return replace(made, inner=self._call(node.call, depth), calls=node.call)
            case LoopNode():
                return self._loop(made, node, plan_id, policy, depth)

    def _loop(
        self, made: PreparedNode, loop: LoopNode, plan_id: str, policy: Policy, depth: int
    ) -> PreparedNode:
        again = compile_condition(loop.while_.condition) if loop.while_ else None
        if loop.body.call is not None:
            inner = self._call(loop.body.call, depth)
            return replace(made, again=again, inner=inner, calls=loop.body.call)
        body = loop.body.plan or Graph()
        inner = self._graph(body, plan_id, body.policy or policy, depth)
        return replace(made, again=again, inner=inner)

    def _call(self, call: Call, depth: int) -> PreparedGraph:
        if depth >= MOST_DEEP:
            raise InvalidInput("plan_calls_too_deep", plan_id=call.plan_id, limit=MOST_DEEP)
        if call.plan_id not in self._called:
            text = self._source.called.get(call.plan_id)
            if text is None:
                raise MissingDependency("called_plan_gone", plan_id=call.plan_id)
            plan = plan_of(text)
            self._called[call.plan_id] = self._graph(
                plan, plan.id, plan.policy or DEFAULT, depth + 1
            )
        return self._called[call.plan_id]

    def _block(self, reference: str) -> PreparedBlock:
        if reference not in self._blocks:
            spec = self._catalog.resolve(self._pinned.get(reference, reference))
            block = self._catalog.block(spec)
            self._blocks[reference] = PreparedBlock(spec, block, masks_of(spec))
        return self._blocks[reference]


class PreparedPlans:
    """The plans of late: a run that waits is taken up again with every answer."""

    def __init__(self) -> None:
        self._kept: OrderedDict[_Key, tuple[Catalog, PreparedGraph]] = OrderedDict()
        self._lock = threading.Lock()

    def of(self, source: PlanSource, catalog: Catalog, pinned: Mapping[str, str]) -> PreparedGraph:
        texts = (("", source.plan), *sorted(source.called.items()))
        plans = tuple((name, text.text, text.file) for name, text in texts)
        # The catalog is kept with it, so that its number is not another's later.
        key = (plans, tuple(sorted(pinned.items())), id(catalog))
        with self._lock:
            if key not in self._kept:
                plan = Preparation(source, catalog, pinned).plan()
                self._kept[key] = (catalog, plan)
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key][1]


def pinned_versions(source: PlanSource, catalog: Catalog) -> dict[str, str]:
    """The exact version of every block that the plans refer to, by how they refer to it."""
    found: dict[str, str] = {}
    for text in (source.plan, *source.called.values()):
        for reference in _blocks_in(plan_of(text)):
            if reference not in found:
                found[reference] = catalog.resolve(reference).reference
    return found


def _blocks_in(graph: Graph) -> list[str]:
    found: list[str] = []
    for node in graph.graph:
        match node:
            case BlockNode():
                found.append(node.block)
            case LoopNode() if node.body.plan is not None:
                found += _blocks_in(node.body.plan)
            case _:
                pass
    return found
