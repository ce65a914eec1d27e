"""What research must decide, and what its nodes work with; there are two ways to think.

A thinker is asked within a time limit whether another cycle follows, and else why not.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from sanbo.agents.research.model import Decision, ResearchResult, StopReason, Thinker
from sanbo.agents.research.notes import Note
from sanbo.agents.research.settings import ResearchSettings
from sanbo.evidence.finding import Finder
from sanbo.evidence.model import Expansion, Part, View
from sanbo.kernel.messages import Language, tell
from sanbo.kernel.problems import SanboError
from sanbo.kernel.text import matching_form
from sanbo.llm.engine import Usage
from sanbo.llm.failures import concerns_the_reply


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


T = TypeVar("T")

LONGEST_QUERY = 2_000


class NoAnswer(Exception):
    """The thinker has said nothing of use."""

    def __init__(self, reason: str, *, timed_out: bool) -> None:
        super().__init__(reason)
        self.reason = reason
        self.timed_out = timed_out


async def asked(thought: Awaitable[T], seconds: float, language: Language) -> T:
    """Raises `NoAnswer`, or the problem where no other request would do better."""
    limit = asyncio.timeout(seconds)
    try:
        async with limit:
            return await thought
    except TimeoutError:
        if not limit.expired():
            raise
        reason = tell("research.timed_out", language, seconds=f"{seconds:g}")
        raise NoAnswer(reason, timed_out=True) from None
    except SanboError as error:
        timed_out = error.problem.text_id == "llm_timed_out"
        if not timed_out and not concerns_the_reply(error):
            raise
        reason = error.problem.in_language(language).message
        raise NoAnswer(reason, timed_out=timed_out) from error


def distinct(queries: Iterable[str], most: int, *, without: Iterable[str] = ()) -> tuple[str, ...]:
    """Each once, however it is written; what a model says may be blank, long, or repeat itself."""
    known = {matching_form(query) for query in without}
    new: dict[str, str] = {}
    for query in queries:
        text = " ".join(query[:LONGEST_QUERY].split())
        form = matching_form(text)
        if any(character.isalnum() for character in form) and form not in known:
            new.setdefault(form, text)
    return tuple(new.values())[:most]


LONGEST_REASON = 1_000
MOST_MISSING = 20


class Decided(NamedTuple):
    decision: Decision
    stop_reason: StopReason | None
    """None: another cycle follows, with the decision's `next_queries`."""


async def decide(view: View, around: Surroundings) -> Decided:
    """Asks the thinker, unless there is nothing to ask about."""
    language = around.language
    if not view.passages:
        return _stopped("nothing_found", tell("research.nothing_found", language), around)
    try:
        decision = await asked(
            around.thinking.decide(view), around.parameters.decide_seconds, language
        )
    except NoAnswer as error:
        reason = tell("research.not_decided", language, reason=error.reason)
        return _stopped("decide_timeout" if error.timed_out else "decide_failed", reason, around)
    return _judged(_bounded(decision, view, around), view, around)


def _bounded(decision: Decision, view: View, around: Surroundings) -> Decision:
    """What a model says may be of any length, and what was searched for is not asked again."""
    queries = distinct(
        decision.next_queries,
        around.parameters.queries_per_cycle,
        without=(query.text for query in view.queries),
    )
    return decision.model_copy(
        update={
            "reason": decision.reason[:LONGEST_REASON],
            "missing": distinct(decision.missing, MOST_MISSING),
            "next_queries": () if decision.enough else queries,
        }
    )


def _judged(decision: Decision, view: View, around: Surroundings) -> Decided:
    if decision.enough:
        return Decided(decision, "sufficient")
    if view.cycle >= view.max_cycles:
        ended = tell("research.max_cycles", around.language, limit=view.max_cycles)
        return Decided(_ending(decision, ended), "max_cycles")
    if not decision.next_queries:
        ended = tell("research.no_new_queries", around.language)
        return Decided(_ending(decision, ended), "no_new_queries")
    return Decided(decision, None)


def _ending(decision: Decision, ended: str) -> Decision:
    reason = f"{decision.reason} {ended}".strip()
    return decision.model_copy(update={"reason": reason, "next_queries": ()})


def _stopped(stop_reason: StopReason, reason: str, around: Surroundings) -> Decided:
    decided_by = "rules" if stop_reason == "nothing_found" else around.thinker
    return Decided(Decision(enough=False, reason=reason, decided_by=decided_by), stop_reason)


MOST_SUB_QUESTIONS = 8


class Expanded(NamedTuple):
    sub_questions: tuple[str, ...]
    queries: tuple[str, ...]
    problem: str = ""
    """Why the question is searched for as it is."""


async def expand(question: str, around: Surroundings) -> Expanded:
    seconds, language = around.parameters.decide_seconds, around.language
    try:
        said = await asked(around.thinking.expand(question), seconds, language)
    except NoAnswer as error:
        problem = tell("research.not_expanded", language, reason=error.reason)
        return Expanded((question,), (question,), problem)
    return Expanded(
        distinct(said.sub_questions, MOST_SUB_QUESTIONS) or (question,),
        distinct(said.queries, around.parameters.queries_per_cycle) or (question,),
    )
