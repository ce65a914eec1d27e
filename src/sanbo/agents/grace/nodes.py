"""The nodes: plan, schedule, step, review, ask, heard, replan, finish."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from langgraph.runtime import Runtime

from sanbo.agents.grace.answers.draft import Draft, better, compose, never_silent, never_sure
from sanbo.agents.grace.answers.ending import lines_of, result_of
from sanbo.agents.grace.intervention import questions
from sanbo.agents.grace.intervention.hearing import heard
from sanbo.agents.grace.intervention.questions import Pending
from sanbo.agents.grace.planning.planner import create_plan
from sanbo.agents.grace.planning.revision import repaired
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import ExecutionPlan, Phase
from sanbo.agents.grace.state import GraceState, Known, StepTask, after, json_of, shown, task_of
from sanbo.agents.grace.steps.actions import carry_out
from sanbo.agents.grace.steps.review import (
    Ask,
    Cause,
    Ending,
    GoOn,
    lost_steps,
    on_answer,
    on_steps,
    stops_short,
)
from sanbo.agents.grace.steps.schedule import ready, skipped
from sanbo.agents.grace.thinking import PlanRequest, Surroundings
from sanbo.evidence.rules.follow_ups import understood
from sanbo.runs.graphs import ask
from sanbo.runs.model import JsonObject

Run = Runtime[Any]  # whatever `surroundings` reads; LangGraph types it for dataclasses only


class Nodes:
    def __init__(self, surroundings: Callable[[Any], Awaitable[Surroundings]]) -> None:
        self._surroundings = surroundings

    async def plan(self, state: GraceState, runtime: Run) -> GraceState:
        around = await self._surroundings(runtime.context)
        collections = await around.collections()
        fitted, thresholds = await around.calibration()
        before = await around.asked_before()
        question = understood(state.get("asked", ""), before)
        state = after(state, {"question": question})
        request = PlanRequest(
            question=question,
            collections=collections,
            web_search=around.web is not None,
            max_steps=around.settings.limits.max_steps,
        )
        by_rules = isinstance(around.thinking, RulesThinking)
        plan = await create_plan(
            around.thinking,
            request,
            around.language,
            plan_id=around.run_id,
            made_by="rules" if by_rules else "model",
        )
        update: GraceState = {
            "question": question,
            "collections": [json_of(each) for each in collections],
            "fitted": json_of(fitted),
            "thresholds": json_of(thresholds),
            "plan": json_of(plan),
            "results": {},
        }
        return _confirmed_or_scheduled(state, update, plan, around)

    async def schedule(self, state: GraceState, runtime: Run) -> GraceState:
        """Sends off what can run now; a person's turn comes when nothing else is left to do."""
        around = await self._surroundings(runtime.context)
        known = Known(state)
        lost = {each.step_id: each for each in skipped(known.plan, known.results, around.language)}
        results = {**known.results, **lost}
        update: GraceState = {
            "results": {str(number): json_of(each) for number, each in lost.items()}
        }
        now = ready(known.plan, results)
        running = [each.step_id for each in now if each.action != "ask_user"]
        if running:
            update |= {"next": "send", "running": running}
            return update | {"shown": _shown(state, update, "executing", running)}
        if now:
            number = len(known.interventions) + 1
            return _asked(state, update, questions.for_step(now[0], number, around.language))
        update |= {"next": "review", "running": []}
        return update | {"shown": _shown(state, update, "executing")}

    async def step(self, state: StepTask, runtime: Run) -> GraceState:
        around = await self._surroundings(runtime.context)
        outcome = await carry_out(task_of(state, around), around)
        number = str(outcome.result.step_id)
        result = json_of(outcome.result)
        return {
            "results": {number: result},
            "passages": {number: [json_of(each) for each in outcome.passages]},
            "shown": result,
        }

    async def review(self, state: GraceState, runtime: Run) -> GraceState:
        around = await self._surroundings(runtime.context)
        known = Known(state)
        limits, language = around.settings.limits, around.language
        update: GraceState = {"running": []}
        verdict = on_steps(known, limits, language)
        draft = None
        if verdict is None:
            draft = better(_composed(known, around), known.draft)
            update["draft"] = json_of(draft)
            verdict = on_answer(known, draft, limits, language)
        match verdict:
            case GoOn():
                update["next"] = "schedule"
                return update | {"shown": _shown(state, update, "executing")}
            case Cause():
                update |= {"next": "replan", "cause": json_of(verdict)}
                return update | {"shown": _shown(state, update, "replanning")}
            case Ending():
                update |= {"next": "finish", "ending": json_of(verdict)}
                return update | {"shown": _shown(state, update, "executing")}
            case Ask(can_change):
                assert draft is not None
                number = len(known.interventions) + 1
                pending = questions.about_answer(draft, number, language, can_change=can_change)
                return _asked(state, update, pending)

    async def ask(self, state: GraceState) -> GraceState:
        """Alone in its node, which runs again from its top when the answer is there."""
        assert "pending" in state
        answer = ask(Pending.model_validate(state["pending"]).question)
        return {"heard": answer, "shown": shown(state, "executing")}

    async def heard(self, state: GraceState, runtime: Run) -> GraceState:
        around = await self._surroundings(runtime.context)
        update = heard(state, around.language)
        if update.get("next") in ("ask", "confirm_plan"):
            return update | {"shown": _shown(state, update, "waiting")}
        phase = "replanning" if update.get("next") == "replan" else "executing"
        return update | {"shown": _shown(state, update, phase)}

    async def replan(self, state: GraceState, runtime: Run) -> GraceState:
        around = await self._surroundings(runtime.context)
        assert "cause" in state
        cause = Cause.model_validate(state["cause"])
        plan, update = await repaired(Known(state), cause, around)
        return _confirmed_or_scheduled(state, update, plan, around, wanted=cause.about_plan)

    async def finish(self, state: GraceState, runtime: Run) -> GraceState:
        around = await self._surroundings(runtime.context)
        known = Known(state)
        ending = Ending.model_validate(state.get("ending", {}))
        draft = known.draft or _composed(known, around)
        result = result_of(known, draft, ending, around.language)
        for piece in lines_of(known, draft, ending, around.language):
            around.say(piece)
        await around.keep(result)
        update: GraceState = {"result": json_of(result)}
        return update | {"shown": _shown(state, update, "finished")}


def _composed(known: Known, around: Surroundings) -> Draft:
    scorer = known.scorer(around)
    draft = compose(known.plan, known.results, known.replans, scorer)
    lost = lost_steps(known)
    if not lost:
        return draft
    if stops_short(known, lost):
        confidence = never_sure(draft.confidence, scorer)
    else:
        confidence = never_silent(draft.confidence, scorer, "lost")
    return draft.model_copy(update={"confidence": confidence})


def _confirmed_or_scheduled(
    state: GraceState,
    update: GraceState,
    plan: ExecutionPlan,
    around: Surroundings,
    *,
    wanted: bool = False,
) -> GraceState:
    """Nothing goes to the web before a person has seen the plan; `wanted`: they changed it."""
    known = Known(after(state, update))
    agreed = set(known.state.get("confirmed", []))
    open_web = any(
        step.action == "web_search"
        and step.step_id not in agreed
        and step.step_id not in known.results
        for step in plan.steps
    )
    asks_for_it = plan.requires_confirmation and not known.replans
    if asks_for_it or open_web or wanted:
        can_change = len(known.replans) < around.settings.limits.max_replans
        pending = questions.about_plan(
            plan, len(known.interventions) + 1, around.language, can_change=can_change
        )
        return _asked(state, update, pending, at="confirm_plan")
    update = update | {"next": "schedule"}
    return update | {"shown": _shown(state, update, "executing")}


def _asked(
    state: GraceState,
    update: GraceState,
    pending: Pending,
    at: Literal["ask", "confirm_plan"] = "ask",
) -> GraceState:
    opened = [*state.get("interventions", []), json_of(pending.intervention)]
    update = update | {
        "next": at,
        "pending": json_of(pending),
        "interventions": opened,
    }
    return update | {"shown": _shown(state, update, "waiting")}


def _shown(
    state: GraceState, update: GraceState, phase: Phase, running: Sequence[int] = ()
) -> JsonObject:
    return shown(after(state, update), phase, running)
