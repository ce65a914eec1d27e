"""The queue of runs: how many may wait, how many are worked on at once, and who is next; and the
list of all runs. Nothing of workflows is loaded for either.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, closing, contextmanager
from typing import NamedTuple

import sqlalchemy as sa
from pydantic import BaseModel

from sanbo.kernel.problems import TooMany
from sanbo.runs.journal import Journal
from sanbo.runs.leases import Leases
from sanbo.runs.model import RunSummary, Status
from sanbo.runs.settings import RunSettings
from sanbo.settings import Settings
from sanbo.storage.database import Database, DatabaseTime, open_database
from sanbo.storage.tables import runs

_Waiting = dict[str, deque[asyncio.Future[None]]]


class Places:
    """Someone with a thousand runs in the queue keeps nobody else waiting but for one of them."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.taken = 0
        # By owner, who comes next first; of what somebody waits for, and of all else.
        self._urgent: _Waiting = {}
        self._others: _Waiting = {}

    @property
    def waiting(self) -> int:
        return sum(len(each) for queue in (self._urgent, self._others) for each in queue.values())

    @asynccontextmanager
    async def one(self, owner: str, *, is_urgent: bool = False) -> AsyncGenerator[None]:
        if self.taken < self.number:  # whoever waits has been asked before
            self.taken += 1
        else:
            await self._turn(self._urgent if is_urgent else self._others, owner)
        try:
            yield
        finally:
            self.taken -= 1
            self._give()

    def resize(self, number: int) -> None:
        self.number = number
        self._give()

    async def _turn(self, queue: _Waiting, owner: str) -> None:
        mine = asyncio.get_running_loop().create_future()
        queue.setdefault(owner, deque()).append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():  # it was given one in the same moment
                self.taken -= 1
                self._give()
            elif mine in (of_owner := queue.get(owner, deque())):
                of_owner.remove(mine)
                if not of_owner:
                    del queue[owner]
            raise

    def _give(self) -> None:
        while self.taken < self.number and (queue := self._urgent or self._others):
            owner = next(iter(queue))
            of_owner = queue.pop(owner)
            next_one = of_owner.popleft()
            if of_owner:
                queue[owner] = of_owner  # behind all others
            if not next_one.done():
                self.taken += 1
                next_one.set_result(None)


_ENDED = [status for status in Status if status.is_final]
_UNDER_WAY = runs.c.status.in_((Status.QUEUED, Status.RUNNING))
RECENT_SECONDS = 600


class QueueLine(BaseModel):
    owner: str
    workflow: str
    queued: int
    """Nobody has begun with them."""
    running: int
    oldest_seconds: float


class RunQueue:
    def __init__(self, database: Database, settings: RunSettings) -> None:
        self._database = database
        self._settings = settings

    @property
    def is_limited(self) -> bool:
        return self._settings.queue_per_owner is not None or bool(self._settings.queue_per_workflow)

    def check(self, owner: str, workflow: str) -> None:
        """That one more may begin. Two that ask in the same moment may both be let in."""
        limits = (
            ("queue_full", runs.c.owner == owner, self._settings.queue_per_owner),
            (
                "queue_of_workflow_full",
                runs.c.workflow == workflow,
                self._settings.queue_per_workflow.get(workflow),
            ),
        )
        for text_id, condition, limit in limits:
            if limit is None:
                continue
            query = sa.select(sa.func.count()).where(_UNDER_WAY, condition)
            with self._database.read() as connection:
                count = connection.execute(query).scalar_one()
            if count >= limit:
                raise TooMany(text_id, limit=limit, workflow=workflow)

    def lines(self) -> list[QueueLine]:
        is_queued = sa.case((runs.c.status == Status.QUEUED, 1), else_=0)
        query = (
            sa.select(
                runs.c.owner,
                runs.c.workflow,
                sa.func.sum(is_queued),
                sa.func.count(),
                DatabaseTime() - sa.func.min(runs.c.created_at),
            )
            .where(_UNDER_WAY)
            .group_by(runs.c.owner, runs.c.workflow)
            .order_by(sa.func.count().desc(), runs.c.owner, runs.c.workflow)
        )
        with self._database.read() as connection:
            return [
                QueueLine(
                    owner=owner,
                    workflow=workflow,
                    queued=queued,
                    running=count - queued,
                    oldest_seconds=max(0.0, age),
                )
                for owner, workflow, queued, count, age in connection.execute(query)
            ]

    def ended_recently(self) -> int:
        """Of the runs that began in the last ten minutes; found by their ids, which begin so."""
        with self._database.read() as connection:
            now: float = connection.execute(sa.select(DatabaseTime())).scalar_one()
            since = f"run_{int((now - RECENT_SECONDS) * 1000):012x}"
            query = sa.select(sa.func.count()).where(
                runs.c.run_id >= since,
                runs.c.status.in_(_ENDED),
            )
            return connection.execute(query).scalar_one()


class Listed(NamedTuple):
    runs: list[RunSummary]
    interrupted: frozenset[str]
    """Those that say that they are at work, while nobody works on them."""


class RunList:
    """As the operator sees it: everybody's runs."""

    def __init__(self, journal: Journal, leases: Leases) -> None:
        self._journal = journal
        self._leases = leases

    def newest(self, *, workflow: str | None, status: Status | None, limit: int) -> Listed:
        runs = self._journal.list(workflow=workflow, status=status, limit=limit)
        orphans = frozenset(self._leases.orphans())
        return Listed(runs, orphans.intersection(run.run_id for run in runs))


@contextmanager
def open_run_list(settings: Settings) -> Generator[RunList]:
    with closing(open_database(settings)) as database:
        folder = settings.workspace / "processes"
        with closing(Leases(database, folder, settings.runs.lease_seconds)) as leases:
            yield RunList(Journal(database), leases)
