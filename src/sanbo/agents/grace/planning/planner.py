"""From a question to a plan that can be carried out; the template where thinking gives none."""

from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256

from sanbo.agents.grace.planning.checks import check
from sanbo.agents.grace.planning.template import template
from sanbo.agents.grace.rules.complexity import estimate_complexity
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import ExecutionPlan, PlanMaker
from sanbo.agents.grace.thinking import DraftPlan, PlanRequest, Thinking
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import SanboError
from sanbo.llm.failures import concerns_the_reply

SIMPLE = 0.3
"""Below this complexity a question is searched for and answered, without a plan of its own."""
_TOLD_FINDINGS = 3


async def create_plan(
    thinking: Thinking,
    request: PlanRequest,
    language: Language,
    *,
    plan_id: str = "",
    made_by: PlanMaker | None = None,
) -> ExecutionPlan:
    """A plan that can't be carried out becomes the template, and says why."""
    if made_by is None:
        made_by = "rules" if isinstance(thinking, RulesThinking) else "model"
    complexity = await _complexity(thinking, request.question)
    problem = ""
    if complexity < SIMPLE:
        draft, made_by = template(request, language), "template"
    else:
        thought, problem = await drafted(thinking.plan, request, language)
        if thought is None:
            draft, made_by = template(request, language), "template"
        else:
            draft = thought
    return ExecutionPlan(
        plan_id=plan_id or _name_of(request.question),
        original_query=request.question,
        complexity=complexity,
        steps=draft.steps,
        requires_confirmation=needs_confirmation(draft),
        made_by=made_by,
        problem=problem,
    )


def _name_of(question: str) -> str:
    """The same for the same question, where nobody gives one."""
    return f"plan-{sha256(question.encode()).hexdigest()[:12]}"


def needs_confirmation(draft: DraftPlan) -> bool:
    """Nothing of a question leaves for the web before a person has seen it."""
    web = any("web_search" in (step.action, step.fallback) for step in draft.steps)
    return draft.requires_confirmation or web


async def _complexity(thinking: Thinking, question: str) -> float:
    """By its words, and by what the thinker makes of it."""
    by_words = estimate_complexity(question)
    try:
        thought = await thinking.complexity(question)
    except SanboError as error:
        if not fails_to_answer(error):
            raise
        return by_words
    return round((by_words + min(1.0, max(0.0, thought))) / 2, 2)


async def drafted(
    think: Callable[[PlanRequest], Awaitable[DraftPlan]], request: PlanRequest, language: Language
) -> tuple[DraftPlan | None, str]:
    """A checked draft, or None and why; that a provider can't be reached is raised."""
    try:
        draft = await think(request)
    except SanboError as error:
        if not fails_to_answer(error):
            raise
        reason = error.problem.in_language(language).message
        return None, tell("grace_plan.not_made", language, reason=reason)
    findings = check(draft, request, language)
    if findings:
        return None, tell("grace_plan.not_used", language, reasons=_told(findings, language))
    return draft, ""


def fails_to_answer(error: SanboError) -> bool:
    return concerns_the_reply(error) or error.problem.text_id == "llm_timed_out"


def _told(findings: Sequence[str], language: Language) -> str:
    told = " ".join(findings[:_TOLD_FINDINGS])
    more = len(findings) - _TOLD_FINDINGS
    return told if more <= 0 else told + tell("grace_plan.more_findings", language, count=more)
