"""Every path of the graph, driven by a model that follows a script.

For each, the report, the steps' outputs and the notes say what happened.
"""

from pathlib import Path

import pytest

from sanbo.evidence.model import SearchedQuery
from sanbo.runs.model import Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.scripted_model import (
    Refused,
    Reply,
    ScriptedModel,
    ServerError,
    WrongKey,
)
from tests.unit.agents.research.researching import (
    ALLOWANCE,
    APPLYING,
    QUESTION,
    Outcome,
    answer,
    more,
    on_bench,
    outcome_of,
    research,
    researched,
    says,
    with_model,
)

AMOUNT = says("手当は月額4,000円です。", "P1", "在宅勤務の手当は、月額4,000円とし")
SUMMARY = {**AMOUNT, "section": "summary"}


def told_everywhere(outcome: Outcome, text: str) -> None:
    """In the report, in a step's output and in the notes."""
    assert text in outcome.report
    assert text in str(outcome.steps)
    assert text in str(outcome.notes)


def test_enough_in_the_first_cycle(model: ScriptedModel, workspace: Path) -> None:
    model.replies(answer(SUMMARY, AMOUNT))
    outcome = researched(with_model(workspace, model))
    assert [name for name, _ in outcome.steps] == ["retrieve", "decide", "answer"]
    result = outcome.result
    assert (result["cycles"], result["stop_reason"], result["partial"]) == (1, "sufficient", False)
    assert "手当は月額4,000円です。[1]" in outcome.report
    [citation] = result["citations"]
    assert citation["document"] == "在宅勤務規程.md"
    assert citation["quote"] == "在宅勤務の手当は、月額4,000円とし"
    assert citation["verified"]
    [retrieved] = outcome.outputs("retrieve")
    assert [query["text"] for query in retrieved["queries"]][:2] == [QUESTION, "在宅勤務 手当"]
    assert retrieved["passages_in_all"] == len(retrieved["passages"]) > 1
    relevances = [passage["relevance"] for passage in retrieved["passages"]]
    assert relevances == sorted(relevances, reverse=True)
    told_everywhere(outcome, "モデルが本文を読んで判断します。")
    assert [note.node_name for note in outcome.notes] == ["retrieve", "decide", "answer"]
    assert outcome.noted("answer")[0].final_report == outcome.report
    assert outcome.run.usage.calls == 1
    assert "呼び出し：1回" in outcome.report
    [artifact] = outcome.run.artifacts
    assert (artifact.name, artifact.media_type) == ("調査報告.md", "text/markdown")


def test_a_second_cycle_searches_for_what_is_missing(model: ScriptedModel, workspace: Path) -> None:
    model.replies(
        more("在宅勤務 申請 所属長", "在宅勤務 手当", "在宅勤務　申請　所属長"),
        answer(AMOUNT, says("所属長へ申請します。", "P2", APPLYING)),
    )
    outcome = researched(with_model(workspace, model, hits_per_query=1))
    result = outcome.result
    assert (result["cycles"], result["stop_reason"]) == (2, "sufficient")
    first, second = outcome.outputs("retrieve")
    # Asked for already, or twice: not searched for again.
    assert [query["text"] for query in second["queries"]] == ["在宅勤務 申請 所属長"]
    assert (first["cycle"], second["cycle"]) == (1, 2)
    new = {passage["id"] for passage in second["passages"]}
    assert not new & {passage["id"] for passage in first["passages"]}
    assert second["passages_in_all"] == len(first["passages"]) + len(new)
    wanted, written = outcome.outputs("answer")
    assert wanted["next_queries"] == ["在宅勤務 申請 所属長"]
    assert (written["next_queries"], written["answered"]) == ([], True)
    assert "P1" in model.requests[1].prompt  # passages keep their ids
    assert [note.cycle_no for note in outcome.notes] == [1, 1, 1, 2, 2, 2]
    assert {query.cycle for query in _queries(outcome)} == {1, 2}
    told_everywhere(outcome, "申請の方法がまだ分かりません。")


def _queries(outcome: Outcome) -> list[SearchedQuery]:
    return [SearchedQuery.model_validate(query) for query in outcome.result["queries"]]


def test_the_limit_of_cycles_ends_the_search(model: ScriptedModel, workspace: Path) -> None:
    model.replies(more("申請"), more("所属長 提出"), answer(AMOUNT))
    outcome = researched(with_model(workspace, model))
    assert (outcome.result["cycles"], outcome.result["stop_reason"]) == (3, "max_cycles")
    assert "queries are at most" in model.requests[1].prompt
    assert "queries are at most" not in model.requests[2].prompt
    assert outcome.outputs("decide")[-1]["next_queries"] == []
    told_everywhere(outcome, "検索の回数の上限（3回）に達した")


def test_queries_that_were_all_asked_before_do_not_keep_from_answering(
    model: ScriptedModel, workspace: Path
) -> None:
    again = {"section": "search", "queries": ["在宅勤務　手当", QUESTION, " ", "？"]}
    model.replies(answer(again, AMOUNT))
    outcome = researched(with_model(workspace, model))
    assert (outcome.result["cycles"], outcome.result["stop_reason"]) == (1, "sufficient")
    assert outcome.result["answered"]
    assert not outcome.result["partial"]


def test_where_the_limits_are_reached_the_model_answers(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(answer({"section": "search", "queries": ["金曜日 期限"]}, AMOUNT))
    settings = with_model(workspace, model, min_docs_count=1, relevance_threshold=0.01)
    outcome = researched(settings)
    assert outcome.result["cycles"] == 1
    told_everywhere(outcome, "目安の1件に達しました。")


def test_nothing_found_is_answered_at_once_without_asking_the_model(
    model: ScriptedModel, workspace: Path
) -> None:
    outcome = researched(with_model(workspace, model), "zyzzyva?")
    assert model.requests == []
    result = outcome.result
    assert (result["cycles"], result["stop_reason"]) == (1, "nothing_found")
    assert not result["answered"]
    assert not result["partial"]
    assert result["citations"] == []
    assert outcome.outputs("decide")[0]["stop_reason"] == "nothing_found"
    told_everywhere(outcome, "質問に関係する箇所が1件も見つかりませんでした。")


@pytest.mark.parametrize("failure", [WrongKey(), ServerError()], ids=["key", "server"])
def test_a_model_that_can_not_be_used_fails_the_run_which_goes_on_from_there_when_it_can(
    model: ScriptedModel, workspace: Path, failure: Reply
) -> None:
    model.replies(failure, answer(AMOUNT))

    async def work(bench: Workbench) -> Outcome:
        run = await research(bench)
        assert run.status is Status.FAILED
        assert run.problem is not None
        assert run.problem.hint
        assert [step.status for step in run.steps].count("failed") == 1
        await bench.resume(LOCAL, run.run_id)
        return await outcome_of(bench, await bench.wait(LOCAL, run.run_id))

    outcome = on_bench(with_model(workspace, model), work)
    assert outcome.result["stop_reason"] == "sufficient"
    attempts = {step.path[-1]: step.attempt for step in outcome.run.steps}
    assert attempts == {"retrieve": 1, "decide": 1, "answer": 2}
    assert [note.node_name for note in outcome.notes] == ["retrieve", "decide", "answer"]


# ---- the answer ----


@pytest.mark.parametrize(
    ("broken", "seconds", "reason"),
    [
        (answer(AMOUNT, cut="connection"), 60, "途中で"),
        (
            answer(AMOUNT, hang=True, cut="before_end"),
            0.8,
            "制限時間（0.8秒）内に終わりませんでした。",
        ),
        (Refused(), 60, "応答が空"),
    ],
    ids=["cut off", "hangs", "refused"],
)
def test_an_answer_that_fails_half_way_is_completed_from_the_passages(
    model: ScriptedModel, workspace: Path, broken: Reply, seconds: float, reason: str
) -> None:
    question = "在宅勤務の手当はいくらですか。在宅勤務を希望する従業員は誰に申請しますか。"
    model.replies(broken)
    outcome = researched(with_model(workspace, model, answer_seconds=seconds), question)
    result = outcome.result
    assert result["partial"]
    assert reason in result["partial_reason"]
    assert result["partial_reason"]
    told_everywhere(outcome, result["partial_reason"])
    assert outcome.outputs("answer")[0]["partial"]
    assert all(citation["verified"] for citation in result["citations"])
    assert result["answered"]
    quotes = [citation["quote"] for citation in result["citations"]]
    assert any(quote in APPLYING for quote in quotes)  # what the model had not come to
    amounts = [text for text in _sentences(outcome) if "4,000円" in text]
    assert amounts
    if "月額" not in str(broken):
        assert ALLOWANCE in str(amounts)


def _sentences(outcome: Outcome) -> list[str]:
    return [
        sentence["text"]
        for finding in outcome.result["findings"]
        for sentence in finding["sentences"]
    ]


def test_a_citation_of_a_passage_that_does_not_exist_is_left_out_and_counted(
    model: ScriptedModel, workspace: Path
) -> None:
    invented = says("手当は月額9,000円です。", "P99", "在宅勤務の手当は、月額9,000円とし")
    model.replies(answer(AMOUNT, invented))
    outcome = researched(with_model(workspace, model))
    assert "9,000" not in outcome.report
    assert outcome.result["refused"] == 1
    assert outcome.outputs("answer")[0]["refused"] == 1
    assert len(outcome.result["citations"]) == 1
    assert "載せなかった文：1文" in outcome.report
    assert "載せなかった文：1文" in outcome.noted("answer")[0].final_report


def test_a_quote_that_is_not_in_the_source_is_left_out_and_counted(
    model: ScriptedModel, workspace: Path
) -> None:
    invented = says("手当は月額9,000円です。", "P1", "在宅勤務の手当は、月額9,000円とし")
    model.replies(answer(invented))
    outcome = researched(with_model(workspace, model))
    assert "月額9,000円" not in outcome.report
    assert not outcome.result["answered"]
    assert outcome.result["nearest"]  # hints at what there is, none of which says so
    assert all("9,000" not in citation["quote"] for citation in outcome.result["citations"])
    assert outcome.outputs("answer")[0]["refused"] == 1
    assert "載せなかった文：1文" in outcome.noted("answer")[0].final_report


def test_what_a_model_calls_near_is_a_hint_and_its_figures_are_checked(
    model: ScriptedModel, workspace: Path
) -> None:
    near = {**AMOUNT, "section": "nearest"}
    wrong = {**near, "text": "手当は月額9,000円です。"}
    none: list[str] = []
    gap = {"section": "gap", "quotes": none, "text": "出張の手当は書かれていません。"}
    model.replies(answer(gap, near, wrong))
    outcome = researched(with_model(workspace, model))
    assert not outcome.result["answered"]
    told, marked = outcome.result["nearest"]  # its own, and no others beside them
    assert (told["text"], told["problem"]) == ("手当は月額4,000円です。", "")
    assert "9,000" in marked["problem"]
    assert marked["problem"] in outcome.report
