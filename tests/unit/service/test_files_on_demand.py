"""Files that a run offers: made when somebody asks, once, and kept with the run."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest
from pydantic import BaseModel
from typing_extensions import override

from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, Run, Status
from sanbo.runs.workflow import Finished, RunContext, Workflow
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings


class Nothing(BaseModel):
    pass


class Bakery(Workflow[Nothing, Nothing]):
    """Keeps the dough, and bakes for whoever asks."""

    name = "bakery"
    titles: ClassVar = {"ja": "パン屋", "en": "Bakery"}
    descriptions: ClassVar = {"ja": "注文を受けて焼きます。", "en": "Bakes to order."}
    input_model = Nothing
    result_model = Nothing

    def __init__(self, *, in_memory: bool = False) -> None:
        self.baked: list[str] = []
        self.in_memory = in_memory

    @override
    async def advance(self, context: RunContext[Nothing]) -> Finished[Nothing]:
        dough = await context.keep("dough.txt", "text/plain", b"dough", in_memory=self.in_memory)
        await context.offer("bread.txt", "text/plain", (dough.artifact_id,), at=("oven",))
        return Finished(Nothing())

    @override
    async def make_file(self, run: Run, artifact: Artifact, sources: Sequence[bytes]) -> bytes:
        await asyncio.sleep(0.01)
        self.baked.append(artifact.name)
        return b"baked " + b"".join(sources)

    @override
    def keeps_in_memory(self, settings: Settings) -> bool:
        return self.in_memory


def on_disk(workspace: Path) -> Settings:
    return load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})


async def finished(bench: Workbench) -> Run:
    started = await bench.start(LOCAL, "bakery", {})
    run = await bench.wait(LOCAL, started.run_id)
    assert run.status is Status.SUCCEEDED, run.problem
    return run


def blobs_in(workspace: Path) -> set[bytes]:
    return {path.read_bytes() for path in (workspace / "blobs").glob("??/*")}


def test_it_is_offered_at_once_and_made_once_for_all_who_ask(tmp_path: Path) -> None:
    bakery = Bakery()

    async def work() -> None:
        async with open_workbench(on_disk(tmp_path), (bakery,)) as bench:
            run = await finished(bench)
            dough, bread = run.artifacts
            assert (bread.name, bread.size, bread.made_of) == (
                "bread.txt",
                0,
                (dough.artifact_id,),
            )
            assert bread.path == ("oven",)
            assert bakery.baked == []
            asked = [bench.artifact_bytes(LOCAL, run.run_id, bread.artifact_id) for _ in range(3)]
            assert await asyncio.gather(*asked) == [b"baked dough"] * 3
            assert bakery.baked == ["bread.txt"]

    asyncio.run(work())


def test_after_a_restart_it_is_made_again_and_is_deleted_with_its_run(tmp_path: Path) -> None:
    async def begun() -> Run:
        async with open_workbench(on_disk(tmp_path), (Bakery(),)) as bench:
            return await finished(bench)

    async def later(run: Run) -> None:
        async with open_workbench(on_disk(tmp_path), (Bakery(),)) as bench:
            bread = run.artifacts[-1].artifact_id
            assert await bench.artifact_bytes(LOCAL, run.run_id, bread) == b"baked dough"
            assert b"baked dough" in blobs_in(tmp_path)
            await bench.delete(LOCAL, run.run_id)
            assert not blobs_in(tmp_path)
            with pytest.raises(NotFound):
                await bench.artifact(LOCAL, run.run_id, bread)

    asyncio.run(later(asyncio.run(begun())))


def test_what_was_removed_behind_our_back_is_made_anew_or_said_to_be_gone(tmp_path: Path) -> None:
    async def work() -> None:
        bakery = Bakery()
        async with open_workbench(on_disk(tmp_path), (bakery,)) as bench:
            run = await finished(bench)
            bread = run.artifacts[-1].artifact_id
            _, made = await bench.artifact(LOCAL, run.run_id, bread)
            assert isinstance(made, Path)
            made.unlink()
            assert await bench.artifact_bytes(LOCAL, run.run_id, bread) == b"baked dough"
            assert len(bakery.baked) == 2
            for path in (tmp_path / "blobs").rglob("*"):
                if path.is_file():
                    path.unlink()
            with pytest.raises(NotFound) as gone:
                await bench.artifact(LOCAL, run.run_id, bread)
            assert gone.value.problem.text_id == "artifact_sources_gone"

    asyncio.run(work())


def test_of_data_kept_in_memory_nothing_is_written_to_disk(tmp_path: Path) -> None:
    async def work() -> None:
        async with open_workbench(on_disk(tmp_path), (Bakery(in_memory=True),)) as bench:
            run = await finished(bench)
            bread = run.artifacts[-1].artifact_id
            _, made = await bench.artifact(LOCAL, run.run_id, bread)
            assert made == b"baked dough"
            assert not blobs_in(tmp_path)

    asyncio.run(work())
