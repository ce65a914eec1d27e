"""What people think of answers: one verdict a run, with those that it replaced."""

from datetime import UTC, datetime
from typing import Any, Literal

import orjson
import sqlalchemy as sa
from pydantic import TypeAdapter
from sqlalchemy.engine import Connection

from sanbo.agents.grace.calibration.scored import Scored
from sanbo.agents.grace.confidence.model import Label
from sanbo.evidence.model import Frozen
from sanbo.storage.statements import insert_into
from sanbo.storage.tables import grace_feedback

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


def read_all(connection: Connection) -> tuple[Feedback, ...]:
    """In the order of giving."""
    query = sa.select(grace_feedback).order_by(grace_feedback.c.number)
    return tuple(_feedback(row) for row in connection.execute(query))


def read_one(connection: Connection, run_id: str) -> Feedback | None:
    query = sa.select(grace_feedback).where(grace_feedback.c.run_id == run_id)
    row = connection.execute(query).one_or_none()
    return None if row is None else _feedback(row)


def write(connection: Connection, feedback: Feedback) -> None:
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


def remove(connection: Connection, run_id: str) -> None:
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
