"""What rules make of a plan that did not work out: other words, a person's words, what is left."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from sanbo.agents.grace.review import create_replan
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import ExecutionPlan, PlanStep, Strategy, Trigger
from sanbo.agents.grace.thinking import ReplanRequest
from sanbo.kernel.problems import InvalidOutput
from tests.examples import examples
from tests.unit.agents.grace.planning.plans import (
    ANSWER,
    FINISHED,
    ONE_ANSWER,
    SEARCH,
    done,
    failed,
    plan_of,
    replanning,
    step,
)


def repaired(request: ReplanRequest) -> ExecutionPlan:
    return asyncio.run(create_replan(RulesThinking("ja"), request, "ja"))


def new_steps(request: ReplanRequest) -> tuple[PlanStep, ...]:
    old = {each.step_id for each in request.plan.steps}
    plan = repaired(request)
    assert plan.problem == ""
    return tuple(each for each in plan.steps if each.step_id not in old)


def test_an_answer_of_low_confidence_is_searched_for_in_other_words() -> None:
    new = new_steps(replanning(ONE_ANSWER, FINISHED))
    queries = [each.query for each in new[:-1]]
    assert len(queries) == len(set(queries)) > 1
    assert any("宿泊料" in query for query in queries)
    assert all(each.depends_on == () for each in new[:-1])
    assert set(new[-1].depends_on) == {1, *(each.step_id for each in new[:-1])}


def test_a_person_s_words_are_searched_for_alone_and_with_the_question() -> None:
    request = replanning(
        ONE_ANSWER,
        FINISHED,
        trigger="user_feedback",
        strategy="partial",
        information=("海外出張の場合を知りたい。",),
    )
    new = new_steps(request)
    queries = [each.query for each in new[:-1]]
    both = f"{ONE_ANSWER.original_query} 海外出張の場合を知りたい。"
    assert queries[:2] == [both, "海外出張の場合を知りたい。"]
    assert new[-1].query == both
    assert 1 in new[-1].depends_on


def test_a_figure_that_a_person_tells_is_looked_for_and_not_taken_as_asked() -> None:
    request = replanning(
        ONE_ANSWER,
        FINISHED,
        trigger="user_feedback",
        strategy="partial",
        information=("上限は12,000円だったはずです。",),
    )
    assert new_steps(request)[-1].query == ONE_ANSWER.original_query


PARTS = plan_of(
    step(1, query="日数"),
    step(2, query="申請の期限"),
    step(3, "reasoning", query="有給休暇の日数", needs=[1]),
    step(4, "reasoning", query="有給休暇の申請の期限", needs=[2]),
    step(5, "reasoning", needs=[3, 4]),
)


def test_only_the_part_that_is_not_sure_is_looked_up_again() -> None:
    results = [done(each) for each in PARTS.steps[:3]]
    results += [done(PARTS.steps[3], "escalate"), done(PARTS.steps[4], "escalate")]
    new = new_steps(replanning(PARTS, results))
    answers = [each for each in new if each.action == "reasoning"]
    assert [each.query for each in answers] == ["有給休暇の申請の期限", PARTS.original_query]
    assert 2 in answers[0].depends_on
    assert answers[1].depends_on == (3, answers[0].step_id)


def test_a_computation_is_made_anew_with_the_figures_that_were_read_anew() -> None:
    plan = plan_of(
        *PARTS.steps[:4],
        step(5, "compute", query="#3 + #4", needs=[3, 4], description="合計（#3 + #4）"),
        step(6, "reasoning", needs=[3, 4, 5]),
    )
    results = [done(each) for each in plan.steps[:3]] + [done(plan.steps[3], "confirm")]
    new = new_steps(replanning(plan, results))
    [computed] = [each for each in new if each.action == "compute"]
    assert computed.query == f"#3 + #{computed.depends_on[1]}"
    assert computed.description == f"合計（{computed.query}）"
    assert computed.step_id in new[-1].depends_on


TOTAL = plan_of(
    step(1, query="東京の宿泊費はいくら"),
    step(2, query="大阪の宿泊費はいくら"),
    step(3, "reasoning", query="東京の宿泊費はいくら", needs=[1]),
    step(4, "reasoning", query="大阪の宿泊費はいくら", needs=[2]),
    step(5, "compute", query="#3 + #4", needs=[3, 4]),
    step(6, "reasoning", needs=[3, 4, 5]),
    question="東京と大阪の宿泊費の合計はいくらですか。",
)


def total_repaired(error: InvalidOutput) -> tuple[PlanStep, ...]:
    stopped = failed(TOTAL.steps[4]).model_copy(update={"problem": error.problem})
    results = [*(done(each) for each in TOTAL.steps[:4]), stopped]
    return new_steps(
        replanning(TOTAL, results, cause=stopped, trigger="step_failed", strategy="partial")
    )


def test_a_figure_that_is_missing_is_looked_for_in_other_words() -> None:
    new = total_repaired(InvalidOutput("grace_figure_missing", step=4))
    read, computed, answer = new[-3:]
    assert {each.action for each in new[:-3]} == {"rag_search"}
    assert (read.query, 2 in read.depends_on) == ("大阪の宿泊費はいくら", True)
    assert computed.query == f"#3 + #{read.step_id}"
    assert answer.depends_on == (3, read.step_id, computed.step_id)


def test_figures_that_do_not_go_together_are_told_and_not_computed_again() -> None:
    new = total_repaired(InvalidOutput("grace_units_differ", units="円, 人"))
    assert [each.action for each in new] == ["reasoning", "reasoning"]
    assert new[0].depends_on == (3, 4)


def test_what_failed_for_good_is_left_out_where_other_searches_found_something() -> None:
    plan = plan_of(SEARCH, step(2), step(3, "reasoning", needs=[1, 2]))
    request = replanning(
        plan, [done(SEARCH), failed(plan.steps[1])], trigger="step_failed", strategy="partial"
    )
    [answer] = new_steps(request)
    assert (answer.action, answer.depends_on) == ("reasoning", (1,))


def test_a_search_that_alone_failed_is_tried_in_other_words() -> None:
    plan = plan_of(step(1, query="宿泊費の上限はいくらですか。"), ANSWER)
    request = replanning(plan, [failed(SEARCH)], trigger="timeout", strategy="partial")
    search, answer = new_steps(request)
    assert (search.query, answer.depends_on) == ("宿泊費 上限", (search.step_id,))


def test_an_answer_that_failed_is_given_once_more() -> None:
    request = replanning(
        ONE_ANSWER, [done(SEARCH), failed(ANSWER)], trigger="step_failed", strategy="partial"
    )
    [answer] = new_steps(request)
    assert (answer.action, answer.query, answer.depends_on) == ("reasoning", ANSWER.query, (1,))


def test_a_plan_that_is_changed_before_it_starts_is_made_anew() -> None:
    request = replanning(
        plan_of(SEARCH, ANSWER), [], trigger="user_feedback", strategy="partial",
        information=("契約社員について",),
    )  # fmt: skip
    new = new_steps(request)
    assert any("契約社員について" in each.query for each in new)
    assert [each.action for each in new].count("reasoning") == 3


def test_where_every_wording_was_tried_the_search_agent_goes_on() -> None:
    plan = plan_of(step(1, query="旅"), step(2, "reasoning", needs=[1]), question="旅")
    new = new_steps(replanning(plan, [done(plan.steps[0])]))
    assert [each.action for each in new] == ["run_legacy_agent", "reasoning"]


@settings(max_examples=examples(60))
@given(
    st.sampled_from([ONE_ANSWER, PARTS]),
    st.data(),
    st.sampled_from(["low_confidence", "user_feedback", "step_failed", "timeout"]),
    st.sampled_from(["partial", "full"]),
    st.integers(4, 12),
)
def test_every_repair_by_rules_can_be_carried_out(
    plan: ExecutionPlan, data: st.DataObject, trigger: Trigger, strategy: Strategy, most: int
) -> None:
    count = data.draw(st.integers(0, len(plan.steps)))
    well: set[int] = set()
    for each in plan.steps[:count]:
        if well.issuperset(each.depends_on) and data.draw(st.booleans()):
            well.add(each.step_id)
    results = [done(each) if each.step_id in well else failed(each) for each in plan.steps[:count]]
    request = replanning(
        plan, results, trigger=trigger, strategy=strategy, max_steps=most, information=("大阪",)
    )
    new = new_steps(request) if most > 6 else repaired(request).steps
    assert new[-1].action == "reasoning"
