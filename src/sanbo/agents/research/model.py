"""What research decides and gives: decisions, findings, the result, its steps."""

from typing import Literal

from pydantic import Field

from sanbo.evidence.model import Citation, Frozen, SearchedQuery, Sentence

StopReason = Literal[
    "sufficient",
    "max_cycles",
    "no_new_queries",
    "nothing_found",
    "decide_timeout",
    "decide_failed",
]
"""Why no further cycle was made."""

Thinker = Literal["rules", "model"]


class Decision(Frozen):
    """Whether what was found suffices."""

    enough: bool
    reason: str
    """One or two sentences for a person, in the language of the run."""
    missing: tuple[str, ...] = ()
    """What is not answered yet."""
    next_queries: tuple[str, ...] = ()
    decided_by: Thinker


class Finding(Frozen):
    """What was found about one sub-question; no sentence where nothing was."""

    sub_question: str
    sentences: tuple[Sentence, ...]


class ResearchResult(Frozen):
    question: str
    collection: str
    session: str
    report_md: str
    answered: bool
    """False where the collection does not answer the question: the report says so."""
    summary: tuple[Sentence, ...]
    findings: tuple[Finding, ...]
    disagreements: tuple[Sentence, ...]
    gaps: tuple[str, ...]
    nearest: tuple[Sentence, ...] = ()
    """What comes near, where nothing answers: hints, not findings."""
    citations: tuple[Citation, ...]
    cycles: int
    stop_reason: StopReason
    queries: tuple[SearchedQuery, ...]
    partial: bool
    partial_reason: str = ""
    refused: int = 0
    """Sentences that were left out because no citation of theirs held."""
    marked: int = 0
    """Sentences that stand in the report with a mark."""


# ---- the steps as the journal tells them to pages ------------------------------------------


class FoundPassage(Frozen):
    id: str
    chunk_id: str
    document: str
    page: int | None
    sheet: str | None = None
    relevance: float
    beginning: str
    """Its first words."""


class RetrieveStep(Frozen):
    """The output of `retrieve` in the journal."""

    cycle: int
    sub_questions: tuple[str, ...]
    queries: tuple[SearchedQuery, ...]
    """Of this cycle."""
    passages: tuple[FoundPassage, ...]
    """New in this cycle, most relevant first."""
    passages_in_all: int
    problem: str = ""
    """Why the question was searched for as it is: its expansion failed."""


class DecideStep(Frozen):
    """The output of `decide`."""

    cycle: int
    enough: bool
    reason: str
    missing: tuple[str, ...] = ()
    next_queries: tuple[str, ...] = ()
    stop_reason: StopReason | None
    """None: another cycle follows."""
    decided_by: Thinker


class AnswerStep(Frozen):
    """The output of `answer`."""

    answered: bool
    partial: bool
    partial_reason: str
    citations: int
    refused: int
    marked: int
    characters: int = Field(description="Length of the report")
    reason: str = ""
    """Why the search goes on instead: a model that has read the passages says so."""
    next_queries: tuple[str, ...] = ()


def percent(share: float) -> int:
    return int(share * 100)  # never rounded up to a threshold it does not reach
