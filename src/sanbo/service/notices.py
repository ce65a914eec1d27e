"""Tells people, outside of the workbench, what waits for them there."""

import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from sanbo.connectors.notices import Notice, deliver
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import SanboError
from sanbo.runs.model import Status
from sanbo.settings import Settings
from sanbo.storage.database import Database
from sanbo.storage.tables import addressees, interactions, runs

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 300.0
AT_ONCE = 100
_FINAL = [status.value for status in Status if status.is_final]


class Notices:
    def __init__(
        self, database: Database, settings: Settings, io: Callable[..., Awaitable[Any]]
    ) -> None:
        self._database = database
        self._settings = settings
        self._io = io

    async def tell_waiting(self) -> None:
        """Of each question once, and again when it is due; by whichever server is first."""
        now = await self._io(self._database.time)
        for row in await self._io(self._due, now):
            if not await self._io(self._move, row, row.notify_at, now + AGAIN_SECONDS):
                continue
            who = await self._io(self._addressees, row) or [f"user:{row.owner}"]
            title = tell("trigger_notice.waiting_title", self._settings.language, title=row.title)
            text = self._text(row)
            key = f"{row.run_id}/{row.interaction_id}/{row.due_at}"
            if all([await self._tell(each, title, text, f"{key}/{each}") for each in who]):
                await self._io(self._move, row, now + AGAIN_SECONDS, None)

    async def tell_owner(self, owner: str, text: str, key: str) -> None:
        title = tell("trigger_notice.title", self._settings.language)
        await self._tell(f"user:{owner}", title, text, f"{key}/{owner}")

    def _text(self, row: Any) -> str:
        """Not what is asked: that is for those who open it."""
        settings, language = self._settings, self._settings.language
        text = tell("trigger_notice.waiting", language, title=row.title)
        if row.due_at is not None:
            due = datetime.fromtimestamp(row.due_at, ZoneInfo(settings.triggers.zone))
            text += "\n" + tell("trigger_notice.due", language, due=f"{due:%Y-%m-%d %H:%M}")
        if address := settings.connectors.workbench_url:
            text += f"\n{address.rstrip('/')}/run?run={row.run_id}"
        return text

    async def _tell(self, who: str, title: str, text: str, key: str) -> bool:
        """False where it should be tried again."""
        people = self._settings.connectors.people
        channel = people.get(who.removeprefix("user:"))
        if channel is None:
            return True
        notice = Notice(
            provider=channel.provider,
            key=key,
            message=text,
            title=title,
            webhook_key=channel.webhook_key,
            to=(channel.to,) if channel.to else (),
            server=channel.server,
        )
        try:
            reply = await deliver(notice, self._settings.connectors)
        except SanboError as failure:
            logger.warning("%s was not told: %s", who, failure)
            return not failure.problem.recoverable
        if not reply.is_ok:
            logger.warning("%s was not told: status %s", who, reply.status)
        return reply.is_ok

    def _due(self, now: float) -> list[Any]:
        query = (
            sa.select(
                interactions.c.run_id,
                interactions.c.interaction_id,
                interactions.c.notify_at,
                interactions.c.due_at,
                runs.c.title,
                runs.c.owner,
            )
            .join(runs, runs.c.run_id == interactions.c.run_id)
            .where(
                interactions.c.notify_at <= now,
                interactions.c.answered_seq.is_(None),
                runs.c.status.not_in(_FINAL),
            )
            .limit(AT_ONCE)
        )
        with self._database.read() as connection:
            return list(connection.execute(query).all())

    def _move(self, row: Any, before: float, after: float | None) -> bool:
        with self._database.write() as connection:
            changed = connection.execute(
                sa.update(interactions)
                .where(
                    interactions.c.run_id == row.run_id,
                    interactions.c.interaction_id == row.interaction_id,
                    interactions.c.notify_at == before,
                )
                .values(notify_at=after)
            )
        return changed.rowcount == 1

    def _addressees(self, row: Any) -> list[str]:
        query = sa.select(addressees.c.who).where(
            addressees.c.run_id == row.run_id,
            addressees.c.interaction_id == row.interaction_id,
            addressees.c.who.not_like("not:%"),
        )
        with self._database.read() as connection:
            return list(connection.execute(query).scalars())
