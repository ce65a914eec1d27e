"""What people's verdicts and changes of the score add up to: the records, appended to and never
overwritten, and what is in force by them (a fold, thresholds, new versions; pure).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from math import isfinite
from random import Random
from typing import Annotated, Any, Literal

import orjson
import sqlalchemy as sa
from pydantic import Field, TypeAdapter
from sqlalchemy.engine import Connection

from sanbo.agents.grace.confidence.model import FITTED, Fitted, Label, chance, refit
from sanbo.agents.grace.confidence.thresholds import (
    GOOD_IN_A_ROW,
    adjusted,
    auroc,
    brier,
    expected_calibration_error,
    level,
    silent_threshold,
)
from sanbo.agents.grace.schemas import ExecutionResult, Level, ThresholdsUsed
from sanbo.agents.grace.settings import GraceSettings, GraceThresholds
from sanbo.evidence.model import Frozen
from sanbo.kernel.messages import Language, tell
from sanbo.storage.database import insert_into
from sanbo.storage.tables import grace_changes, grace_feedback

Method = Literal["calibrated", "weighted"]


class Scored(Frozen):
    score: float
    """The answer's confidence, as it was said."""
    level: Level
    """What that meant then."""
    answered: bool
    """A verdict on "not found" tells nothing of the score of an answer."""
    features: dict[str, float]
    method: Method
    calibration: str
    """The version that scored it."""


def scored(result: ExecutionResult) -> Scored:
    return Scored(
        score=result.confidence,
        level=result.decision,
        answered=result.answered and not result.cancelled,
        features={name: value for name, value in result.features.items() if isfinite(value)},
        method=result.method,
        calibration=result.calibration,
    )


def score_now(
    answer: Scored, fitted: Fitted, versions: Mapping[str, Fitted], method: Method
) -> float | None:
    """What the version in use would say of it; None where that can't be known."""
    if method == "weighted":
        return answer.score if answer.method == "weighted" else None
    if answer.method == "calibrated" and answer.calibration == fitted.version:
        return answer.score
    if not can_be_scored(answer, fitted):
        return None
    now = chance(answer.features, fitted)
    then = versions.get(answer.calibration) if answer.method == "calibrated" else None
    if then is None:
        return now
    # What was taken off for a flaw of the answer stays off.
    return max(0.0, now - max(0.0, chance(answer.features, then) - answer.score))


def can_be_scored(answer: Scored, fitted: Fitted) -> bool:
    """All that the numbers weigh is known of it: what another Sanbo noted may be something else."""
    return answer.features.keys() >= fitted.weights.keys() > set[str]()


Verdict = Literal["good", "bad"]


class EarlierVerdict(Frozen):
    """Before somebody changed their mind."""

    verdict: Verdict
    comment: str
    actor: str
    time: datetime


class Feedback(Scored):
    run_id: str
    number: int
    """In the order of giving; one that was changed comes last again."""
    verdict: Verdict
    comment: str = ""
    actor: str
    time: datetime
    earlier: tuple[EarlierVerdict, ...] = ()
    """Oldest first."""

    @property
    def label(self) -> Label:
        return Label(features=self.features, score=self.score, good=self.verdict == "good")

    @property
    def as_earlier(self) -> EarlierVerdict:
        return EarlierVerdict(
            verdict=self.verdict, comment=self.comment, actor=self.actor, time=self.time
        )


_earlier = TypeAdapter(tuple[EarlierVerdict, ...])


def read_feedback(connection: Connection) -> tuple[Feedback, ...]:
    """In the order of giving."""
    query = sa.select(grace_feedback).order_by(grace_feedback.c.number)
    return tuple(_feedback(row) for row in connection.execute(query))


def read_feedback_of(connection: Connection, run_id: str) -> Feedback | None:
    query = sa.select(grace_feedback).where(grace_feedback.c.run_id == run_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else _feedback(row)


def write_feedback(connection: Connection, feedback: Feedback) -> None:
    """In place of what was there of this run."""
    row = {
        **feedback.model_dump(mode="python", exclude={"features", "time", "earlier"}),
        "features": orjson.dumps(feedback.features).decode(),
        "time": feedback.time.timestamp(),
        "earlier": _earlier.dump_json(feedback.earlier).decode(),
    }
    insert = insert_into(grace_feedback, is_sqlite=connection.dialect.name == "sqlite")
    statement = insert.values(row)
    replaced = {name: statement.excluded[name] for name in row if name != "run_id"}
    connection.execute(statement.on_conflict_do_update(index_elements=["run_id"], set_=replaced))


def remove_feedback(connection: Connection, run_id: str) -> None:
    connection.execute(sa.delete(grace_feedback).where(grace_feedback.c.run_id == run_id))


def _feedback(row: sa.Row[Any]) -> Feedback:
    return Feedback.model_construct(  # all parts were checked when they were stored
        run_id=row.run_id,
        number=row.number,
        verdict=row.verdict,
        comment=row.comment,
        actor=row.actor,
        time=datetime.fromtimestamp(row.time, UTC),
        score=row.score,
        level=row.level,
        answered=row.answered,
        features=orjson.loads(row.features),
        method=row.method,
        calibration=row.calibration,
        earlier=() if row.earlier == "[]" else _earlier.validate_json(row.earlier),
    )


FitKind = Literal["logistic", "isotonic"]


class Cutoffs(Frozen):
    """Of the three thresholds: where they are, or how far they were moved."""

    silent: float = 0.0
    notify: float = 0.0
    confirm: float = 0.0

    @classmethod
    def of(cls, thresholds: GraceThresholds) -> "Cutoffs":
        return cls(silent=thresholds.silent, notify=thresholds.notify, confirm=thresholds.confirm)


class Figures(Frozen):
    """How good scores are; None where too little is known to tell."""

    ece: float | None
    """How far what they say is from what is true, on average."""
    auroc: float | None
    brier: float | None


class ThresholdsMoved(Frozen):
    kind: Literal["thresholds"] = "thresholds"
    cause: Literal["feedback", "withdrawn", "calibration"]
    run_id: str = ""
    verdict: Verdict | None = None
    base: Cutoffs
    """What was configured then: a move says nothing about other thresholds."""
    before: Cutoffs
    after: Cutoffs
    """Offsets from the base."""
    since: int
    """The verdicts from this number on have made these offsets."""


class CalibrationFitted(Frozen):
    kind: Literal["calibration"] = "calibration"
    fitted: Fitted
    how: FitKind
    labels: int
    good: int
    before: Figures
    """Of the version that was in use."""
    after: Figures
    """Each answer scored by a fit that had not seen it."""

    @property
    def is_better(self) -> bool:
        """By the score that nobody can raise except by being truer (Brier)."""
        before, after = self.before.brier, self.after.brier
        return before is not None and after is not None and after < before


class VersionUsed(Frozen):
    kind: Literal["use"] = "use"
    version: str
    before: str


Body = ThresholdsMoved | CalibrationFitted | VersionUsed


class Change(Frozen):
    number: int
    time: datetime
    actor: str
    reason: str = ""
    """In the words of who made it."""
    body: Annotated[Body, Field(discriminator="kind")]


_bodies: TypeAdapter[Body] = TypeAdapter(Annotated[Body, Field(discriminator="kind")])


def lock_changes(connection: Connection) -> None:
    """Until the transaction ends, nobody else adds a change: none is made on what is outdated."""
    if connection.dialect.name != "sqlite":  # where every write transaction is alone anyway
        connection.exec_driver_sql("LOCK TABLE grace_changes IN SHARE ROW EXCLUSIVE MODE")


def read_changes(connection: Connection) -> tuple[Change, ...]:
    """Oldest first."""
    return _read(connection, sa.select(grace_changes))


def read_standing(connection: Connection) -> tuple[Change, ...]:
    """Those that still count: of the moves of thresholds, which every verdict may add to, the last.

    Oldest first.
    """
    moves = sa.select(sa.func.max(grace_changes.c.number)).where(
        grace_changes.c.kind == "thresholds"
    )
    still_counts = (grace_changes.c.kind != "thresholds") | (
        grace_changes.c.number == moves.scalar_subquery()
    )
    return _read(connection, sa.select(grace_changes).where(still_counts))


def _read(connection: Connection, query: sa.Select[Any]) -> tuple[Change, ...]:
    rows = connection.execute(query.order_by(grace_changes.c.number))
    return tuple(
        Change(
            number=row.number,
            time=datetime.fromtimestamp(row.time, UTC),
            actor=row.actor,
            reason=row.reason,
            body=_bodies.validate_json(row.body),
        )
        for row in rows
    )


def write_change(connection: Connection, change: Change) -> None:
    """After all that are there: `lock` comes first."""
    row = {
        "number": change.number,
        "time": change.time.timestamp(),
        "actor": change.actor,
        "kind": change.body.kind,
        "body": change.body.model_dump_json(),
        "reason": change.reason,
    }
    connection.execute(sa.insert(grace_changes), row)


NAMES = ("silent", "notify", "confirm")


@dataclass(frozen=True)
class Standing:
    """What all changes add up to."""

    fitted: Fitted = FITTED
    versions: Mapping[str, Fitted] = field(default_factory=lambda: {FITTED.version: FITTED})
    moved: ThresholdsMoved | None = None
    """The last move; None where there was none."""

    @classmethod
    def of(cls, changes: Iterable[Change]) -> "Standing":
        versions = {FITTED.version: FITTED}
        fitted, moved = FITTED, None
        for change in changes:
            match change.body:
                case CalibrationFitted(fitted=made):
                    versions[made.version] = made
                case VersionUsed(version=version):
                    # One that only an earlier Sanbo shipped: its numbers are gone.
                    fitted = versions.get(version, FITTED)
                case ThresholdsMoved() as body:
                    moved = body
        return cls(fitted, versions, moved)

    @property
    def since(self) -> int:
        """The verdicts from this number on move the thresholds."""
        return 1 if self.moved is None else self.moved.since

    def offsets(self, settings: GraceSettings) -> Cutoffs:
        """What feedback has moved, as far as the settings still let it."""
        if self.moved is None or not settings.adjust_thresholds:
            return Cutoffs()
        base, after, most = self.moved.base, self.moved.after, settings.most_adjustment
        # Whoever has set a threshold anew since has spoken: it holds as it is set.
        return Cutoffs(
            **{
                name: max(-most, min(most, getattr(after, name)))
                for name in NAMES
                if getattr(base, name) == getattr(settings.thresholds, name)
            }
        )


def replayed(settings: GraceSettings, feedback: Sequence[Feedback], since: int) -> Cutoffs:
    """The offsets that these verdicts make, one after the other, from what is configured."""
    start = now = ThresholdsUsed(**settings.thresholds.model_dump())
    heard: list[Label] = []
    for each in feedback:
        if each.number < since or not each.answered or each.method != settings.score:
            continue
        label = each.label
        if label.good and _is_told_enough(label, heard, now):
            continue
        heard.append(label)
        moved = adjusted(now, settings.thresholds, heard, settings.most_adjustment, "ja")
        # A bad answer is heard once, also where the bound lets nothing move.
        if moved != now or not label.good:
            heard = []
        now = moved
    return Cutoffs(**{name: round(getattr(now, name) - getattr(start, name), 4) for name in NAMES})


def _is_told_enough(label: Label, heard: Sequence[Label], now: ThresholdsUsed) -> bool:
    """Another good one of a level tells nothing where so many have moved nothing.

    Else thousands of them would be gone through again for each that comes.
    """
    of_level = level(label.score, now)
    alike = sum(level(each.score, now) == of_level for each in heard)
    return of_level == "silent" or alike >= GOOD_IN_A_ROW


# ---- labels as the version in use would score them -----------------------------------------


def labels_of(
    feedback: Iterable[Feedback], standing: Standing, method: Method
) -> tuple[Label, ...]:
    """Without those that tell nothing about this way of scoring."""
    labels: list[Label] = []
    for each in feedback:
        score = score_now(each, standing.fitted, standing.versions, method)
        if each.answered and score is not None:
            labels.append(each.label.model_copy(update={"score": score}))
    return tuple(labels)


# ---- the thresholds ------------------------------------------------------------------------


def thresholds_in_force(
    settings: GraceSettings,
    standing: Standing,
    feedback: Sequence[Feedback],
    language: Language,
) -> ThresholdsUsed:
    """As configured, moved by feedback; the silent one by risk where that is set."""
    offsets = standing.offsets(settings)
    configured = settings.thresholds
    confirm = _moved(configured.confirm, offsets.confirm)
    notify = max(confirm, _moved(configured.notify, offsets.notify))
    silent = _moved(configured.silent, offsets.silent)
    told = [_told_offsets(offsets, settings, language)]
    if settings.most_wrong_silent is not None:
        labels = labels_of(feedback, standing, settings.score)
        silent, by_risk = _by_risk(settings, settings.most_wrong_silent, labels, language)
        told = [by_risk, *told]
    return ThresholdsUsed(
        silent=max(notify, silent),
        notify=notify,
        confirm=confirm,
        told=tell("grace_calibration.told.between", language).join(told),
    )


def _moved(configured: float, offset: float) -> float:
    return round(min(1.0, max(0.0, configured + offset)), 4)


def _by_risk(
    settings: GraceSettings, most_wrong: float, labels: Sequence[Label], language: Language
) -> tuple[float, str]:
    found = silent_threshold(labels, most_wrong)
    share = f"{most_wrong:.0%}"
    if found is not None:
        text = "risk_shown"
        silent = found
    else:
        # A true score of 95% is wrong once in twenty times: that is as much as can be promised.
        text = "risk_expected"
        silent = max(settings.thresholds.silent, 1 - most_wrong)
    told = tell(f"grace_calibration.told.{text}", language, share=share, count=len(labels))
    return round(silent, 4), told


def _told_offsets(offsets: Cutoffs, settings: GraceSettings, language: Language) -> str:
    by_risk = settings.most_wrong_silent is not None
    moves = [
        tell(
            "grace_calibration.told.move",
            language,
            level=tell(f"grace_calibration.level.{name}", language),
            offset=f"{getattr(offsets, name):+.3f}",
        )
        for name in NAMES
        if getattr(offsets, name) and not (by_risk and name == "silent")
    ]
    if not moves:
        return tell("grace_calibration.told.settings", language)
    listed = tell("grace_calibration.told.and", language).join(moves)
    return tell("grace_calibration.told.feedback", language, moves=listed)


FOLDS = 5


def labels_to_fit(feedback: Iterable[Feedback], base: Fitted) -> tuple[Feedback, ...]:
    """Judged answers that were scored as a whole: those of several parts have no features."""
    return tuple(each for each in feedback if each.answered and can_be_scored(each, base))


def newly_fitted(labels: Sequence[Label], kind: FitKind, base: Fitted) -> Fitted:
    """Its version tells what was corrected and how; the number of its change is still to come."""
    return refit(labels, kind, base, f"{base.version.partition('+')[0]}+{kind}")


def numbered(fitted: Fitted, change: int) -> Fitted:
    return fitted.model_copy(update={"version": f"{fitted.version}-{change}"})


def held_out(labels: Sequence[Label], kind: FitKind, base: Fitted) -> tuple[Label, ...]:
    """Every label with the score of a fit to the labels of the other folds."""
    # In an order of chance, the same each time: verdicts come in turns, on like answers in a row.
    shuffled = Random(FOLDS).sample(labels, len(labels))  # noqa: S311 - nothing to guess
    scored: list[Label] = []
    for nth in range(FOLDS):
        others = [label for place, label in enumerate(shuffled) if place % FOLDS != nth]
        fitted = refit(others, kind, base, "")
        scored += [
            label.model_copy(update={"score": chance(label.features, fitted)})
            for label in shuffled[nth::FOLDS]
        ]
    return tuple(scored)


def figures_of(labels: Sequence[Label]) -> Figures:
    return Figures(ece=expected_calibration_error(labels), auroc=auroc(labels), brier=brier(labels))
