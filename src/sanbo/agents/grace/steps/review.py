"""What follows when steps have ended: go on, repair the plan, ask a person, or end."""

from collections.abc import Collection
from dataclasses import dataclass

from sanbo.agents.grace.answers.draft import Draft
from sanbo.agents.grace.planning.drafts import SEARCHES
from sanbo.agents.grace.planning.repair import choose_strategy
from sanbo.agents.grace.schemas import Level, PlanStep, StepResult, Trigger
from sanbo.agents.grace.settings import GraceLimits
from sanbo.agents.grace.state import Known
from sanbo.agents.grace.steps.schedule import failures, unfinished
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import Code

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
