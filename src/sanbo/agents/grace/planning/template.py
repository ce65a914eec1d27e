"""The plan that always works: search, then answer."""

from sanbo.agents.grace.planning.drafting import PlanDrafting, chosen_collections, first_number
from sanbo.agents.grace.rules.kinds import kind_of
from sanbo.agents.grace.thinking import DraftPlan, PlanRequest
from sanbo.kernel.messages import Language, tell


def template(request: PlanRequest, language: Language) -> DraftPlan:
    """One search a collection, in parallel; what people have said is searched for as well."""
    queries = _queries(request)
    names = chosen_collections(request, (request.max_steps - 1) // len(queries))
    drafting = PlanDrafting(names, language, first=first_number(request))
    found = [step for query in queries for step in drafting.searches(query)]
    description = tell(f"grace_plan.answer.{kind_of(request.question)}", language)
    left_out = len(request.collections) - len(names)
    if left_out:
        description += tell("grace_plan.left_out", language, used=len(names), count=left_out)
    drafting.reasoning(request.question, description, found)
    return drafting.plan


def _queries(request: PlanRequest) -> list[str]:
    said = [f"{request.question} {text}" for text in request.information[-1:]]
    has_room = request.max_steps > len(said) + 1
    return [request.question, *said] if has_room else said
