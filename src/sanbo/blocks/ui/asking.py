"""Asks the person, and knows afterwards who answered and when."""

import asyncio
from dataclasses import dataclass

import sqlalchemy as sa

from sanbo.blocks.block import EngineContext
from sanbo.runs.journal import Journal
from sanbo.runs.model import InteractionAnswered, JsonObject, Question
from sanbo.storage.database import Database
from sanbo.storage.tables import interactions


@dataclass(frozen=True)
class Answered:
    answer: JsonObject
    metadata: JsonObject


async def ask(question: Question, context: EngineContext) -> Answered | None:
    """None as long as there is no answer."""
    answer = await context.ask(question)
    if answer is None:
        return None
    path = (*context.run.path, "answer")
    fold = context.run.fold
    asked = next((name for name, asker in fold.askers.items() if asker[0] == path), "")
    by, at = await asyncio.to_thread(
        _who_and_when, context.run.place.database, context.run.run_id, asked
    )
    return Answered(answer, {"mode": question.mode, "answered_at": at, "by": by})


def _who_and_when(
    database: Database, run_id: str, interaction_id: str
) -> tuple[str | None, str | None]:
    """From the answer's own event: an operator may answer in another person's run."""
    query = sa.select(interactions.c.answered_seq).where(
        interactions.c.run_id == run_id, interactions.c.interaction_id == interaction_id
    )
    with database.read() as connection:
        answered_seq: int | None = connection.execute(query).scalar_one_or_none()
    if answered_seq is None:
        return None, None
    for event in Journal(database).read(run_id, answered_seq - 1, limit=1):
        if isinstance(event.payload, InteractionAnswered):
            return event.payload.by, event.time.isoformat()
    return None, None
