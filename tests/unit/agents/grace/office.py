"""An office's documents, and GRACE asked about them on a real workbench."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sanbo.agents.grace.present import execution_of
from sanbo.agents.grace.schemas import ExecutionResult, ExecutionState
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.workflow import Grace
from sanbo.kernel.messages import Language
from sanbo.runs.model import Interaction, JsonObject, NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import Json, Reply, Request, ScriptedModel

T = TypeVar("T")

DOCUMENTS = {
    "社用車規程.md": """\
# 社用車規程

## 予約

社用車を使う人は、前日の17時までに総務課へ予約します。

## 費用

社用車の燃料代は、1回につき6,000円まで会社が負担します。高速道路の料金は全額を会社が負担します。
""",
    "研修案内.md": """\
# 研修案内

## 新入社員研修

新入社員研修は、4月に5日間行います。研修の受講料は1人につき30,000円です。

## 管理職研修

管理職研修の受講料は、1人につき45,000円です。
""",
    "防災手引き.md": """\
# 防災手引き

## 集合場所

地震のときは、全員が北側の駐車場に集合します。
""",
}
FUEL = "社用車の燃料代は、1回につき6,000円まで会社が負担します。"
SURE = "社用車の燃料代は1回いくらまで会社が負担しますか"
UNKNOWN = "社員食堂の昼食の値段はいくらですか"
LUNCH = "社員食堂の昼食の値段は550円です。"
PARTS = "新入社員研修の受講料はいくらで、管理職研修の受講料はいくらですか"
COLLECTION = "手引き"

ANSWERS: JsonObject = {"silent": 0.9, "notify": 0.7, "confirm": 0.4}
UNSURE: JsonObject = {"silent": 0.99999, "notify": 0.99998, "confirm": 0.4}
"""What is sure enough by the usual thresholds is to be confirmed by these."""


def rules(workspace: Path, **grace: Any) -> Settings:
    settings = load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
    return settings.model_copy(update={"grace": GraceSettings(**grace)})


def with_model(workspace: Path, script: ScriptedModel, **grace: Any) -> Settings:
    update = {"llm": script.settings(max_attempts=1), "grace": GraceSettings(**grace)}
    return load_settings(workspace, {}).model_copy(update=update)


def on_bench(settings: Settings, work: Callable[[Workbench], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with open_workbench(settings, (Grace(),)) as bench:
            return await asyncio.wait_for(work(bench), PATIENCE_SECONDS)

    return asyncio.run(opened())


class Asked:
    """A run with all that it has told."""

    def __init__(self, run: Run, steps: list[tuple[str, Any]], execution: ExecutionState) -> None:
        self.run = run
        self.steps = steps
        """Name and output of each node, in order."""
        self.execution = execution

    @property
    def nodes(self) -> list[str]:
        return [name for name, _ in self.steps]

    @property
    def result(self) -> ExecutionResult:
        assert self.run.status is Status.SUCCEEDED, self.run.problem
        return ExecutionResult.model_validate(self.run.result)

    @property
    def question(self) -> Interaction:
        assert self.run.status is Status.WAITING, self.run.problem or self.run.result
        [interaction] = self.run.open_interactions
        return interaction


async def look(bench: Workbench, run: Run) -> Asked:
    events = await bench.events(LOCAL, run.run_id)
    steps = [
        (event.path[-1], event.payload.outputs)
        for event in events
        if isinstance(event.payload, NodeComplete)
    ]
    return Asked(run, steps, execution_of(events))


async def ask(
    bench: Workbench,
    question: str,
    answers: Sequence[JsonObject] = (),
    *,
    collection: str | None = COLLECTION,
    language: Language = "ja",
) -> Asked:
    """Until it ends, or asks more than there are answers."""
    given: JsonObject = {"question": question}
    if collection is not None:
        given["collection"] = collection
    run = await bench.start(LOCAL, "grace", given, language=language)
    run = await bench.wait(LOCAL, run.run_id)
    for answer in answers:
        assert run.status is Status.WAITING, run.problem or run.result
        await bench.answer(LOCAL, run.run_id, answer)
        run = await bench.wait(LOCAL, run.run_id)
    return await look(bench, run)


def asked(settings: Settings, question: str, *answers: JsonObject, **more: Any) -> Asked:
    return on_bench(settings, lambda bench: ask(bench, question, answers, **more))


# ---- what a scripted model says ------------------------------------------------------------


def step(
    step_id: int,
    action: str = "rag_search",
    query: str = SURE,
    needs: Sequence[int] = (),
    *,
    fallback: str | None = None,
) -> dict[str, Any]:
    searches = action in ("rag_search", "run_legacy_agent")
    return {
        "step_id": step_id,
        "action": action,
        "description": f"手順{step_id}",
        "query": query,
        "collection": COLLECTION if searches else None,
        "depends_on": list(needs),
        "fallback": fallback,
    }


def plan(*steps: dict[str, Any], confirm: bool = False) -> Reply:
    return Json({"steps": list(steps), "requires_confirmation": confirm})


SEARCH_THEN_ANSWER = (step(1), step(2, "reasoning", needs=[1]))


def says(text: str, passage: str, quote: str, section: str = "finding") -> dict[str, Any]:
    return {
        "section": section,
        "quotes": [{"passage": passage, "quote": quote}],
        "text": text,
    }


def answer(*sentences: dict[str, Any], sure: float = 0.9, searches: Sequence[str] = ()) -> Reply:
    own = {"accuracy": sure, "completeness": sure}
    return Json({"sentences": list(sentences), "self_evaluation": own, "searches": list(searches)})


def wanted(request: Request) -> str:
    """What kind of reply is asked for."""
    return str((request.schema or {}).get("title", ""))
