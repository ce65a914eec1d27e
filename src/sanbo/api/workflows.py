"""Workflows: what can be run, and what each offers beside its runs, which `POST /runs` starts."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.requests import Request
from starlette.responses import FileResponse

from sanbo.api.artifacts import artifact_response
from sanbo.api.requests import Bench, StrictJsonRoute, Who
from sanbo.runs.model import FileRef, JsonObject, Run
from sanbo.service import calibration, research
from sanbo.service.analysis import PreparationKind, ReadingForm, TablePreview
from sanbo.service.calibration import (
    CalibrationReport,
    Cutoffs,
    Feedback,
    FitKind,
    Heard,
    Verdict,
    WhatIf,
)
from sanbo.service.catalog import WorkflowInfo
from sanbo.service.collections import CitationPlace
from sanbo.service.comparison import side_by_side
from sanbo.service.research import Note
from sanbo.service.sample_runs import start_sample

router = APIRouter(tags=["workflows"])


class WorkflowList(BaseModel):
    workflows: list[WorkflowInfo]


@router.get("/workflows")
async def list_workflows(bench: Bench, who: Who) -> WorkflowList:
    _ = who
    return WorkflowList(workflows=bench.workflows())


@router.get("/workflows/{name}")
async def show_workflow(name: str, bench: Bench, who: Who) -> WorkflowInfo:
    _ = who
    return bench.workflow(name)


@router.post("/workflows/{name}/sample", status_code=201)
async def run_sample(name: str, bench: Bench, who: Who) -> Run:
    """A run on the sample that Sanbo ships, with its files and documents."""
    return await start_sample(bench, who, name)


comparison_router = APIRouter(prefix="/comparison", tags=["comparison"])

VIEW_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'unsafe-inline'",
        "style-src 'unsafe-inline'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'self'",
        "sandbox allow-scripts",
    )
)
"""A comparison side by side is an interactive page: it holds words of documents that anybody may
have written, and a script. It can't be put into the workbench's page by `srcdoc`: that would
inherit the workbench's policy, under which no inline script runs, and to loosen that policy would
loosen it for everything. So it has its own address with its own policy:

- `sandbox allow-scripts`: its origin is opaque, whoever opens it and however. Its script reaches no
  cookie, no storage, no page and no API of ours, opens no window and leads nobody elsewhere.
- `default-src 'none'`: it fetches nothing and sends nothing, and is whole in itself. Which script
  may run the view says itself, by its hash, in a policy of its own that stands before all content.
- `frame-ancestors 'self'`: only our own pages show it in a frame.
"""


@comparison_router.get("/{run_id}/view", response_class=FileResponse)
async def show_comparison(request: Request, run_id: str, bench: Bench, who: Who) -> Response:
    artifact, content = await side_by_side(bench, who, run_id)
    response = artifact_response(artifact, content, request.headers, inline=False)
    response.headers["Content-Type"] = "text/html; charset=utf-8"
    response.headers["Content-Disposition"] = "inline"
    response.headers["Content-Security-Policy"] = VIEW_POLICY
    response.headers["X-Frame-Options"] = "SAMEORIGIN"
    return response


analysis_router = APIRouter(prefix="/analysis", tags=["analysis"], route_class=StrictJsonRoute)


class PreviewRequest(BaseModel):
    file: FileRef
    sheet: str = Field(default="", max_length=200)
    """Of a workbook; the first with a table, if left out."""
    as_written: tuple[PreparationKind, ...] = Field(default=(), max_length=20)
    """What is not made ready when the table is read."""


class ReadingRequest(BaseModel):
    columns: tuple[str, ...] = Field(default=(), max_length=2000)
    """Of the table, as its preview names them."""
    specs: tuple[JsonObject, ...] = Field(min_length=1, max_length=20)
    """Of a result."""
    step: int = Field(ge=0)
    path: tuple[str, ...] = Field(max_length=20)
    """Of one chip of its reading."""
    values: JsonObject | None = None
    """What was filled in; without it the form is asked for."""

    @model_validator(mode="after")
    def _step_is_there(self) -> "ReadingRequest":
        if self.step >= len(self.specs):
            raise ValueError("there is no such step")
        return self


@analysis_router.post("/preview")
async def preview_table(given: PreviewRequest, bench: Bench, who: Who) -> TablePreview:
    return await bench.analysis.preview(who, given.file, given.sheet, given.as_written)


@analysis_router.post("/reading")
async def change_reading(given: ReadingRequest, bench: Bench, who: Who) -> ReadingForm:
    """How a question was read, part by part: the form of a part, or the reading with it changed."""
    _ = who
    desk = bench.analysis
    return await desk.reading(given.columns, given.specs, given.step, given.path, given.values)


research_router = APIRouter(prefix="/research", tags=["research"])

Session = Annotated[str, Query(min_length=1, max_length=64)]
Number = Annotated[int, Path(ge=1, le=100_000)]


class NoteList(BaseModel):
    notes: list[Note]


class Deleted(BaseModel):
    deleted: int
    """How many notes there were."""


@research_router.get("/notes")
async def list_notes(session: Session, bench: Bench, who: Who) -> NoteList:
    return NoteList(notes=await research.notes(bench, who, session))


@research_router.delete("/notes/{session}")
async def delete_notes(session: str, bench: Bench, who: Who) -> Deleted:
    return Deleted(deleted=await research.delete_notes(bench, who, session))


@research_router.get("/{run_id}/citations/{number}")
async def show_citation(run_id: str, number: Number, bench: Bench, who: Who) -> CitationPlace:
    """Where its document is gone or was changed: the quote alone, and `problem` says why."""
    return await research.citation_place(bench, who, run_id, number)


calibration_router = APIRouter(prefix="/grace", tags=["grace"])

MOST_WORDS = 2_000
Words = Annotated[str, Field(max_length=MOST_WORDS)]
Share = Annotated[float, Field(ge=0, le=1)]


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Judgement(_Given):
    verdict: Verdict
    comment: Words = ""


class FeedbackFound(BaseModel):
    feedback: Feedback | None
    """null as long as nobody has judged the answer."""


class ProposedThresholds(_Given):
    silent: Share
    notify: Share
    confirm: Share


class FitRequest(_Given):
    kind: FitKind = "logistic"
    reason: Words = ""


class UseRequest(_Given):
    version: Annotated[str, Field(min_length=1, max_length=64)]
    reason: Words = ""


@calibration_router.get("/calibration")
async def show_calibration(bench: Bench, who: Who) -> CalibrationReport:
    return await calibration.calibration(bench, who)


@calibration_router.post("/calibration/what-if")
async def try_thresholds(proposed: ProposedThresholds, bench: Bench, who: Who) -> WhatIf:
    """Changes nothing: thresholds are set in the settings."""
    return await calibration.what_if(bench, who, Cutoffs(**dict(proposed)))


@calibration_router.post("/calibration/fit")
async def fit_calibration(wanted: FitRequest, bench: Bench, who: Who) -> CalibrationReport:
    return await calibration.fit(bench, who, wanted.kind, wanted.reason)


@calibration_router.post("/calibration/use")
async def use_calibration(wanted: UseRequest, bench: Bench, who: Who) -> CalibrationReport:
    return await calibration.use(bench, who, wanted.version, wanted.reason)


@calibration_router.get("/{run_id}/feedback")
async def show_feedback(run_id: str, bench: Bench, who: Who) -> FeedbackFound:
    return FeedbackFound(feedback=await calibration.feedback_of(bench, who, run_id))


@calibration_router.post("/{run_id}/feedback")
async def give_feedback(run_id: str, given: Judgement, bench: Bench, who: Who) -> Heard:
    return await calibration.give_feedback(bench, who, run_id, given.verdict, given.comment)


@calibration_router.delete("/{run_id}/feedback")
async def withdraw_feedback(run_id: str, bench: Bench, who: Who) -> Heard:
    return await calibration.withdraw_feedback(bench, who, run_id)


@calibration_router.get("/{run_id}/sources/{number}")
async def show_source(run_id: str, number: Number, bench: Bench, who: Who) -> CitationPlace:
    """Of the web or of a person, or where its document is gone: the quote alone, with `problem`."""
    return await calibration.source_place(bench, who, run_id, number)
