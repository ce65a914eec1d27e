"""The state as thinkers and pages see it."""

from sanbo.agents.research.model import Decision, FoundPassage
from sanbo.agents.research.notes import NotedPassage
from sanbo.agents.research.settings import ResearchSettings
from sanbo.agents.research.state import ResearchState
from sanbo.evidence.model import Passage, SearchedQuery, View

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
