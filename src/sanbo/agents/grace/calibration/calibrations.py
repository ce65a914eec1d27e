"""What people's verdicts have made of the score: kept, versioned, and taken back on demand."""

from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from sanbo.agents.grace.calibration import records
from sanbo.agents.grace.calibration.records import (
    Body,
    CalibrationFitted,
    Change,
    Cutoffs,
    EarlierVerdict,
    Feedback,
    FitKind,
    Scored,
    Standing,
    ThresholdsMoved,
    Verdict,
    VersionUsed,
    figures_of,
    held_out,
    labels_of,
    labels_to_fit,
    newly_fitted,
    numbered,
    replayed,
    scored,
    thresholds_in_force,
)
from sanbo.agents.grace.confidence.model import Fitted, Label
from sanbo.agents.grace.schemas import ExecutionResult, ThresholdsUsed
from sanbo.agents.grace.settings import GraceSettings
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import Language, current_language, tell
from sanbo.kernel.problems import Conflict, NotFound
from sanbo.kernel.secrets import redact
from sanbo.runs.model import Status
from sanbo.storage.database import Database
from sanbo.storage.tables import events, runs


class PastQuestion(Scored):
    run_id: str
    question: str
    time: datetime


def past_questions(database: Database, owner: str | None, limit: int) -> list[PastQuestion]:
    """Newest first; of one owner, or of all."""
    # The last event of a run that has succeeded holds its result: nothing else is read.
    query = (
        sa.select(runs.c.run_id, runs.c.created_at, events.c.payload)
        .join(events, (events.c.run_id == runs.c.run_id) & (events.c.seq == runs.c.last_seq))
        .where(runs.c.workflow == "grace", runs.c.status == Status.SUCCEEDED)
        .order_by(runs.c.run_id.desc())
        .limit(limit)
    )
    if owner is not None:
        query = query.where(runs.c.owner == owner)
    with database.read() as connection:
        rows = connection.execute(query).all()
    return [
        _question(row.run_id, row.created_at, result)
        for row in rows
        if (result := orjson.loads(row.payload).get("result"))
    ]


def _question(run_id: str, asked_at: float, result: dict[str, Any]) -> PastQuestion:
    # Field by field: a result holds plans and passages that nobody asked for.
    return PastQuestion(
        run_id=run_id,
        question=result["question"],
        time=datetime.fromtimestamp(asked_at, UTC),
        score=result["confidence"],
        level=result["decision"],
        answered=result["answered"] and not result["cancelled"],
        features=result["features"],
        method=result["method"],
        calibration=result["calibration"],
    )


MOST_COMMENT = 2_000
MOST_EARLIER = 20
"""Verdicts on one answer that are kept beside the last: somebody may change their mind for ever."""


class Current(Frozen):
    """What scores with, from now on."""

    fitted: Fitted
    thresholds: ThresholdsUsed


class Heard(Frozen):
    """A verdict, and what it did."""

    feedback: Feedback | None
    """None where it was taken back."""
    before: ThresholdsUsed
    after: ThresholdsUsed


class Known(NamedTuple):
    """All that is stored, as of one moment."""

    changes: tuple[Change, ...]
    feedback: tuple[Feedback, ...]

    @property
    def standing(self) -> Standing:
        return Standing.of(self.changes)

    @property
    def next_verdict(self) -> int:
        """Above all that counted before, also where the newest have gone with their runs."""
        newest = self.feedback[-1].number if self.feedback else 0
        return max(newest + 1, self.standing.since)

    def thresholds(
        self, settings: GraceSettings, language: Language | None = None
    ) -> ThresholdsUsed:
        return thresholds_in_force(
            settings, self.standing, self.feedback, language or current_language()
        )

    def current(self, settings: GraceSettings, language: Language | None = None) -> Current:
        return Current(fitted=self.standing.fitted, thresholds=self.thresholds(settings, language))


class Calibrations:
    def __init__(self, database: Database) -> None:
        self._database = database

    # ---- looking ----

    def current(self, settings: GraceSettings, language: Language | None = None) -> Current:
        with self._database.read() as connection:
            # Every run asks for this; verdicts are needed only where they set a threshold.
            by_risk = settings.most_wrong_silent is not None
            judged = records.read_feedback(connection) if by_risk else ()
            return Known(records.read_standing(connection), judged).current(settings, language)

    def known(self) -> Known:
        with self._database.read() as connection:
            return _known(connection)

    def changes(self) -> tuple[Change, ...]:
        """Oldest first."""
        return self.known().changes

    def labels(self, settings: GraceSettings) -> tuple[Label, ...]:
        """Judged answers, with the scores that the version in use gives them."""
        known = self.known()
        return labels_of(known.feedback, known.standing, settings.score)

    def feedback_of(self, run_id: str) -> Feedback | None:
        with self._database.read() as connection:
            return records.read_feedback_of(connection, run_id)

    def past_questions(self, owner: str | None, limit: int) -> list[PastQuestion]:
        """Newest first; of one owner, or of all."""
        return past_questions(self._database, owner, limit)

    # ---- what people say ----

    def give_feedback(
        self,
        run_id: str,
        result: ExecutionResult,
        verdict: Verdict,
        *,
        settings: GraceSettings,
        actor: str,
        comment: str = "",
    ) -> Heard:
        """In place of what was said of this run before, which stays beside it."""
        try:
            with self._turn(settings, actor) as turn:
                before = next((each for each in turn.known.feedback if each.run_id == run_id), None)
                told = Feedback(
                    **dict(scored(result)),
                    run_id=run_id,
                    number=turn.known.next_verdict,
                    verdict=verdict,
                    comment=redact(comment).replace("\0", "").strip()[:MOST_COMMENT],
                    actor=actor,
                    time=datetime.now(UTC),
                    earlier=() if before is None else _earlier_than(before),
                )
                records.write_feedback(turn.connection, told)
                others = [each for each in turn.known.feedback if each is not before]
                return turn.hear(told, (*others, told))
        except IntegrityError:  # the run was deleted meanwhile
            raise NotFound("run_not_found", run_id=run_id) from None

    def withdraw_feedback(self, run_id: str, *, settings: GraceSettings, actor: str) -> Heard:
        with self._turn(settings, actor) as turn:
            told = records.read_feedback_of(turn.connection, run_id)
            if told is None:
                raise NotFound("grace_feedback_none", run_id=run_id)
            records.remove_feedback(turn.connection, run_id)
            others = [each for each in turn.known.feedback if each.run_id != run_id]
            return turn.hear(told, tuple(others), is_withdrawn=True)

    # ---- fitting anew, and going back ----

    def fit(
        self, kind: FitKind, *, settings: GraceSettings, actor: str, reason: str = ""
    ) -> CalibrationFitted:
        """A new version from all labels; in use from now on where it is better.

        One that is not is kept all the same: whoever wants it can `use` it.
        """
        known = self.known()
        standing = known.standing
        judged = labels_to_fit(known.feedback, standing.fitted)
        labels = tuple(each.label for each in judged)
        if len(labels) < settings.refit_labels:
            raise Conflict("grace_too_few_labels", count=len(labels), needed=settings.refit_labels)
        # Before the transaction: nobody waits while numbers are crunched.
        body = CalibrationFitted(
            fitted=newly_fitted(labels, kind, standing.fitted),
            how=kind,
            labels=len(labels),
            good=sum(label.good for label in labels),
            before=figures_of(labels_of(judged, standing, "calibrated")),
            after=figures_of(held_out(labels, kind, standing.fitted)),
        )
        with self._turn(settings, actor) as turn:
            fitted = numbered(body.fitted, turn.next_change)
            body = body.model_copy(update={"fitted": fitted})
            turn.append(body, reason)
            if body.is_better:
                turn.put_to_use(fitted.version)
        return body

    def use(
        self, version: str, *, settings: GraceSettings, actor: str, reason: str = ""
    ) -> Current:
        """An earlier version, or a later one again."""
        with self._turn(settings, actor) as turn:
            standing = turn.known.standing
            if version not in standing.versions:
                names = tell("evidence.and").join(standing.versions)
                raise NotFound("grace_version_unknown", version=version[:80], known=names)
            if version != standing.fitted.version:
                turn.put_to_use(version, reason)
            return turn.known.current(settings)

    @contextmanager
    def _turn(self, settings: GraceSettings, actor: str) -> Generator["_Turn"]:
        with self._database.write() as connection:
            records.lock_changes(connection)
            yield _Turn(connection, settings, actor)


class _Turn:
    """One transaction, in which nobody else changes anything."""

    def __init__(self, connection: Connection, settings: GraceSettings, actor: str) -> None:
        self.connection = connection
        self.known = _known(connection)
        self._settings = settings
        self._actor = actor

    @property
    def next_change(self) -> int:
        return self.known.changes[-1].number + 1 if self.known.changes else 1

    def append(self, body: Body, reason: str = "") -> None:
        change = Change(
            number=self.next_change,
            time=datetime.now(UTC),
            actor=self._actor,
            reason=redact(reason).replace("\0", "").strip()[:MOST_COMMENT],
            body=body,
        )
        records.write_change(self.connection, change)
        self.known = Known((*self.known.changes, change), self.known.feedback)

    def hear(
        self, told: Feedback, all_told: tuple[Feedback, ...], *, is_withdrawn: bool = False
    ) -> Heard:
        """Moves the thresholds as far as follows from all that is said by now."""
        before = self.known.thresholds(self._settings)
        self.known = Known(self.known.changes, all_told)
        moved = self._moved(told, is_withdrawn=is_withdrawn)
        if moved is not None:
            self.append(moved)
        return Heard(
            feedback=None if is_withdrawn else told,
            before=before,
            after=self.known.thresholds(self._settings),
        )

    def _moved(self, told: Feedback, *, is_withdrawn: bool) -> ThresholdsMoved | None:
        if not self._settings.adjust_thresholds:
            return None
        standing, base = self.known.standing, Cutoffs.of(self._settings.thresholds)
        # Thresholds that were set anew begin anew: only what is said from now on moves them.
        is_new = standing.moved is not None and standing.moved.base != base
        since = told.number if is_new else standing.since
        before = standing.offsets(self._settings)
        after = replayed(self._settings, self.known.feedback, since)
        if after == before and not is_new:
            return None
        return ThresholdsMoved(
            cause="withdrawn" if is_withdrawn else "feedback",
            run_id=told.run_id,
            verdict=told.verdict,
            base=base,
            before=before,
            after=after,
            since=since,
        )

    def put_to_use(self, version: str, reason: str = "") -> None:
        """What feedback has moved goes with the version: other numbers give other scores."""
        standing = self.known.standing
        self.append(VersionUsed(version=version, before=standing.fitted.version), reason)
        self.append(
            ThresholdsMoved(
                cause="calibration",
                base=Cutoffs.of(self._settings.thresholds),
                before=standing.offsets(self._settings),
                after=Cutoffs(),
                since=self.known.next_verdict,
            )
        )


def _earlier_than(told: Feedback) -> tuple[EarlierVerdict, ...]:
    return (*told.earlier, told.as_earlier)[-MOST_EARLIER:]


def _known(connection: Connection) -> Known:
    return Known(records.read_changes(connection), records.read_feedback(connection))
