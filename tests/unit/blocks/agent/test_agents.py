"""Agents inside a block: on their own path, with their questions, files, and after a crash."""

import shutil
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from langgraph.graph import START, StateGraph
from pydantic import BaseModel
from typing_extensions import override

from sanbo.agents.analysis.workflow import Analysis
from sanbo.agents.comparison.workflow import Comparison
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.workflow import Grace, GraceInput
from sanbo.agents.research.workflow import Research
from sanbo.runs.graphs import GraphWorkflow, ask
from sanbo.runs.model import JsonObject, Question, Run, Status
from sanbo.runs.workflow import RunContext
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings
from tests.scripted_model import ScriptedModel, Text
from tests.unit.agents.grace.office import COLLECTION, DOCUMENTS, SURE, UNSURE
from tests.unit.agents.research.researching import index
from tests.unit.blocks.one_block import answer, begin, by_rules, on_bench, outputs, upload


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("agents") / "workspace"
    index(by_rules(folder), DOCUMENTS, COLLECTION)
    return folder


@pytest.fixture
def workspace(library: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(library, tmp_path / "workspace"))


def unsure(workspace: Path) -> Settings:
    grace = GraceSettings.model_validate({"thresholds": UNSURE})
    return by_rules(workspace).model_copy(update={"grace": grace})


def test_an_answer_comes_with_its_confidence_and_its_file(workspace: Path) -> None:
    async def work(bench: Workbench) -> None:
        given: JsonObject = {"question": SURE, "collection": COLLECTION}
        run = await begin(bench, "agent.ask", given)
        made = outputs(run)
        assert "6,000円" in made["answer_md"]
        assert made["answered"] is True
        assert 0 < made["confidence"] <= 1
        assert made["sources"]
        [file] = made["files"]
        assert file["name"].endswith(".md")
        paths = {step.path[:2] for step in run.steps}
        assert paths == {("node", "grace")}
        assert all(artifact.path[:2] == ("node", "grace") for artifact in run.artifacts)

    on_bench(by_rules(workspace), work, (Grace(),))


def test_an_agent_that_is_not_sure_asks_a_person_and_goes_on_with_the_answer(
    workspace: Path,
) -> None:
    async def ask(bench: Workbench) -> Run:
        return await begin(bench, "agent.ask", {"question": SURE, "collection": COLLECTION})

    run = on_bench(unsure(workspace), ask, (Grace(),))
    assert run.status is Status.WAITING
    [asked] = run.open_interactions
    assert asked.path[:2] == ("node", "grace")

    async def reply(bench: Workbench) -> Run:  # another process, days later
        return await answer(bench, run, {"action": "proceed"})

    ended = on_bench(unsure(workspace), reply, (Grace(),))
    made = outputs(ended)
    assert made["interventions"]
    assert "6,000円" in made["answer_md"]
    done = [step.path for step in ended.steps]
    assert len(done) == len(set((step.path, step.key) for step in ended.steps))
    assert all(step.status == "succeeded" for step in ended.steps)


def test_a_model_that_can_not_word_an_answer_is_not_told_as_documents_without_one(
    workspace: Path,
) -> None:
    with ScriptedModel() as script:
        script.otherwise(Text("わかりません"))
        settings = by_rules(workspace).model_copy(update={"llm": script.settings(max_attempts=1)})

        async def work(bench: Workbench) -> dict[str, Any]:
            given: JsonObject = {"question": SURE, "collection": COLLECTION}
            return outputs(await begin(bench, "agent.ask", given))

        made = on_bench(settings, work, (Grace(),))
    assert (made["answered"], made["confidence"]) == (False, 0)
    assert "回答を作れませんでした" in made["answer_md"]
    assert "見つかりませんでした" not in made["answer_md"]


def test_a_report_names_its_citations(workspace: Path) -> None:
    async def work(bench: Workbench) -> None:
        given: JsonObject = {"question": SURE, "collection": COLLECTION}
        made = outputs(await begin(bench, "agent.research", given))
        assert "6,000円" in made["report_md"]
        assert made["citations"][0]["verified"] is True
        assert made["files"]

    on_bench(by_rules(workspace), work, (Research(),))


def test_a_collection_that_is_not_there_is_a_problem(workspace: Path) -> None:
    async def work(bench: Workbench) -> None:
        for block in ("agent.research", "agent.ask"):
            run = await begin(bench, block, {"question": SURE, "collection": "ない"})
            assert run.status is Status.FAILED
            assert run.problem is not None
            assert "ない" in run.problem.message

    on_bench(by_rules(workspace), work, (Research(), Grace()))


def test_two_files_are_compared_and_the_tables_are_files_of_the_run(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> None:
        old = await upload(bench, tmp_path, "旧.md", "# 契約\n\n第1条 支払期限は30日とする。\n")
        new = await upload(bench, tmp_path, "新.md", "# 契約\n\n第1条 支払期限は60日とする。\n")
        given: JsonObject = {
            "old": old.model_dump(mode="json"),
            "new": [new.model_dump(mode="json")],
        }
        run = await begin(bench, "agent.compare", given, [old, new])
        made = outputs(run)
        assert any("60日" in str(each["new_text"]) for each in made["changes"])
        assert made["summary"]["attention"] >= 1
        names = [Path(file["name"]).suffix for file in made["files"]]
        assert {".html", ".docx", ".xlsx"} <= set(names)
        assert not any(artifact.made_of for artifact in run.artifacts), "later steps read them"
        for file in made["files"]:
            _, stored = await bench.artifact(LOCAL, run.run_id, file["file_id"])
            assert isinstance(stored, Path)
            assert stored.stat().st_size == file["size"] > 0

        async def side(**given: Any) -> Run:
            return await begin(bench, "agent.compare", given, [old, new])

        alone = await side(old=old.model_dump(mode="json"))
        assert alone.status is Status.FAILED
        assert alone.problem is not None
        texts = outputs(await side(old_text="支払は30日以内。", new_text="支払は60日以内。"))
        assert texts["changes"]

    on_bench(by_rules(tmp_path / "w"), work, (Comparison(),))


def test_rows_are_analysed_like_a_file_and_what_is_made_outlives_the_process(
    tmp_path: Path,
) -> None:
    rows: list[Any] = [
        {"店舗": "東京", "売上": 100},
        {"店舗": "大阪", "売上": 80},
        {"店舗": "東京", "売上": 120},
    ]

    async def work(bench: Workbench) -> Run:
        return await begin(
            bench, "agent.analyze", {"question": "店舗別の売上合計を多い順に", "rows": rows}
        )

    run = on_bench(by_rules(tmp_path / "w"), work, (Analysis(),))
    made = outputs(run)
    assert made["kind"] == "report"
    assert made["tables"][0]["rows"][0][:2] == ["東京", 220]

    async def later(bench: Workbench) -> None:
        for file in made["files"]:
            _, stored = await bench.artifact(LOCAL, run.run_id, file["file_id"])
            assert isinstance(stored, Path)

    on_bench(by_rules(tmp_path / "w"), later)


def test_an_analysis_without_a_table_is_a_problem(tmp_path: Path) -> None:
    wrong: list[JsonObject] = [{"question": "合計は"}, {"question": "合計は", "rows": []}]

    async def work(bench: Workbench) -> None:
        for given in wrong:
            run = await begin(bench, "agent.analyze", given)
            assert run.status is Status.FAILED
            assert run.problem is not None
            assert run.problem.hint

    on_bench(by_rules(tmp_path / "w"), work, (Analysis(),))


class Heard(BaseModel):
    answer_md: str
    answered: bool = True
    confidence: float = 1.0
    decision: str = "silent"
    factors: list[JsonObject] = []
    plan: JsonObject = {}
    steps: list[JsonObject] = []
    sources: list[JsonObject] = []
    replans: list[JsonObject] = []
    interventions: list[JsonObject] = []
    cancelled: bool = False


class Forgetful(GraphWorkflow[GraceInput, Heard]):
    """In GRACE's place: asks a person, and keeps what it knows in memory."""

    name = "grace"
    titles: ClassVar = {"ja": "忘れる", "en": "Forgetful"}
    descriptions: ClassVar = {"ja": "試験用", "en": "For tests"}
    input_model = GraceInput
    result_model = Heard
    in_memory = True

    @override
    def graph(self) -> StateGraph[Any, Any, Any, Any]:
        def asking(state: dict[str, Any]) -> dict[str, Any]:
            said = ask(Question(mode="inquire", message=state["question"]))
            return {"said": said["response"]}

        # pyrefly: ignore[bad-specialization]
        graph: StateGraph[Any, Any, Any, Any] = StateGraph(dict)
        graph.add_node("asking", cast("Any", asking))
        graph.add_edge(START, "asking")
        return graph

    @override
    def initial_state(self, context: RunContext[GraceInput]) -> dict[str, Any]:
        return {"question": context.input.question}

    @override
    def result(self, state: dict[str, Any], context: RunContext[GraceInput]) -> Heard:
        return Heard(answer_md=state["said"])


def test_an_agent_whose_state_was_in_memory_begins_anew_after_a_crash(tmp_path: Path) -> None:
    async def begun(bench: Workbench) -> Run:
        return await begin(bench, "agent.ask", {"question": "いつですか"})

    run = on_bench(by_rules(tmp_path / "w"), begun, (Forgetful(),))
    [lost] = run.open_interactions

    async def reply(bench: Workbench) -> Run:
        await bench.answer(LOCAL, run.run_id, {"response": "今日"}, lost.interaction_id)
        again = await bench.wait(LOCAL, run.run_id)
        [asked] = again.open_interactions  # what it knew is gone, so it asks again
        assert asked.path[:2] == ("node", "grace#2")
        return await answer(bench, again, {"response": "明日"})

    ended = on_bench(by_rules(tmp_path / "w"), reply, (Forgetful(),))
    assert outputs(ended)["answer_md"] == "明日"
