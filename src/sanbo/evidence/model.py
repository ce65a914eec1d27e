"""What is known of a question: passages found, sentences with the quotes they rest on."""

import re
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sanbo.documents.model import Format, Position
from sanbo.kernel.problems import InvalidInput

Section = Literal["summary", "finding", "disagreement", "gap", "nearest"]
"""`nearest`: a hint at what comes near, where nothing answers; no finding."""


class Frozen(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True)


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
    is_settled: bool = False
    """A disagreement of which it is known what applies; the first quote is of that."""


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


LONGEST_QUESTION = 2_000
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def asked(question: str) -> str:
    """Without control characters; refused where nothing is left of it."""
    question = plain(question)
    if not any(character.isalnum() for character in question):
        raise InvalidInput("question_blank")
    return question


def plain(text: str) -> str:
    """What a person typed or a model wrote, without control characters."""
    return _CONTROLS.sub(" ", text).strip()
