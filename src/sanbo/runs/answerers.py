"""Who answered a question, and when; an operator may answer in another person's run."""

from datetime import datetime
from typing import NamedTuple

import sqlalchemy as sa

from sanbo.runs.journal import Journal
from sanbo.runs.model import InteractionAnswered
from sanbo.storage.database import Database
from sanbo.storage.tables import interactions


class Answerer(NamedTuple):
    by: str
    at: datetime


def answerer_of(database: Database, run_id: str, interaction_id: str) -> Answerer | None:
    """From the answer's own event; None as long as there is none."""
    query = sa.select(interactions.c.answered_seq).where(
        interactions.c.run_id == run_id, interactions.c.interaction_id == interaction_id
    )
    with database.read() as connection:
        answered_seq: int | None = connection.execute(query).scalar_one_or_none()
    if answered_seq is None:
        return None
    for event in Journal(database).read(run_id, answered_seq - 1, limit=1):
        if isinstance(event.payload, InteractionAnswered):
            return Answerer(event.payload.by, event.time)
    return None
