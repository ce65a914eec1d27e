"""A workflow of one engine block, to see it work on a real workbench without a plan around it."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

from pydantic import BaseModel, JsonValue
from typing_extensions import override

from sanbo.blocks.block import EngineBlock, EngineContext, NewFile
from sanbo.blocks.contract.catalog import Catalog
from sanbo.blocks.contract.schemas import check_inputs, check_outputs, typed_inputs
from sanbo.runs.model import FileRef, JsonObject, Run, Status
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings

T = TypeVar("T")
NODE = "node"
CATALOG = Catalog.load(None)


class OneBlockInput(BaseModel):
    block: str
    given: dict[str, JsonValue] = {}
    files: list[FileRef] = []
    """So that the run may read them; they stand in `given` as well."""


class OneBlockResult(BaseModel):
    outputs: dict[str, JsonValue]


class OneBlock(Workflow[OneBlockInput, OneBlockResult]):
    name = "one_block"
    titles: ClassVar = {"ja": "ブロックひとつ", "en": "One block"}
    descriptions: ClassVar = {"ja": "試験用", "en": "For tests"}
    input_model = OneBlockInput
    result_model = OneBlockResult

    def __init__(self, agents: Mapping[str, Workflow[Any, Any]] | None = None) -> None:
        self._agents = agents or {}

    @override
    async def advance(
        self, context: RunContext[OneBlockInput]
    ) -> Finished[OneBlockResult] | Waiting:
        spec = CATALOG.resolve(context.input.block)
        block = cast("type[EngineBlock[Any]]", CATALOG.block(spec))
        inside = EngineContext(
            run=context.at(NODE),
            agents=self._agents,
            state_key=f"plan:test::node:{NODE}::v1",
            spec=spec,
        )
        given = typed_inputs(block, spec, check_inputs(spec, context.input.given))
        made: Any = await block().run(given, inside)
        if isinstance(made, Waiting):
            return made
        kept = {port: await _kept(value, inside) for port, value in made.items()}
        return Finished(OneBlockResult(outputs=check_outputs(spec, kept)))


async def _kept(value: Any, context: EngineContext) -> Any:
    if isinstance(value, NewFile):
        made = await context.run.keep(value.name, value.media_type, value.data)
        return FileRef(
            file_id=made.artifact_id, name=made.name, size=made.size, media_type=made.media_type
        ).model_dump(mode="json")
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value)
        return {name: await _kept(item, context) for name, item in pairs.items()}
    if isinstance(value, list | tuple):
        return [await _kept(item, context) for item in cast("Sequence[Any]", value)]
    return value


def on_bench(
    settings: Settings,
    work: Callable[[Workbench], Awaitable[T]],
    agents: Sequence[Workflow[Any, Any]] = (),
    seconds: float = 60,
) -> T:
    one_block = OneBlock({agent.name: agent for agent in agents})

    async def opened() -> T:
        async with open_workbench(settings, (one_block, *agents)) as bench:
            return await asyncio.wait_for(work(bench), seconds)

    return asyncio.run(opened())


async def begin(
    bench: Workbench, block: str, given: JsonObject, files: Sequence[FileRef] = ()
) -> Run:
    """Starts it and works until it has ended or waits for a person."""
    run = await bench.start(
        LOCAL,
        OneBlock.name,
        {
            "block": block,
            "given": given,
            "files": [file.model_dump(mode="json") for file in files],
        },
    )
    return await bench.wait(LOCAL, run.run_id)


async def answer(bench: Workbench, run: Run, said: JsonObject) -> Run:
    await bench.answer(LOCAL, run.run_id, said)
    return await bench.wait(LOCAL, run.run_id)


def outputs(run: Run) -> dict[str, Any]:
    assert run.status is Status.SUCCEEDED, run.problem
    assert run.result is not None
    # pyrefly: ignore[bad-return]
    return run.result["outputs"]


async def upload(bench: Workbench, folder: Path, name: str, data: bytes | str) -> FileRef:
    path = folder / Path(name).name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return await bench.upload(LOCAL, path, name, "application/octet-stream")


def by_rules(workspace: Path) -> Settings:
    return load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
