"""What GRACE must decide, and what its nodes work with; there are two ways to think.

What both make a plan of: steps put together, each with its number, and the plan that always works.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import Field

from sanbo.agents.grace.confidence import Fitted
from sanbo.agents.grace.rules.questions import kind_of
from sanbo.agents.grace.schemas import (
    Action,
    ExecutionPlan,
    ExecutionResult,
    PlanStep,
    StepResult,
    Strategy,
    ThresholdsUsed,
    Trigger,
)
from sanbo.agents.grace.searxng import WebSearch
from sanbo.agents.grace.settings import GraceSettings
from sanbo.evidence.finding import Finder
from sanbo.evidence.model import Frozen, Part, Passage
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.text import matching_form


class KnownCollection(Frozen):
    name: str
    documents: int
    chunks: int | None = None


class PlanRequest(Frozen):
    question: str
    collections: tuple[KnownCollection, ...]
    """Those that a plan may search in: real ones, at least one."""
    web_search: bool = False
    """Whether a web search is configured; else no plan may have one."""
    max_steps: int = 12
    information: tuple[str, ...] = ()
    """What people have said about the question up to now, oldest first."""


class ReplanRequest(PlanRequest):
    plan: ExecutionPlan
    finished: tuple[StepResult, ...]
    """Kept; new steps may depend on them."""
    cause: StepResult | None = None
    trigger: Trigger
    strategy: Strategy
    next_step_id: int
    """New steps are numbered from here."""


class DraftPlan(Frozen):
    """A plan as it was thought of: not checked yet."""

    steps: tuple[PlanStep, ...]
    requires_confirmation: bool = False


class AnswerRequest(Frozen):
    question: str
    """Of the step; the whole question where the plan has one answer."""
    passages: tuple[Passage, ...]
    """Of the steps that this one depends on, each once; ids are theirs alone."""
    earlier: tuple[StepResult, ...] = ()
    """What the steps that this one depends on have come to."""
    information: tuple[str, ...] = ()
    passage_tokens: int = 6000


class Answer(Frozen):
    """Claimed, not checked yet: code looks every quote up."""

    parts: tuple[Part, ...]
    """Findings (the best first), disagreements; `nearest` where nothing answers."""
    self_evaluation: float | None = Field(default=None, ge=0, le=1)
    """What a model thinks of its answer; None without one."""
    searches: tuple[str, ...] | None = None
    """What might find more, where it does not answer the question; None where nobody can say."""
    span: tuple[int, int] | None = None
    """The very words of the first part's text that answer, where that is sure."""


class SearchTurn(Frozen):
    """What the plain search agent does next: search again, or stop."""

    query: str = ""
    """Empty: what was found is enough, or there is nothing more to look for."""


class Thinking(Protocol):
    async def plan(self, request: PlanRequest) -> DraftPlan: ...

    async def replan(self, request: ReplanRequest) -> DraftPlan:
        """The steps that follow what is finished (`partial`), or all of them anew (`full`)."""
        ...

    async def answer(self, request: AnswerRequest) -> Answer: ...

    async def search_turn(
        self, question: str, searched: Sequence[str], passages: Sequence[Passage]
    ) -> SearchTurn: ...


class Calibration(NamedTuple):
    """What scores in a run; read once at its beginning."""

    fitted: Fitted
    thresholds: ThresholdsUsed


@dataclass(frozen=True)
class Surroundings:
    run_id: str
    thinking: Thinking
    settings: GraceSettings
    language: Language
    finder: Callable[[str], Finder]
    """Looks into the collection of this name."""
    collections: Callable[[], Awaitable[tuple[KnownCollection, ...]]]
    """Those that the question may be answered from; a problem where there are none."""
    calibration: Callable[[], Awaitable[Calibration]]
    asked_before: Callable[[], Awaitable[tuple[str, ...]]]
    """The questions of this conversation before this one, oldest first."""
    web: WebSearch | None
    """None: not configured, and no step can call it."""
    say: Callable[[str], None]
    """Streams a piece of the answer."""
    keep: Callable[[ExecutionResult], Awaitable[None]]
    """Puts the answer where a person can download it."""


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
