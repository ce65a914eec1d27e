"""A plan is repaired: the right way is chosen, what is done is kept, numbers are never reused."""

import asyncio
from graphlib import TopologicalSorter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from sanbo.agents.grace.planner import check
from sanbo.agents.grace.review import (
    apply_fallback,
    choose_strategy,
    create_replan,
    merge,
    next_step_id,
)
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import ExecutionPlan, PlanStep, Replan, Strategy, Trigger
from sanbo.agents.grace.settings import GraceLimits
from sanbo.agents.grace.thinking import DraftPlan, ReplanRequest
from sanbo.kernel.problems import InvalidOutput, ProviderFailed, SanboError
from tests.examples import examples
from tests.unit.agents.grace.planning.plans import (
    ANSWER,
    FINISHED,
    ONE_ANSWER,
    SEARCH,
    asked,
    done,
    draft,
    drafts,
    failed,
    plan_of,
    replanning,
    step,
)

LIMITS = GraceLimits()
WITH_A_WAY_OUT = step(1, fallback="run_legacy_agent")
COMPUTED = step(5, "compute", query="#3 + #4", needs=[3, 4], fallback="reasoning")


def replan(strategy: Strategy, trigger: Trigger, step_id: int | None = None) -> Replan:
    return Replan(
        number=1, trigger=trigger, strategy=strategy, reason="", step_id=step_id, kept=(), added=()
    )


@pytest.mark.parametrize(
    ("trigger", "cause", "before", "chosen"),
    [
        ("step_failed", WITH_A_WAY_OUT, [], "fallback"),
        ("timeout", WITH_A_WAY_OUT, [], "fallback"),
        ("step_failed", WITH_A_WAY_OUT, [replan("fallback", "step_failed", 1)], "partial"),
        ("step_failed", WITH_A_WAY_OUT, [replan("fallback", "step_failed", 7)], "fallback"),
        ("step_failed", ANSWER, [], "partial"),
        ("low_confidence", ANSWER, [], "full"),
        ("low_confidence", ANSWER, [replan("full", "low_confidence")], None),
        ("low_confidence", ANSWER, [replan("partial", "user_feedback")], "full"),
        ("low_confidence", ANSWER, [replan("fallback", "step_failed", 1)] * 2, None),
        ("user_feedback", ANSWER, [replan("full", "low_confidence")], "partial"),
        ("step_failed", COMPUTED, [], "partial"),
        ("step_failed", COMPUTED, [replan("partial", "step_failed", 3)], "fallback"),
        ("user_feedback", ANSWER, [replan("partial", "user_feedback")] * 3, None),
        ("step_failed", WITH_A_WAY_OUT, [replan("partial", "user_feedback")] * 3, None),
    ],
)
def test_the_way_to_repair_goes_by_what_happened(
    trigger: Trigger, cause: PlanStep, before: list[Replan], chosen: Strategy | None
) -> None:
    assert choose_strategy(trigger, cause, before, LIMITS) == chosen


def test_the_only_replan_there_is_may_be_used_without_a_person() -> None:
    assert choose_strategy("low_confidence", None, [], GraceLimits(max_replans=1)) == "full"


def test_without_replans_nothing_is_repaired() -> None:
    assert choose_strategy("user_feedback", None, [], GraceLimits(max_replans=0)) is None


# ---- the step's own alternative ------------------------------------------------------------


def test_the_alternative_takes_the_place_of_the_step_under_a_number_of_its_own() -> None:
    plan = plan_of(WITH_A_WAY_OUT, step(2), step(3, "reasoning", needs=[1, 2]))
    repaired = apply_fallback(plan, 1, "ja")
    assert [each.step_id for each in repaired.steps] == [1, 4, 2, 3]
    instead = repaired.steps[1]
    assert (instead.action, instead.query, instead.collection) == (
        "run_legacy_agent",
        WITH_A_WAY_OUT.query,
        "規程",
    )
    assert instead.fallback is None
    assert repaired.steps[3].depends_on == (4, 2)
    assert (repaired.revision, repaired.requires_confirmation) == (1, False)
    assert instead.description.startswith("手順1の代わりに")


def test_instead_of_a_computation_the_question_is_answered() -> None:
    computed = step(3, "compute", query="#2 * 2", needs=[2], fallback="reasoning")
    twice = step(4, "compute", query="#3 + #2", needs=[3, 2])
    plan = plan_of(SEARCH, ANSWER, computed, twice, step(5, "reasoning", needs=[4]))
    repaired = apply_fallback(plan, 3, "ja")
    assert (repaired.steps[3].action, repaired.steps[3].query) == ("reasoning", plan.original_query)
    assert (repaired.steps[4].query, repaired.steps[4].depends_on) == ("#6 + #2", (6, 2))


def test_instead_of_the_web_a_collection_of_the_plan_is_searched() -> None:
    web = step(1, "web_search", fallback="rag_search")
    repaired = apply_fallback(plan_of(web, step(2), step(3, "reasoning", needs=[1, 2])), 1, "ja")
    assert (repaired.steps[1].action, repaired.steps[1].collection) == ("rag_search", "規程")


def test_an_alternative_that_leaves_for_the_web_waits_for_a_person() -> None:
    plan = plan_of(step(1, fallback="web_search"), ANSWER)
    assert apply_fallback(plan, 1, "ja").requires_confirmation


# ---- what is done and what is new ----------------------------------------------------------


def test_finished_steps_stay_and_new_ones_get_numbers_that_nothing_had() -> None:
    plan = plan_of(
        SEARCH, step(2), step(3, "reasoning", needs=[1, 2]), step(4, "reasoning", needs=[3])
    )
    results = [done(SEARCH), failed(plan.steps[1])]
    new = draft(step(5), step(6, "reasoning", needs=[1, 5]))
    merged = merge(plan, results, new)
    assert [each.step_id for each in merged.steps] == [1, 2, 5, 6]
    assert merged.steps[3].depends_on == (1, 5)
    assert merged.revision == 1


def test_a_draft_with_numbers_of_its_own_is_renumbered_with_its_expressions() -> None:
    plan = plan_of(SEARCH, ANSWER)
    new = draft(
        step(20, "reasoning", needs=[1]),
        step(30, "compute", query="#20 * #2", needs=[20, 2]),
        step(40, "reasoning", needs=[30]),
    )
    merged = merge(plan, [done(SEARCH), done(ANSWER)], new)
    assert [each.step_id for each in merged.steps] == [1, 2, 3, 4, 5]
    assert (merged.steps[3].query, merged.steps[3].depends_on) == ("#3 * #2", (3, 2))


@settings(max_examples=examples(60))
@given(st.data())
def test_any_repaired_plan_can_run_and_keeps_what_is_finished(data: st.DataObject) -> None:
    first = data.draw(drafts())
    if check(first, asked()):
        return
    plan = plan_of(*first.steps)
    results = [
        done(each) if data.draw(st.booleans()) else failed(each)
        for each in plan.steps[: data.draw(st.integers(0, len(plan.steps)))]
    ]
    kept = [each.step_id for each in results if each.status == "success"]
    new = data.draw(drafts(first=next_step_id(plan, results), kept=kept))
    if check(new, replanning(plan, results)):
        return
    merged = merge(plan, results, new)
    ids = [each.step_id for each in merged.steps]
    assert len(set(ids)) == len(ids)
    assert {each.step_id for each in results} <= set(ids)
    assert not {each.step_id for each in merged.steps[len(results) :]} & {
        each.step_id for each in plan.steps
    }
    still_to_do = [
        each for each in merged.steps if each.step_id not in {r.step_id for r in results}
    ]
    known = {*kept, *(each.step_id for each in still_to_do)}
    assert all(set(each.depends_on) <= known for each in still_to_do)
    list(TopologicalSorter({each.step_id: each.depends_on for each in merged.steps}).static_order())


# ---- by a thinker --------------------------------------------------------------------------


class Thinker(RulesThinking):
    def __init__(self, thought: DraftPlan | SanboError) -> None:
        super().__init__("ja")
        self._thought = thought

    @override
    async def replan(self, request: ReplanRequest) -> DraftPlan:
        if isinstance(self._thought, SanboError):
            raise self._thought
        return self._thought


def thought(of: DraftPlan | SanboError, **others: Any) -> ExecutionPlan:
    request = replanning(ONE_ANSWER, FINISHED, **others)
    return asyncio.run(create_replan(Thinker(of), request, "ja"))


def test_new_steps_that_were_thought_of_are_added() -> None:
    plan = thought(draft(step(3), step(4, "reasoning", needs=[1, 3])))
    assert [each.step_id for each in plan.steps] == [1, 2, 3, 4]
    assert (plan.problem, plan.made_by) == ("", "rules")


@pytest.mark.parametrize(
    "of",
    [
        draft(step(1), step(2, "reasoning", needs=[1])),
        InvalidOutput("llm_output_mismatch", provider="openai", model="m", schema="PlanGiven"),
    ],
)
def test_a_repair_of_no_use_becomes_the_template_and_says_why(of: DraftPlan | SanboError) -> None:
    plan = thought(of, information=("海外の場合",))
    assert [each.action for each in plan.steps[2:]] == ["rag_search", "rag_search", "reasoning"]
    assert "海外の場合" in plan.steps[3].query
    assert (plan.made_by, plan.revision) == ("template", 1)
    assert "定型の計画" in plan.problem


def test_a_thinker_that_can_t_be_reached_is_a_problem() -> None:
    with pytest.raises(ProviderFailed):
        thought(ProviderFailed("llm_rate_limited", provider="openai", model="m"))


def test_the_alternative_needs_no_thinking() -> None:
    plan = plan_of(WITH_A_WAY_OUT, ANSWER)
    request = replanning(
        plan, [failed(SEARCH)], cause=failed(SEARCH), trigger="step_failed", strategy="fallback"
    )
    plan = asyncio.run(create_replan(RulesThinking("ja"), request, "ja"))
    assert [each.action for each in plan.steps] == [
        "rag_search",
        "run_legacy_agent",
        "reasoning",
    ]
