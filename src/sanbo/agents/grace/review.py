"""What follows when steps have ended: go on, repair the plan, ask a person, or end.

Repairing: which way, how what is done and what is new become one plan, and the record of it.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass

from sanbo.agents.grace.calculations import with_numbers
from sanbo.agents.grace.draft import Draft
from sanbo.agents.grace.planner import drafted, needs_confirmation
from sanbo.agents.grace.schemas import (
    Action,
    ExecutionPlan,
    Level,
    PlanStep,
    Replan,
    StepResult,
    Strategy,
    Trigger,
)
from sanbo.agents.grace.settings import GraceLimits
from sanbo.agents.grace.state import GraceState, Known, failures, json_of, unfinished
from sanbo.agents.grace.thinking import (
    SEARCHES,
    DraftPlan,
    PlanRequest,
    ReplanRequest,
    Surroundings,
    Thinking,
    shown,
    template,
)
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import Code


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


SURE: frozenset[Level] = frozenset({"silent", "notify"})


class Cause(Frozen):
    """Why the plan is changed."""

    trigger: Trigger
    step_id: int | None = None
    reason: str
    """For a person."""
    about_plan: bool = False
    """A person wants another plan before anything is done."""


class Ending(Frozen):
    partial_reason: str = ""
    """Why the answer is only the best there is; empty where it is whole."""
    not_found: bool = False
    """A person has nothing to add to an answer that nothing supports."""
    cancelled: bool = False


@dataclass(frozen=True)
class GoOn:
    """Steps are left."""


@dataclass(frozen=True)
class Ask:
    """Only a person can say what to make of the answer."""

    can_change: bool
    """Whether another plan may still be made."""


Verdict = GoOn | Cause | Ask | Ending


def on_steps(known: Known, limits: GraceLimits, language: Language) -> Cause | GoOn | None:
    """None where all is done that can be: then the answer counts."""
    plan, results = known.plan, known.results
    repaired = frozenset(known.state.get("repaired", []))
    for failed in failures(plan, results, repaired):
        cause = _cause(failed, language)
        step = next(each for each in plan.steps if each.step_id == failed.step_id)
        if choose_strategy(cause.trigger, step, known.replans, limits) is not None:
            return cause
    return GoOn() if unfinished(plan, results) else None


def on_answer(known: Known, draft: Draft, limits: GraceLimits, language: Language) -> Verdict:
    level = draft.confidence.level
    replans = known.replans
    if level in SURE and draft.answered:
        return Ending(partial_reason=partial_reason(known, language))
    searches = level == "escalate" and not _stands(known, draft)
    if searches and choose_strategy("low_confidence", None, replans, limits):
        reason = tell("grace.why.low_confidence", language, score=f"{draft.confidence.score:.0%}")
        return Cause(trigger="low_confidence", step_id=_last(draft), reason=reason)
    used_up = len(replans) >= limits.max_replans
    if used_up and replans:
        return Ending(partial_reason=tell("grace.partial.limit", language, limit=len(replans)))
    return Ask(can_change=not used_up)


def _stands(known: Known, draft: Draft) -> bool:
    """A model has answered from what it quotes and knows nothing more to search for: another plan
    would come to the same, and only a person can say what to make of a low score."""
    last = known.results.get(_last(draft) or 0)
    return draft.answered and last is not None and last.wanted == ()


def _cause(failed: StepResult, language: Language) -> Cause:
    problem = failed.problem
    late = problem is not None and problem.code is Code.TIMEOUT_ERROR
    trigger: Trigger = "timeout" if late else "step_failed"
    message = problem.message if problem else failed.output
    reason = tell(f"grace.why.{trigger}", language, step=failed.step_id, problem=message)
    return Cause(trigger=trigger, step_id=failed.step_id, reason=reason)


def lost_steps(known: Known) -> tuple[int, ...]:
    """Steps that failed for good or were skipped, where no other step has done their work."""
    results, plan = known.results, known.plan
    needed = {number for step in plan.steps for number in step.depends_on}
    repaired = set(known.state.get("repaired", []))
    lost: list[int] = []
    for step in plan.steps:
        result = results.get(step.step_id)
        if result is None or result.status == "success":
            continue
        taken_up = step.step_id in repaired and step.step_id not in needed
        if result.status == "skipped" or not taken_up or not _made_up_for(step, known):
            lost.append(step.step_id)
    return tuple(lost)


def stops_short(known: Known, lost: Collection[int]) -> bool:
    """Whether the plan's last answer is among what was lost: then a part passes for the whole."""
    answers = [step.step_id for step in known.plan.steps if step.action == "reasoning"]
    return bool(answers) and answers[-1] in lost


def _made_up_for(failed: PlanStep, known: Known) -> bool:
    """A place that no search has looked into stays unknown, however the plan goes on."""
    if failed.action not in SEARCHES:
        return True
    done = {number for number, each in known.results.items() if each.status == "success"}
    if any(
        each.step_id == failed.step_id and each.strategy == "fallback" and done & set(each.added)
        for each in known.replans
    ):
        return True
    return any(
        step.action in SEARCHES and step.collection == failed.collection and step.step_id in done
        for step in known.plan.steps
    )


def partial_reason(known: Known, language: Language) -> str:
    """Empty where nothing was lost on the way to the answer."""
    lost = lost_steps(known)
    if not lost:
        return ""
    told = tell("evidence.and", language).join(str(each) for each in lost)
    return tell("grace.partial.lost", language, steps=told)


def _last(draft: Draft) -> int | None:
    return draft.steps[-1] if draft.steps else None


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
