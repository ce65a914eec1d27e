"""Answers with a score: what people think of answers, where sources stand, and how true scores are.

A question itself is a run like every other: `POST /runs` starts it, its events stream it.
"""

from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from sanbo.api.dependencies import Bench, Who
from sanbo.service import calibration, what_if
from sanbo.service.calibration import (
    CalibrationReport,
    CitationPlace,
    Cutoffs,
    Feedback,
    FitKind,
    Heard,
    Verdict,
)
from sanbo.service.what_if import WhatIf

router = APIRouter(prefix="/grace", tags=["grace"])

MOST_WORDS = 2_000
Number = Annotated[int, Path(ge=1, le=100_000)]
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


@router.get("/calibration")
async def show_calibration(bench: Bench, who: Who) -> CalibrationReport:
    return await calibration.calibration(bench, who)


@router.post("/calibration/what-if")
async def try_thresholds(proposed: ProposedThresholds, bench: Bench, who: Who) -> WhatIf:
    """Changes nothing: thresholds are set in the settings."""
    return await what_if.what_if(bench, who, Cutoffs(**dict(proposed)))


@router.post("/calibration/fit")
async def fit_calibration(wanted: FitRequest, bench: Bench, who: Who) -> CalibrationReport:
    return await calibration.fit(bench, who, wanted.kind, wanted.reason)


@router.post("/calibration/use")
async def use_calibration(wanted: UseRequest, bench: Bench, who: Who) -> CalibrationReport:
    return await calibration.use(bench, who, wanted.version, wanted.reason)


@router.get("/{run_id}/feedback")
async def show_feedback(run_id: str, bench: Bench, who: Who) -> FeedbackFound:
    return FeedbackFound(feedback=await calibration.feedback_of(bench, who, run_id))


@router.post("/{run_id}/feedback")
async def give_feedback(run_id: str, given: Judgement, bench: Bench, who: Who) -> Heard:
    return await calibration.give_feedback(bench, who, run_id, given.verdict, given.comment)


@router.delete("/{run_id}/feedback")
async def withdraw_feedback(run_id: str, bench: Bench, who: Who) -> Heard:
    return await calibration.withdraw_feedback(bench, who, run_id)


@router.get("/{run_id}/sources/{number}")
async def show_source(run_id: str, number: Number, bench: Bench, who: Who) -> CitationPlace:
    """Of the web or of a person, or where its document is gone: the quote alone, with `problem`."""
    return await calibration.source_place(bench, who, run_id, number)
