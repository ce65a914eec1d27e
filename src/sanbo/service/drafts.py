"""What a person has typed and not sent: kept until reset, so that a reload loses nothing."""

import time
from collections.abc import Sequence

import orjson
import sqlalchemy as sa

from sanbo.runs.model import JsonObject
from sanbo.storage.database import Database
from sanbo.storage.statements import insert_into
from sanbo.storage.tables import drafts


class Drafts:
    def __init__(self, database: Database) -> None:
        self.database = database

    def save(self, owner: str, state_key: str, content: JsonObject) -> None:
        insert = insert_into(drafts, is_sqlite=self.database.is_sqlite)
        fresh = {"content": orjson.dumps(content).decode(), "updated_at": time.time()}
        with self.database.write() as connection:
            connection.execute(
                insert.on_conflict_do_update(index_elements=["owner", "state_key"], set_=fresh),
                {"owner": owner, "state_key": state_key, **fresh},
            )

    def load(self, owner: str, state_key: str) -> JsonObject | None:
        query = sa.select(drafts.c.content).where(
            drafts.c.owner == owner, drafts.c.state_key == state_key
        )
        with self.database.read() as connection:
            content = connection.execute(query).scalar_one_or_none()
        return None if content is None else orjson.loads(content)

    def forget(self, run_ids: Sequence[str]) -> None:
        """Removes what was typed for runs that are being deleted, by whomever."""
        theirs = sa.or_(*(drafts.c.state_key.contains(run_id) for run_id in run_ids))
        with self.database.write() as connection:
            connection.execute(sa.delete(drafts).where(theirs))

    def reset(self, owner: str, state_key: str) -> None:
        with self.database.write() as connection:
            connection.execute(
                sa.delete(drafts).where(drafts.c.owner == owner, drafts.c.state_key == state_key)
            )
