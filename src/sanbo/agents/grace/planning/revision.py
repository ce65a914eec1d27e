"""A plan that is changed on the way, and the record of what was changed."""

from sanbo.agents.grace.planning.repair import choose_strategy, create_replan, next_step_id
from sanbo.agents.grace.schemas import ExecutionPlan, Replan, Strategy
from sanbo.agents.grace.state import GraceState, Known, json_of
from sanbo.agents.grace.steps.review import Cause
from sanbo.agents.grace.steps.schedule import failures
from sanbo.agents.grace.thinking import ReplanRequest, Surroundings


async def repaired(
    known: Known, cause: Cause, around: Surroundings
) -> tuple[ExecutionPlan, GraceState]:
    plan, results = known.plan, known.results
    step = next((each for each in plan.steps if each.step_id == cause.step_id), None)
    # What a person was offered holds, also where the limit was lowered while they thought.
    strategy = (
        choose_strategy(cause.trigger, step, known.replans, around.settings.limits) or "partial"
    )
    of_plan = tuple(results[each.step_id] for each in plan.steps if each.step_id in results)
    request = ReplanRequest(
        question=known.question,
        collections=known.collections,
        web_search=around.web is not None,
        max_steps=around.settings.limits.max_steps,
        information=tuple(each.text for each in known.said),
        plan=plan,
        finished=of_plan,
        cause=results.get(cause.step_id) if cause.step_id is not None else None,
        trigger=cause.trigger,
        strategy=strategy,
        next_step_id=next_step_id(plan, tuple(results.values())),
    )
    new = await create_replan(around.thinking, request, around.language)
    return new, _update(known, cause, strategy, new)


def _update(known: Known, cause: Cause, strategy: Strategy, new: ExecutionPlan) -> GraceState:
    plan, results = known.plan, known.results
    before = {each.step_id for each in plan.steps}
    added = tuple(each.step_id for each in new.steps if each.step_id not in before)
    kept = tuple(
        each.step_id
        for each in new.steps
        if (result := results.get(each.step_id)) is not None and result.status == "success"
    )
    replan = Replan(
        number=len(known.replans) + 1,
        trigger=cause.trigger,
        strategy=strategy,
        reason=cause.reason,
        step_id=cause.step_id,
        kept=kept,
        added=added,
    )
    agreed = list(known.state.get("confirmed", []))
    if strategy == "fallback" and cause.step_id in agreed:
        agreed += added  # the alternative stood in the plan that was agreed to
    return {
        "plan": json_of(new),
        "replans": [*(json_of(each) for each in known.replans), json_of(replan)],
        "repaired": [*known.state.get("repaired", []), *_taken_up(known, cause, strategy)],
        "confirmed": agreed,
    }


def _taken_up(known: Known, cause: Cause, strategy: Strategy) -> list[int]:
    """The alternative stands for one step; any other new plan for all that had failed."""
    if strategy == "fallback":
        return [cause.step_id] if cause.step_id is not None else []
    repaired = frozenset(known.state.get("repaired", []))
    return [each.step_id for each in failures(known.plan, known.results, repaired)]
