"""Plans by rules: what to search for, read and work out by the kind of question; what is left to do
when a plan did not work out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sanbo.agents.grace.calculations import with_numbers
from sanbo.agents.grace.rules.questions import Calculation, Kind, calculation_of, kind_of
from sanbo.agents.grace.schemas import Action, ExecutionPlan, PlanStep
from sanbo.agents.grace.thinking import (
    SEARCHES,
    DraftPlan,
    PlanDrafting,
    PlanRequest,
    ReplanRequest,
    chosen_collections,
    first_number,
    shown,
    template,
)
from sanbo.evidence.rules.queries import by_terms, different, expand, sub_questions, wordings
from sanbo.evidence.rules.values import values
from sanbo.kernel.messages import Language, tell
from sanbo.language.numerals import narrow

QUERIES = 3
"""Of a question that asks one thing."""


def plan(request: PlanRequest, language: Language) -> DraftPlan:
    """Numbered from the first number that is free."""
    kind = kind_of(request.question)
    if kind == "arithmetic" and (calculation := calculation_of(request.question)):
        return _calculated(calculation, request, language)
    if kind in {"comparison", "parts"}:
        return _in_parts(kind, sub_questions(request.question), request, language)
    return _in_other_words(kind, request, language)


@dataclass(frozen=True)
class _Layout:
    """How the searches of several parts find room in a plan."""

    collections: tuple[str, ...]
    shared: bool
    """One search for all parts, where there is no room for one a part."""


def _layout(request: PlanRequest, parts: int, others: int) -> _Layout | None:
    """None where there is no room for the parts at all."""
    room = request.max_steps - parts - others
    more = len(_said(request))
    apart, together = room // (parts + more), room // (1 + more)
    if apart >= min(len(request.collections), max(1, together)):
        return _Layout(chosen_collections(request, apart), shared=False)
    if together < 1:
        return None
    return _Layout(chosen_collections(request, together), shared=True)


def _said(request: PlanRequest) -> tuple[str, ...]:
    return request.information[-1:]


# ---- several parts -------------------------------------------------------------------------


def _in_parts(
    kind: Kind, parts: Sequence[str], request: PlanRequest, language: Language
) -> DraftPlan:
    layout = _layout(request, len(parts), others=1)
    if layout is None:
        return template(request, language)
    drafting = PlanDrafting(layout.collections, language, first=first_number(request))
    said = "side" if kind == "comparison" else "part"
    told = [tell(f"grace_plan.read.{said}", language, part=shown(part)) for part in parts]
    found = _searches(drafting, layout, parts, request)
    read = [drafting.reasoning(*each) for each in zip(parts, told, found, strict=True)]
    joined = tell(f"grace_plan.joined.{kind}", language, count=len(parts))
    drafting.reasoning(request.question, joined, read)
    return drafting.plan


def _calculated(calculation: Calculation, request: PlanRequest, language: Language) -> DraftPlan:
    layout = _layout(request, len(calculation.figures), others=2)
    if layout is None:
        return template(request, language)
    drafting = PlanDrafting(layout.collections, language, first=first_number(request))
    figures = calculation.figures
    told = [tell("grace_plan.read.figure", language, part=shown(figure)) for figure in figures]
    found = _searches(drafting, layout, figures, request)
    read = [drafting.reasoning(*each) for each in zip(figures, told, found, strict=True)]
    work_out(drafting, calculation, read, request.question)
    return drafting.plan


def work_out(
    drafting: PlanDrafting, calculation: Calculation, read: Sequence[int], question: str
) -> None:
    """The computation over figures that these steps read, then the answer with it."""
    language = drafting.language
    formula = calculation.told(read)
    working = tell(f"grace_plan.compute.{calculation.operation}", language, expression=formula)
    expression = calculation.expression(read)
    worked = drafting.add("compute", expression, working, depends_on=read)
    answer = tell("grace_plan.answer.arithmetic", language)
    drafting.reasoning(question, answer, (*read, worked))


def _searches(
    drafting: PlanDrafting, layout: _Layout, parts: Sequence[str], request: PlanRequest
) -> list[tuple[int, ...]]:
    """Of each part; no part waits for another."""
    common: tuple[int, ...] = ()
    for text in _said(request):
        common += drafting.searches(f"{request.question} {text}")
    if layout.shared:
        common += drafting.searches(request.question)
        return [common] * len(parts)
    return [(*common, *drafting.searches(part)) for part in parts]


# ---- one thing asked -----------------------------------------------------------------------


def _in_other_words(kind: Kind, request: PlanRequest, language: Language) -> DraftPlan:
    """The question itself, its terms, and what a document may call them instead."""
    names = chosen_collections(request, request.max_steps - 1)
    most = max(1, min(QUERIES, (request.max_steps - 1) // len(names)))
    question = request.question
    said = [f"{question} {text}" for text in _said(request)]
    put = (question, *said, by_terms(question), *wordings(question), *expand(question).queries)
    drafting = PlanDrafting(names, language, first=first_number(request))
    found = [step for query in different(put, (), most) for step in drafting.searches(query)]
    drafting.reasoning(question, tell(f"grace_plan.answer.{kind}", language), found)
    return drafting.plan


def the_rest(request: ReplanRequest, language: Language) -> DraftPlan:
    rest = _Rest(request, language)
    for step in request.plan.steps:
        rest.take(step)
    return rest.draft()


class _Rest:
    def __init__(self, request: ReplanRequest, language: Language) -> None:
        self._request = request
        self._language: Language = language
        self._drafting = PlanDrafting((), language, first=request.next_step_id)
        status = {result.step_id: result.status for result in request.finished}
        steps = request.plan.steps
        self._done = [step for step in steps if status.get(step.step_id) == "success"]
        self._failed = {step.step_id for step in steps if status.get(step.step_id) == "failed"}
        self._instead: dict[int, int] = {}

    @property
    def _found(self) -> list[int]:
        return [step.step_id for step in self._done if step.action in SEARCHES]

    def take(self, step: PlanStep) -> None:
        if step in self._done:
            return
        if step.step_id in self._failed and step.action == "compute":
            self._instead[step.step_id] = self._in_words(step)
        elif step.step_id not in self._failed or step.action not in SEARCHES:
            self._instead[step.step_id] = self._once_more(step)
        elif not self._found and self._is_awaited(step):
            self._instead[step.step_id] = self._in_other_words(step)
        # Else what the other searches found has to do.

    def _is_awaited(self, step: PlanStep) -> bool:
        """Not where its own alternative was tried: then steps wait for that one."""
        return any(step.step_id in each.depends_on for each in self._request.plan.steps)

    def _once_more(self, step: PlanStep) -> int:
        is_sum = step.action == "compute"
        return self._drafting.add(
            step.action,
            with_numbers(step.query, self._instead) if is_sum else step.query,
            with_numbers(step.description, self._instead) if is_sum else step.description,
            collection=step.collection,
            depends_on=self._needed(step),
        )

    def _in_words(self, step: PlanStep) -> int:
        """With the same figures it would fail again: what was found is told as it is."""
        told = tell(f"grace_plan.again.{self._request.trigger}", self._language)
        return self._drafting.reasoning(self._request.question, told, self._needed(step))

    def _in_other_words(self, step: PlanStep) -> int:
        """In a collection, whatever it was that failed."""
        query = by_terms(step.query) or step.query
        collection = step.collection or self._request.collections[0].name
        return self._drafting.search(query, collection, self._needed(step))

    def _needed(self, step: PlanStep) -> list[int]:
        """What it waited for; what is left out is made up for by all that was found."""
        done = {each.step_id for each in self._done}
        kept = [
            self._instead.get(each, each)
            for each in step.depends_on
            if each in done or each in self._instead
        ]
        if kept or not step.depends_on or step.action != "reasoning":
            return kept
        return self._found

    def draft(self) -> DraftPlan:
        """With an answer at its end, whatever was left."""
        steps = self._drafting.plan.steps
        if not any(step.action == "reasoning" for step in steps):
            searches = self._found or [self._first_search()]
            told = tell(f"grace_plan.again.{self._request.trigger}", self._language)
            self._drafting.reasoning(self._request.question, told, searches)
        return self._drafting.plan

    def _first_search(self) -> int:
        question = self._request.question
        name = self._request.collections[0].name
        return self._drafting.search(by_terms(question) or question, name)


QUERIES_ANEW = 4
"""New ones, for the question or for each of its parts."""
_SURE = frozenset({"silent", "notify"})


def replan(request: ReplanRequest, language: Language) -> DraftPlan:
    if not request.finished:
        return plan(request, language)  # changed before anything was done
    calculation = calculation_of(request.question)
    if calculation and _can_be_looked_up(request):
        again = _calculated_anew(calculation, request, language)
        if again is not None:
            return again
    if request.strategy == "partial" and request.trigger in {"step_failed", "timeout"}:
        return the_rest(request, language)
    parts = [part for part in _parts(request.plan) if _is_open(part, request)]
    return _parts_anew(parts, request, language) if parts else _answered_anew(request, language)


def _can_be_looked_up(request: ReplanRequest) -> bool:
    """Not where a search has failed: then the rest of the plan is still to be done."""
    return request.cause is None or request.cause.action in {"compute", "reasoning"}


def _parts(plan: ExecutionPlan) -> list[PlanStep]:
    """The answers that the last one joins; none where the plan has one answer."""
    return _joined(plan, "reasoning")


def _joined(plan: ExecutionPlan, action: Action) -> list[PlanStep]:
    answers = [step for step in plan.steps if step.action == "reasoning"]
    needed = answers[-1].depends_on if answers else ()
    return [step for step in plan.steps if step.action == action and step.step_id in needed]


def _is_open(part: PlanStep, request: ReplanRequest) -> bool:
    """Not answered for sure, or a person has said something about it since."""
    result = next((each for each in request.finished if each.step_id == part.step_id), None)
    if result is None or result.status != "success" or not result.answered:
        return True
    unsure = result.confidence is not None and result.confidence.level not in _SURE
    return unsure or request.trigger == "user_feedback" or part.step_id in _without_figure(request)


def _without_figure(request: ReplanRequest) -> set[object]:
    """Steps in whose answer a computation has found nothing to work with."""
    problems = [result.problem for result in request.finished if result.problem is not None]
    return {each.params.get("step") for each in problems if each.text_id == "grace_figure_missing"}


# ---- one answer ----------------------------------------------------------------------------


def _answered_anew(request: ReplanRequest, language: Language) -> DraftPlan:
    """New searches beside those that were made, then the answer once more."""
    names = chosen_collections(request, request.max_steps - 1)
    most = min(QUERIES_ANEW, (request.max_steps - 1) // len(names))
    drafting = PlanDrafting(names, language, first=request.next_step_id)
    queries = different(_queries(request.question, request), _searched(request), most)
    found = _searches_for(drafting, queries, request.question)
    told = tell(f"grace_plan.again.{request.trigger}", language)
    drafting.reasoning(_question(request), told, (*_found(request), *found))
    return drafting.plan


def _question(request: ReplanRequest) -> str:
    """With a person's words, unless they tell the figure that is asked for: it must be found."""
    said = request.information[-1] if request.information else ""
    if not said or values(narrow(said)):
        return request.question
    return f"{request.question} {said}"


# ---- several parts -------------------------------------------------------------------------


def _parts_anew(parts: Sequence[PlanStep], request: ReplanRequest, language: Language) -> DraftPlan:
    """These parts are searched for in other words, or in a person's; the others stand."""
    computed = _joined(request.plan, "compute")
    drafting, most = _room(len(parts), len(computed) + 1, request, language)
    new = _looked_up([(part.query, part) for part in parts], drafting, most, request)
    instead = {part.step_id: step for part, step in zip(parts, new, strict=True)}
    worked = [_computed_anew(step, instead, drafting) for step in computed]
    answers = [instead.get(part.step_id, part.step_id) for part in _parts(request.plan)]
    told = tell("grace_plan.again.joined", language)
    drafting.reasoning(request.question, told, (*answers, *worked))
    return drafting.plan


def _calculated_anew(
    calculation: Calculation, request: ReplanRequest, language: Language
) -> DraftPlan | None:
    """Figures that are missing or not sure are looked up again; None where all of them are sure."""
    read = {step.query: step for step in request.plan.steps if step.action == "reasoning"}
    wanted = [(figure, read.get(figure)) for figure in calculation.figures]
    missing = [(figure, step) for figure, step in wanted if not step or _is_open(step, request)]
    if not missing:
        return None
    drafting, most = _room(len(missing), 2, request, language)
    new = _looked_up(missing, drafting, most, request)
    steps = {figure: step.step_id for figure, step in wanted if step}
    steps |= {figure: step for (figure, _), step in zip(missing, new, strict=True)}
    figures = [steps[figure] for figure in calculation.figures]
    work_out(drafting, calculation, figures, request.question)
    return drafting.plan


def _room(
    parts: int, others: int, request: ReplanRequest, language: Language
) -> tuple[PlanDrafting, int]:
    """A draft, and how many queries each part may have in it."""
    room = max(1, (request.max_steps - others) // parts - 1)
    names = chosen_collections(request, room)
    drafting = PlanDrafting(names, language, first=request.next_step_id)
    return drafting, min(QUERIES_ANEW, room // len(names))


def _looked_up(
    parts: Sequence[tuple[str, PlanStep | None]],
    drafting: PlanDrafting,
    most: int,
    request: ReplanRequest,
) -> list[int]:
    """Each question with new searches beside those that its step has made."""
    searched = _searched(request)
    answers: list[int] = []
    for question, step in parts:
        queries = different(_queries(question, request), searched, most)
        searched += queries
        found = _searches_for(drafting, queries, question)
        own = [each for each in _found(request) if step and each in step.depends_on]
        told = tell("grace_plan.read.part", drafting.language, part=shown(question))
        answers.append(drafting.reasoning(question, told, (*own, *found)))
    return answers


def _computed_anew(step: PlanStep, instead: Mapping[int, int], drafting: PlanDrafting) -> int:
    needed = [instead.get(each, each) for each in step.depends_on]
    expression = with_numbers(step.query, instead)
    told = with_numbers(step.description, instead)
    return drafting.add("compute", expression, told, depends_on=needed)


# ---- what to search for --------------------------------------------------------------------


def _searches_for(drafting: PlanDrafting, queries: Sequence[str], question: str) -> tuple[int, ...]:
    """Where every wording was tried already, the search agent looks for further ones."""
    if not queries:
        return drafting.agents(question)
    return tuple(step for query in queries for step in drafting.searches(query))


def _queries(question: str, request: ReplanRequest) -> Iterator[str]:
    """A person's words with the question, and alone; else the question in other words."""
    for text in reversed(request.information[-2:]):
        yield f"{question} {text}"
        yield text
        yield by_terms(f"{question} {text}")
    if request.trigger != "user_feedback":
        yield from _other_words(question)


def _other_words(question: str) -> Iterator[str]:
    yield by_terms(question)
    yield from wordings(question)
    yield from expand(question, 2 * QUERIES_ANEW).queries


def _searched(request: ReplanRequest) -> list[str]:
    made = [each.text for result in request.finished for each in result.searched]
    return [*made, *(step.query for step in request.plan.steps if step.action in SEARCHES)]


def _found(request: ReplanRequest) -> list[int]:
    """Searches that are done: their findings are used again."""
    done = {result.step_id for result in request.finished if result.status == "success"}
    return [
        step.step_id
        for step in request.plan.steps
        if step.action in SEARCHES and step.step_id in done
    ]
