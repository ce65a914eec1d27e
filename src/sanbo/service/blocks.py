"""The blocks that plans can use, for front ends: what there is, and each one's contract."""

from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, JsonValue

from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.reference import PortLine, port_lines
from sanbo.blocks.contract.samples import sample_text
from sanbo.blocks.contract.schema_failures import type_words
from sanbo.blocks.spec import BlockSpec, Port, text_of
from sanbo.kernel.problems import Problem

__all__ = [
    "BlockDetail",
    "BlockInfo",
    "BlocksFound",
    "PortLine",
    "describe_blocks",
    "find_block",
    "list_blocks",
]


class Shown(BaseModel):
    model_config = ConfigDict(frozen=True)


class BlockInfo(Shown):
    id: str
    version: str
    """The newest one."""
    versions: tuple[str, ...]
    """All, newest first."""
    description: str
    deprecated: str = ""
    """What to use instead, where it is kept for old plans."""
    is_own: bool = False
    """Whether it is the workspace's."""


class BlocksFound(Shown):
    blocks: tuple[BlockInfo, ...]
    problems: tuple[Problem, ...]
    """Contracts of the workspace that could not be read."""


class PortDetail(Shown):
    description: str
    type: str
    """In a word, as people read it."""
    required: bool
    default: JsonValue = None
    examples: tuple[JsonValue, ...] = ()
    json_schema: Mapping[str, JsonValue]


class SampleShown(Shown):
    inputs: Mapping[str, JsonValue]
    outputs: Mapping[str, JsonValue]


class BlockDetail(BlockInfo):
    inputs: Mapping[str, PortDetail]
    outputs: Mapping[str, PortDetail]
    input_lines: tuple[PortLine, ...] = Field(exclude=True)
    output_lines: tuple[PortLine, ...] = Field(exclude=True)
    samples: tuple[SampleShown, ...]
    sample_texts: tuple[str, ...] = Field(exclude=True)
    """As YAML, to be read."""
    requirements: tuple[str, ...]


def list_blocks(workspace: Path | None) -> BlocksFound:
    catalog = Catalog.load(workspace)
    newest = [catalog.resolve(block_id) for block_id in catalog.ids]
    broken = [problem for spec in catalog.own if (problem := catalog.unloadable(spec))]
    return BlocksFound(
        blocks=tuple(_info(catalog, spec) for spec in newest),
        problems=(*catalog.problems, *broken),
    )


def find_block(workspace: Path | None, reference: str) -> BlockDetail:
    """`id` or `id@range`; `NotFound` with the nearest ids."""
    catalog = Catalog.load(workspace)
    return _detail(catalog, catalog.resolve(reference))


def describe_blocks(workspace: Path | None) -> tuple[BlockDetail, ...]:
    """The newest version of each, by id."""
    catalog = Catalog.load(workspace)
    return tuple(_detail(catalog, catalog.resolve(block_id)) for block_id in catalog.ids)


def _detail(catalog: Catalog, spec: BlockSpec) -> BlockDetail:
    return BlockDetail(
        **_info(catalog, spec).model_dump(),
        inputs=_ports(spec.inputs),
        outputs=_ports(spec.outputs),
        input_lines=tuple(port_lines(spec, "inputs")),
        output_lines=tuple(port_lines(spec, "outputs")),
        samples=tuple(
            SampleShown(inputs=each.inputs, outputs=each.outputs) for each in spec.dry_run.samples
        ),
        sample_texts=tuple(sample_text(each) for each in spec.dry_run.samples),
        requirements=spec.requirements,
    )


def _info(catalog: Catalog, spec: BlockSpec) -> BlockInfo:
    return BlockInfo(
        id=spec.id,
        version=str(spec.version),
        versions=tuple(str(each.version) for each in catalog.versions(spec.id)),
        description=text_of(spec.description),
        deprecated=text_of(spec.deprecated),
        is_own=catalog.is_own(spec),
    )


def _ports(ports: Mapping[str, Port]) -> dict[str, PortDetail]:
    return {
        name: PortDetail(
            description=text_of(port.description),
            type=type_words(port.schema_),
            required=port.required,
            default=port.default,
            examples=port.examples,
            json_schema=port.schema_,
        )
        for name, port in ports.items()
    }
