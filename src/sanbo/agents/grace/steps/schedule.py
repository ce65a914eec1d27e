"""Which steps can run now, which never will, and how one is carried out within its time."""

from collections.abc import Mapping

from sanbo.agents.grace.schemas import ExecutionPlan, PlanStep, Status, StepResult
from sanbo.kernel.messages import Language, tell

ENDED: frozenset[Status] = frozenset({"success", "failed", "skipped"})


def unfinished(plan: ExecutionPlan, results: Mapping[int, StepResult]) -> tuple[PlanStep, ...]:
    return tuple(step for step in plan.steps if step.step_id not in results)


def ready(plan: ExecutionPlan, results: Mapping[int, StepResult]) -> tuple[PlanStep, ...]:
    """All that they depend on has succeeded."""
    succeeded = {number for number, each in results.items() if each.status == "success"}
    return tuple(step for step in unfinished(plan, results) if set(step.depends_on) <= succeeded)


def skipped(
    plan: ExecutionPlan, results: Mapping[int, StepResult], language: Language
) -> tuple[StepResult, ...]:
    """Steps that can't run any more because something that they depend on did not succeed."""
    lost: dict[int, StepResult] = {}
    for step in plan.steps:
        if step.step_id in results:
            continue
        for number in step.depends_on:
            before = lost.get(number) or results.get(number)
            if before is not None and before.status in ("failed", "skipped"):
                lost[step.step_id] = _skipped(step, before, language)
                break
    return tuple(lost.values())


def statuses(
    plan: ExecutionPlan, results: Mapping[int, StepResult], running: tuple[int, ...] = ()
) -> dict[int, Status]:
    known: dict[int, Status] = {step.step_id: "pending" for step in plan.steps}
    for number in known:
        if number in running:
            known[number] = "running"
        if number in results:
            known[number] = results[number].status
    return known


def failures(
    plan: ExecutionPlan, results: Mapping[int, StepResult], repaired: frozenset[int]
) -> tuple[StepResult, ...]:
    """Failed steps of the plan that no new plan has taken up yet."""
    return tuple(
        result
        for step in plan.steps
        if step.step_id not in repaired
        and (result := results.get(step.step_id)) is not None
        and result.status == "failed"
    )


def _skipped(step: PlanStep, before: StepResult, language: Language) -> StepResult:
    return StepResult(
        step_id=step.step_id,
        action=step.action,
        status="skipped",
        reason=tell(f"grace.skipped.{before.status}", language, step=before.step_id),
    )
