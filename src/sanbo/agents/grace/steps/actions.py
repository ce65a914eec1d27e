"""Carries a step out: the tool of its action, within its time; what goes wrong is its result."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from sanbo.agents.grace.schemas import Action, StepResult
from sanbo.agents.grace.thinking import Surroundings
from sanbo.agents.grace.tools.computing import compute
from sanbo.agents.grace.tools.reasoning import reason
from sanbo.agents.grace.tools.search import search
from sanbo.agents.grace.tools.search_agent import run_search_agent
from sanbo.agents.grace.tools.task import Outcome, Task
from sanbo.agents.grace.tools.web_search import search_web
from sanbo.kernel.problems import Problem, SanboError, TimedOut
from sanbo.llm.failures import concerns_the_reply

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
