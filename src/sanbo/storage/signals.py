"""What PostgreSQL tells all processes at once: a run has gone on, is to be cancelled, is gone.

Told in the transaction that does it, by the statement itself: nothing is told that was not
committed, and it costs no round trip. SQLite has no such thing; there, processes look.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import sqlalchemy as sa

from sanbo.storage.statements import DatabaseTime
from sanbo.storage.tables import runs

logger = logging.getLogger(__name__)

CHANNEL = "sanbo_runs"
FOLLOWED_SECONDS = 120.0
"""For so long every event of a run is told after somebody has asked for it."""
AGAIN_SECONDS = 1.0
GONE = -1
_KEPT_ALIVE = {"keepalives_idle": "10", "keepalives_interval": "5", "keepalives_count": "3"}
"""A server that is gone without a word is noticed within half a minute."""

Telling = sa.ColumnElement[str | None]
"""To be returned by the statement that changes a run."""


class Signal(NamedTuple):
    run_id: str
    last_seq: int
    """`GONE` where the run was deleted."""
    wants_cancel: bool = False


def _telling(*words: object) -> Telling:
    text = sa.func.concat_ws(_word(" "), runs.c.run_id, *words)
    return sa.cast(sa.func.pg_notify(_word(CHANNEL), text), sa.Text)


def _word(text: str) -> sa.ColumnElement[str]:
    """In the statement itself, which takes no parameters but its own."""
    return sa.literal_column(f"'{text}'")


TELLING = _telling(runs.c.last_seq)
TELLING_CANCEL = _telling(runs.c.last_seq, _word("cancel"))
TELLING_GONE = _telling(_word(str(GONE)))
TELLING_FOLLOWERS: Telling = sa.case((runs.c.followed_until > DatabaseTime(), TELLING))
"""Commits that tell something queue up for each other: of most events nobody need be told."""


def read_signal(text: str) -> Signal:
    run_id, last_seq, *rest = text.split(" ")
    return Signal(run_id, int(last_seq), wants_cancel=bool(rest))


class Listener:
    """One connection of this process, made anew where it is lost."""

    def __init__(
        self,
        address: sa.URL,
        hear: Callable[[Signal], None],
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        """`catch_up`: looks for what was told while nobody listened."""
        self.is_listening = False
        query = {**_KEPT_ALIVE, **address.query}
        self._address = address.set(drivername="postgresql", query=query)
        self._hear = hear
        self._catch_up = catch_up

    async def listen(self) -> None:
        """For ever."""
        from psycopg import Error  # noqa: PLC0415 - few have PostgreSQL

        while True:
            try:
                await self._listen_once()
            except (Error, OSError) as error:
                logger.warning("nobody tells what other processes do: %s", type(error).__name__)
            except Exception:
                logger.exception("what other processes do could not be heard")
            finally:
                self.is_listening = False
            await asyncio.sleep(AGAIN_SECONDS)

    async def _listen_once(self) -> None:
        from psycopg import AsyncConnection  # noqa: PLC0415

        address = self._address.render_as_string(hide_password=False)
        async with await AsyncConnection.connect(address, autocommit=True) as connection:
            await connection.execute(f"LISTEN {CHANNEL}")
            self.is_listening = True
            await self._catch_up()
            async for told in connection.notifies():
                self._hear(read_signal(told.payload))
