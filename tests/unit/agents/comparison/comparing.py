"""Comparisons on a real workbench: with rules, or with a scripted model."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import override

from sanbo.agents.comparison.material import Compared
from sanbo.agents.comparison.model import Alignment, Candidate, Doubt, Link, Side
from sanbo.agents.comparison.workflow import Comparison
from sanbo.runs.model import Artifact, FileRef, JsonObject, Run
from sanbo.runs.model import Status as RunStatus
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import Json, Reply, Request, ScriptedModel, Tool, ToolCalls
from tests.scripted_model.replies import Status

T = TypeVar("T")

OLD = "\n\n".join(
    [
        "この契約は、甲が乙に清掃の業務を委託する条件を定めるものです。",
        "乙は、毎月10日までに前月の作業の報告書を甲に提出しなければなりません。",
        "甲は、報告書を受け取ったときは、月額30万円を翌月末までに支払います。",
        "乙は、甲の承諾なしに業務を第三者に再委託することができません。",
        "この契約の期間は、2024年4月1日から1年間とします。",
    ]
)
NEW = "\n\n".join(
    [
        "この契約は、甲が乙に清掃の業務を委託する条件を定めるものです。",
        "乙は、毎月5日までに前月の作業の報告書を甲に電子メールで提出しなければなりません。",
        "甲は、報告書を受け取ったときは、月額33万円を翌月末までに支払います。",
        "乙は、甲に通知すれば、業務の一部を第三者に再委託することができます。",
        "この契約の期間は、2024年4月1日から1年間とします。",
    ]
)


class Talker(ScriptedModel):
    """Leaves every sheet open, so that it is asked about one chunk after the other."""

    def __init__(self) -> None:
        super().__init__()
        self.looked_over: list[Request] = []

    @override
    def next_reply(self, request: Request, wrong_key: Status) -> Reply:
        if request.schema is None:
            return super().next_reply(request, wrong_key)
        self.looked_over.append(request)
        return Json({"decisions": []})


def rules(workspace: Path) -> Settings:
    return load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})


def with_model(workspace: Path, model: ScriptedModel) -> Settings:
    return load_settings(workspace, {}).model_copy(update={"llm": model.settings()})


def on_bench(settings: Settings, work: Callable[[Workbench], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with open_workbench(settings, (Comparison(),)) as bench:
            return await asyncio.wait_for(work(bench), PATIENCE_SECONDS)

    return asyncio.run(opened())


async def give(bench: Workbench, name: str, data: bytes) -> JsonObject:
    file: FileRef = await bench.upload(LOCAL, data, name, "application/octet-stream")
    return file.model_dump(mode="json")


async def compare(bench: Workbench, **given: Any) -> Run:
    """To its end, however it ends."""
    started = await bench.start(LOCAL, "comparison", given, language="ja")
    return await bench.wait(LOCAL, started.run_id)


def compared(settings: Settings, **given: Any) -> Run:
    run = on_bench(settings, lambda bench: compare(bench, **given))
    assert run.status is RunStatus.SUCCEEDED, run.problem
    return run


def compared_files(settings: Settings, old: dict[str, bytes], new: dict[str, bytes]) -> Run:
    async def work(bench: Workbench) -> Run:
        sides = {
            side: [await give(bench, name, data) for name, data in files.items()]
            for side, files in (("old", old), ("new", new))
        }
        return await compare(bench, **sides)

    return on_bench(settings, work)


def result_of(run: Run) -> dict[str, Any]:
    assert run.result is not None
    return run.result


def change_of(run: Run, old_id: str) -> dict[str, Any]:
    return next(change for change in result_of(run)["changes"] if old_id in change["old"])


def artifact_of(run: Run, ending: str) -> Artifact:
    return next(artifact for artifact in run.artifacts if artifact.name.endswith(ending))


async def material_of(bench: Workbench, run: Run) -> Compared:
    artifact = artifact_of(run, "alignment.json")
    _, content = await bench.artifact(LOCAL, run.run_id, artifact.artifact_id)
    data = content if isinstance(content, bytes) else content.read_bytes()
    return Compared.model_validate_json(data)


def doubting(*places: int) -> Callable[[Side, Side], Alignment]:
    """An aligner that links in order and is not sure of the chunks at these places."""

    def align(old: Side, new: Side) -> Alignment:
        links = [
            Link(old=(one.id,), new=(other.id,), confidence=0.5 if place in places else 1.0)
            for place, (one, other) in enumerate(zip(old.chunks, new.chunks, strict=False))
        ]
        candidates = tuple(
            Candidate(id=chunk.id, score=0.9 - place / 20)
            for place, chunk in enumerate(new.chunks[:10])
        )
        doubts = [
            Doubt(old=old.chunks[place].id, reason="low_margin", candidates=candidates)
            for place in places
        ]
        linked = {each for link in links for each in (*link.old, *link.new)}
        every = [chunk.id for side in (old, new) for chunk in side.chunks]
        return Alignment(
            links=tuple(links),
            doubts=tuple(doubts),
            unlinked={each: 1.0 for each in every if each not in linked},
            similarity=0.9,
        )

    return align


def decide(
    *new_ids: str, explanation: str = "内容が変わりました。", confidence: Any = 0.9, **more: Any
) -> Reply:
    said = {"new_ids": list(new_ids), "explanation": explanation, "confidence": confidence}
    return ToolCalls(Tool("comparison_result", said | more))


def look(name: str, **arguments: Any) -> Reply:
    return ToolCalls(Tool(name, arguments))
