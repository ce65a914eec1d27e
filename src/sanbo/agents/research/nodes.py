"""The graph: retrieve → decide → (retrieve | answer); a model that has read may search again.

Its three nodes and what a research knows while it runs, as plain JSON: checkpoints hold no classes
of ours.
"""

from collections.abc import Awaitable, Callable
from typing import Any, TypedDict, cast

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel

from sanbo.agents.research.model import (
    AnswerStep,
    DecideStep,
    Decision,
    FoundPassage,
    RetrieveStep,
    StopReason,
)
from sanbo.agents.research.notes import Note, NotedPassage
from sanbo.agents.research.report import write
from sanbo.agents.research.report_layout import Ending
from sanbo.agents.research.settings import ResearchSettings
from sanbo.agents.research.thinking import Expanded, SearchWanted, Surroundings, decide, expand
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


Run = Runtime[Any]  # whatever `surroundings` reads; LangGraph types it for dataclasses only


class Nodes:
    def __init__(self, surroundings: Callable[[Any], Awaitable[Surroundings]]) -> None:
        self._surroundings = surroundings

    async def retrieve(self, state: ResearchState, runtime: Run) -> ResearchState:
        around = await self._surroundings(runtime.context)
        cycle = state.get("cycle_count", 0) + 1
        wanted = await _wanted(state, around)
        known = passages_of(state)
        outcome = await around.finder.find(
            wanted.queries,
            wanted.sub_questions,
            known,
            cycle=cycle,
            limit=around.parameters.hits_per_query,
        )
        new = outcome.passages[len(known) :]
        step = RetrieveStep(
            cycle=cycle,
            sub_questions=wanted.sub_questions,
            queries=outcome.queries,
            passages=tuple(found(each) for each in sorted(new, key=lambda each: -each.relevance)),
            passages_in_all=len(outcome.passages),
            problem=wanted.problem,
        )
        await around.note(
            Note(
                session=around.about.session,
                run_id=around.about.run_id,
                node_name="retrieve",
                cycle_no=cycle,
                queries=wanted.queries,
                retrieved_docs=tuple(noted(each) for each in new),
                decision_reason=wanted.problem,
            )
        )
        return {
            "cycle_count": cycle,
            "sub_questions": list(wanted.sub_questions),
            "retrieved_docs": [_json(each) for each in outcome.passages],
            "search_queries": [
                *state.get("search_queries", []),
                *(_json(each) for each in outcome.queries),
            ],
            "collection_chunks": outcome.collection_chunks,
            "problem": state.get("problem", "") or wanted.problem,
            "step": _json(step),
        }

    async def decide(self, state: ResearchState, runtime: Run) -> ResearchState:
        around = await self._surroundings(runtime.context)
        view = view_of(state, around.parameters)
        decision, stop_reason = await decide(view, around)
        step = DecideStep(
            cycle=view.cycle,
            enough=decision.enough,
            reason=decision.reason,
            missing=decision.missing,
            next_queries=decision.next_queries,
            stop_reason=stop_reason,
            decided_by=decision.decided_by,
        )
        await around.note(
            Note(
                session=around.about.session,
                run_id=around.about.run_id,
                node_name="decide",
                cycle_no=view.cycle,
                queries=decision.next_queries,
                decision_reason=decision.reason,
            )
        )
        return {
            "decisions": [*state.get("decisions", []), _json(decision)],
            "next_queries": list(decision.next_queries),
            "stop_reason": stop_reason,
            "step": _json(step),
        }

    async def answer(self, state: ResearchState, runtime: Run) -> ResearchState:
        around = await self._surroundings(runtime.context)
        view = view_of(state, around.parameters)
        stop_reason = state.get("stop_reason")
        assert stop_reason is not None
        ending = Ending(
            stop_reason=stop_reason,
            decisions=_told(state),
            session=around.about.session,
            engine=around.about.engine,
        )
        try:
            result = await write(view, ending, around)
        except SearchWanted as wanted:
            return await _again(state, wanted, around)
        await around.keep(result)
        await around.note(
            Note(
                session=around.about.session,
                run_id=around.about.run_id,
                node_name="answer",
                cycle_no=view.cycle,
                retrieved_docs=tuple(
                    noted(each)
                    for each in view.passages
                    if any(each.chunk_id == cited.chunk_id for cited in result.citations)
                ),
                decision_reason=result.partial_reason or decisions_of(state)[-1].reason,
                final_report=result.report_md,
            )
        )
        step = AnswerStep(
            answered=result.answered,
            partial=result.partial,
            partial_reason=result.partial_reason,
            citations=len(result.citations),
            refused=result.refused,
            marked=result.marked,
            characters=len(result.report_md),
        )
        return {"final_answer": result.report_md, "result": _json(result), "step": _json(step)}


async def _again(state: ResearchState, wanted: SearchWanted, around: Surroundings) -> ResearchState:
    """Another cycle instead of an answer: what was decided by the limits is decided anew."""
    *before, limits = decisions_of(state)
    decision = Decision(
        enough=False,
        reason=f"{limits.reason} {wanted.reason}".strip(),
        next_queries=wanted.queries,
        decided_by="model",
    )
    step = AnswerStep(
        answered=False,
        partial=False,
        partial_reason="",
        citations=0,
        refused=0,
        marked=0,
        characters=0,
        reason=wanted.reason,
        next_queries=wanted.queries,
    )
    await around.note(
        Note(
            session=around.about.session,
            run_id=around.about.run_id,
            node_name="answer",
            cycle_no=state.get("cycle_count", 0),
            queries=wanted.queries,
            decision_reason=wanted.reason,
        )
    )
    return {
        "decisions": [_json(each) for each in (*before, decision)],
        "next_queries": list(wanted.queries),
        "stop_reason": None,
        "step": _json(step),
    }


def _told(state: ResearchState) -> tuple[Decision, ...]:
    """The decisions; what went wrong before the first is told with it."""
    first, *others = decisions_of(state)
    reason = f"{state.get('problem', '')} {first.reason}".strip()
    return first.model_copy(update={"reason": reason}), *others


async def _wanted(state: ResearchState, around: Surroundings) -> Expanded:
    """What to search for in this cycle."""
    if queries := state.get("next_queries"):
        return Expanded(tuple(state.get("sub_questions", [])), tuple(queries))
    return await expand(state.get("question", ""), around)


def _json(model: BaseModel) -> JsonObject:
    return cast("JsonObject", model.model_dump(mode="json"))


def build(nodes: Nodes) -> StateGraph[Any, Any, Any, Any]:
    # pyrefly: ignore[bad-specialization]
    graph: StateGraph[Any, Any, Any, Any] = StateGraph(ResearchState)
    graph.add_node("retrieve", nodes.retrieve)
    graph.add_node("decide", nodes.decide)
    graph.add_node("answer", nodes.answer)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "decide")
    graph.add_conditional_edges("decide", _next, ["retrieve", "answer"])
    graph.add_conditional_edges("answer", _after_answer, ["retrieve", END])
    return graph


def _next(state: ResearchState) -> str:
    return "retrieve" if state.get("stop_reason") is None else "answer"


def _after_answer(state: ResearchState) -> str:
    return "retrieve" if state.get("stop_reason") is None else END
