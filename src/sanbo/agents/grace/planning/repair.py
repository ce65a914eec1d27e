"""Repairs a plan: which way, and how what is done and what is new become one plan."""

from collections.abc import Mapping, Sequence, Set

from sanbo.agents.grace.arithmetic.expressions import with_numbers
from sanbo.agents.grace.planning.drafts import SEARCHES, shown, template
from sanbo.agents.grace.planning.planner import drafted, needs_confirmation
from sanbo.agents.grace.schemas import (
    Action,
    ExecutionPlan,
    PlanStep,
    Replan,
    StepResult,
    Strategy,
    Trigger,
)
from sanbo.agents.grace.settings import GraceLimits
from sanbo.agents.grace.thinking import DraftPlan, PlanRequest, ReplanRequest, Thinking
from sanbo.kernel.messages import Language, tell


def choose_strategy(
    trigger: Trigger, cause: PlanStep | None, replans: Sequence[Replan], limits: GraceLimits
) -> Strategy | None:
    """None: no replan is left, or none would help."""
    if len(replans) >= limits.max_replans:
        return None
    if trigger == "user_feedback":
        return "partial"
    if trigger == "low_confidence":
        return _once_by_itself(replans, limits)
    tried = {(done.strategy, done.trigger) for done in replans}
    if cause is not None and cause.action == "compute" and ("partial", trigger) not in tried:
        return "partial"  # a figure that is missing is looked for before one does without it
    used = {done.step_id for done in replans if done.strategy == "fallback"}
    if cause is not None and cause.fallback is not None and cause.step_id not in used:
        return "fallback"
    return "partial"


def _once_by_itself(replans: Sequence[Replan], limits: GraceLimits) -> Strategy | None:
    """And not with the last replan that there is: that is for what a person has to say."""
    tried = any(done.trigger == "low_confidence" for done in replans)
    left_to_people = len(replans) >= max(1, limits.max_replans - 1)
    return None if tried or left_to_people else "full"


def next_step_id(plan: ExecutionPlan, results: Sequence[StepResult] = ()) -> int:
    """No number is given twice in a run, not even that of a step that was never carried out."""
    used = [step.step_id for step in plan.steps] + [result.step_id for result in results]
    return max(used, default=0) + 1


async def create_replan(
    thinking: Thinking, request: ReplanRequest, language: Language
) -> ExecutionPlan:
    """The plan repaired; the template over what was found where thinking gives no use."""
    if request.strategy == "fallback" and request.cause is not None:
        return apply_fallback(request.plan, request.cause.step_id, language, request.next_step_id)

    async def think(_: PlanRequest) -> DraftPlan:
        return await thinking.replan(request)

    draft, problem = await drafted(think, request, language)
    if draft is None:
        draft = template(request, language)
    merged = merge(request.plan, request.finished, draft)
    made_by = "template" if problem else merged.made_by
    return merged.model_copy(update={"problem": problem, "made_by": made_by})


def merge(plan: ExecutionPlan, finished: Sequence[StepResult], draft: DraftPlan) -> ExecutionPlan:
    """What was carried out keeps its number; what is new gets numbers that nothing had."""
    ran = {result.step_id for result in finished if result.status in ("success", "failed")}
    succeeded = {result.step_id for result in finished if result.status == "success"}
    kept = [step for step in plan.steps if step.step_id in ran]
    first = next_step_id(plan, finished)
    numbers = {step.step_id: first + place for place, step in enumerate(draft.steps)}
    new = [_renumbered(step, numbers, succeeded) for step in draft.steps]
    return plan.model_copy(
        update={
            "steps": (*kept, *new),
            "requires_confirmation": needs_confirmation(DraftPlan(steps=tuple(new))),
            "problem": "",
            "revision": plan.revision + 1,
        }
    )


def _renumbered(step: PlanStep, numbers: Mapping[int, int], succeeded: Set[int]) -> PlanStep:
    """Its own draft's steps by their new numbers, finished ones by theirs, nothing else."""
    needed = [
        numbers.get(each, each) for each in step.depends_on if each in numbers or each in succeeded
    ]
    query = with_numbers(step.query, numbers) if step.action == "compute" else step.query
    return step.model_copy(
        update={
            "step_id": numbers[step.step_id],
            "depends_on": tuple(dict.fromkeys(needed)),
            "query": query,
        }
    )


def apply_fallback(
    plan: ExecutionPlan, failed_id: int, language: Language, first: int | None = None
) -> ExecutionPlan:
    """The step's own alternative in its place; what waited for the step waits for that instead."""
    failed = next(step for step in plan.steps if step.step_id == failed_id)
    if failed.fallback is None:
        raise ValueError(f"step {failed_id} has no alternative")
    number = first or next_step_id(plan)
    instead = _alternative(plan, failed, failed.fallback, number, language)
    steps: list[PlanStep] = []
    for step in plan.steps:
        steps.append(_waiting_for(step, failed_id, number))
        if step is failed:
            steps.append(instead)
    confirm = needs_confirmation(DraftPlan(steps=(instead,)))
    return plan.model_copy(
        update={
            "steps": tuple(steps),
            "requires_confirmation": confirm,
            "revision": plan.revision + 1,
        }
    )


def _alternative(
    plan: ExecutionPlan, failed: PlanStep, action: Action, number: int, language: Language
) -> PlanStep:
    """Without an alternative of its own, so that two ways don't take turns for ever."""
    query = plan.original_query if failed.action == "compute" else failed.query
    collection = failed.collection
    if collection is None and action in {"rag_search", "run_legacy_agent"}:
        collection = next((step.collection for step in plan.steps if step.collection), None)
    description = tell(
        f"grace_plan.instead.{action}", language, step=failed.step_id, query=shown(query)
    )
    return PlanStep(
        step_id=number,
        action=action,
        description=description,
        query=query,
        collection=collection if action in SEARCHES else None,
        depends_on=failed.depends_on,
    )


def _waiting_for(step: PlanStep, failed: int, instead: int) -> PlanStep:
    if failed not in step.depends_on:
        return step
    needed = tuple(instead if each == failed else each for each in step.depends_on)
    numbers = {failed: instead}
    query = with_numbers(step.query, numbers) if step.action == "compute" else step.query
    return step.model_copy(update={"depends_on": needed, "query": query})
