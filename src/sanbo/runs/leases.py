"""Leases: at any moment at most one process advances a run.

A lease is kept alive by renewing it. A process that dies on this machine is noticed at once,
because the operating system lets go of its lock file; one on another machine when its lease
has run out, by the database's clock.
"""

import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
from filelock import FileLock, Timeout

from sanbo.kernel.problems import NotFound, RunBusy
from sanbo.runs.journal import Lease, LeaseLost
from sanbo.runs.model import Status
from sanbo.storage.database import Database, DatabaseTime
from sanbo.storage.postgresql import TELLING_CANCEL
from sanbo.storage.tables import runs

_UNFINISHED = [status.value for status in Status if not status.is_final]
_LAPSED = (runs.c.lease_until <= DatabaseTime()).label("lapsed")


class Held(NamedTuple):
    wants_cancel: bool
    last_seq: int


class Leases:
    """Held by one process, under one name; `close` gives all of them back."""

    def __init__(self, database: Database, folder: Path, seconds: float) -> None:
        self.database = database
        self.folder = folder
        self.seconds = seconds
        self.holder = f"p{time.time_ns():x}{secrets.token_hex(4)}"
        self._own: dict[str, int] = {}
        """The epochs of leases that may be this process's."""
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = FileLock(self._lock_file(self.holder))
        self._lock.acquire(timeout=0)
        self._sweep_lock_files()

    def for_new_run(self, run_id: str, owner: str = "", workflow: str = "") -> Lease:
        """The first lease of a run that is about to be created."""
        self._own[run_id] = 1
        return Lease(run_id, self.holder, 1, owner, workflow)

    @property
    def until(self) -> sa.ColumnElement[float]:
        """When a lease that is given or renewed now runs out; the database knows what is now."""
        return DatabaseTime() + self.seconds

    def acquire(self, run_id: str) -> Lease:
        """The run's lease under a new epoch; `RunBusy` while another process holds it."""
        with self.database.write() as connection:
            row = connection.execute(
                sa.select(runs.c.holder, runs.c.epoch, runs.c.owner, runs.c.workflow, _LAPSED)
                .where(runs.c.run_id == run_id)
                .with_for_update()
            ).one_or_none()
            if row is None:
                raise NotFound("run_not_found", run_id=run_id)
            if row.holder is not None and not row.lapsed and not self.is_dead(row.holder):
                raise RunBusy("run_busy", run_id=run_id, details={"holder": row.holder})
            connection.execute(
                sa.update(runs)
                .where(runs.c.run_id == run_id)
                .values(holder=self.holder, epoch=row.epoch + 1, lease_until=self.until)
            )
        self._own[run_id] = row.epoch + 1
        return Lease(run_id, self.holder, row.epoch + 1, row.owner, row.workflow)

    def take(self, given: Lease) -> Lease:
        """From who holds it and has said so; where that has changed since, as anybody would."""
        epoch = given.epoch + 1
        taken = (
            sa.update(runs)
            .where(
                runs.c.run_id == given.run_id,
                runs.c.holder == given.holder,
                runs.c.epoch == given.epoch,
            )
            .values(holder=self.holder, epoch=epoch, lease_until=self.until)
            .returning(runs.c.owner, runs.c.workflow)
        )
        with self.database.write() as connection:
            row = connection.execute(taken).one_or_none()
        if row is None:
            return self.acquire(given.run_id)
        self._own[given.run_id] = epoch
        return Lease(given.run_id, self.holder, epoch, row.owner, row.workflow)

    def hand_over(self, lease: Lease) -> None:
        """To whom it was given: it is no longer this process's to keep alive."""
        self._forget(lease.run_id, lease.epoch)

    @property
    def holds_any(self) -> bool:
        """Whether there may be a lease to keep alive; without any, nothing need be looked up."""
        return bool(self._own)

    def renew(self) -> None:
        """Keeps all leases of this process alive."""
        with self.database.write() as connection:
            connection.execute(
                sa.update(runs).where(runs.c.holder == self.holder).values(lease_until=self.until)
            )

    def held(self) -> dict[str, Held]:
        """Runs under this process's leases, and what others may have done with them."""
        query = sa.select(runs.c.run_id, runs.c.cancel_requested, runs.c.last_seq).where(
            runs.c.holder == self.holder
        )
        with self.database.read() as connection:
            return {
                row.run_id: Held(row.cancel_requested, row.last_seq)
                for row in connection.execute(query)
            }

    def wants_cancel(self, run_id: str) -> bool:
        query = sa.select(runs.c.cancel_requested).where(runs.c.run_id == run_id)
        with self.database.read() as connection:
            return bool(connection.execute(query).scalar_one_or_none())

    def release(self, lease: Lease, seen_seq: int | None = None) -> bool:
        """Gives a lease back; with `seen_seq` only when nothing is left to do under it.

        False, and the lease is kept, when events came in since or someone wants it cancelled;
        `LeaseLost` when another process has the run.
        """
        mine = [
            runs.c.run_id == lease.run_id,
            runs.c.epoch == lease.epoch,
            runs.c.holder == lease.holder,
        ]
        conditions: list[sa.ColumnElement[bool]] = list(mine)
        if seen_seq is not None:
            is_over = runs.c.status.not_in(_UNFINISHED)
            conditions += [
                runs.c.last_seq == seen_seq,
                sa.or_(is_over, runs.c.cancel_requested.is_(False)),
            ]
        with self.database.write() as connection:
            released = connection.execute(
                sa.update(runs).where(*conditions).values(holder=None, lease_until=None)
            )
            is_released = released.rowcount == 1
            is_mine = sa.select(runs.c.run_id).where(*mine)
            is_lost = not is_released and connection.execute(is_mine).one_or_none() is None
        if is_released or is_lost:
            self._forget(lease.run_id, lease.epoch)
        if is_lost:
            raise LeaseLost(lease.run_id)
        return is_released

    def orphans(self) -> list[str]:
        """Runs that should be advancing and that nobody alive holds.

        Also one that waits for a person and whose holder died: a run that can do nothing else was
        given back, so this one may have had more to do.
        """
        should_advance = runs.c.status.in_([Status.QUEUED, Status.RUNNING])
        was_held = (runs.c.status == Status.WAITING) & runs.c.holder.is_not(None)
        query = (
            sa.select(runs.c.run_id, runs.c.holder, _LAPSED)
            .where(should_advance | was_held)
            .order_by(runs.c.run_id)
        )
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        dead: dict[str, bool] = {}
        for holder in {row.holder for row in rows if row.holder is not None}:
            dead[holder] = self.is_dead(holder)
        return [row.run_id for row in rows if row.holder is None or row.lapsed or dead[row.holder]]

    def let_go(self, run_id: str) -> None:
        """Gives back whatever lease this process has of the run."""
        epoch = self._own.get(run_id, 0)
        with self.database.write() as connection:
            connection.execute(
                sa.update(runs)
                .where(runs.c.run_id == run_id, runs.c.holder == self.holder)
                .values(holder=None, lease_until=None)
            )
        self._forget(run_id, epoch)

    def forget_deleted(self, run_id: str) -> None:
        self._own.pop(run_id, None)

    def _forget(self, run_id: str, epoch: int) -> None:
        """Not where another thread has acquired it again since."""
        if self._own.get(run_id, 0) <= epoch:
            self._own.pop(run_id, None)

    def forget_cancel(self, run_id: str) -> None:
        """A run that is taken up again is no longer to be cancelled."""
        with self.database.write() as connection:
            connection.execute(
                sa.update(runs).where(runs.c.run_id == run_id).values(cancel_requested=False)
            )

    def request_cancel(self, run_id: str) -> None:
        request = (
            sa.update(runs)
            .where(runs.c.run_id == run_id, runs.c.status.in_(_UNFINISHED))
            .values(cancel_requested=True)
        )
        with self.database.write() as connection:
            is_sqlite = self.database.is_sqlite
            connection.execute(request if is_sqlite else request.returning(TELLING_CANCEL))

    def close(self) -> None:
        if self._own:
            with self.database.write() as connection:
                connection.execute(
                    sa.update(runs)
                    .where(runs.c.holder == self.holder)
                    .values(holder=None, lease_until=None)
                )
        self._lock.release()
        Path(self._lock.lock_file).unlink(missing_ok=True)

    def _lock_file(self, holder: str) -> Path:
        return self.folder / f"{holder}.lock"

    def is_dead(self, holder: str) -> bool:
        """A process of this workspace whose lock nobody holds.

        One that has no lock file here is of another machine: only its lease can tell.
        """
        if holder == self.holder:
            return False
        lock_file = self._lock_file(holder)
        if not lock_file.exists():
            return False
        try:
            with FileLock(lock_file, timeout=0):
                return True
        except Timeout:
            return False

    def _sweep_lock_files(self) -> None:
        """Removes what processes that died long ago have left; their leases ran out since."""
        for lock_file in self.folder.glob("*.lock"):
            with suppress(FileNotFoundError):  # another process may be doing the same
                is_old = lock_file.stat().st_mtime < time.time() - max(86_400, 2 * self.seconds)
                if is_old and self.is_dead(lock_file.stem):
                    lock_file.unlink()
