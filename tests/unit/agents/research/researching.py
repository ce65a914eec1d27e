"""Researches on a real workbench over a real collection: with rules, or with a scripted model."""

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from sanbo.agents.research.model import ResearchResult
from sanbo.agents.research.notes import Note, Notes
from sanbo.agents.research.settings import ResearchSettings
from sanbo.agents.research.workflow import Research
from sanbo.documents.formats.markdown.reader import read as read_markdown
from sanbo.documents.model import Source
from sanbo.retrieval.collection import Batch, ReadDocument
from sanbo.retrieval.engines.embedded import EmbeddedEngine
from sanbo.retrieval.library import Library
from sanbo.runs.model import JsonObject, NodeComplete, Run, Status
from sanbo.service.access import LOCAL
from sanbo.service.bootstrap import open_workbench
from sanbo.service.collections import open_collections
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings, load_settings
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import Json, Reply, ScriptedModel, Text

T = TypeVar("T")

DOCUMENTS = {
    "在宅勤務規程.md": """\
# 在宅勤務規程

## 手当

在宅勤務の手当は、月額4,000円とし、翌月の給与とともに支給します。

## 申請

在宅勤務を希望する従業員は、前週の金曜日までに所属長へ申請します。
""",
    "旅費規程.md": """\
# 旅費規程

## 日当

国内出張の日当は、1日につき3,000円とします。

## 宿泊

宿泊費の上限は、1泊につき12,000円とします。東京都内は15,000円までとします。
""",
    "慶弔規程.md": """\
# 慶弔規程

## 結婚

従業員が結婚したときは、祝金として50,000円を贈ります。
""",
}
ALLOWANCE = "在宅勤務の手当は、月額4,000円とし、翌月の給与とともに支給します。"
APPLYING = "在宅勤務を希望する従業員は、前週の金曜日までに所属長へ申請します。"
QUESTION = "在宅勤務の手当はいくらですか"
COLLECTION = "社内規程"


def rules(workspace: Path, **research: Any) -> Settings:
    settings = load_settings(workspace, {"SANBO_LLM__PROVIDER": "rules"})
    return settings.model_copy(update={"research": ResearchSettings(**research)})


def with_model(workspace: Path, model: ScriptedModel, **research: Any) -> Settings:
    update = {"llm": model.settings(max_attempts=1), "research": ResearchSettings(**research)}
    return load_settings(workspace, {}).model_copy(update=update)


def put(library: Library, documents: Mapping[str, str], name: str = COLLECTION) -> None:
    """Markdown into a collection, without a process that reads files."""
    read = [
        ReadDocument(
            document_id=hashlib.sha256(file.encode()).hexdigest()[:20],
            source=f"upload:{file}",
            version=hashlib.sha256(text.encode()).hexdigest()[:16],
            sha256=hashlib.sha256(text.encode()).hexdigest(),
            size=len(text.encode()),
            document=read_markdown(Source(name=file, data=text.encode())),
            metadata={},
        )
        for file, text in documents.items()
    ]
    library.open_or_create(name)[0].put(Batch(read))


def index(
    settings: Settings, documents: Mapping[str, str] = DOCUMENTS, name: str = COLLECTION
) -> None:
    with open_collections(settings) as collections:
        put(collections.library, documents, name)


def on_bench(settings: Settings, work: Callable[[Workbench], Awaitable[T]]) -> T:
    async def opened() -> T:
        async with open_workbench(settings, (Research(),)) as bench:
            return await asyncio.wait_for(work(bench), PATIENCE_SECONDS)

    return asyncio.run(opened())


async def research(
    bench: Workbench, question: str = QUESTION, *, session: str | None = None, **more: Any
) -> Run:
    """To its end, however it ends."""
    started = await bench.start(
        LOCAL,
        "research",
        {**given(question), **more},
        conversation_id=session,
        language="ja",
    )
    return await bench.wait(LOCAL, started.run_id)


def given(question: str = QUESTION) -> JsonObject:
    return {"question": question, "collection": COLLECTION}


def result_of(run: Run) -> ResearchResult:
    assert run.status is Status.SUCCEEDED, run.problem
    return ResearchResult.model_validate(run.result)


class Outcome:
    """A run with all that it has told."""

    def __init__(self, run: Run, steps: list[tuple[str, Any]], notes: list[Note]) -> None:
        self.run = run
        self.steps = steps
        """Name and output of each, in order."""
        self.notes = notes

    @property
    def result(self) -> dict[str, Any]:
        assert self.run.status is Status.SUCCEEDED, self.run.problem
        assert self.run.result is not None
        return self.run.result

    @property
    def report(self) -> str:
        return self.result["report_md"]

    def outputs(self, node: str) -> list[Any]:
        return [output for name, output in self.steps if name == node]

    def noted(self, node: str) -> list[Note]:
        return [note for note in self.notes if note.node_name == node]


async def outcome_of(bench: Workbench, run: Run) -> Outcome:
    steps = [
        (event.path[-1], event.payload.outputs)
        for event in await bench.events(LOCAL, run.run_id)
        if isinstance(event.payload, NodeComplete)
    ]
    notes = await asyncio.to_thread(Notes(bench.access.database).of_run, run.run_id)
    return Outcome(run, steps, notes)


def researched(settings: Settings, question: str = QUESTION, **more: Any) -> Outcome:
    async def work(bench: Workbench) -> Outcome:
        return await outcome_of(bench, await research(bench, question, **more))

    return on_bench(settings, work)


# ---- what a scripted model says ----


def more(*queries: str, reason: str = "申請の方法がまだ分かりません。") -> Reply:
    return Text(Json({"section": "search", "text": reason, "queries": [*queries]}).text)


def says(text: str, passage: str, quote: str, section: str = "finding") -> dict[str, Any]:
    return {
        "section": section,
        "sub_question": 1,
        "quotes": [{"passage": passage, "quote": quote}],
        "text": text,
    }


def answer(*sentences: dict[str, Any], **how: Any) -> Reply:
    return Text("\n".join(Json(each).text for each in sentences), **how)


class CountedSearches:
    """The embedded engine's searches, counted; each may wait for something before."""

    def __init__(self, wait: Callable[[], object] = lambda: None) -> None:
        self.queries: list[str] = []
        search = EmbeddedEngine.search

        def counted(engine: EmbeddedEngine, query: str, limit: int, where: Any) -> Any:
            self.queries.append(query)
            wait()
            return search(engine, query, limit, where)

        self.search = counted
