"""Requests, drafts and results that the tests of planning are made of."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from sanbo.agents.grace.confidence import FITTED
from sanbo.agents.grace.schemas import (
    Action,
    Confidence,
    ExecutionPlan,
    Level,
    PlanStep,
    StepResult,
)
from sanbo.agents.grace.thinking import DraftPlan, KnownCollection, PlanRequest, ReplanRequest

QUESTION = "有給休暇は何日もらえて、申請の期限はいつですか。"
RULES = KnownCollection(name="規程", documents=3, chunks=40)
FAQ = KnownCollection(name="よくある質問", documents=1, chunks=9)


def asked(question: str = QUESTION, *collections: KnownCollection, **others: Any) -> PlanRequest:
    return PlanRequest(question=question, collections=collections or (RULES,), **others)


def step(
    step_id: int,
    action: Action = "rag_search",
    *,
    query: str = "有給休暇",
    needs: Sequence[int] = (),
    collection: str | None = None,
    fallback: Action | None = None,
    description: str = "手順の説明",
) -> PlanStep:
    searches = action in {"rag_search", "run_legacy_agent"}
    return PlanStep(
        step_id=step_id,
        action=action,
        description=description,
        query=query,
        collection=collection or ("規程" if searches else None),
        depends_on=tuple(needs),
        fallback=fallback,
    )


def draft(*steps: PlanStep, **others: Any) -> DraftPlan:
    return DraftPlan(steps=steps, **others)


SEARCH = step(1)
ANSWER = step(2, "reasoning", query=QUESTION, needs=[1])


def plan_of(*steps: PlanStep, question: str = QUESTION, **others: Any) -> ExecutionPlan:
    given: dict[str, Any] = {"plan_id": "run-1", "complexity": 0.4, "made_by": "rules"}
    return ExecutionPlan(original_query=question, steps=steps, **(given | others))


def confidence(level: Level) -> Confidence:
    score = {"silent": 0.95, "notify": 0.8, "confirm": 0.5, "escalate": 0.2}[level]
    return Confidence(score=score, level=level, method="calibrated", version=FITTED.version)


def done(planned: PlanStep, level: Level = "silent", **others: Any) -> StepResult:
    given: dict[str, Any] = {
        "status": "success",
        "answered": planned.action == "reasoning",
        "confidence": confidence(level),
    }
    return StepResult(step_id=planned.step_id, action=planned.action, **(given | others))


def failed(planned: PlanStep) -> StepResult:
    return done(planned, status="failed", answered=False)


ONE_ANSWER = plan_of(SEARCH, ANSWER, question="宿泊費の上限はいくらですか。")
FINISHED = [done(SEARCH), done(ANSWER, "escalate", answered=False)]


def replanning(plan: ExecutionPlan, finished: Sequence[StepResult], **others: Any) -> ReplanRequest:
    given: dict[str, Any] = {
        "question": plan.original_query,
        "collections": (RULES,),
        "plan": plan,
        "finished": tuple(finished),
        "trigger": "low_confidence",
        "strategy": "full",
        "next_step_id": max(each.step_id for each in plan.steps) + 1,
    }
    return ReplanRequest.model_validate(given | others)


# ---- drafts of all sorts -------------------------------------------------------------------

_ACTIONS: list[Action] = ["rag_search", "reasoning", "compute", "ask_user", "run_legacy_agent"]


@st.composite
def drafts(draw: st.DrawFn, first: int = 1, kept: Sequence[int] = ()) -> DraftPlan:
    """Any plan that somebody may think of; about half of them can't be carried out."""
    numbers = range(first, first + draw(st.integers(1, 7)))
    if draw(st.booleans()):
        return draft(*(draw(_odd_steps(number, numbers.stop)) for number in numbers))
    steps = [step(first)]
    for number in numbers[1:]:
        steps.append(draw(_fitting_steps(number, steps, kept)))
    return draft(*steps, step(numbers.stop, "reasoning", needs=[each.step_id for each in steps]))


@st.composite
def _odd_steps(draw: st.DrawFn, number: int, most: int) -> PlanStep:
    anything = st.integers(1, most)
    action = draw(st.sampled_from(_ACTIONS))
    needed = draw(st.lists(anything, max_size=3))
    query = " + ".join(f"#{each}" for each in needed) if action == "compute" else "質問"
    return step(draw(anything | st.just(number)), action, query=query, needs=needed)


@st.composite
def _fitting_steps(
    draw: st.DrawFn, number: int, steps: Sequence[PlanStep], kept: Sequence[int]
) -> PlanStep:
    action = draw(st.sampled_from(_ACTIONS))
    earlier = [each.step_id for each in steps]
    more = draw(st.lists(st.sampled_from([*earlier, *kept]), max_size=3))
    figures = [each.step_id for each in steps if each.action in ("reasoning", "compute")]
    if action == "compute" and figures:
        return step(number, action, query=f"#{figures[-1]} * 2", needs=[figures[-1]])
    if action in ("reasoning", "compute"):
        return step(number, "reasoning", needs=[*earlier[:1], *more])
    return step(number, action, needs=more)
