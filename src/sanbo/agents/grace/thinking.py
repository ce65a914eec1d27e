"""What GRACE must decide, and what its nodes work with; there are two ways to think."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from pydantic import Field

from sanbo.agents.grace.confidence import Fitted
from sanbo.agents.grace.schemas import (
    ExecutionPlan,
    ExecutionResult,
    PlanStep,
    StepResult,
    Strategy,
    ThresholdsUsed,
    Trigger,
)
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.tools.searxng import WebSearch
from sanbo.evidence.finding import Finder
from sanbo.evidence.model import Frozen, Part, Passage
from sanbo.kernel.messages import Language


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
