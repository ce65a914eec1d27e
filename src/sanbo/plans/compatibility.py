"""What a new major version of a block means for a plan: which nodes, and what in them breaks."""

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict
from semver import Version

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.spec import BlockSpec, Port
from sanbo.kernel.messages import tell
from sanbo.plans.dependencies import references_of
from sanbo.plans.model import BlockNode, Graph, LoopNode, PlanSource
from sanbo.plans.references import reference_of
from sanbo.plans.running.plan import plan_of
from sanbo.runs.model import Path

BreakKind = Literal["input_gone", "input_changed", "input_needed", "output_gone"]


class Break(BaseModel):
    model_config = ConfigDict(frozen=True)

    kind: BreakKind
    port: str
    sentence: str


class Upgrade(BaseModel):
    """A node whose block there is in a newer major version than it was saved with."""

    model_config = ConfigDict(frozen=True)

    plan_id: str
    node: Path
    block: str
    used: str
    newest: str
    is_pinned: bool
    """The plan names a version itself, and so stays with it."""
    breaks: tuple[Break, ...]
    """Nothing: what the node uses is as it was."""


def upgrades_of(
    source: PlanSource, blocks: Mapping[str, str], catalog: Catalog
) -> tuple[Upgrade, ...]:
    """`blocks`: the versions that it was saved with, by reference."""
    texts = {plan_of(source.plan).id: source.plan, **source.called}
    return tuple(
        found
        for plan_id, text in texts.items()
        for found in _in_graph(plan_of(text), (), plan_id, blocks, catalog)
    )


def _in_graph(
    graph: Graph, at: Path, plan_id: str, blocks: Mapping[str, str], catalog: Catalog
) -> Iterator[Upgrade]:
    for node in graph.graph:
        here = (*at, node.id)
        if isinstance(node, LoopNode) and node.body.plan is not None:
            yield from _in_graph(node.body.plan, here, plan_id, blocks, catalog)
        if not isinstance(node, BlockNode) or node.block not in blocks:
            continue
        block_id, _, used = blocks[node.block].partition("@")
        versions = [each for each in catalog.versions(block_id) if not each.version.prerelease]
        if not versions or versions[0].version.major <= Version.parse(used).major:
            continue
        before = next((each for each in versions if str(each.version) == used), None)
        yield Upgrade(
            plan_id=plan_id,
            node=here,
            block=block_id,
            used=used,
            newest=str(versions[0].version),
            is_pinned="@" in node.block,
            breaks=tuple(_breaks(node, graph, before, versions[0])),
        )


def _breaks(
    node: BlockNode, graph: Graph, before: BlockSpec | None, newest: BlockSpec
) -> Iterator[Break]:
    known: Mapping[str, Port] = before.inputs if before is not None else {}
    for port in node.in_:
        if port not in newest.inputs:
            yield _break("input_gone", port)
        elif port in known and known[port].schema_ != newest.inputs[port].schema_:
            yield _break("input_changed", port)
    for port, declared in newest.inputs.items():
        if declared.required and not declared.has_default and port not in node.in_:
            yield _break("input_needed", port)
    for port in sorted(_read(node, graph)):
        if port not in newest.outputs:
            yield _break("output_gone", port)


def _break(kind: BreakKind, port: str) -> Break:
    return Break(kind=kind, port=port, sentence=tell(f"plan_upgrade.{kind}", port=port))


def _read(node: BlockNode, graph: Graph) -> set[str]:
    """The output ports that the plan names or reads."""
    ports = {alias: port for port, alias in node.out.items()}
    read = [each for other in graph.graph for each in references_of(other)]
    read += [reference_of(export.from_) for export in graph.exports]
    names = {str(each.keys[0]) for each in read if each.root == node.id and each.keys}
    return {ports.get(name, name) for name in names} | set(node.out)
