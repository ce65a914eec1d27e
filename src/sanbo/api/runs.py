"""Runs: start, list, read, cancel, resume, replay, delete; their questions, answers and drafts."""

import asyncio
from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Body, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue, WithJsonSchema

from sanbo.api.artifacts import POLICY, disposition
from sanbo.api.requests import Bench, StrictJsonRoute, Who, json_of, run_in
from sanbo.kernel.messages import current_language
from sanbo.reports.names import ReportFormat
from sanbo.runs.model import (
    Correction,
    Interaction,
    InteractionAnswered,
    InteractionOpen,
    JsonObject,
    Run,
    RunSummary,
    Status,
)
from sanbo.runs.parts import Parts
from sanbo.service.deletion import Prunable, prunable, prune
from sanbo.service.reports import report_of

interactions_router = APIRouter(
    prefix="/runs/{run_id}", tags=["interactions"], route_class=StrictJsonRoute
)

# Anything is let in here: what does not fit is explained by the question's own check.
Answer = Annotated[
    JsonValue,
    WithJsonSchema({"type": "object", "additionalProperties": True}),
    Body(examples=[{"approved": True, "comment": "確認しました"}]),
]


class Answered(BaseModel):
    interaction: Interaction
    answer: JsonObject
    by: str
    answered_at: datetime


class Interactions(BaseModel):
    open: list[Interaction]
    answered: list[Answered]


@interactions_router.get("/interactions")
async def list_interactions(run_id: str, bench: Bench, who: Who) -> Interactions:
    run = await bench.get(who, run_id)
    questions: dict[str, Interaction] = {}
    answered: list[Answered] = []
    for event in await bench.events(who, run_id):
        match event.payload:
            case InteractionOpen(interaction=question):
                questions[question.interaction_id] = question
            case InteractionAnswered(interaction_id=interaction_id, answer=answer, by=by):
                asked = questions[interaction_id]
                answered.append(
                    Answered(interaction=asked, answer=answer, by=by, answered_at=event.time)
                )
            case _:
                pass
    return Interactions(open=list(run.open_interactions), answered=answered)


# An interaction's id is its step's path, which may have slashes.
@interactions_router.post("/interactions/{interaction_id:path}/answer")
async def answer_interaction(
    run_id: str, interaction_id: str, answer: Answer, bench: Bench, who: Who
) -> Run:
    run = await bench.answer(who, run_id, answer, interaction_id)
    return run_in(run, current_language())


@interactions_router.post("/answer")
async def answer_run(run_id: str, answer: Answer, bench: Bench, who: Who) -> Run:
    return run_in(await bench.answer(who, run_id, answer), current_language())


drafts_router = APIRouter(prefix="/drafts", tags=["drafts"], route_class=StrictJsonRoute)

# As interactions name it, or with a run's id in it: it is then deleted with the run.
Key = Annotated[str, Path(min_length=1, max_length=500)]


class Draft(BaseModel):
    content: JsonObject | None
    """None where nothing was kept."""


@drafts_router.get("/{key:path}")
async def show_draft(key: Key, bench: Bench, who: Who) -> Draft:
    return Draft(content=await asyncio.to_thread(bench.drafts.load, who.owner, key))


@drafts_router.put("/{key:path}", status_code=204)
async def keep_draft(key: Key, content: JsonObject, bench: Bench, who: Who) -> Response:
    await asyncio.to_thread(bench.drafts.save, who.owner, key, content)
    return Response(status_code=204)


@drafts_router.delete("/{key:path}", status_code=204)
async def reset_draft(key: Key, bench: Bench, who: Who) -> Response:
    await asyncio.to_thread(bench.drafts.reset, who.owner, key)
    return Response(status_code=204)


router = APIRouter(prefix="/runs", tags=["runs"], route_class=StrictJsonRoute)

MAX_PAGE = 200
MAX_WORDS = 200


class NewRun(BaseModel):
    model_config = ConfigDict(extra="forbid")

    workflow: str
    input: JsonObject = Field(default_factory=dict[str, JsonValue])
    conversation_id: str | None = None


class Corrected(BaseModel):
    model_config = ConfigDict(extra="forbid")

    input: JsonObject = Field(default_factory=dict[str, JsonValue])
    """What is corrected of the run's input; for a plan `{"source": …}`. Empty: nothing."""
    newest: bool = False
    """With what is the newest where the run's input came from: the plan in the workspace."""
    step: tuple[str, ...] = Field(default=(), max_length=100)
    """From where: this step, and what depends on it, is done again; its question asks again."""


class Pruning(BaseModel):
    model_config = ConfigDict(extra="forbid")

    days: int | None = Field(default=None, ge=1, le=100_000)
    """Without either, as the settings say."""
    file_days: int | None = Field(default=None, ge=1, le=100_000)
    dry_run: bool = True
    """Only says what would be deleted."""


class CorrectionFound(BaseModel):
    correction: Correction | None
    """None where nothing has changed."""


class RunPage(BaseModel):
    runs: list[RunSummary]
    next: str | None
    """What to send as `before` for the next page; None on the last."""


class RunParts(BaseModel):
    run_id: str
    seq: int
    """The last event that they take account of, at least."""
    status: Status
    parts: Parts


@router.post("", status_code=201)
async def start_run(
    asked: NewRun, request: Request, response: Response, bench: Bench, who: Who
) -> Run:
    run = await bench.start(who, asked.workflow, asked.input, conversation_id=asked.conversation_id)
    response.headers["Location"] = _address(request, run)
    return run


@router.get("")
async def list_runs(
    bench: Bench,
    who: Who,
    *,
    workflow: str | None = None,
    status: Status | None = None,
    conversation_id: str | None = None,
    containing: Annotated[str, Query(max_length=MAX_WORDS)] = "",
    before: str | None = None,
    limit: Annotated[int, Query(ge=1, le=MAX_PAGE)] = 50,
) -> RunPage:
    found = await bench.list(
        who,
        workflow=workflow,
        status=status,
        conversation_id=conversation_id,
        containing=containing,
        before=before,
        limit=limit + 1,
    )
    page = found[:limit]
    return RunPage(runs=page, next=page[-1].run_id if len(found) > limit else None)


@router.get("/{run_id}", response_model=Run)
async def show_run(run_id: str, bench: Bench, who: Who) -> Response:
    return await json_of(run_in(await bench.get(who, run_id), current_language()))


@router.get("/{run_id}/parts", response_model=RunParts)
async def show_parts(run_id: str, bench: Bench, who: Who) -> Response:
    """What a person is shown of a run, at any moment of it, in the order in which it is drawn."""
    run = await bench.get(who, run_id)
    shown = RunParts(
        run_id=run_id, seq=run.last_seq, status=run.status, parts=await bench.parts(who, run_id)
    )
    return await json_of(shown)


@router.get("/{run_id}/report", response_class=Response)
async def download_report(
    run_id: str,
    bench: Bench,
    who: Who,
    form: Annotated[ReportFormat, Query(alias="format")] = "docx",
    inline: bool = False,
) -> Response:
    """What a run came to as one file; a page may be shown `inline`, to be printed from there."""
    made = await report_of(bench, who, run_id, form)
    is_shown = inline and form == "html"
    headers = {
        "Content-Disposition": disposition("inline" if is_shown else "attachment", made.name),
        "Content-Security-Policy": POLICY.replace("img-src 'self'", "img-src data:"),
        "Cache-Control": "no-store",
    }
    media_type = f"{made.media_type}; charset=utf-8" if form in ("html", "md") else made.media_type
    return Response(made.data, media_type=media_type, headers=headers)


@router.delete("/{run_id}", status_code=204)
async def delete_run(run_id: str, bench: Bench, who: Who) -> None:
    await bench.delete(who, run_id)


@router.post("/{run_id}/cancel")
async def cancel_run(run_id: str, bench: Bench, who: Who) -> Run:
    return run_in(await bench.cancel(who, run_id), current_language())


@router.post("/prune")
async def prune_runs(asked: Pruning, bench: Bench, who: Who) -> Prunable:
    """The caller's runs and files that are older than they are to be kept; deleted only with
    `dry_run: false`."""
    found = await prunable(bench, who, asked.days, asked.file_days)
    return found if asked.dry_run else await prune(bench, who, found)


@router.get("/{run_id}/correction")
async def show_correction(run_id: str, bench: Bench, who: Who) -> CorrectionFound:
    """What going on with the plan as it is now would do: what stands, and what is done again."""
    return CorrectionFound(correction=await bench.correction(who, run_id))


@router.post("/{run_id}/resume")
async def resume_run(run_id: str, bench: Bench, who: Who, asked: Corrected | None = None) -> Run:
    """The same run; with something corrected, a new one that goes on in its place."""
    change = await _change(run_id, asked or Corrected(), bench, who)
    step = asked.step if asked else ()
    return run_in(await bench.resume(who, run_id, change, step), current_language())


@router.post("/{run_id}/replay", status_code=201)
async def replay_run(
    run_id: str, start: Corrected, *, request: Request, response: Response, bench: Bench, who: Who
) -> Run:
    change = await _change(run_id, start, bench, who)
    run = await bench.replay(who, run_id, start.step, change)
    response.headers["Location"] = _address(request, run)
    return run_in(run, current_language())


async def _change(run_id: str, asked: Corrected, bench: Bench, who: Who) -> JsonObject:
    if asked.input or not asked.newest:
        return asked.input
    found = await bench.correction(who, run_id)
    return found.change if found else {}


def _address(request: Request, run: Run) -> str:
    return f"{request.scope.get('root_path', '')}/v1/runs/{run.run_id}"
