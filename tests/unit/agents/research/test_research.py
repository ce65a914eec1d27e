"""Research as people meet it: with rules, in sessions, with bad input, many at once."""

import asyncio
import threading
import time
from functools import partial
from pathlib import Path

import pytest

from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Code
from sanbo.runs.model import Run, Status, TextDelta
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import ScriptedModel
from tests.unit.agents.research.researching import (
    ALLOWANCE,
    COLLECTION,
    DOCUMENTS,
    CountedSearches,
    answer,
    given,
    more,
    on_bench,
    outcome_of,
    put,
    research,
    researched,
    result_of,
    rules,
    says,
    with_model,
)

ENGINE_SEARCH = "sanbo.retrieval.engines.embedded.EmbeddedEngine.search"


def test_rules_answer_from_two_documents_and_cite_both(workspace: Path) -> None:
    outcome = researched(
        rules(workspace), "在宅勤務の手当はいくらですか。国内出張の日当はいくらですか。"
    )
    result = outcome.result
    assert result["answered"]
    cited = {citation["document"] for citation in result["citations"]}
    assert {"在宅勤務規程.md", "旅費規程.md"} <= cited
    assert all(citation["verified"] for citation in result["citations"])
    assert len(result["findings"]) == 2
    assert outcome.run.usage.calls == 0


def test_what_the_collection_does_not_answer_is_said_so(workspace: Path) -> None:
    outcome = researched(rules(workspace), "社員食堂の定休日は何曜日ですか")
    assert not outcome.result["answered"]
    assert outcome.outputs("answer")[0]["answered"] is False


def test_a_report_in_english_and_as_plain_text(workspace: Path) -> None:
    async def work(bench: Workbench) -> Run:
        run = await bench.start(LOCAL, "research", given("在宅勤務 手当"), language="en")
        return await bench.wait(LOCAL, run.run_id)

    run = on_bench(rules(workspace, report_style="text"), work)
    report = result_of(run).report_md
    [artifact] = run.artifacts
    assert (artifact.name, artifact.media_type) == ("research-report.txt", "text/plain")
    assert "#" not in report
    assert ALLOWANCE in report
    assert run.steps[0].title == "Search the documents"


@pytest.mark.parametrize("style", ["markdown", "text"])
def test_what_is_streamed_is_the_report_with_its_sources(workspace: Path, style: str) -> None:
    async def work(bench: Workbench) -> tuple[str, Run]:
        run = await bench.start(LOCAL, "research", given(), language="ja")
        told = ""
        async for event in bench.follow(LOCAL, run.run_id):
            if isinstance(event.payload, TextDelta):
                assert event.path == ("answer",)
                told += event.payload.text
        return told, await bench.get(LOCAL, run.run_id)

    told, run = on_bench(rules(workspace, report_style=style), work)
    lines = [line for line in told.splitlines() if line]
    report = [line for line in result_of(run).report_md.splitlines() if line]
    assert lines[0] == report[0]
    assert lines[-1] == report[-1]
    assert set(lines) <= set(report)
    assert lines.count(lines[-1]) == 1
    assert any(f"{ALLOWANCE}[1]" in line for line in lines)


def test_the_queries_of_a_cycle_overlap_in_time(
    workspace: Path, model: ScriptedModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_are_there = threading.Barrier(4, timeout=PATIENCE_SECONDS)
    searches = CountedSearches(all_are_there.wait)
    monkeypatch.setattr(ENGINE_SEARCH, searches.search)
    model.replies(answer(says("4,000円です。", "P1", ALLOWANCE)))
    outcome = researched(with_model(workspace, model))
    assert len(searches.queries) == 4
    assert not all_are_there.broken
    assert outcome.result["answered"]


def test_the_same_question_in_the_same_session_searches_nothing_twice(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = CountedSearches()
    monkeypatch.setattr(ENGINE_SEARCH, searches.search)

    async def work(bench: Workbench) -> None:
        first = await research(bench)
        asked = len(searches.queries)
        assert asked
        again = await research(bench, session=first.conversation_id)
        assert len(searches.queries) == asked
        result = result_of(again)
        assert result.citations == result_of(first).citations
        assert all(query.cached for query in result.queries)
        assert tell("research_report.trail.cached", "ja") in result.report_md
        await research(bench)
        assert len(searches.queries) == 2 * asked  # another session

        await asyncio.to_thread(
            put, bench.collections.library, {"手当.md": "# 手当\n\n在宅の手当は5,000円。"}
        )
        changed = await research(bench, session=first.conversation_id)
        assert len(searches.queries) == 3 * asked  # another edition of the collection
        assert not any(query.cached for query in result_of(changed).queries)

    on_bench(rules(workspace), work)


def test_runs_of_a_session_at_the_same_time_share_their_searches(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searches = CountedSearches(partial(time.sleep, 0.1))
    monkeypatch.setattr(ENGINE_SEARCH, searches.search)

    async def work(bench: Workbench) -> None:
        first = await research(bench)
        searches.queries.clear()
        question = "国内出張の日当はいくらですか"
        runs = await asyncio.gather(
            *(research(bench, question, session=first.conversation_id) for _ in range(4))
        )
        assert {run.status for run in runs} == {Status.SUCCEEDED}
        assert len(searches.queries) == len(set(searches.queries))

    on_bench(rules(workspace), work)


# ---- collections that are not as expected ----


def test_an_unknown_collection_is_a_problem_before_any_step(workspace: Path) -> None:
    run = on_bench(rules(workspace), lambda bench: research(bench, collection="社内規定"))
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert run.problem.code is Code.NOT_FOUND
    assert COLLECTION in run.problem.hint + run.problem.message  # the nearest name
    assert run.steps == ()


def test_an_empty_collection_answers_nothing_and_says_so(tmp_path: Path) -> None:
    async def work(bench: Workbench) -> Run:
        await asyncio.to_thread(bench.collections.library.open_or_create, COLLECTION)
        return await research(bench)

    result = result_of(on_bench(rules(tmp_path), work))
    assert result.stop_reason == "nothing_found"
    assert not result.answered


def test_a_collection_deleted_before_a_further_search_is_a_problem_not_nothing_found(
    workspace: Path, model: ScriptedModel
) -> None:
    async def work(bench: Workbench) -> Run:
        def delete(_: object) -> object:
            bench.collections.delete(COLLECTION)
            return more("申請 所属長")

        # pyrefly: ignore[bad-argument-type]
        model.replies(delete)
        return await research(bench)

    run = on_bench(with_model(workspace, model), work)
    assert run.status is Status.FAILED
    assert run.problem is not None
    assert run.problem.code is Code.NOT_FOUND


def test_a_collection_deleted_before_the_answer_still_gives_a_report(
    workspace: Path, model: ScriptedModel
) -> None:
    async def work(bench: Workbench) -> Run:
        def delete(_: object) -> object:
            bench.collections.delete(COLLECTION)
            return answer(says("手当は月額4,000円です。", "P1", ALLOWANCE))

        # pyrefly: ignore[bad-argument-type]
        model.replies(delete)
        return await research(bench)

    result = result_of(on_bench(with_model(workspace, model), work))
    assert [citation.verified for citation in result.citations] == [False]
    assert result.marked == 1
    assert "照合" in result.report_md


def test_the_same_text_in_two_documents_is_one_passage(workspace: Path) -> None:
    async def work(bench: Workbench) -> Run:
        twin = DOCUMENTS["在宅勤務規程.md"].replace("、", "，")
        await asyncio.to_thread(put, bench.collections.library, {"写し.md": twin})
        return await research(bench)

    quotes = [citation.quote for citation in result_of(on_bench(rules(workspace), work)).citations]
    assert quotes
    assert len(quotes) == len(set(quotes))


ODD = (
    ("在宅勤務の手当はいくらですか。" * 200)[:2000],
    "手当" + "\u200b" * 1000 + "は？",
    "<script>alert(1)</script> 手当 [x](javascript:1) # `",
    "𠮷野家の手当は👪いくら？",
    "' OR 1=1; DROP TABLE runs; --",
)


def test_odd_questions_end_in_a_report(workspace: Path) -> None:
    async def work(bench: Workbench) -> None:
        for question in ODD:
            outcome = await outcome_of(bench, await research(bench, question))
            assert outcome.result["question"] == question
            assert "<script>" not in outcome.report

    on_bench(rules(workspace), work)


def test_cancelling_while_searches_hang_ends_the_run_without_waiting_for_them(
    workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    searching, answered = threading.Event(), threading.Event()

    def hang() -> None:
        searching.set()
        answered.wait(PATIENCE_SECONDS)

    monkeypatch.setattr(ENGINE_SEARCH, CountedSearches(hang).search)

    async def work(bench: Workbench) -> None:
        run = await bench.start(LOCAL, "research", given())
        assert await asyncio.to_thread(searching.wait, PATIENCE_SECONDS)
        ended = await asyncio.wait_for(bench.cancel(LOCAL, run.run_id), PATIENCE_SECONDS / 2)
        assert ended.status is Status.CANCELLED
        answered.set()

    on_bench(rules(workspace), work)
