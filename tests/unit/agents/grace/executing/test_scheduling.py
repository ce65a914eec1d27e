"""Whatever a plan looks like and however its steps end, every step ends once."""

from hypothesis import given
from hypothesis import strategies as st

from sanbo.agents.grace.schemas import ExecutionPlan, PlanStep, Status, StepResult
from sanbo.agents.grace.state import failures, ready, skipped, statuses, unfinished


@st.composite
def plans(data: st.DrawFn) -> ExecutionPlan:
    steps = [
        PlanStep(
            step_id=number,
            action="reasoning",
            description="",
            depends_on=tuple(sorted(data(st.sets(st.integers(1, number - 1), max_size=3))))
            if number > 1
            else (),
        )
        for number in range(1, data(st.integers(1, 9)) + 1)
    ]
    return ExecutionPlan(
        plan_id="p", original_query="質問", complexity=0.5, steps=tuple(steps), made_by="model"
    )


@given(plans(), st.lists(st.booleans(), min_size=9, max_size=9))
def test_steps_run_once_after_what_they_need_and_are_skipped_where_that_failed(
    plan: ExecutionPlan, succeeds: list[bool]
) -> None:
    results: dict[int, StepResult] = {}
    while unfinished(plan, results):
        lost = skipped(plan, results, "ja")
        now = ready(plan, results)
        assert lost or now, "nothing can go on"
        for each in lost:
            assert each.reason
            results[each.step_id] = each
        for step in now:
            assert step.step_id not in results
            assert all(results[needed].status == "success" for needed in step.depends_on)
            status: Status = "success" if succeeds[step.step_id - 1] else "failed"
            results[step.step_id] = StepResult(
                step_id=step.step_id, action=step.action, status=status
            )
    by_id = {step.step_id: step for step in plan.steps}
    for number, result in results.items():
        lost_before = any(results[each].status != "success" for each in by_id[number].depends_on)
        assert (result.status == "skipped") == lost_before
    assert statuses(plan, results) == {number: each.status for number, each in results.items()}
    failed = {number for number, each in results.items() if each.status == "failed"}
    assert {each.step_id for each in failures(plan, results, frozenset())} == failed
    assert failures(plan, results, frozenset(failed)) == ()
