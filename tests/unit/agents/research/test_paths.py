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
    Hang,
    MalformedJson,
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
    enough,
    expand,
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
    model.replies(expand("在宅勤務 手当", QUESTION), enough(), answer(SUMMARY, AMOUNT))
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
    assert [query["text"] for query in retrieved["queries"]] == [QUESTION, "在宅勤務 手当"]
    assert retrieved["passages_in_all"] == len(retrieved["passages"]) > 1
    relevances = [passage["relevance"] for passage in retrieved["passages"]]
    assert relevances == sorted(relevances, reverse=True)
    told_everywhere(outcome, "手当の額が書かれています。")
    assert [note.node_name for note in outcome.notes] == ["retrieve", "decide", "answer"]
    assert outcome.noted("answer")[0].final_report == outcome.report
    assert outcome.run.usage.calls == 3
    assert "呼び出し：3回" in outcome.report
    [artifact] = outcome.run.artifacts
    assert (artifact.name, artifact.media_type) == ("調査報告.md", "text/markdown")


def test_a_second_cycle_searches_for_what_is_missing(model: ScriptedModel, workspace: Path) -> None:
    model.replies(
        expand("手当", parts=("手当はいくらですか", "どう申請しますか")),
        more("在宅勤務 申請 所属長", "手当", "在宅勤務　申請　所属長"),
        enough("申請の方法も分かりました。"),
        answer(AMOUNT, {**says("所属長へ申請します。", "P2", APPLYING), "sub_question": 2}),
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
    undecided, decided = outcome.outputs("decide")
    assert undecided["stop_reason"] is None
    assert undecided["missing"] == ["申請の方法"]
    assert decided["stop_reason"] == "sufficient"
    assert "P1" in model.requests[2].prompt  # passages keep their ids
    assert [note.cycle_no for note in outcome.notes] == [1, 1, 2, 2, 2]
    assert {query.cycle for query in _queries(outcome)} == {1, 2}
    told_everywhere(outcome, "申請の方法がまだ分かりません。")
    told_everywhere(outcome, "申請の方法も分かりました。")


def _queries(outcome: Outcome) -> list[SearchedQuery]:
    return [SearchedQuery.model_validate(query) for query in outcome.result["queries"]]


def test_the_limit_of_cycles_ends_the_search(model: ScriptedModel, workspace: Path) -> None:
    model.replies(
        expand("手当"), more("申請"), more("所属長 提出"), more("金曜日 期限"), answer(AMOUNT)
    )
    outcome = researched(with_model(workspace, model))
    assert (outcome.result["cycles"], outcome.result["stop_reason"]) == (3, "max_cycles")
    assert [step["stop_reason"] for step in outcome.outputs("decide")] == [None, None, "max_cycles"]
    assert outcome.outputs("decide")[-1]["next_queries"] == []
    told_everywhere(outcome, "検索の回数の上限（3回）に達した")


def test_queries_that_were_all_asked_before_end_the_search(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(expand("在宅 手当"), more("在宅　手当", QUESTION, " ", "？"), answer(AMOUNT))
    outcome = researched(with_model(workspace, model))
    assert (outcome.result["cycles"], outcome.result["stop_reason"]) == (1, "no_new_queries")
    told_everywhere(outcome, "新しく検索する語がない")


def test_nothing_found_is_answered_at_once_without_asking_the_model(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(expand("zyzzyva", parts=("zyzzyva?",)))
    outcome = researched(with_model(workspace, model), "zyzzyva?")
    assert len(model.requests) == 1
    result = outcome.result
    assert (result["cycles"], result["stop_reason"]) == (1, "nothing_found")
    assert not result["answered"]
    assert not result["partial"]
    assert result["citations"] == []
    assert outcome.outputs("decide")[0]["stop_reason"] == "nothing_found"
    told_everywhere(outcome, "質問に関係する箇所が1件も見つかりませんでした。")


def test_deciding_that_hangs_ends_with_what_there_is(model: ScriptedModel, workspace: Path) -> None:
    model.replies(expand("在宅 手当"), Hang(), answer(AMOUNT))
    outcome = researched(with_model(workspace, model, decide_seconds=0.3))
    result = outcome.result
    assert (result["cycles"], result["stop_reason"]) == (1, "decide_timeout")
    assert result["answered"]
    assert not result["partial"]
    assert outcome.outputs("decide")[0]["stop_reason"] == "decide_timeout"
    told_everywhere(outcome, "制限時間（0.3秒）内に終わりませんでした。")


def test_a_model_that_is_slower_than_its_own_limit_is_a_decision_out_of_time(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(expand("在宅 手当"), Hang(), answer(AMOUNT))
    settings = with_model(workspace, model)
    slow = settings.model_copy(update={"llm": model.settings(max_attempts=1, timeout_seconds=0.5)})
    assert researched(slow).result["stop_reason"] == "decide_timeout"


@pytest.mark.parametrize(
    "useless", [(MalformedJson(), MalformedJson()), (Refused(),)], ids=["malformed", "refused"]
)
def test_a_decision_that_can_not_be_read_ends_with_what_there_is(
    model: ScriptedModel, workspace: Path, useless: tuple[Reply, ...]
) -> None:
    model.replies(expand("在宅 手当"), *useless, answer(AMOUNT))
    outcome = researched(with_model(workspace, model))
    assert outcome.result["stop_reason"] == "decide_failed"
    assert outcome.result["answered"]
    told_everywhere(outcome, "十分かどうかを判断できなかったため")


def test_a_question_that_is_not_taken_apart_is_searched_for_as_it_is(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(Refused(), enough(), answer(AMOUNT))
    outcome = researched(with_model(workspace, model))
    assert [query.text for query in _queries(outcome)] == [QUESTION]
    told_everywhere(outcome, "質問の文のまま検索しました。")


@pytest.mark.parametrize(
    ("failing", "failure"), [(0, WrongKey()), (1, ServerError())], ids=["expanding", "deciding"]
)
def test_a_model_that_can_not_be_used_fails_the_run_which_goes_on_from_there_when_it_can(
    model: ScriptedModel, workspace: Path, failing: int, failure: Reply
) -> None:
    script = [expand("在宅 手当"), enough(), answer(AMOUNT)]
    model.replies(*script[:failing], failure, *script[failing:])

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
    assert len(model.requests) == 4  # nothing that was done is asked again
    attempts = {step.path[-1]: step.attempt for step in outcome.run.steps}
    assert attempts["decide" if failing else "retrieve"] == 2
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
        (WrongKey(), 60, "401"),
    ],
    ids=["cut off", "hangs", "key"],
)
def test_an_answer_that_fails_half_way_is_completed_from_the_passages(
    model: ScriptedModel, workspace: Path, broken: Reply, seconds: float, reason: str
) -> None:
    parts = ("在宅勤務の手当はいくらですか", "在宅勤務を希望する従業員は誰に申請しますか")
    model.replies(expand("在宅 手当", "申請 所属長", parts=parts), enough(), broken)
    outcome = researched(with_model(workspace, model, answer_seconds=seconds))
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
    model.replies(expand("在宅 手当"), enough(), answer(AMOUNT, invented))
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
    model.replies(expand("在宅 手当"), enough(), answer(invented))
    outcome = researched(with_model(workspace, model))
    assert "月額9,000円" not in outcome.report
    assert not outcome.result["answered"]
    assert outcome.result["nearest"]  # hints at what there is, none of which says so
    assert all("9,000" not in citation["quote"] for citation in outcome.result["citations"])
    assert outcome.outputs("answer")[0]["refused"] == 1
    assert "載せなかった文：1文" in outcome.noted("answer")[0].final_report
