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
from sanbo.plans.dependencies import aliases_of, dependencies, references_of, required_values
from sanbo.plans.load import load
from sanbo.plans.model import (
    MOST_AT_ONCE,
    Backoff,
    BlockNode,
    Call,
    Graph,
    LoopNode,
    Node,
    OnWarning,
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
    on_warning: OnWarning = "continue"

    def pause_ms(self, retry: int) -> int:
        """Before the first, second … retry."""
        seconds = self.backoff.seconds * self.backoff.factor ** (retry - 1)
        return int(min(seconds, self.backoff.max_seconds) * 1000)


def effective(node: Node, plan: Policy) -> Effective:
    """A node's own policy takes the place of the plan's whole."""
    own = node.policy
    on_error, retries, timeout_ms = plan.on_error, plan.retries, plan.timeout_ms
    if "policy" in node.model_fields_set:
        on_error = own.on_error or ("retry" if own.retries else "halt")
        retries, timeout_ms = own.retries or 0, own.timeout_ms
    return Effective(
        goes_on=on_error == "continue",
        retries=0 if on_error == "halt" else retries,
        backoff=own.backoff or plan.backoff,
        timeout_ms=timeout_ms,
        on_warning=own.on_warning or plan.on_warning,
    )


def iterations_at_once(loop: LoopNode, plan: Policy) -> int:
    """What the loop says, and no more than the plan allows this node."""
    assert loop.foreach is not None
    own = min(loop.foreach.max_concurrency, MOST_AT_ONCE)
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
    required: tuple[JsonValue, ...] = ()
    """What it can't do without, as written."""


@dataclass(frozen=True)
class PreparedGraph:
    graph: Graph
    plan_id: str
    policy: Policy
    nodes: Mapping[str, PreparedNode]
    readers: Mapping[str, tuple[str, ...]]
    """By node: those that wait for it."""
    exports: Mapping[str, tuple[Reference, ...]]
    """By name what it stands for; where two branches give it, the one that gave something."""

    @cached_property
    def leaving(self) -> tuple[Reference, ...]:
        """What comes out of it."""
        return tuple(each for several in self.exports.values() for each in several)

    def up_to(self, name: str) -> "PreparedGraph":
        """This node and what it needs, however far before it; what it gives is what comes out."""
        wanted, waiting = {name}, [name]
        while waiting:
            more = self.nodes[waiting.pop()].needs - wanted
            wanted |= more
            waiting += more
        last = self.nodes[name]
        ports = {port: alias for alias, port in last.ports.items()}
        names = [ports.get(port, port) for port in last.block.spec.outputs] if last.block else []
        inner = () if last.inner is None else last.inner.exports
        names = names or list(aliases_of(last.node, inner))
        return replace(
            self,
            nodes={each: node for each, node in self.nodes.items() if each in wanted},
            readers={
                each: tuple(reader for reader in self.readers[each] if reader in wanted)
                for each in wanted
            },
            exports={
                each: (Reference(f"${{{name}.{each}}}", name, (each,)),)
                for each in dict.fromkeys(names)
            },
        )

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
            exports=_exports(graph, nodes),
        )

    def _node(
        self, node: Node, needs: frozenset[str], plan_id: str, policy: Policy, depth: int
    ) -> PreparedNode:
        made = PreparedNode(
            node=node,
            needs=needs,
            policy=effective(node, policy),
            reads=tuple(references_of(node)),
            when=compile_condition(node.when) if node.when else None,
        )
        match node:
            case BlockNode():
                block = self._block(node.block)
                return replace(
                    made,
                    block=block,
                    inputs=block.block.as_written(dict(node.in_)),
                    ports={name: port for port, name in node.out.items()},
                    required=required_values(node, block.spec, {}),
                )
            case SubflowNode():
                inner = self._call(node.call, depth)
                required = required_values(node, None, inner.variables)
                return replace(made, inner=inner, calls=node.call, required=required)
            case LoopNode():
                return self._loop(made, node, plan_id, policy, depth)

    def _loop(
        self, made: PreparedNode, loop: LoopNode, plan_id: str, policy: Policy, depth: int
    ) -> PreparedNode:
        condition = loop.while_.condition if loop.while_ else None
        again = compile_condition(condition) if condition else None
        made = replace(made, required=required_values(loop, None, {}))
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


def _exports(
    graph: Graph, nodes: Mapping[str, PreparedNode]
) -> Mapping[str, tuple[Reference, ...]]:
    """Those that are written or, without any, the names that the nodes give to their outputs."""
    if graph.exports:
        return {each.as_: (reference_of(each.from_),) for each in graph.exports}
    found: dict[str, tuple[Reference, ...]] = {}
    for name, node in nodes.items():
        inner = () if node.inner is None else node.inner.exports
        for alias in aliases_of(node.node, inner):
            reference = Reference(f"${{{name}.{alias}}}", name, (alias,))
            found[alias] = (*found.get(alias, ()), reference)
    return found


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
