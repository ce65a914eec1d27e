"""Triggers in the database. What goes off is claimed there first, by one process of all.

A claim names the run that is to start: whoever takes over from a process that died starts that
very run, and a run is made only once.
"""

import json
import secrets
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from pydantic import JsonValue
from pydantic_core import to_json
from sqlalchemy.engine import Connection

from sanbo.kernel.problems import NotFound, Problem
from sanbo.runs.leases import Leases
from sanbo.storage.database import Database, DatabaseTime, insert_into
from sanbo.storage.tables import firings, triggers
from sanbo.triggers.schedule import Cause, Firing, NewTrigger, Trigger

MOST_MISSED = 10_000

NextTime = Callable[[Cause, float], float | None]
"""The first time of a schedule after a moment."""


class Past(NamedTuple):
    last: Firing | None
    missed: int


class Triggers:
    def __init__(self, database: Database, leases: Leases, next_time: NextTime) -> None:
        self.database = database
        self._leases = leases
        self._next_time = next_time

    # ---- what people do ----

    def add(
        self,
        new: NewTrigger,
        owner: str,
        now: float,
        known: tuple[str, ...] = (),
        token_hash: str = "",
    ) -> Trigger:
        trigger = Trigger(
            **dict(new),
            trigger_id=f"trg_{int(now * 1000):012x}{secrets.token_hex(6)}",
            owner=owner,
            paused=False,
            created_at=now,
            next_at=self._next_time(new.cause, now) if new.cause.kind == "cron" else None,
            known=known,
            token_hash=token_hash,
        )
        row = {
            "trigger_id": trigger.trigger_id,
            "owner": owner,
            "plan_id": new.plan_id,
            "kind": new.cause.kind,
            "paused": False,
            "created_at": now,
            "next_at": trigger.next_at,
            "content": to_json(new).decode(),
            "known": to_json(known).decode(),
            "token_hash": token_hash,
        }
        with self.database.write() as connection:
            connection.execute(sa.insert(triggers), row)
        return trigger

    def change(
        self,
        trigger_id: str,
        new: NewTrigger,
        now: float,
        known: tuple[str, ...],
        token_hash: str,
    ) -> Trigger:
        """What was due under the old one and had not begun is no longer."""
        with self.database.write() as connection:
            paused = self._get(connection, trigger_id).paused
            is_timed = new.cause.kind == "cron" and not paused
            connection.execute(
                sa.update(triggers)
                .where(triggers.c.trigger_id == trigger_id)
                .values(
                    plan_id=new.plan_id,
                    kind=new.cause.kind,
                    next_at=self._next_time(new.cause, now) if is_timed else None,
                    content=to_json(new).decode(),
                    known=to_json(known).decode(),
                    token_hash=token_hash,
                )
            )
            return self._get(connection, trigger_id)

    def past(self, trigger_ids: Sequence[str]) -> dict[str, Past]:
        """Of each: what happened last, and how much was missed."""
        of_these = firings.c.trigger_id.in_(trigger_ids)
        newest = (
            sa.select(firings.c.trigger_id, sa.func.max(firings.c.created_at).label("at"))
            .where(of_these)
            .group_by(firings.c.trigger_id)
            .subquery()
        )
        last = sa.select(firings).join(
            newest,
            (firings.c.trigger_id == newest.c.trigger_id) & (firings.c.created_at == newest.c.at),
        )
        missed = (
            sa.select(firings.c.trigger_id, sa.func.sum(firings.c.count))
            .where(of_these, firings.c.status == "missed")
            .group_by(firings.c.trigger_id)
        )
        with self.database.read() as connection:
            latest = {row.trigger_id: _firing(row) for row in connection.execute(last)}
            counts: dict[str, int] = {row[0]: int(row[1]) for row in connection.execute(missed)}
        return {each: Past(latest.get(each), counts.get(each, 0)) for each in trigger_ids}

    def all(self, owner: str | None = None, kind: str | None = None) -> list[Trigger]:
        query = sa.select(triggers).order_by(triggers.c.trigger_id)
        if owner is not None:
            query = query.where(triggers.c.owner == owner)
        if kind is not None:
            query = query.where(triggers.c.kind == kind, triggers.c.paused.is_(False))
        with self.database.read() as connection:
            return [_trigger(row) for row in connection.execute(query)]

    def get(self, trigger_id: str) -> Trigger:
        with self.database.read() as connection:
            return self._get(connection, trigger_id)

    def remove(self, trigger_id: str) -> None:
        with self.database.write() as connection:
            connection.execute(sa.delete(triggers).where(triggers.c.trigger_id == trigger_id))

    def pause(self, trigger_id: str, now: float, *, paused: bool) -> Trigger:
        """What was due in between is neither made up for nor missed."""
        with self.database.write() as connection:
            cause = self._get(connection, trigger_id).cause
            due = self._next_time(cause, now) if cause.kind == "cron" else None
            connection.execute(
                sa.update(triggers)
                .where(triggers.c.trigger_id == trigger_id)
                .values(paused=paused, next_at=None if paused else due)
            )
            return self._get(connection, trigger_id)

    def history(self, trigger_id: str, limit: int = 50) -> list[Firing]:
        """The newest first."""
        query = (
            sa.select(firings)
            .where(firings.c.trigger_id == trigger_id)
            .order_by(firings.c.created_at.desc(), firings.c.occasion)
            .limit(limit)
        )
        with self.database.read() as connection:
            return [_firing(row) for row in connection.execute(query)]

    # ---- what goes off ----

    def kinds(self) -> tuple[set[str], float | None]:
        """Which kinds wait for something, and when the next time is due."""
        query = (
            sa.select(triggers.c.kind, sa.func.min(triggers.c.next_at).label("due"))
            .where(triggers.c.paused.is_(False))
            .group_by(triggers.c.kind)
        )
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        dues = [row.due for row in rows if row.due is not None]
        return {row.kind for row in rows}, min(dues, default=None)

    def claim_due(self, now: float, grace: float) -> list[Firing]:
        """What is due is claimed, and what was missed written down, each time once."""
        query = sa.select(triggers.c.trigger_id).where(
            triggers.c.paused.is_(False), triggers.c.next_at <= now
        )
        with self.database.read() as connection:
            due = list(connection.execute(query).scalars())
        return [firing for each in due for firing in self._claim(each, now, grace)]

    def _claim(self, trigger_id: str, now: float, grace: float) -> list[Firing]:
        with self.database.write() as connection:
            row = connection.execute(
                sa.select(triggers).where(triggers.c.trigger_id == trigger_id).with_for_update()
            ).one_or_none()
            if row is None or row.paused or row.next_at is None or row.next_at > now:
                return []  # another process was first
            cause = _trigger(row).cause
            first: float = row.next_at
            last, count, upcoming = first, 1, self._next_time(cause, first)
            while upcoming is not None and upcoming <= now and count < MOST_MISSED:
                last, count, upcoming = upcoming, count + 1, self._next_time(cause, upcoming)
            if upcoming is not None and upcoming <= now:
                upcoming = self._next_time(cause, now)
            connection.execute(
                sa.update(triggers)
                .where(triggers.c.trigger_id == trigger_id)
                .values(next_at=upcoming)
            )
            runs_last = now - last <= grace or cause.catch_up
            claimed: list[Firing] = []
            missed = count - 1 if runs_last else count
            if missed:
                claimed += self._insert(
                    connection, trigger_id, f"missed:{first:.0f}", first, "missed", count=missed
                )
            if runs_last:
                claimed += self._insert(connection, trigger_id, f"due:{last:.0f}", last, "claimed")
            return claimed

    def offer(
        self, trigger_id: str, occasion: str, now: float, given: JsonValue = None
    ) -> tuple[Firing, bool]:
        """The firing of this occasion, and whether it is new: then it is the caller's to start."""
        with self.database.write() as connection:
            self._get(connection, trigger_id)
            new = self._insert(connection, trigger_id, occasion, now, "claimed", given=given)
            if new:
                return new[0], True
            query = sa.select(firings).where(
                firings.c.trigger_id == trigger_id, firings.c.occasion == occasion
            )
            return _firing(connection.execute(query).one()), False

    def known_occasions(self, trigger_id: str) -> set[str]:
        query = sa.select(firings.c.occasion).where(firings.c.trigger_id == trigger_id)
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def take_over(self, at_work: set[str]) -> list[Firing]:
        """What a process has claimed and not started, and will not any more."""
        lapsed = (firings.c.lease_until <= DatabaseTime()).label("lapsed")
        query = sa.select(firings, lapsed).where(firings.c.status == "claimed")
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        taken: list[Firing] = []
        for row in rows:
            is_ours = row.holder == self._leases.holder and row.run_id not in at_work
            if not (is_ours or row.lapsed or self._leases.is_dead(row.holder)):
                continue
            mine = {"holder": self._leases.holder, "lease_until": self._leases.until}
            with self.database.write() as connection:
                changed = connection.execute(
                    sa.update(firings)
                    .where(
                        firings.c.trigger_id == row.trigger_id,
                        firings.c.occasion == row.occasion,
                        firings.c.status == "claimed",
                        firings.c.holder == row.holder,
                    )
                    .values(**mine)
                )
            if changed.rowcount == 1:
                taken.append(_firing(row))
        return taken

    def settle(self, firing: Firing, problem: Problem | None = None) -> None:
        """It was started, or could not be; what was given for it is in the run now."""
        values = {
            "status": "failed" if problem else "started",
            "problem": problem.model_dump_json() if problem else None,
            "given": None,
        }
        with self.database.write() as connection:
            connection.execute(
                sa.update(firings)
                .where(
                    firings.c.trigger_id == firing.trigger_id,
                    firings.c.occasion == firing.occasion,
                )
                .values(**values)
            )

    def _insert(
        self,
        connection: Connection,
        trigger_id: str,
        occasion: str,
        due: float,
        status: str,
        *,
        count: int = 1,
        given: JsonValue = None,
    ) -> list[Firing]:
        """Nothing where this occasion is known already."""
        row: dict[str, Any] = {
            "trigger_id": trigger_id,
            "occasion": occasion,
            "status": status,
            "due_at": due,
            "run_id": f"run_{int(due * 1000):012x}{secrets.token_hex(6)}",
            "count": count,
            "given": None if given is None else to_json(given).decode(),
        }
        insert = insert_into(firings, is_sqlite=self.database.is_sqlite)
        changed = connection.execute(
            insert.values(
                **row,
                holder=self._leases.holder,
                lease_until=self._leases.until,
                created_at=DatabaseTime(),
            ).on_conflict_do_nothing()
        )
        return [Firing.model_validate({**row, "given": given})] if changed.rowcount == 1 else []

    def _get(self, connection: Connection, trigger_id: str) -> Trigger:
        query = sa.select(triggers).where(triggers.c.trigger_id == trigger_id)
        row = connection.execute(query).one_or_none()
        if row is None:
            raise NotFound("trigger_not_found", trigger_id=trigger_id[:100])
        return _trigger(row)


def _trigger(row: Any) -> Trigger:
    content: dict[str, Any] = json.loads(row.content)
    return Trigger(
        **content,
        trigger_id=row.trigger_id,
        owner=row.owner,
        paused=row.paused,
        created_at=row.created_at,
        next_at=row.next_at,
        known=tuple(json.loads(row.known)),
        token_hash=row.token_hash,
    )


def _firing(row: Any) -> Firing:
    return Firing(
        trigger_id=row.trigger_id,
        occasion=row.occasion,
        status=row.status,
        due_at=row.due_at,
        run_id=row.run_id,
        count=row.count,
        given=None if row.given is None else json.loads(row.given),
        problem=None if row.problem is None else Problem.model_validate_json(row.problem),
    )
