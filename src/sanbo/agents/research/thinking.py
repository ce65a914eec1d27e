"""What research must decide, and what its nodes work with; there are two ways to think."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from sanbo.agents.research.model import Decision, ResearchResult, Thinker
from sanbo.agents.research.notes import Note
from sanbo.agents.research.settings import ResearchSettings
from sanbo.evidence.finding import Finder
from sanbo.evidence.model import Expansion, Part, View
from sanbo.kernel.messages import Language
from sanbo.llm.usage import Usage


class SearchWanted(Exception):
    """Who was to answer wants to search again first."""

    def __init__(self, reason: str, queries: tuple[str, ...]) -> None:
        super().__init__(reason)
        self.reason = reason
        self.queries = queries


class Thinking(Protocol):
    async def expand(self, question: str) -> Expansion:
        """What the question asks, and what to search for first."""
        ...

    async def decide(self, view: View) -> Decision:
        """Whether what was found suffices, and else what to search for next."""
        ...

    def answer(self, view: View) -> AsyncIterator[Part]:
        """The answer sentence by sentence; nothing where the passages do not answer.

        May raise `SearchWanted` before the first.
        """
        ...


@dataclass(frozen=True)
class About:
    """What notes and the report tell of where they come from."""

    session: str
    run_id: str
    collection: str
    engine: str
    """As a person is told it."""


@dataclass(frozen=True)
class Surroundings:
    about: About
    finder: Finder
    thinking: Thinking
    thinker: Thinker
    parameters: ResearchSettings
    language: Language
    say: Callable[[str], None]
    """Streams a piece of the report."""
    note: Callable[[Note], Awaitable[None]]
    keep: Callable[[ResearchResult], Awaitable[None]]
    """Puts the report where a person can download it."""
    usage: Callable[[], Usage]
