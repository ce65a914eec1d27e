"""What a research knows while it runs, as plain JSON: checkpoints hold no classes of ours."""

from typing import TypedDict

from sanbo.agents.research.model import Decision, FoundPassage, StopReason
from sanbo.agents.research.notes import NotedPassage
from sanbo.agents.research.settings import ResearchSettings
from sanbo.evidence.model import Passage, SearchedQuery, View
from sanbo.runs.model import JsonObject


class ResearchState(TypedDict, total=False):
    question: str
    retrieved_docs: list[JsonObject]
    """`Passage`s in the order of finding."""
    search_queries: list[JsonObject]
    """`SearchedQuery`s of all cycles."""
    cycle_count: int
    final_answer: str
    """The report."""

    sub_questions: list[str]
    next_queries: list[str]
    """What the next cycle searches for."""
    problem: str
    """Why the question was searched for as it is; empty where it was taken apart."""
    decisions: list[JsonObject]
    """`Decision`s, one a cycle."""
    stop_reason: StopReason | None
    collection_chunks: int | None
    result: JsonObject
    """A `ResearchResult`."""
    step: JsonObject
    """What the last node tells the journal."""


LONGEST_BEGINNING = 100


def passages_of(state: ResearchState) -> tuple[Passage, ...]:
    return tuple(Passage.model_validate(each) for each in state.get("retrieved_docs", []))


def queries_of(state: ResearchState) -> tuple[SearchedQuery, ...]:
    return tuple(SearchedQuery.model_validate(each) for each in state.get("search_queries", []))


def decisions_of(state: ResearchState) -> tuple[Decision, ...]:
    return tuple(Decision.model_validate(each) for each in state.get("decisions", []))


def view_of(state: ResearchState, parameters: ResearchSettings) -> View:
    return View(
        question=state.get("question", ""),
        sub_questions=tuple(state.get("sub_questions", [])),
        passages=passages_of(state),
        queries=queries_of(state),
        cycle=state.get("cycle_count", 0),
        max_cycles=parameters.max_cycles,
        relevance_threshold=parameters.relevance_threshold,
        min_docs_count=parameters.min_docs_count,
        collection_chunks=state.get("collection_chunks"),
    )


def found(passage: Passage) -> FoundPassage:
    return FoundPassage(
        id=passage.id,
        chunk_id=passage.chunk_id,
        document=passage.document,
        page=passage.position.page,
        sheet=passage.position.sheet,
        relevance=passage.relevance,
        beginning=" ".join(passage.text[: 2 * LONGEST_BEGINNING].split())[:LONGEST_BEGINNING],
    )


def noted(passage: Passage) -> NotedPassage:
    return NotedPassage(
        chunk_id=passage.chunk_id,
        document=passage.document,
        score=passage.score,
        relevance=passage.relevance,
    )
