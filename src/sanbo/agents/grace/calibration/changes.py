"""What was changed about the score and its thresholds, by whom: appended to, never overwritten."""

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field, TypeAdapter
from sqlalchemy.engine import Connection

from sanbo.agents.grace.calibration.feedback import Verdict
from sanbo.agents.grace.confidence.model import Fitted
from sanbo.agents.grace.settings import GraceThresholds
from sanbo.evidence.model import Frozen
from sanbo.storage.tables import grace_changes

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


def lock(connection: Connection) -> None:
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


def write(connection: Connection, change: Change) -> None:
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
