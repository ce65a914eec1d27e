"""A plan's steps put together, each with its number; and the plan that always works."""

from collections.abc import Iterable, Sequence

from sanbo.agents.grace.rules.kinds import kind_of
from sanbo.agents.grace.schemas import Action, PlanStep
from sanbo.agents.grace.thinking import DraftPlan, PlanRequest, ReplanRequest
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.text import matching_form

LONGEST_QUERY = 2_000
SHOWN = 60
"""Letters of a query that a description shows."""

FALLBACKS: dict[Action, Action | None] = {
    "rag_search": "run_legacy_agent",
    "run_legacy_agent": "rag_search",
    "web_search": "rag_search",
    "compute": "reasoning",
    "reasoning": None,
    "ask_user": None,
}
SEARCHES: frozenset[Action] = frozenset({"rag_search", "web_search", "run_legacy_agent"})


class PlanDrafting:
    """Numbers steps from `first` on, in the order in which they are added."""

    def __init__(self, collections: Sequence[str], language: Language, *, first: int = 1) -> None:
        self._collections = collections
        self.language: Language = language
        self._next = first
        self._steps: list[PlanStep] = []

    @property
    def plan(self) -> DraftPlan:
        return DraftPlan(steps=tuple(self._steps))

    def searches(self, query: str) -> tuple[int, ...]:
        """One a collection: none waits for another."""
        return tuple(self.search(query, name) for name in self._collections)

    def search(self, query: str, collection: str, depends_on: Iterable[int] = ()) -> int:
        told = tell("grace_plan.search", self.language, collection=collection, query=shown(query))
        return self.add("rag_search", query, told, collection=collection, depends_on=depends_on)

    def agents(self, query: str) -> tuple[int, ...]:
        """The plain search agent, one a collection."""
        return tuple(
            self.add(
                "run_legacy_agent",
                query,
                tell("grace_plan.agent", self.language, collection=name, query=shown(query)),
                collection=name,
            )
            for name in self._collections
        )

    def reasoning(self, question: str, description: str, depends_on: Iterable[int]) -> int:
        return self.add("reasoning", question, description, depends_on=depends_on)

    def add(
        self,
        action: Action,
        query: str,
        description: str,
        *,
        collection: str | None = None,
        depends_on: Iterable[int] = (),
    ) -> int:
        step = PlanStep(
            step_id=self._next,
            action=action,
            description=description,
            query=query[:LONGEST_QUERY],
            collection=collection,
            depends_on=tuple(dict.fromkeys(depends_on)),
            fallback=FALLBACKS[action],
        )
        self._steps.append(step)
        self._next += 1
        return step.step_id


def first_number(request: PlanRequest) -> int:
    return request.next_step_id if isinstance(request, ReplanRequest) else 1


def shown(query: str) -> str:
    return one_line(query, SHOWN)


def chosen_collections(request: PlanRequest, room: int) -> tuple[str, ...]:
    """All, or as many as there is room for: those the question names, then the largest."""
    if len(request.collections) <= room:
        return tuple(known.name for known in request.collections)
    question = matching_form(request.question)
    ranked = sorted(
        request.collections,
        key=lambda known: (matching_form(known.name) not in question, -known.documents),
    )
    return tuple(known.name for known in ranked[: max(1, room)])


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


def searching(request: ReplanRequest, queries: Sequence[str], language: Language) -> DraftPlan:
    """These searches where the plan has searched, then an answer from all that was found."""
    before = [step for step in request.plan.steps if step.action in SEARCHES and step.collection]
    done = {result.step_id for result in request.finished if result.status == "success"}
    names = tuple(dict.fromkeys(step.collection or "" for step in before))
    room = max(1, (request.max_steps - 1) // len(queries))
    names = names[:room] or chosen_collections(request, room)
    drafting = PlanDrafting(names, language, first=first_number(request))
    found = [step for query in queries for step in drafting.searches(query)]
    found += [step.step_id for step in before if step.step_id in done]
    description = tell(f"grace_plan.answer.{kind_of(request.question)}", language)
    drafting.reasoning(request.question, description, found)
    return drafting.plan


def _queries(request: PlanRequest) -> list[str]:
    said = [f"{request.question} {text}" for text in request.information[-1:]]
    has_room = request.max_steps > len(said) + 1
    return [request.question, *said] if has_room else said
