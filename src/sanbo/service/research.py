"""A research as front ends show it: its steps, its result, its citations, its notes."""

import asyncio
from collections.abc import Iterable

from sanbo.agents.research.model import (
    AnswerStep,
    DecideStep,
    Finding,
    FoundPassage,
    ResearchResult,
    RetrieveStep,
    StopReason,
)
from sanbo.agents.research.workflow import Research
from sanbo.evidence.model import Citation, SearchedQuery, Sentence
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, Event, NodeComplete, Run
from sanbo.service.access import Caller
from sanbo.service.citation_places import CitationPlace, find_place
from sanbo.service.workbench import Workbench

__all__ = [
    "RESEARCH",
    "AnswerStep",
    "Citation",
    "CitationPlace",
    "DecideStep",
    "Finding",
    "FoundPassage",
    "ResearchResult",
    "RetrieveStep",
    "SearchedQuery",
    "Sentence",
    "StopReason",
    "citation_place",
    "report_file",
    "research_run",
    "result_of",
    "step_of",
    "steps_of",
]

RESEARCH = Research.name

AnyStep = RetrieveStep | DecideStep | AnswerStep
_STEPS: dict[str, type[AnyStep]] = {
    "retrieve": RetrieveStep,
    "decide": DecideStep,
    "answer": AnswerStep,
}


def steps_of(events: Iterable[Event]) -> tuple[AnyStep, ...]:
    """What a run's finished steps came to, in their order."""
    found = (step_of(event) for event in events)
    return tuple(step for step in found if step is not None)


def step_of(event: Event) -> AnyStep | None:
    """What the step came to that this event ends; None where it ends none."""
    model = _STEPS.get(event.path[-1]) if event.path else None
    if model is None or not isinstance(event.payload, NodeComplete):
        return None
    return None if event.payload.outputs is None else model.model_validate(event.payload.outputs)


def result_of(run: Run) -> ResearchResult:
    """Of a run that has succeeded."""
    return ResearchResult.model_validate(run.result)


def report_file(run: Run) -> Artifact | None:
    """The report as a file; None as long as there is none."""
    return run.artifacts[-1] if run.workflow == RESEARCH and run.artifacts else None


async def research_run(workbench: Workbench, caller: Caller, run_id: str) -> Run:
    """This run; a run of another workflow is none."""
    run = await workbench.get(caller, run_id)
    if run.workflow != RESEARCH:
        raise NotFound("run_not_found", run_id=run_id)
    return run


async def citation_place(
    workbench: Workbench, caller: Caller, run_id: str, number: int
) -> CitationPlace:
    """The passage that citation `[number]` of a run's report stands in."""
    run = await research_run(workbench, caller, run_id)
    result = None if run.result is None else result_of(run)
    for citation in () if result is None else result.citations:
        if result is not None and citation.id == number:
            return await asyncio.to_thread(
                find_place, workbench.collections, result.collection, citation
            )
    raise NotFound("citation_not_found", number=number)
