"""A research as front ends need it: its report, where a citation stands, the notes of a session."""

import asyncio
from collections.abc import Iterable

from pydantic import BaseModel

from sanbo.agents.research.model import AnswerStep, DecideStep, ResearchResult, RetrieveStep
from sanbo.agents.research.notes import Note
from sanbo.agents.research.present import AnyStep
from sanbo.agents.research.present import step_of as of_outputs
from sanbo.kernel.problems import InvalidInput, NotFound
from sanbo.runs.model import Artifact, Event, NodeComplete, Run
from sanbo.service.access import Caller
from sanbo.service.catalog import RESEARCH
from sanbo.service.collections import CitationPlace, find_place
from sanbo.service.workbench import Workbench

MODELS: tuple[type[BaseModel], ...] = (ResearchResult, RetrieveStep, DecideStep, AnswerStep)
"""Of a result and of what steps tell, as the API documents them."""
MOST_NAMED = 20


def steps_of(events: Iterable[Event]) -> tuple[AnyStep, ...]:
    """What a run's finished steps came to, in their order."""
    found = (step_of(event) for event in events)
    return tuple(step for step in found if step is not None)


def step_of(event: Event) -> AnyStep | None:
    """What the step came to that this event ends; None where it ends none."""
    payload = event.payload
    return of_outputs(event.path, payload.outputs) if isinstance(payload, NodeComplete) else None


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


async def usual_collection(workbench: Workbench, caller: Caller, session: str | None) -> str:
    """Where a question without a collection is looked up: as its session, or in the only one."""
    if session is not None:
        before = await workbench.list(caller, workflow=RESEARCH, conversation_id=session, limit=1)
        for each in before:
            run = await workbench.get(caller, each.run_id)
            return str(run.input["collection"])
    known = [each.name for each in await asyncio.to_thread(workbench.collections.all)]
    if not known:
        raise InvalidInput("no_collection")
    if len(known) > 1:
        raise InvalidInput("which_collection", names="、".join(known[:MOST_NAMED]))
    return known[0]


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


async def notes(workbench: Workbench, caller: Caller, session: str) -> list[Note]:
    """What the researches of this session did, in the order in which it happened."""
    await _check_session(workbench, caller, session)
    return await asyncio.to_thread(workbench.notes.of_session, session)


async def delete_notes(workbench: Workbench, caller: Caller, session: str) -> int:
    """All of a session's notes, at once; the runs with their reports stay."""
    await _check_session(workbench, caller, session)
    return await asyncio.to_thread(workbench.notes.delete_session, session)


async def _check_session(workbench: Workbench, caller: Caller, session: str) -> None:
    """The same answer for a session that is somebody else's and for one that is not there."""
    known = "\0" not in session and await workbench.list(
        caller, workflow=RESEARCH, conversation_id=session, limit=1
    )
    if not known:
        raise NotFound("research_session_not_found", session=session[:80])
