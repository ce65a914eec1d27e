"""Conversations about a table on a real workbench: with rules, or with a scripted model."""

import asyncio
import atexit
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from typing_extensions import override

from sanbo.agents.analysis.datasets import Datasets
from sanbo.agents.analysis.settings import AnalysisSettings
from sanbo.agents.analysis.workflow import Analysis
from sanbo.runs.model import FileRef, JsonObject, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.scripted_model import ScriptedModel

T = TypeVar("T")


class LastingAnalysis(Analysis):
    """Its sandbox takes seconds to start: one serves all tests of a process."""

    @override
    def close(self) -> None:
        pass


ANALYSIS = LastingAnalysis()
atexit.register(Analysis.close, ANALYSIS)


class AnotherAnalysis(Analysis):
    """With tables of its own, as in another process; but in the sandbox of all tests."""

    @override
    def datasets(self, settings: AnalysisSettings) -> Datasets:
        if self._datasets is None:
            made = super().datasets(settings)
            self._never_started = made.sandbox
            made.sandbox = ANALYSIS.datasets(settings).sandbox
            return made
        return self._datasets

    @override
    def close(self) -> None:
        if self._datasets is not None:
            self._datasets.sandbox = self._never_started
        super().close()


SALES = "\n".join(
    [
        "日付,店舗,カテゴリ,売上",
        *(
            f"2025-{month:02d}-{day:02d},{shop},{kind},{month * 1000 + len(shop) * 9 + day * 3 + k}"
            for month in range(1, 13)
            for day in (1, 15)
            for shop in ("新宿店", "大阪店", "オンライン")
            for k, kind in enumerate(("家電", "食品"))
        ),
    ]
).encode()


def settings_of(workspace: Path, environment: dict[str, str] | None = None) -> Settings:
    return load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules", **(environment or {})})


def with_model(workspace: Path, model: ScriptedModel) -> Settings:
    settings = load_settings(workspace, {})
    return settings.model_copy(update={"llm": model.settings()})


def on_bench(settings: Settings, work: Callable[[Workbench], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with open_workbench(settings, (ANALYSIS,)) as bench:
            return await asyncio.wait_for(work(bench), 240)

    return asyncio.run(opened())


async def give(bench: Workbench, data: bytes = SALES, name: str = "売上.csv") -> FileRef:
    return await bench.upload(LOCAL, data, name, "text/csv")


async def ask(
    bench: Workbench,
    question: str,
    file: FileRef | None = None,
    *,
    after: Run | None = None,
    **more: Any,
) -> Run:
    given: JsonObject = {"question": question, **more}
    if file is not None:
        given["file"] = file.model_dump(mode="json")
    conversation = None if after is None else after.conversation_id
    run = await bench.start(LOCAL, "analysis", given, conversation_id=conversation, language="ja")
    run = await bench.wait(LOCAL, run.run_id)
    assert run.status is Status.SUCCEEDED, run.problem
    return run


def result_of(run: Run) -> dict[str, Any]:
    assert run.result is not None
    return run.result


def rows_of(run: Run, number: int = 0) -> list[list[Any]]:
    return result_of(run)["tables"][number]["rows"]


def ops_of(run: Run) -> list[str]:
    specs: Sequence[dict[str, Any]] = result_of(run)["specs"]
    return [spec.get("op") or spec["kind"] for spec in specs]
