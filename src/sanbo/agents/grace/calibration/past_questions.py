"""Questions that were answered before, with the score and the level they had."""

from datetime import UTC, datetime
from typing import Any

import orjson
import sqlalchemy as sa

from sanbo.agents.grace.calibration.scored import Scored
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
