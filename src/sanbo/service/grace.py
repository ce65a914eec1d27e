"""An answer of GRACE as front ends show it: how it came about, its sources, what people think."""

import asyncio

from sanbo.agents.grace.calibration.calibrations import Heard
from sanbo.agents.grace.calibration.changes import Cutoffs, Figures, FitKind
from sanbo.agents.grace.calibration.feedback import EarlierVerdict, Feedback, Verdict
from sanbo.agents.grace.confidence.model import Bin, Point
from sanbo.agents.grace.execution import execution_of
from sanbo.agents.grace.schemas import (
    Action,
    AnswerSentence,
    Confidence,
    ExecutionPlan,
    ExecutionResult,
    ExecutionState,
    Factor,
    Intervention,
    Level,
    Penalty,
    Phase,
    PlanStep,
    Replan,
    SearchStatistics,
    Source,
    StepResult,
    ThresholdsUsed,
)
from sanbo.agents.grace.schemas import Status as StepStatus
from sanbo.agents.grace.workflow import Grace
from sanbo.evidence.model import SearchedQuery
from sanbo.kernel.problems import Conflict, NotFound
from sanbo.runs.model import Run, Status
from sanbo.service.access import Caller
from sanbo.service.citation_places import CitationPlace, find_place, quote_alone
from sanbo.service.grace_calibration import (
    CalibrationReport,
    LabelCounts,
    ThresholdsChange,
    Version,
    calibration,
    fit,
    use,
)
from sanbo.service.grace_what_if import LevelCount, WhatIf, WhatIfQuestion, what_if
from sanbo.service.workbench import Workbench

__all__ = [
    "GRACE",
    "Action",
    "AnswerSentence",
    "Bin",
    "CalibrationReport",
    "CitationPlace",
    "Confidence",
    "Cutoffs",
    "EarlierVerdict",
    "ExecutionPlan",
    "ExecutionResult",
    "ExecutionState",
    "Factor",
    "Feedback",
    "Figures",
    "FitKind",
    "Heard",
    "Intervention",
    "LabelCounts",
    "Level",
    "LevelCount",
    "Penalty",
    "Phase",
    "PlanStep",
    "Point",
    "Replan",
    "SearchStatistics",
    "SearchedQuery",
    "Source",
    "StepResult",
    "StepStatus",
    "ThresholdsChange",
    "ThresholdsUsed",
    "Verdict",
    "Version",
    "WhatIf",
    "WhatIfQuestion",
    "calibration",
    "execution_of",
    "feedback_of",
    "fit",
    "give_feedback",
    "grace_run",
    "result_of",
    "source_place",
    "use",
    "what_if",
    "withdraw_feedback",
]

GRACE = Grace.name


async def grace_run(workbench: Workbench, caller: Caller, run_id: str) -> Run:
    """This run; a run of another workflow is none."""
    run = await workbench.get(caller, run_id)
    if run.workflow != GRACE:
        raise NotFound("run_not_found", run_id=run_id)
    return run


def result_of(run: Run) -> ExecutionResult:
    """Of a run that has succeeded."""
    return ExecutionResult.model_validate(run.result)


# ---- sources -------------------------------------------------------------------------------


async def source_place(
    workbench: Workbench, caller: Caller, run_id: str, number: int
) -> CitationPlace:
    """The passage that source `[number]` of a run's answer stands in."""
    run = await grace_run(workbench, caller, run_id)
    for source in () if run.result is None else result_of(run).sources:
        if source.id == number:
            return await asyncio.to_thread(_place, workbench, source)
    raise NotFound("grace_source_not_found", number=number)


def _place(workbench: Workbench, source: Source) -> CitationPlace:
    if source.kind == "collection":
        return find_place(workbench.collections, source.collection, source)
    text = "grace_source_of_web" if source.kind == "web" else "grace_source_of_person"
    return quote_alone(source, NotFound(text, document=source.document).problem)


# ---- what people think ---------------------------------------------------------------------


async def feedback_of(workbench: Workbench, caller: Caller, run_id: str) -> Feedback | None:
    """None as long as nobody has said what they think of the answer."""
    await grace_run(workbench, caller, run_id)
    return await asyncio.to_thread(workbench.calibrations.feedback_of, run_id)


async def give_feedback(
    workbench: Workbench, caller: Caller, run_id: str, verdict: Verdict, comment: str = ""
) -> Heard:
    """What was said before is replaced, and stays to be seen; thresholds may move a little."""
    run = await grace_run(workbench, caller, run_id)
    if run.status is not Status.SUCCEEDED or run.result is None:
        raise Conflict("grace_feedback_too_early", run_id=run_id, status=run.status)
    return await asyncio.to_thread(
        workbench.calibrations.give_feedback,
        run_id,
        result_of(run),
        verdict,
        settings=workbench.settings.grace,
        actor=caller.owner,
        comment=comment,
    )


async def withdraw_feedback(workbench: Workbench, caller: Caller, run_id: str) -> Heard:
    """As if it had never been said: what it moved is moved back."""
    await grace_run(workbench, caller, run_id)
    return await asyncio.to_thread(
        workbench.calibrations.withdraw_feedback,
        run_id,
        settings=workbench.settings.grace,
        actor=caller.owner,
    )
