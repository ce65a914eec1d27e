"""How true scores are, what people think of answers, fitting scores anew, and other thresholds."""

import asyncio
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import get_args

from sanbo.agents.grace.calibration.calibrations import Heard, Known, PastQuestion
from sanbo.agents.grace.calibration.records import (
    NAMES,
    CalibrationFitted,
    Change,
    Cutoffs,
    Feedback,
    Figures,
    FitKind,
    Method,
    ThresholdsMoved,
    Verdict,
    figures_of,
    labels_of,
    labels_to_fit,
    score_now,
)
from sanbo.agents.grace.confidence.model import FITTED, Bin, Label, Origin, Point
from sanbo.agents.grace.confidence.thresholds import coverage, level, most_wrong_at, reliability
from sanbo.agents.grace.schemas import ExecutionResult, Level, Source, ThresholdsUsed
from sanbo.agents.grace.settings import PLACE, GraceSettings
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, PermissionDenied
from sanbo.runs.model import Run, Status
from sanbo.service.access import Caller
from sanbo.service.catalog import GRACE
from sanbo.service.collections import CitationPlace, find_place, quote_alone
from sanbo.service.workbench import Workbench

MOST_QUESTIONS = 500


class WhatIfQuestion(Frozen):
    run_id: str
    question: str
    time: datetime
    score: float
    """By the version that is in use now."""
    score_then: float
    level: Level
    """Under the proposed thresholds."""
    level_then: Level
    answered: bool
    verdict: Verdict | None


class LevelCount(Frozen):
    level: Level
    then: int
    now: int
    """Under the proposed thresholds."""
    right: int
    wrong: int
    """Of those, as people judged them; most are judged by nobody."""


class WhatIf(Frozen):
    thresholds: ThresholdsUsed
    """As proposed."""
    in_force: ThresholdsUsed
    questions: tuple[WhatIfQuestion, ...]
    """Newest first, the newest few hundred."""
    levels: tuple[LevelCount, ...]
    """The surest first."""
    changed: int
    """Questions whose level would be another."""
    file: str
    """Where the lines go."""
    lines: str
    """YAML that makes the proposed thresholds hold."""


async def what_if(workbench: Workbench, caller: Caller, thresholds: Cutoffs) -> WhatIf:
    """Shows, and changes nothing: thresholds are set in the settings."""
    if not 0 < thresholds.confirm < thresholds.notify < thresholds.silent <= 1:
        raise InvalidInput("grace_what_if_unordered", **dict(thresholds))
    owner = None if caller.sees_all else caller.owner
    known, past = await asyncio.gather(
        asyncio.to_thread(workbench.calibrations.known),
        asyncio.to_thread(workbench.calibrations.past_questions, owner, MOST_QUESTIONS),
    )
    return await asyncio.to_thread(_what_if, known, past, workbench.settings.grace, thresholds)


def _what_if(
    known: Known, past: Sequence[PastQuestion], settings: GraceSettings, cutoffs: Cutoffs
) -> WhatIf:
    proposed = ThresholdsUsed(**dict(cutoffs))
    verdicts: dict[str, Verdict] = {each.run_id: each.verdict for each in known.feedback}
    standing = known.standing
    questions = tuple(
        _question(
            each,
            score_now(each, standing.fitted, standing.versions, settings.score),
            proposed,
            verdicts.get(each.run_id),
        )
        for each in past
    )
    return WhatIf(
        thresholds=proposed,
        in_force=known.thresholds(settings),
        questions=questions,
        levels=tuple(_count(each, questions) for each in get_args(Level)),
        changed=sum(each.level != each.level_then for each in questions),
        file=PLACE.file.as_posix(),
        lines=_lines(cutoffs),
    )


def _question(
    past: PastQuestion, score: float | None, proposed: ThresholdsUsed, verdict: Verdict | None
) -> WhatIfQuestion:
    score = past.score if score is None else score
    return WhatIfQuestion(
        run_id=past.run_id,
        question=past.question,
        time=past.time,
        score=score,
        score_then=past.score,
        level=level(score, proposed),
        level_then=past.level,
        answered=past.answered,
        verdict=verdict,
    )


def _count(name: Level, questions: Sequence[WhatIfQuestion]) -> LevelCount:
    now = [each for each in questions if each.level == name]
    judged = [each.verdict for each in now if each.answered]
    return LevelCount(
        level=name,
        then=sum(each.level_then == name for each in questions),
        now=len(now),
        right=judged.count("good"),
        wrong=judged.count("bad"),
    )


def _lines(cutoffs: Cutoffs) -> str:
    values = "".join(f"  {name}: {value:g}\n" for name, value in cutoffs)
    return f"thresholds:\n{values}"


FEW_LABELS = 50
FEW_SILENT = 10
"""Of fewer, no more can be said than that most of them may be wrong."""
MOST_POINTS = 200
MOST_CHANGES = 200


# ---- the report ----------------------------------------------------------------------------


class Version(Frozen):
    """Fitted numbers: those that came with Sanbo, or a fit to feedback."""

    version: str
    in_use: bool
    how: FitKind | None
    """None: shipped."""
    labels: int
    good: int
    before: Figures | None
    """Of the version that was in use then, on the same answers."""
    after: Figures | None
    """On answers that it was not fitted to."""
    made_at: datetime | None
    actor: str
    reason: str
    origin: Origin


class ThresholdsChange(Frozen):
    number: int
    time: datetime
    actor: str
    """Empty where it was somebody else."""
    run_id: str
    """The answer that was judged; empty where it is somebody else's, or where there is none."""
    before: Cutoffs
    after: Cutoffs
    told: str


class LabelCounts(Frozen):
    good: int
    bad: int
    not_counted: int
    """Verdicts on "not found", or on another way of scoring: they tell nothing of the score."""
    needed: int
    """So many answers must be judged before the score can be fitted anew."""


class CalibrationReport(Frozen):
    score: Method
    version: str
    """In use."""
    versions: tuple[Version, ...]
    """Newest first; the shipped one last."""
    thresholds: ThresholdsUsed
    configured: Cutoffs
    adjusts: bool
    most_adjustment: float
    most_wrong_silent: float | None
    history: tuple[ThresholdsChange, ...]
    """Newest first."""
    labels: LabelCounts
    figures: Figures
    silent_wrong_at_worst: float | None
    """The share of silent answers that may be wrong, as far as the judged ones can tell."""
    reliability: tuple[Bin, ...]
    coverage: tuple[Point, ...]
    warnings: tuple[str, ...]
    can_fit: bool
    """There are labels enough."""
    may_change: bool
    """Whether the caller may fit, and choose a version."""


async def calibration(workbench: Workbench, caller: Caller) -> CalibrationReport:
    # Sums over every verdict that was ever given: nothing for the loop that others wait for.
    return await asyncio.to_thread(_report, workbench, caller)


def _report(workbench: Workbench, caller: Caller) -> CalibrationReport:
    known, settings = workbench.calibrations.known(), workbench.settings.grace
    standing = known.standing
    labels = labels_of(known.feedback, standing, settings.score)
    good = sum(label.good for label in labels)
    thresholds = known.thresholds(settings)
    to_fit = labels_to_fit(known.feedback, standing.fitted)
    return CalibrationReport(
        score=settings.score,
        version=standing.fitted.version,
        versions=tuple(_versions(known, caller)),
        thresholds=thresholds,
        configured=Cutoffs.of(settings.thresholds),
        adjusts=settings.adjust_thresholds,
        most_adjustment=settings.most_adjustment,
        most_wrong_silent=settings.most_wrong_silent,
        history=tuple(_history(known.changes, caller))[:MOST_CHANGES],
        labels=LabelCounts(
            good=good,
            bad=len(labels) - good,
            not_counted=len(known.feedback) - len(labels),
            needed=settings.refit_labels,
        ),
        figures=figures_of(labels),
        silent_wrong_at_worst=_silent_risk(labels, thresholds),
        reliability=reliability(labels),
        coverage=_thinned(coverage(labels)),
        warnings=tuple(_warnings(labels, known)),
        can_fit=len(to_fit) >= settings.refit_labels,
        may_change=caller.is_local,
    )


def _versions(known: Known, caller: Caller) -> Iterator[Version]:
    in_use = known.standing.fitted.version
    for change in reversed(known.changes):
        body = change.body
        if isinstance(body, CalibrationFitted):
            yield Version(
                version=body.fitted.version,
                in_use=body.fitted.version == in_use,
                how=body.how,
                labels=body.labels,
                good=body.good,
                before=body.before,
                after=body.after,
                made_at=change.time,
                actor=_shown_actor(change, caller),
                reason=change.reason if _shown_actor(change, caller) else "",
                origin=body.fitted.origin,
            )
    yield Version(
        version=FITTED.version,
        in_use=FITTED.version == in_use,
        how=None,
        labels=0,
        good=0,
        before=None,
        after=None,
        made_at=None,
        actor="",
        reason="",
        origin=FITTED.origin,
    )


def _history(changes: Sequence[Change], caller: Caller) -> Iterator[ThresholdsChange]:
    for change in reversed(changes):
        body = change.body
        if isinstance(body, ThresholdsMoved) and body.before != body.after:
            actor = _shown_actor(change, caller)
            yield ThresholdsChange(
                number=change.number,
                time=change.time,
                actor=actor,
                run_id=body.run_id if actor else "",
                before=_placed(body.base, body.before),
                after=_placed(body.base, body.after),
                told=tell(f"grace_calibration.cause.{_cause(body)}"),
            )


def _cause(body: ThresholdsMoved) -> str:
    return body.verdict or body.cause if body.cause == "feedback" else body.cause


def _placed(base: Cutoffs, offsets: Cutoffs) -> Cutoffs:
    return Cutoffs(
        **{name: round(getattr(base, name) + getattr(offsets, name), 4) for name in NAMES}
    )


def _shown_actor(change: Change, caller: Caller) -> str:
    """A token's bearer learns of no other."""
    return change.actor if caller.is_local or caller.owner == change.actor else ""


def _silent_risk(labels: Sequence[Label], thresholds: ThresholdsUsed) -> float | None:
    reached = sum(label.score >= thresholds.silent for label in labels)
    return most_wrong_at(labels, thresholds.silent) if reached >= FEW_SILENT else None


def _thinned(points: tuple[Point, ...]) -> tuple[Point, ...]:
    """Evenly, and with the last one: more than a screen shows helps nobody."""
    if len(points) <= MOST_POINTS:
        return points
    step = (len(points) - 1) / (MOST_POINTS - 1)
    return tuple(points[round(nth * step)] for nth in range(MOST_POINTS))


def _warnings(labels: Sequence[Label], known: Known) -> Iterator[str]:
    if not labels:
        yield tell("grace_calibration.warning.none")
        return
    if len(labels) < FEW_LABELS:
        yield tell("grace_calibration.warning.few", count=len(labels), needed=FEW_LABELS)
    if len({label.good for label in labels}) == 1:
        yield tell("grace_calibration.warning.one_kind")
    in_use = known.standing.fitted.version
    fits = [each.body for each in known.changes if isinstance(each.body, CalibrationFitted)]
    for body in fits:
        if body.fitted.version == in_use:
            yield tell("grace_calibration.warning.fitted_to", count=body.labels)
    if fits and fits[-1].fitted.version != in_use and not fits[-1].is_better:
        yield tell("grace_calibration.warning.no_better", version=fits[-1].fitted.version)


# ---- fitting anew, and going back ----------------------------------------------------------


async def fit(
    workbench: Workbench, caller: Caller, kind: FitKind, reason: str = ""
) -> CalibrationReport:
    """A new version from all judged answers; in use at once where it is better."""
    _check_may_change(caller)
    await asyncio.to_thread(
        workbench.calibrations.fit,
        kind,
        settings=workbench.settings.grace,
        actor=caller.owner,
        reason=reason,
    )
    return await calibration(workbench, caller)


async def use(
    workbench: Workbench, caller: Caller, version: str, reason: str = ""
) -> CalibrationReport:
    """A version that is there; back to an earlier one, too."""
    _check_may_change(caller)
    await asyncio.to_thread(
        workbench.calibrations.use,
        version,
        settings=workbench.settings.grace,
        actor=caller.owner,
        reason=reason,
    )
    return await calibration(workbench, caller)


def _check_may_change(caller: Caller) -> None:
    """It changes the scores of everybody's answers."""
    if not caller.is_local:
        raise PermissionDenied("grace_calibration_not_yours")


# ---- answers: what people think of them, where their sources stand -------------------------


async def scored_run(workbench: Workbench, caller: Caller, run_id: str) -> Run:
    """This run; a run without a score is none."""
    run = await workbench.get(caller, run_id)
    if run.workflow != GRACE:
        raise NotFound("run_not_found", run_id=run_id)
    return run


async def feedback_of(workbench: Workbench, caller: Caller, run_id: str) -> Feedback | None:
    """None as long as nobody has said what they think of the answer."""
    await scored_run(workbench, caller, run_id)
    return await asyncio.to_thread(workbench.calibrations.feedback_of, run_id)


async def give_feedback(
    workbench: Workbench, caller: Caller, run_id: str, verdict: Verdict, comment: str = ""
) -> Heard:
    """What was said before is replaced, and stays to be seen; thresholds may move a little."""
    run = await scored_run(workbench, caller, run_id)
    if run.status is not Status.SUCCEEDED or run.result is None:
        raise Conflict("grace_feedback_too_early", run_id=run_id, status=run.status)
    return await asyncio.to_thread(
        workbench.calibrations.give_feedback,
        run_id,
        ExecutionResult.model_validate(run.result),
        verdict,
        settings=workbench.settings.grace,
        actor=caller.owner,
        comment=comment,
    )


async def withdraw_feedback(workbench: Workbench, caller: Caller, run_id: str) -> Heard:
    """As if it had never been said: what it moved is moved back."""
    await scored_run(workbench, caller, run_id)
    return await asyncio.to_thread(
        workbench.calibrations.withdraw_feedback,
        run_id,
        settings=workbench.settings.grace,
        actor=caller.owner,
    )


async def source_place(
    workbench: Workbench, caller: Caller, run_id: str, number: int
) -> CitationPlace:
    """The passage that source `[number]` of a run's answer stands in."""
    run = await scored_run(workbench, caller, run_id)
    for source in () if run.result is None else ExecutionResult.model_validate(run.result).sources:
        if source.id == number:
            return await asyncio.to_thread(_place, workbench, source)
    raise NotFound("grace_source_not_found", number=number)


def _place(workbench: Workbench, source: Source) -> CitationPlace:
    if source.kind == "collection":
        return find_place(workbench.collections, source.collection, source)
    text = "grace_source_of_web" if source.kind == "web" else "grace_source_of_person"
    return quote_alone(source, NotFound(text, document=source.document).problem)
