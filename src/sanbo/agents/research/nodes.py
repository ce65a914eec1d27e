"""The three nodes: retrieve searches, decide judges, answer writes the report or asks for more."""

from collections.abc import Awaitable, Callable
from typing import Any, cast

from langgraph.runtime import Runtime
from pydantic import BaseModel

from sanbo.agents.research.decision import Expanded, decide, expand
from sanbo.agents.research.model import AnswerStep, DecideStep, Decision, RetrieveStep
from sanbo.agents.research.notes import Note
from sanbo.agents.research.report.layout import Ending
from sanbo.agents.research.report_writing import write
from sanbo.agents.research.state import (
    ResearchState,
    decisions_of,
    found,
    noted,
    passages_of,
    view_of,
)
from sanbo.agents.research.thinking import SearchWanted, Surroundings
from sanbo.runs.model import JsonObject

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
