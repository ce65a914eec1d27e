"""Research for front ends, on both databases: steps, notes and citations, and whose they are."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from sanbo.agents.research.model import AnswerStep, DecideStep, RetrieveStep
from sanbo.agents.research.workflow import Research
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Status
from sanbo.service import research
from sanbo.service.access import LOCAL, OPERATOR, Caller
from sanbo.service.bootstrap import open_workbench
from sanbo.service.catalog import RESEARCH
from sanbo.settings import load_settings
from tests.workflows import WORKFLOWS

LINE = "第3条 在宅勤務手当は、月額5,000円とする。"
OTHER = Caller("baba")


def test_a_research_is_shown_to_its_owner_and_the_operator_alone(
    tmp_path: Path, new_environment: Callable[[], dict[str, str]]
) -> None:
    source = tmp_path / "規程.txt"
    source.write_text(f"{LINE}\n\n第4条 申請は、前月の20日までに行う。\n", "utf-8")
    settings = load_settings(tmp_path / "workspace", new_environment())

    async def work() -> None:
        async with open_workbench(settings, (Research(), *WORKFLOWS)) as bench:
            list(bench.collections.index_paths("規程", [source]))
            given = {"question": "在宅勤務手当はいくらですか", "collection": "規程"}
            started = await bench.start(LOCAL, RESEARCH, {**given}, language="ja")
            run = await bench.wait(LOCAL, started.run_id)
            assert run.status is Status.SUCCEEDED, run.problem
            session = run.conversation_id

            steps = research.steps_of(await bench.events(LOCAL, run.run_id))
            assert [type(step) for step in steps[:2]] == [RetrieveStep, DecideStep]
            assert isinstance(steps[-1], AnswerStep)
            assert research.result_of(run).answered
            report = research.report_file(run)
            assert report is not None
            assert report.name.endswith(".md")

            place = await research.citation_place(bench, LOCAL, run.run_id, 1)
            assert place.text[place.start : place.end] == place.citation.quote
            assert "月額5,000円" in place.citation.quote

            taken = await research.notes(bench, LOCAL, session)
            assert await research.notes(bench, OPERATOR, session) == taken
            assert [note.node_name for note in taken][-1] == "answer"
            for look in (
                research.notes(bench, OTHER, session),
                research.notes(bench, OPERATOR, "conv_none"),
                research.delete_notes(bench, OTHER, session),
                research.citation_place(bench, OTHER, run.run_id, 1),
                research.citation_place(bench, LOCAL, run.run_id, 99),
            ):
                with pytest.raises(NotFound):
                    await look

            assert await research.delete_notes(bench, LOCAL, session) == len(taken)
            assert await research.notes(bench, LOCAL, session) == []

    asyncio.run(work())


def test_a_conversation_of_another_workflow_is_no_research(
    tmp_path: Path, new_environment: Callable[[], dict[str, str]]
) -> None:
    settings = load_settings(tmp_path / "workspace", new_environment())

    async def work() -> None:
        async with open_workbench(settings, WORKFLOWS) as bench:
            started = await bench.start(LOCAL, "expenses", {"title": "出張"})
            run = await bench.wait(LOCAL, started.run_id)
            with pytest.raises(NotFound):
                await research.notes(bench, LOCAL, run.conversation_id)
            with pytest.raises(NotFound):
                await research.citation_place(bench, LOCAL, run.run_id, 1)
            assert research.report_file(run) is None
            assert research.steps_of(await bench.events(LOCAL, run.run_id)) == ()

    asyncio.run(work())
