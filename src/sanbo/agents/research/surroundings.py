"""What the nodes work with, whoever runs them: a run of the workbench, or a Python program."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sanbo.agents.research.model import ResearchResult, Thinker
from sanbo.agents.research.notes import Note
from sanbo.agents.research.settings import ResearchSettings
from sanbo.agents.research.thinking import Thinking
from sanbo.evidence.finding import Finder
from sanbo.kernel.messages import Language
from sanbo.llm.usage import Usage


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
