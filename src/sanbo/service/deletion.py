"""Deleting runs with all that belongs to them: one by one, whole months, and what is too old."""

import logging
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from sanbo.kernel.problems import Conflict, InvalidInput, NotFound, RunBusy, StorageFailure
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal
from sanbo.runs.model import RunSummary, Status
from sanbo.runs.workflow import Workflow, Workplace
from sanbo.service.access import Caller
from sanbo.service.inputs import Drafts
from sanbo.service.runner import Runner
from sanbo.storage.database import DatabaseTime
from sanbo.storage.postgresql import Partition, Partitions
from sanbo.storage.tables import runs

if TYPE_CHECKING:
    from sanbo.service.workbench import Workbench


class Prunable(BaseModel):
    model_config = ConfigDict(frozen=True)

    runs: tuple[RunSummary, ...]
    """Deleted with all that belongs to them: journal, log, files, checkpoints."""
    without_files: tuple[RunSummary, ...]
    """Of these the files are deleted, and the record stays."""
    files: int
    """How many files those runs name; one that another run names too stays."""


async def prunable(
    workbench: "Workbench", caller: Caller, days: int | None = None, file_days: int | None = None
) -> Prunable:
    """By these days, or by the settings; nothing that works, waits, or is not the caller's."""
    settings = workbench.settings.runs
    if days is None and file_days is None:
        days, file_days = settings.keep_days, settings.keep_files_days
    if days is None and file_days is None:
        raise InvalidInput("retention_unset")
    old = [] if days is None else await workbench.ended_before(caller, days)
    gone = {run.run_id for run in old}
    others = [] if file_days is None else await workbench.ended_before(caller, file_days)
    without_files: list[RunSummary] = []
    files = 0
    for run in others:
        count = 0 if run.run_id in gone else await workbench.file_count(caller, run.run_id)
        if count:
            without_files.append(run)
            files += count
    return Prunable(runs=tuple(old), without_files=tuple(without_files), files=files)


async def prune(workbench: "Workbench", caller: Caller, found: Prunable) -> Prunable:
    """What of it was deleted: not what somebody has taken up or deleted meanwhile."""
    months = await workbench.delete_months(caller, found.runs)
    deleted = [run for run in found.runs if run.run_id in months]
    emptied: list[RunSummary] = []
    for run in found.runs:
        if run.run_id in months:
            continue
        try:
            if (await workbench.head(caller, run.run_id)).status.is_final:
                await workbench.delete(caller, run.run_id)
                deleted.append(run)
        except (NotFound, RunBusy):
            continue
    for run in found.without_files:
        try:
            await workbench.delete_files(caller, run.run_id)
            emptied.append(run)
        except (NotFound, Conflict):
            continue
    return Prunable(runs=tuple(deleted), without_files=tuple(emptied), files=found.files)


logger = logging.getLogger(__name__)

AT_ONCE = 200
CLAIM_SECONDS = 3600.0
_FINAL = [status.value for status in Status if status.is_final]


class Deletion:
    """What a run has outside of the database goes first: who dies meanwhile leaves rows, by which
    the rest is found and deleted by whoever does it again."""

    def __init__(
        self,
        journal: Journal,
        runner: Runner,
        place: Workplace,
        workflows: Mapping[str, Workflow[Any, Any]],
        drafts: Drafts,
        *,
        forget: Callable[[str], None],
    ) -> None:
        """`forget`: what this process remembers of a run."""
        self._journal = journal
        self._database = journal.database
        self._io = runner.io
        self._place = place
        self._workflows = workflows
        self._drafts = drafts
        self._forget = forget
        self._partitions = Partitions(journal.database)

    async def delete(self, run_ids: Sequence[str]) -> None:
        """Of runs that nobody else works on."""
        await self._empty(run_ids)
        await self._remove(run_ids)

    async def drop_months(self, run_ids: Collection[str]) -> set[str]:
        """Of these runs, those that made up whole partitions of the journal, which are dropped.

        One in which another run is, or somebody works on one, stays as it is.
        """
        dropped: set[str] = set()
        for partition in await self._io(self._partitions.past):
            claim = f"deletion_{secrets.token_hex(8)}"
            claimed = await self._io(self._claim, partition, run_ids, claim)
            if claimed is None:
                continue
            is_dropped = False
            try:
                for start in range(0, len(claimed), AT_ONCE):
                    await self._empty(claimed[start : start + AT_ONCE])
                others = sa.select(runs.c.run_id).where(
                    partition.has(runs.c.run_id), runs.c.holder.is_distinct_from(claim)
                )
                is_dropped = await self._io(self._partitions.drop, partition, others)
            except StorageFailure as error:
                logger.warning("the runs of %s are deleted one by one: %s", partition.name, error)
            finally:
                if not is_dropped:
                    await self._io(self._give_back, claim)
            if is_dropped:
                for start in range(0, len(claimed), AT_ONCE):
                    await self._remove(claimed[start : start + AT_ONCE])
                dropped.update(claimed)
        return dropped

    def _claim(self, partition: Partition, due: Collection[str], claim: str) -> list[str] | None:
        """All runs of a partition, as a lease has one of them; None where not all can be had."""
        here = {each for each in due if partition.since <= each < partition.until}
        is_here = partition.has(runs.c.run_id)
        is_free = runs.c.holder.is_(None) | (runs.c.lease_until <= DatabaseTime())
        taking = (
            sa.update(runs)
            .where(is_here, is_free, runs.c.status.in_(_FINAL))
            .values(
                holder=claim, epoch=runs.c.epoch + 1, lease_until=DatabaseTime() + CLAIM_SECONDS
            )
            .returning(runs.c.run_id)
        )
        with self._database.write() as connection:
            count = connection.execute(sa.select(sa.func.count()).where(is_here)).scalar_one()
            if count == len(here) and here == set(connection.execute(taking).scalars()):
                return sorted(here)
            connection.rollback()
        return None

    def _give_back(self, claim: str) -> None:
        with self._database.write() as connection:
            mine = runs.c.holder == claim
            connection.execute(sa.update(runs).where(mine).values(holder=None, lease_until=None))

    async def _empty(self, run_ids: Sequence[str]) -> None:
        """Checkpoints, files, drafts, and what workflows have written."""
        await self._place.threads.forget(run_ids)
        for opening in await self._io(self._journal.openings, run_ids):
            run = RunFold.of([opening], for_viewing=True).run
            if run.workflow in self._workflows:
                await self._workflows[run.workflow].forget(run)
                await self._workflows[run.workflow].remove_files(run, self._place)
        await self._io(self._place.secret_answers.forget, run_ids)
        await self._io(self._drafts.forget, run_ids)
        await self._io(self._place.files.let_go, run_ids)

    async def _remove(self, run_ids: Sequence[str]) -> None:
        await self._io(self._journal.delete, run_ids)
        for run_id in run_ids:
            self._forget(run_id)
