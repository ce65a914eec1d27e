"""From a question to a plan that can be carried out; the template where thinking gives none."""

from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from hashlib import sha256

from sanbo.agents.grace.calculations import parse, steps_of
from sanbo.agents.grace.rules.questions import estimate_complexity
from sanbo.agents.grace.rules_thinking import RulesThinking
from sanbo.agents.grace.schemas import Action, ExecutionPlan, PlanMaker, PlanStep
from sanbo.agents.grace.thinking import (
    LONGEST_QUERY,
    SEARCHES,
    DraftPlan,
    PlanRequest,
    ReplanRequest,
    Thinking,
    first_number,
    shown,
    template,
)
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import InvalidOutput, SanboError
from sanbo.llm.failures import concerns_the_reply
from sanbo.sandbox.calls import apart

LONGEST_DESCRIPTION = 300
LARGEST_NUMBER = 999_999
"""What an expression can name; and a checkpoint holds no whole number of any size."""
_GIVES_A_FIGURE: frozenset[Action] = frozenset({"reasoning", "compute", "ask_user"})


def check(draft: DraftPlan, request: PlanRequest, language: Language | None = None) -> list[str]:
    """Empty where every step can run, and in an order in which what it needs is there."""
    return list(_Check(draft, request, language).findings())


class _Check:
    def __init__(self, draft: DraftPlan, request: PlanRequest, language: Language | None) -> None:
        self._steps = draft.steps
        self._request = request
        self._language: Language | None = language
        self._own: Mapping[int, PlanStep] = {step.step_id: step for step in draft.steps}
        self._kept = _kept(request)
        self._known = {**self._kept, **self._own}

    def findings(self) -> Iterator[str]:
        if not self._steps:
            yield self._told("empty")
            return
        most = self._request.max_steps
        if len(self._steps) > most:
            yield self._told("too_many", count=len(self._steps), most=most)
        yield from self._numbers()
        yield from self._order()
        for step in self._steps:
            yield from self._texts(step)
            yield from self._needs(step)
        if self._steps[-1].action != "reasoning":
            yield self._told("no_answer")

    def _told(self, finding: str, **params: object) -> str:
        return tell(f"grace_plan.check.{finding}", self._language, **params)

    # ---- numbers and order ------------------------------------------------------------------

    def _numbers(self) -> Iterator[str]:
        seen: set[int] = set()
        first = first_number(self._request)
        for step in self._steps:
            if step.step_id in seen:
                yield self._told("twice", step=step.step_id)
            if step.step_id > LARGEST_NUMBER:
                yield self._told("large_number", step=shown(str(step.step_id)))
            if step.step_id < first:
                yield self._told("reused", step=step.step_id, first=first)
            seen.add(step.step_id)

    def _order(self) -> Iterator[str]:
        circle = self._circle()
        if circle:
            yield self._told("cyclic", steps=" → ".join(f"#{step}" for step in circle))
        earlier = set(self._kept)
        for step in self._steps:
            for needed in step.depends_on:
                if needed not in self._known:
                    yield self._told("unknown_step", step=step.step_id, needed=needed)
                elif needed not in earlier and not circle:
                    yield self._told("forward", step=step.step_id, needed=needed)
            earlier.add(step.step_id)

    def _circle(self) -> list[int]:
        graph = {step.step_id: set(step.depends_on) for step in self._steps}
        try:
            TopologicalSorter(graph).prepare()
        except CycleError as error:
            return list(error.args[1])
        return []

    # ---- what a step says and needs ---------------------------------------------------------

    def _texts(self, step: PlanStep) -> Iterator[str]:
        if not step.description.strip():
            yield self._told("no_description", step=step.step_id)
        if len(step.description) > LONGEST_DESCRIPTION:
            yield self._told("long_description", step=step.step_id, most=LONGEST_DESCRIPTION)
        if not step.query.strip():
            yield self._told("no_query", step=step.step_id)
        if len(step.query) > LONGEST_QUERY:
            yield self._told("long_query", step=step.step_id, most=LONGEST_QUERY)

    def _needs(self, step: PlanStep) -> Iterator[str]:
        if "web_search" in (step.action, step.fallback) and not self._request.web_search:
            yield self._told("no_web", step=step.step_id)
        if step.action in {"rag_search", "run_legacy_agent"}:
            yield from self._collection(step)
        elif step.action == "reasoning" and not self._rests_on_a_search(step):
            yield self._told("no_sources", step=step.step_id)
        elif step.action == "compute":
            yield from self._expression(step)
        if step.fallback in {step.action, "compute"}:
            yield self._told("no_fallback", step=step.step_id)

    def _collection(self, step: PlanStep) -> Iterator[str]:
        names = {known.name for known in self._request.collections}
        if step.collection is None:
            yield self._told("no_collection", step=step.step_id)
        elif step.collection not in names:
            name = shown(step.collection)
            yield self._told("unknown_collection", step=step.step_id, collection=name)

    def _rests_on_a_search(self, step: PlanStep) -> bool:
        """Directly, or by what an earlier answer rests on."""
        open_steps, seen = list(step.depends_on), set[int]()
        while open_steps:
            needed = open_steps.pop()
            if needed in seen or needed not in self._known:
                continue
            seen.add(needed)
            if self._known[needed].action in SEARCHES:
                return True
            open_steps += self._known[needed].depends_on
        return False

    def _expression(self, step: PlanStep) -> Iterator[str]:
        if not step.query.strip():
            return
        try:
            used = set(steps_of(parse(step.query)))
        except InvalidOutput:
            yield self._told("no_expression", step=step.step_id, expression=shown(step.query))
            return
        for needed in sorted(used):
            if needed not in step.depends_on:
                yield self._told("figure_unknown", step=step.step_id, needed=needed)
            elif needed in self._known and self._known[needed].action not in _GIVES_A_FIGURE:
                yield self._told("no_figure", step=step.step_id, needed=needed)


def _kept(request: PlanRequest) -> dict[int, PlanStep]:
    """Finished steps that new ones may depend on."""
    if not isinstance(request, ReplanRequest):
        return {}
    done = {result.step_id for result in request.finished if result.status == "success"}
    return {step.step_id: step for step in request.plan.steps if step.step_id in done}


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
    complexity = await apart(estimate_complexity, request.question)
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
