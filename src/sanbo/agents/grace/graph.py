"""plan → (confirm_plan) → schedule → steps → review → schedule | ask | replan | finish.

The nodes and the edges between them; a step is carried out by the tool of its action, within its
time, and what goes wrong is its result.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from sanbo.agents.grace import interventions
from sanbo.agents.grace.answer_steps import compute, reason
from sanbo.agents.grace.answer_text import lines_of, result_of
from sanbo.agents.grace.draft import Draft, better, compose, never_silent, never_sure
from sanbo.agents.grace.interventions import Pending, heard
from sanbo.agents.grace.planner import create_plan
from sanbo.agents.grace.review import (
    Ask,
    Cause,
    Ending,
    GoOn,
    lost_steps,
    on_answer,
    on_steps,
    repaired,
    stops_short,
)
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import Action, ExecutionPlan, Phase, StepResult
from sanbo.agents.grace.search_steps import run_search_agent, search, search_web
from sanbo.agents.grace.state import (
    GraceState,
    Known,
    Outcome,
    StepTask,
    Task,
    after,
    json_of,
    ready,
    shown,
    skipped,
    step_task,
    task_of,
)
from sanbo.agents.grace.thinking import PlanRequest, Surroundings
from sanbo.evidence.rules.queries import understood
from sanbo.kernel.problems import Problem, SanboError, TimedOut
from sanbo.llm.failures import concerns_the_reply
from sanbo.runs.graphs import ask
from sanbo.runs.model import JsonObject

Tool = Callable[[Task, Surroundings], Awaitable[Outcome]]

TOOLS: Mapping[Action, Tool] = {
    "rag_search": search,
    "reasoning": reason,
    "web_search": search_web,
    "run_legacy_agent": run_search_agent,
    "compute": compute,
}
"""`ask_user` is not among them: only a person can carry it out."""


async def carry_out(task: Task, around: Surroundings) -> Outcome:
    began = time.perf_counter()
    outcome = await _attempted(task, around)
    took = int((time.perf_counter() - began) * 1000)
    return outcome._replace(result=outcome.result.model_copy(update={"duration_ms": took}))


async def _attempted(task: Task, around: Surroundings) -> Outcome:
    seconds = around.settings.limits.step_seconds
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await TOOLS[task.step.action](task, around)
    except TimeoutError:
        if not limit.expired():
            raise
        late = TimedOut("grace_step_timed_out", step=task.step.step_id, seconds=f"{seconds:g}")
        return _failed(task, late.problem, around)
    except SanboError as error:
        if _concerns_all_steps(error):
            raise
        return _failed(task, error.problem, around)


def _concerns_all_steps(error: SanboError) -> bool:
    """A model that can't be reached: no other plan would do better, and none is tried."""
    text_id = error.problem.text_id
    is_of_the_model = text_id.startswith("llm_")
    return is_of_the_model and text_id != "llm_timed_out" and not concerns_the_reply(error)


def _failed(task: Task, problem: Problem, around: Surroundings) -> Outcome:
    told = problem.in_language(around.language)
    confidence = None
    if task.step.action in ("rag_search", "web_search"):
        _, confidence = task.scorer.search(task.asks, (), failed=True)
    result = StepResult(
        step_id=task.step.step_id,
        action=task.step.action,
        status="failed",
        output=told.message,
        confidence=confidence,
        problem=told,
    )
    return Outcome(result)


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
            # pyrefly: ignore[bad-assignment]
            update |= {"next": "send", "running": running}
            return update | {"shown": _shown(state, update, "executing", running)}
        if now:
            number = len(known.interventions) + 1
            return _asked(state, update, interventions.for_step(now[0], number, around.language))
        # pyrefly: ignore[bad-assignment]
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
                # pyrefly: ignore[bad-assignment]
                update |= {"next": "replan", "cause": json_of(verdict)}
                return update | {"shown": _shown(state, update, "replanning")}
            case Ending():
                # pyrefly: ignore[bad-assignment]
                update |= {"next": "finish", "ending": json_of(verdict)}
                return update | {"shown": _shown(state, update, "executing")}
            case Ask(can_change):
                assert draft is not None
                number = len(known.interventions) + 1
                pending = interventions.about_answer(draft, number, language, can_change=can_change)
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
        pending = interventions.about_plan(
            plan, len(known.interventions) + 1, around.language, can_change=can_change
        )
        return _asked(state, update, pending, at="confirm_plan")
    # pyrefly: ignore[bad-assignment]
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


MOST_NODES = 2_000
"""More than the longest plans and the most replans that can be set need."""
_AFTER = {
    "plan": ["confirm_plan", "schedule"],
    "heard": ["confirm_plan", "ask", "schedule", "replan", "finish"],
    "review": ["schedule", "ask", "replan", "finish"],
    "replan": ["confirm_plan", "schedule"],
}


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    # pyrefly: ignore[bad-specialization]
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(GraceState)
    graph.add_node("plan", nodes.plan)
    graph.add_node("confirm_plan", nodes.ask)
    graph.add_node("schedule", nodes.schedule)
    # pyrefly: ignore[no-matching-overload]
    graph.add_node("step", nodes.step, input_schema=StepTask)
    graph.add_node("review", nodes.review)
    graph.add_node("ask", nodes.ask)
    graph.add_node("heard", nodes.heard)
    graph.add_node("replan", nodes.replan)
    graph.add_node("finish", nodes.finish)
    graph.add_edge(START, "plan")
    for name, followers in _AFTER.items():
        graph.add_conditional_edges(name, _next, followers)
    graph.add_conditional_edges("schedule", _sent, ["step", "ask", "review"])
    graph.add_edge("step", "review")
    graph.add_edge("confirm_plan", "heard")
    graph.add_edge("ask", "heard")
    graph.add_edge("finish", END)
    return graph


def _next(state: GraceState) -> str:
    assert "next" in state
    return state["next"]


def _sent(state: GraceState) -> str | list[Send]:
    """Every step that is ready at once, each with only what it needs."""
    if state.get("next") != "send":
        return _next(state)
    known = Known(state)
    running = set(state.get("running", []))
    return [
        Send("step", step_task(step, state))
        for step in ready(known.plan, known.results)
        if step.step_id in running
    ]
