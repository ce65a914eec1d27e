"""Every path of the graph, driven by a model that follows a script."""

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from sanbo.kernel.problems import ProviderFailed
from sanbo.retrieval.engines.embedded import EmbeddedEngine
from sanbo.runs.model import JsonObject, Status
from sanbo.service.access import LOCAL
from sanbo.service.workbench import Workbench
from tests.patience import PATIENCE_SECONDS
from tests.scripted_model import Hang, Json, Refused, Reply, Request, ScriptedModel, WrongKey
from tests.unit.agents.grace.office import (
    FUEL,
    SEARCH_THEN_ANSWER,
    SURE,
    UNKNOWN,
    UNSURE,
    Asked,
    answer,
    ask,
    asked,
    look,
    on_bench,
    plan,
    says,
    step,
    wanted,
    with_model,
)
from tests.unit.agents.research.researching import CountedSearches

ANSWER = answer(says("燃料代は1回6,000円まで会社が負担します。", "P1001", FUEL))
PROCEED: JsonObject = {"action": "proceed"}


def of_steps(outcome: Asked) -> list[int]:
    """The steps that were carried out, in order."""
    return [output["step_id"] for name, output in outcome.steps if name == "step"]


def test_a_plan_of_the_model_is_carried_out(model: ScriptedModel, workspace: Path) -> None:
    model.replies(plan(*SEARCH_THEN_ANSWER), ANSWER)
    result = asked(with_model(workspace, model), SURE).result
    assert result.plan.made_by == "model"
    assert [each.description for each in result.plan.steps] == ["手順1", "手順2"]
    assert result.answered
    assert "燃料代は1回6,000円まで会社が負担します。[1]" in result.answer_md
    [source] = result.sources
    assert (source.quote, source.verified) == (FUEL, True)
    assert result.decision in ("silent", "notify")
    assert model.remaining == 0


def test_a_plan_that_can_not_be_carried_out_becomes_the_template_and_says_so(
    model: ScriptedModel, workspace: Path
) -> None:
    cyclic = plan(step(1, needs=[2]), step(2, "reasoning", needs=[1]))
    model.replies(cyclic, ANSWER)
    outcome = asked(with_model(workspace, model), SURE)
    result = outcome.result
    assert result.plan.made_by == "template"
    assert result.plan.problem
    assert result.answered
    planned = outcome.steps[0][1]["plan"]
    assert (planned["made_by"], planned["problem"]) == ("template", result.plan.problem)


def test_a_step_that_fails_is_done_in_its_own_other_way(
    model: ScriptedModel, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (
        step(1, query=SURE, fallback="run_legacy_agent"),
        step(2, "reasoning", needs=[1]),
    )
    search = EmbeddedEngine.search

    def failing(engine: EmbeddedEngine, query: str, limit: int, where: object) -> object:
        if not failed:
            failed.append(query)
            raise ProviderFailed("engine_busy", service="index")
        # pyrefly: ignore[bad-argument-type]
        return search(engine, query, limit, where)

    failed: list[str] = []
    monkeypatch.setattr(EmbeddedEngine, "search", failing)
    quote = answer(says("燃料代は1回6,000円までです。", "P3001", FUEL))

    def reply(request: Request) -> Reply:
        match wanted(request):
            case "PlanGiven":
                return plan(*steps)
            case "TurnGiven":
                query = "" if "searched" in turns else "社用車の燃料代"
                turns.append("searched")
                return Json({"thought": "", "query": query})
            case _:
                return quote

    turns: list[str] = []
    model.otherwise(reply)
    outcome = asked(with_model(workspace, model), SURE)
    result = outcome.result
    [replan] = result.replans
    assert (replan.trigger, replan.strategy, replan.step_id) == ("step_failed", "fallback", 1)
    assert replan.added == (3,)
    by_id = {each.step_id: each for each in result.steps}
    assert (by_id[1].status, by_id[3].action) == ("failed", "run_legacy_agent")
    assert by_id[1].problem is not None
    assert result.answered
    assert not result.partial
    assert len(of_steps(outcome)) == len(set(of_steps(outcome)))


def test_modified_the_rest_is_planned_anew_and_nothing_that_is_done_runs_again(
    model: ScriptedModel, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = CountedSearches()
    monkeypatch.setattr(EmbeddedEngine, "search", counted.search)
    again = plan(step(3, query="高速道路の料金"), step(4, "reasoning", "高速道路の料金は", [1, 3]))
    toll = says("高速道路の料金は全額です。", "P1001", "高速道路の料金は全額を会社が負担します。")
    model.replies(plan(*SEARCH_THEN_ANSWER), ANSWER, again, answer(toll))
    settings = with_model(workspace, model, thresholds=UNSURE)
    modify: JsonObject = {"action": "modify", "instruction": "高速道路の料金も"}
    outcome = asked(settings, SURE, modify, PROCEED)
    result = outcome.result
    [replan] = result.replans
    assert (replan.trigger, replan.strategy) == ("user_feedback", "partial")
    assert (replan.kept, replan.added) == ((1, 2), (3, 4))
    assert of_steps(outcome) == [1, 2, 3, 4]
    assert counted.queries == [SURE, "高速道路の料金"]
    assert model.remaining == 0
    assert "高速道路の料金は全額です。" in result.answer_md
    assert "高速道路の料金も" in model.requests[3].prompt


def test_with_a_persons_information_the_answer_is_better(
    model: ScriptedModel, workspace: Path
) -> None:
    nothing = answer(sure=0.1)
    anew = plan(step(3, query="昼食 値段"), step(4, "reasoning", UNKNOWN, [3]))
    informed = plan(step(5, query="昼食は550円"), step(6, "reasoning", UNKNOWN, [5]))
    told = says("昼食は550円です。", "P0001", "社員食堂の昼食は550円です。")
    first = (step(1, query=UNKNOWN), step(2, "reasoning", UNKNOWN, [1]))
    model.replies(plan(*first), nothing, anew, nothing, informed, answer(told))
    settings = with_model(workspace, model)
    outcome = asked(settings, UNKNOWN, {"information": "社員食堂の昼食は550円です。"})
    state = outcome.execution
    assert [each.strategy for each in state.replans] == ["full", "partial"]
    assert state.interventions[0].action == "inform"
    before, last = state.interventions[0].confidence, state.results[-1]
    assert last.confidence is not None
    assert before is not None
    assert last.confidence.score > before
    assert last.answered
    [source] = last.sources
    assert (source.kind, source.verified) == ("person", False)


def test_after_so_many_replans_the_best_answer_is_given_and_marked(
    model: ScriptedModel, workspace: Path
) -> None:
    counter = iter(range(1, 100))

    def reply(request: Request) -> Reply:
        match wanted(request):
            case "PlanGiven":
                number = 2 * next(counter) - 1
                return plan(
                    step(number, query=f"検索{number}"),
                    step(number + 1, "reasoning", SURE, [number]),
                )
            case _:
                return answer(sure=0.1)

    model.otherwise(reply)
    settings = with_model(workspace, model)
    informs: list[JsonObject] = [{"information": "総務課のこと"}, {"information": "車のこと"}]
    outcome = asked(settings, UNKNOWN, *informs)
    result = outcome.result
    assert [each.strategy for each in result.replans] == ["full", "partial", "partial"]
    assert result.partial
    assert "上限（3回）" in result.partial_reason
    assert "上限（3回）" in result.answer_md
    assert not result.answered
    assert "見つかりませんでした" in result.answer_md


def test_steps_that_do_not_wait_for_each_other_run_side_by_side(
    model: ScriptedModel, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_are_there = threading.Barrier(3, timeout=PATIENCE_SECONDS)
    counted = CountedSearches(all_are_there.wait)
    monkeypatch.setattr(EmbeddedEngine, "search", counted.search)
    searches = [step(number, query=f"燃料代 {number}") for number in (1, 2, 3)]
    last = step(4, "reasoning", needs=[1, 2, 3])
    model.replies(plan(*searches, last), ANSWER)
    outcome = asked(with_model(workspace, model), SURE)
    assert len(counted.queries) == 3
    assert not all_are_there.broken
    sent = next(output for name, output in outcome.steps if name == "schedule")
    assert sent["statuses"] == {"1": "running", "2": "running", "3": "running", "4": "pending"}


def test_a_model_that_praises_an_answer_without_support_does_not_make_it_silent(
    model_of_answers: ScriptedModel, workspace: Path
) -> None:
    invented = says("燃料代は1回9,000円までです。", "P1001", "燃料代は、1回につき9,000円まで")
    praised = answer(invented, sure=1.0)
    model_of_answers.replies(praised, plan(*SEARCH_THEN_ANSWER), praised, praised)
    model_of_answers.otherwise(
        plan(step(3, query="燃料"), step(4, "reasoning", needs=[1, 3])),
    )
    outcome = asked(with_model(workspace, model_of_answers), SURE)
    state = outcome.execution
    assert outcome.question.context["answered"] is False
    assert "9,000" not in str(outcome.question.context)
    for result in state.results:
        if result.action == "reasoning":
            assert not result.answered
            assert result.confidence is not None
            assert result.confidence.level == "escalate"
            assert result.nearest
            assert "1文" in result.reason


def test_what_was_not_found_is_searched_for_as_the_reader_says_without_another_plan(
    model_of_answers: ScriptedModel, workspace: Path
) -> None:
    toll = "高速道路の料金は全額を会社が負担します。"

    def found(request: Request) -> Reply:
        [passage] = re.findall(r'"id": "(P\d+)"[^{}]*' + toll, request.prompt)
        return answer(says("高速道路の料金は全額です。", passage, toll), sure=1.0)

    model_of_answers.replies(
        answer(sure=0.1, searches=["高速道路の料金", "通行料", "高速道路の料金"]), found
    )
    outcome = asked(with_model(workspace, model_of_answers), "有料道路の支払いは会社持ちですか")
    result = outcome.execution.results[-1]
    assert [each.trigger for each in outcome.execution.replans] == ["low_confidence"]
    searched = [query.text for each in outcome.execution.results for query in each.searched]
    assert searched[-2:] == ["高速道路の料金", "通行料"]
    assert result.answered
    assert len(model_of_answers.requests) == 2


def test_an_answer_that_stands_is_shown_to_a_person_not_planned_anew(
    model_of_answers: ScriptedModel, workspace: Path
) -> None:
    model_of_answers.replies(ANSWER)
    never: JsonObject = {"silent": 0.99999, "notify": 0.99998, "confirm": 0.99997}
    outcome = asked(with_model(workspace, model_of_answers, thresholds=never), SURE)
    assert outcome.question.context["answered"] is True
    assert outcome.execution.replans == ()
    assert len(model_of_answers.requests) == 1


def test_half_an_answer_without_support_is_left_out_and_costs(
    model_of_answers: ScriptedModel, workspace: Path
) -> None:
    invented = says("予約は要りません。", "P1001", "予約は要りません。")
    half = answer(says("燃料代は6,000円までです。", "P1001", FUEL), invented, sure=1.0)
    model_of_answers.replies(half)
    outcome = asked(with_model(workspace, model_of_answers), SURE)
    last = outcome.execution.results[-1]
    assert [each.text for each in last.sentences] == ["燃料代は6,000円までです。"]
    assert last.confidence is not None
    assert [each.name for each in last.confidence.penalties] == ["unsupported"]


def test_a_step_out_of_time_is_planned_around(model: ScriptedModel, workspace: Path) -> None:
    rest = plan(step(3, "reasoning", SURE, [1]))
    model.replies(plan(*SEARCH_THEN_ANSWER), Hang(), rest, ANSWER)
    settings = with_model(workspace, model, limits={"step_seconds": 1.0})
    result = asked(settings, SURE).result
    [replan] = result.replans
    assert (replan.trigger, replan.strategy, replan.step_id) == ("timeout", "partial", 2)
    assert result.answered
    assert replan.kept == (1,)


def test_what_waits_for_a_step_that_failed_for_good_is_skipped_and_says_so(
    model: ScriptedModel, workspace: Path
) -> None:
    steps = (
        step(1),
        step(2, "reasoning", "研修の受講料は", [1]),
        step(3, "reasoning", SURE, [1]),
        step(4, "reasoning", SURE, [2, 3]),
    )

    def reply(request: Request) -> Reply:
        if wanted(request) == "PlanGiven":
            return plan(*steps)
        return Refused() if "研修の受講料は" in request.prompt else ANSWER

    model.otherwise(reply)
    settings = with_model(workspace, model, limits={"max_replans": 0})
    outcome = asked(settings, SURE)
    results = {each.step_id: each for each in outcome.execution.results}
    assert results[2].status == "failed"
    assert results[4].status == "skipped"
    assert "手順2が失敗した" in results[4].reason
    # Step 3 is sure of its part; the whole question waits for a person all the same.
    assert outcome.run.status is Status.WAITING
    shown: Any = outcome.question.context
    assert shown["confidence"]["level"] in ("confirm", "escalate")


def test_a_model_that_can_not_be_used_fails_the_run_which_goes_on_from_there_when_it_can(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(plan(*SEARCH_THEN_ANSWER), WrongKey(), ANSWER)

    async def work(bench: Workbench) -> Asked:
        failed = await ask(bench, SURE)
        assert failed.run.status is Status.FAILED
        assert failed.run.problem is not None
        await bench.resume(LOCAL, failed.run.run_id)
        return await look(bench, await bench.wait(LOCAL, failed.run.run_id))

    outcome = on_bench(with_model(workspace, model), work)
    assert outcome.result.answered
    assert len(model.requests) == 3  # nothing that was done is asked again


# ---- people in the plan --------------------------------------------------------------------


def test_a_plan_may_ask_a_person_and_cite_the_answer(model: ScriptedModel, workspace: Path) -> None:
    steps = (
        step(1),
        step(2, "ask_user", "どの車を使いますか"),
        step(3, "reasoning", needs=[1, 2]),
    )
    told = says("軽自動車を使います。", "P2001", "軽自動車を使います")
    model.replies(plan(*steps), answer(told))
    settings = with_model(workspace, model)
    waiting = asked(settings, SURE)
    assert waiting.question.message == "どの車を使いますか"
    assert [each.id for each in waiting.question.requirements] == ["answer"]
    assert waiting.execution.interventions[0].about == "question"
    model.replies(plan(*steps), answer(told))
    outcome = asked(settings, SURE, {"answer": "軽自動車を使います"})
    results = {each.step_id: each for each in outcome.execution.results}
    assert results[2].output == "軽自動車を使います"
    assert results[3].sources[0].kind == "person"


def test_a_plan_that_is_to_be_confirmed_waits_before_anything_is_done(
    model: ScriptedModel, workspace: Path
) -> None:
    model.replies(plan(*SEARCH_THEN_ANSWER, confirm=True))
    settings = with_model(workspace, model)
    waiting = asked(settings, SURE)
    assert waiting.nodes == ["plan"]
    assert "手順1" in str(waiting.question.context["plan_md"])
    other = plan(step(3, query="燃料代"), step(4, "reasoning", needs=[3]), confirm=True)
    model.replies(
        plan(*SEARCH_THEN_ANSWER, confirm=True),
        other,
        answer(says("6,000円までです。", "P3001", FUEL)),
    )
    modify: JsonObject = {"action": "modify", "instruction": "燃料代だけを調べてください"}
    outcome = asked(settings, SURE, modify, PROCEED)
    assert of_steps(outcome) == [3, 4]
    assert outcome.result.answered
    assert [each.about for each in outcome.result.interventions] == ["plan", "plan"]


def test_model_and_temperature_of_grace_are_its_own(
    model_of_answers: ScriptedModel, workspace: Path
) -> None:
    model_of_answers.replies(ANSWER)
    settings = with_model(workspace, model_of_answers, model="grace-1", temperature=0.25)
    outcome = asked(settings, SURE)
    assert outcome.run.engine.model == "grace-1"
    assert {request.body["model"] for request in model_of_answers.requests} == {"grace-1"}
    assert {request.body["temperature"] for request in model_of_answers.requests} == {0.25}
