"""What research works with and gives: passages, decisions, sentences with quotes, the result."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from sanbo.documents.model import Format, Position

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
Section = Literal["summary", "finding", "disagreement", "gap", "nearest"]
"""`nearest`: a hint at what comes near, where nothing answers; no finding."""


class Frozen(BaseModel):
    model_config = ConfigDict(frozen=True)


# ---- what was looked for and found ---------------------------------------------------------


class Expansion(Frozen):
    """A question taken apart: what it asks, and what to search for."""

    sub_questions: tuple[str, ...]
    """At least one; the question itself where it asks one thing."""
    queries: tuple[str, ...]
    """Each different, the question (or its sub-questions) among them."""


class SearchedQuery(Frozen):
    text: str
    cycle: int
    hits: int
    new: int
    """Passages that no query had found before."""
    cached: bool = False
    """Answered from what this session had already searched for."""


class Passage(Frozen):
    """A found chunk."""

    id: str
    """`P1`, `P2` … in the order of finding: what a model cites by."""
    chunk_id: str
    document_id: str
    document: str
    format: Format
    position: Position
    text: str
    context: str = ""
    """Title, headings, a table's header: not part of the text, never quoted."""
    score: float
    """The engine's own."""
    relevance: float
    """The probability that it answers the question, or the sub-question it answers best."""
    relevances: tuple[float, ...] = ()
    """The same for each sub-question."""
    cycle: int


class Decision(Frozen):
    """Whether what was found suffices."""

    enough: bool
    reason: str
    """One or two sentences for a person, in the language of the run."""
    missing: tuple[str, ...] = ()
    """What is not answered yet."""
    next_queries: tuple[str, ...] = ()
    decided_by: Thinker


class View(Frozen):
    """What there is to think about, at any moment of a run."""

    question: str
    sub_questions: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = ()
    queries: tuple[SearchedQuery, ...] = ()
    cycle: int = 0
    max_cycles: int = 3
    relevance_threshold: float = 0.7
    min_docs_count: int = 5
    collection_chunks: int | None = None
    """How many chunks there are to find; None where the engine can't tell."""


# ---- what is said about it -----------------------------------------------------------------


class Quoted(Frozen):
    """A citation as it is claimed: not checked yet."""

    passage: str
    """`P3`"""
    quote: str


class Part(Frozen):
    """One sentence of an answer, as it is claimed: not checked yet."""

    section: Section
    sub_question: int = 0
    """Which one a finding belongs to, from 0."""
    text: str
    """One sentence, without citation marks."""
    quotes: tuple[Quoted, ...] = ()


# ---- what stands in the report -------------------------------------------------------------


class Citation(Frozen):
    """Where a sentence's support stands, found by code in the source itself."""

    id: int
    """The number in the report: `[1]`."""
    document: str
    document_id: str
    format: Format
    page: int | None
    chunk_id: str
    quote: str
    """Verbatim in the source where `verified`."""
    start: int
    end: int
    """The quote's place in the document's text."""
    sheet: str | None = None
    row: int | None = None
    headings: tuple[str, ...] = ()
    score: float
    """The passage's relevance."""
    verified: bool


class Sentence(Frozen):
    text: str
    citations: tuple[int, ...]
    problem: str = ""
    """Why it is marked: empty where every claim about it holds."""


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
