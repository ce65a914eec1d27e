"""A plan by the kind of question: what to search for, what to read, what to work out, and in which
order."""

from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.agents.grace.planning.drafts import (
    PlanDrafting,
    chosen_collections,
    first_number,
    shown,
    template,
)
from sanbo.agents.grace.rules.calculations import Calculation, calculation_of
from sanbo.agents.grace.rules.kinds import Kind, kind_of
from sanbo.agents.grace.thinking import DraftPlan, PlanRequest
from sanbo.evidence.rules.queries import by_terms, different, expand, wordings
from sanbo.evidence.rules.sub_questions import sub_questions
from sanbo.kernel.messages import Language, tell

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
