"""A research as people see it, at every moment."""

from pathlib import Path

import pytest

from sanbo.agents.research.workflow import Research
from sanbo.runs.model import Status
from sanbo.runs.parts import Facts, Progress, Sources, Text, Trouble
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.presenting import Presented, ids, one, words
from tests.scripted_model import ScriptedModel
from tests.unit.agents.research.researching import (
    QUESTION,
    index,
    on_bench,
    research,
    rules,
    with_model,
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    index(rules(tmp_path))
    return tmp_path


def _presented(workspace: Path, question: str = QUESTION) -> Presented:
    async def work(bench: Workbench) -> Presented:
        run = await research(bench, question)
        live = await bench.parts(LOCAL, run.run_id, "ja")
        shown = Presented(Research(), await bench.events(LOCAL, run.run_id))
        assert live == shown.end()
        return shown

    return on_bench(rules(workspace), work)


def test_while_it_works_each_step_says_what_it_came_to(workspace: Path) -> None:
    shown = _presented(workspace)
    told = words(one(shown.at(Status.RUNNING), Progress))
    assert f"検索 1回目：「{QUESTION}」" in told
    assert "判断：" in told
    assert "Decision:" in words(one(shown.at(Status.RUNNING, "en"), Progress))


def test_the_report_comes_first_and_how_it_was_found_aside(workspace: Path) -> None:
    parts = _presented(workspace).end()
    report = one(parts, Text, "report")
    assert ids(parts)[0] == "report"
    assert report.markdown.startswith(f"# {QUESTION}")
    assert report.document is not None
    [source] = one(parts, Sources).items[:1]
    assert (source.mark, source.is_verified) == ("1", True)
    assert "在宅勤務規程.md" in source.place
    assert all(part.is_aside for part in parts if isinstance(part, Progress | Sources))


def test_that_nothing_answers_is_a_caution(workspace: Path) -> None:
    shown = _presented(workspace, "宇宙船の燃料の値段はいくらですか")
    [fact] = one(shown.end(), Facts, "state").items
    assert (fact.tone, fact.value) == (
        "caution",
        "このコレクションには、質問の答えが見つかりませんでした。",
    )
    assert "does not answer" in words(one(shown.end("en"), Facts, "state"))


def test_a_failure_says_why_beside_the_steps(workspace: Path) -> None:
    with ScriptedModel() as script:

        async def work(bench: Workbench) -> Presented:
            run = await research(bench)
            return Presented(Research(), await bench.events(LOCAL, run.run_id))

        shown = on_bench(with_model(workspace, script), work)
    assert shown.moments[-1][0] is Status.FAILED
    assert one(shown.end(), Trouble).problem.hint
    assert "failed" in words(one(shown.end(), Progress))
