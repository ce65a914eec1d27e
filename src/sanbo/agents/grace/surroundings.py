"""What the nodes work with, whoever runs them: a run of the workbench, or a Python program."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

from sanbo.agents.grace.confidence import Fitted
from sanbo.agents.grace.schemas import ExecutionResult, ThresholdsUsed
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.thinking import KnownCollection, Thinking
from sanbo.agents.grace.tools.searxng import WebSearch
from sanbo.evidence.finding import Finder
from sanbo.kernel.messages import Language


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
    web: WebSearch | None
    """None: not configured, and no step can call it."""
    say: Callable[[str], None]
    """Streams a piece of the answer."""
    keep: Callable[[ExecutionResult], Awaitable[None]]
    """Puts the answer where a person can download it."""
