"""The journal: append-only events, the only truth about a run.

A run's writer appends under a lease; its epoch is checked in the same transaction, so a process
that has lost its lease writes nothing. A person's answer needs no lease, only an open question.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
import sqlalchemy as sa
from pydantic import TypeAdapter
from pydantic_core import from_json, to_json
from sqlalchemy.engine import Connection, Dialect

from sanbo.kernel.problems import Conflict, NotFound
from sanbo.kernel.secrets import redact_json
from sanbo.runs.model import (
    AnyPayload,
    Event,
    InteractionAnswered,
    InteractionDue,
    InteractionOpen,
    JsonObject,
    NodeComplete,
    Path,
    Payload,
    RunComplete,
    RunStart,
    RunSummary,
    Status,
)
from sanbo.runs.secret_values import Held, HeldPayloads
from sanbo.storage.database import Database, DatabaseTime, Prepared
from sanbo.storage.postgresql import FOLLOWED_SECONDS, TELLING, TELLING_FOLLOWERS, TELLING_GONE
from sanbo.storage.tables import addressees, events, interactions, runs

EVENTS_A_PAGE = 1000
HELD_BYTES = 64 << 20
LARGE = 1 << 16
MOST_WORDS = 10
REMINDERS_AT_ONCE = 100
NOTIFY_SECONDS = 60.0
"""After which people are told outside of the workbench that a question waits."""
_FINAL = [status for status in Status if status.is_final]

Kept = Callable[[Payload], Payload]
"""What of an event may be written; itself, where all of it may."""
_payloads: TypeAdapter[Payload] = TypeAdapter(AnyPayload)


@dataclass(frozen=True)
class Lease:
    """The right to append to a run as its writer."""

    run_id: str
    holder: str
    epoch: int
    owner: str = field(default="", compare=False)
    """Of the run, and its workflow: whose turn it is, and where it may be worked on."""
    workflow: str = field(default="", compare=False)


class Head(NamedTuple):
    last_seq: int
    status: Status
    owner: str = ""


class Line(NamedTuple):
    """An event, and its payload as it is stored: written out once, however often it is numbered."""

    event: Event
    payload: str
    size: int = 0
    """Of the whole payload, where only a part of it may be written: the rest is held in memory."""


class LeaseLost(Exception):
    """Another process has taken this run over; whoever sees this stops without writing."""


_SUMMARIES = sa.select(
    runs.c.run_id,
    runs.c.workflow,
    runs.c.conversation_id,
    runs.c.title,
    runs.c.status,
    runs.c.warnings,
    runs.c.owner,
    runs.c.created_at,
    runs.c.updated_at,
)


class JournalMoved(Exception):
    """A person's answer came in first; the writer reads it and appends again."""


class _Refused(Exception):
    """The run is not as its writer believes it to be."""


_advance = (
    sa.update(runs)
    .where(
        runs.c.run_id == sa.bindparam("run"),
        runs.c.epoch == sa.bindparam("lease_epoch"),
        runs.c.holder == sa.bindparam("lease_holder"),
        runs.c.last_seq == sa.bindparam("seen"),
    )
    .values(
        last_seq=sa.bindparam("last"),
        status=sa.bindparam("new_status"),
        warnings=sa.bindparam("told"),
        updated_at=sa.bindparam("now"),
    )
)
_ADVANCE = Prepared(_advance)
_ADVANCE_AND_TELL = Prepared(_advance.returning(TELLING_FOLLOWERS))

_INSERT = Prepared(sa.insert(events).inline())
_ASK = Prepared(sa.insert(interactions).inline())
_ADDRESS = Prepared(sa.insert(addressees).inline())
_ANSWER = Prepared(
    sa.update(interactions)
    .where(
        interactions.c.run_id == sa.bindparam("run"),
        interactions.c.interaction_id == sa.bindparam("question"),
    )
    .values(answered_seq=sa.bindparam("answered"), notify_at=sa.null())
)
_HOLDER = sa.select(runs.c.epoch, runs.c.holder).where(runs.c.run_id == sa.bindparam("run"))


class Journal:
    def __init__(self, database: Database, held: HeldPayloads | None = None) -> None:
        self.database = database
        self._advance = _ADVANCE if database.is_sqlite else _ADVANCE_AND_TELL
        self._telling = () if database.is_sqlite else (TELLING,)
        self._held = held or HeldPayloads(HELD_BYTES)

    def create(
        self,
        lease: Lease,
        lease_until: sa.ColumnElement[float],
        opening: Sequence[Event],
        status: Status,
        kept: Kept = lambda payload: payload,
    ) -> None:
        """Opens a run with its first events, held by its maker from the beginning.

        `kept`: what of them may be written.
        """
        start = opening[0].payload
        assert isinstance(start, RunStart)
        now = opening[0].time.timestamp()
        lines = [line_of(event, kept) for event in opening]
        self._hold(lease.run_id, lines)
        with self.database.write() as connection:
            connection.execute(
                sa.insert(runs).values(
                    run_id=lease.run_id,
                    workflow=start.workflow,
                    conversation_id=start.conversation_id,
                    title=start.title,
                    owner=start.owner,
                    status=status,
                    last_seq=len(opening),
                    created_at=now,
                    updated_at=now,
                    epoch=lease.epoch,
                    holder=lease.holder,
                    lease_until=lease_until,
                    cancel_requested=False,
                )
            )
            self._insert(connection, lines, lease.epoch)

    def append(self, lease: Lease, lines: Sequence[Line], status: Status, warned: int = 0) -> None:
        """As the run's writer, all in one transaction, which leaves the run in this `status`.

        `warned`: of how much it has warned so far, for lists; its end says that itself.
        `LeaseLost` or `JournalMoved`, and nothing written, otherwise.
        """
        self._hold(lease.run_id, lines)  # first: who reads the event as it is stored may keep it
        try:
            self._append(lease, lines, status, warned)
        except BaseException as error:
            held = [event for event, _, size in lines if size]
            self._held.remove(lease.run_id, held)
            if not isinstance(error, _Refused):
                raise
            self.check(lease)
            raise JournalMoved(lease.run_id) from None

    def _hold(self, run_id: str, lines: Sequence[Line]) -> None:
        self._held.put(run_id, (Held(event, size) for event, _, size in lines if size))

    def _append(self, lease: Lease, lines: Sequence[Line], status: Status, warned: int) -> None:
        first, last = lines[0].event, lines[-1].event
        assert first.seq is not None
        dialect = self.database.engine.dialect
        with self.database.write_quickly() as cursor:
            advanced = self._advance.execute(
                cursor,
                dialect,
                {
                    "run": lease.run_id,
                    "lease_epoch": lease.epoch,
                    "lease_holder": lease.holder,
                    "seen": first.seq - 1,
                    "last": last.seq,
                    "new_status": status.value,
                    "told": last.payload.warnings
                    if isinstance(last.payload, RunComplete)
                    else warned,
                    "now": last.time.timestamp(),
                },
            )
            if advanced != 1:
                raise _Refused
            _insert(cursor, dialect, lines, lease.epoch)

    def check(self, lease: Lease) -> None:
        """Raises `LeaseLost` unless the run is still this writer's."""
        with self.database.read() as connection:
            row = connection.execute(_HOLDER, {"run": lease.run_id}).one_or_none()
        if row is None or (row.epoch, row.holder) != (lease.epoch, lease.holder):
            raise LeaseLost(lease.run_id)

    def answer(self, run_id: str, given: InteractionAnswered) -> Event:
        """Takes the one answer to an open question; refuses a stale or repeated one."""
        interaction_id = given.interaction_id
        now = time.time()
        with self.database.write() as connection:
            run = connection.execute(
                sa.select(runs.c.status).where(runs.c.run_id == run_id).with_for_update()
            ).one_or_none()
            if run is None:
                raise NotFound("run_not_found", run_id=run_id)
            question = connection.execute(
                sa.select(interactions.c.answered_seq).where(
                    interactions.c.run_id == run_id,
                    interactions.c.interaction_id == interaction_id,
                )
            ).one_or_none()
            if question is None:
                raise NotFound("interaction_not_found", interaction_id=interaction_id)
            if question.answered_seq is not None:
                raise Conflict("interaction_answered", interaction_id=interaction_id)
            if Status(run.status).is_final:
                raise Conflict("interaction_of_ended_run", status=run.status)
            seq: int = connection.execute(
                sa.update(runs)
                .where(runs.c.run_id == run_id)
                .values(last_seq=runs.c.last_seq + 1, status=Status.RUNNING, updated_at=now)
                .returning(runs.c.last_seq, *self._telling)
            ).scalar_one()
            connection.execute(
                sa.update(interactions)
                .where(
                    interactions.c.run_id == run_id,
                    interactions.c.interaction_id == interaction_id,
                )
                .values(answered_seq=seq, notify_at=None)
            )
            path = self._path_of_opening(connection, run_id, interaction_id)
            event = recorded(run_id, seq, path, given)
            self._insert(connection, [line_of(event)], epoch=0)
            return event

    def remind(self, now: float) -> list[Event]:
        """Says in their runs which open questions are due soon, or overdue: each once."""
        due = (
            sa.select(interactions.c.run_id, interactions.c.interaction_id)
            .where(interactions.c.remind_at <= now)
            .limit(REMINDERS_AT_ONCE)
        )
        with self.database.read() as connection:
            rows = connection.execute(due).all()
        told = (self._remind(row.run_id, row.interaction_id, now) for row in rows)
        return [event for event in told if event is not None]

    def _remind(self, run_id: str, interaction_id: str, now: float) -> Event | None:
        """None where it was answered, or another process was first."""
        this = (interactions.c.run_id == run_id) & (interactions.c.interaction_id == interaction_id)
        with self.database.write() as connection:
            status = connection.execute(
                sa.select(runs.c.status).where(runs.c.run_id == run_id).with_for_update()
            ).scalar_one_or_none()
            asked = connection.execute(sa.select(interactions).where(this)).one_or_none()
            if status is None or asked is None or (asked.remind_at or now) > now:
                return None
            overdue: bool = asked.due_at <= now
            is_open = asked.answered_seq is None and not Status(status).is_final
            left = asked.due_at if is_open and not overdue else None
            told_next = now if is_open else None
            connection.execute(
                sa.update(interactions).where(this).values(remind_at=left, notify_at=told_next)
            )
            if not is_open or asked.remind_at is None:
                return None
            seq: int = connection.execute(
                sa.update(runs)
                .where(runs.c.run_id == run_id)
                .values(last_seq=runs.c.last_seq + 1, updated_at=now)
                .returning(runs.c.last_seq, *self._telling)
            ).scalar_one()
            due_at = datetime.fromtimestamp(asked.due_at, UTC)
            told = InteractionDue(interaction_id=interaction_id, due_at=due_at, overdue=overdue)
            path = self._path_of_opening(connection, run_id, interaction_id)
            event = recorded(run_id, seq, path, told)
            self._insert(connection, [line_of(event)], epoch=0)
            return event

    def _insert(self, connection: Connection, new: Sequence[Line], epoch: int) -> None:
        """Within the transaction of the connection."""
        cursor = connection.connection.cursor()
        _insert(cursor, connection.dialect, new, epoch)
        cursor.close()

    def _path_of_opening(self, connection: Connection, run_id: str, interaction_id: str) -> Path:
        path: str = connection.execute(
            sa.select(events.c.path)
            .join(
                interactions,
                (interactions.c.run_id == events.c.run_id)
                & (interactions.c.opened_seq == events.c.seq),
            )
            .where(events.c.run_id == run_id, interactions.c.interaction_id == interaction_id)
        ).scalar_one()
        return tuple(orjson.loads(path))

    def read(
        self,
        run_id: str,
        after: int = 0,
        limit: int | None = None,
        limit_bytes: int | None = None,
        *,
        as_stored: bool = False,
    ) -> list[Event]:
        """At most so many events, or so many bytes of them and the one that went beyond.

        `as_stored`: without what only this process knows of them.
        """
        query = (
            sa.select(events.c.seq, events.c.time, events.c.path, events.c.payload)
            .where(events.c.run_id == run_id, events.c.seq > after)
            .order_by(events.c.seq)
            .limit(limit)
        )
        with self.database.read() as connection:
            if limit_bytes is None:
                rows = connection.execute(query).all()
            else:
                rows = _within(
                    limit_bytes, connection.execute(query.execution_options(yield_per=20))
                )
        return self._events(run_id, rows, as_stored=as_stored)

    def openings(self, run_ids: Sequence[str]) -> list[Event]:
        """The first events of these runs; of one that has none, none."""
        query = sa.select(events).where(events.c.run_id.in_(run_ids), events.c.seq == 1)
        with self.database.read() as connection:
            rows = connection.execute(query).all()
        return [event for row in rows for event in self._events(row.run_id, [row])]

    def _events(self, run_id: str, rows: Sequence[Any], *, as_stored: bool = False) -> list[Event]:
        times = {row.seq: row.time for row in rows}
        held: dict[int, Payload | str] = {} if as_stored else self._held.whole(run_id, times)
        return [
            Event.trusted(  # all parts were checked when they were stored
                run_id=run_id,
                seq=row.seq,
                time=datetime.fromtimestamp(row.time, UTC),
                path=tuple(orjson.loads(row.path)),
                payload=payload_of(held.get(row.seq) or row.payload),
            )
            for row in rows
        ]

    def holds_more(self, run_id: str) -> bool:
        """Whether this process knows more of a run's events than may be stored."""
        return self._held.has(run_id)

    def scan(
        self, run_id: str, last: int | None = None, *, after: int = 0, as_stored: bool = False
    ) -> Iterator[Event]:
        """All events, or those up to `last`, of which only some are in memory at a time."""
        while last is None or after < last:
            most = EVENTS_A_PAGE if last is None else min(EVENTS_A_PAGE, last - after)
            if not (page := self.read(run_id, after, limit=most, as_stored=as_stored)):
                return
            yield from page
            after = page[-1].seq or after

    def heads(self, run_ids: Sequence[str]) -> dict[str, Head]:
        """How far the journals of these runs have come; runs that are gone are left out."""
        query = sa.select(runs.c.run_id, runs.c.last_seq, runs.c.status, runs.c.owner).where(
            runs.c.run_id.in_(run_ids)
        )
        with self.database.read() as connection:
            return {
                row.run_id: Head(row.last_seq, Status(row.status), row.owner)
                for row in connection.execute(query)
            }

    def follow(self, run_id: str) -> None:
        """From now on, and for a while, whoever appends to the run tells all processes.

        In the run's row: who has appended before can be read, who appends later sees this.
        """
        if self.database.is_sqlite:
            return
        with self.database.write() as connection:
            connection.execute(
                sa.update(runs)
                .where(runs.c.run_id == run_id)
                .values(followed_until=DatabaseTime() + FOLLOWED_SECONDS)
            )

    def owners_of_conversation(self, conversation_id: str) -> set[str]:
        query = sa.select(runs.c.owner).where(runs.c.conversation_id == conversation_id).distinct()
        with self.database.read() as connection:
            return set(connection.execute(query).scalars())

    def owner(self, run_id: str) -> str | None:
        with self.database.read() as connection:
            return connection.execute(
                sa.select(runs.c.owner).where(runs.c.run_id == run_id)
            ).scalar_one_or_none()

    def ended_before(self, seconds: float, owner: str | None = None) -> list[RunSummary]:
        """Runs that have ended so long ago, by the database's clock; the oldest first."""
        ended = [status.value for status in Status if status.is_final]
        query = _SUMMARIES.where(
            runs.c.status.in_(ended), runs.c.updated_at < DatabaseTime() - seconds
        ).order_by(runs.c.run_id)
        if owner is not None:
            query = query.where(runs.c.owner == owner)
        with self.database.read() as connection:
            rows = connection.execute(query).mappings().all()
        return [RunSummary.model_validate(dict(row)) for row in rows]

    def is_asked(self, run_id: str, who: Collection[str]) -> bool:
        """Whether a question of the run was put to one of these."""
        query = sa.select(addressees.c.run_id).where(
            addressees.c.run_id == run_id, addressees.c.who.in_(who)
        )
        with self.database.read() as connection:
            return connection.execute(query.limit(1)).one_or_none() is not None

    def list(
        self,
        *,
        owner: str | None = None,
        who: Collection[str] | None = None,
        workflow: str | None = None,
        status: Status | None = None,
        conversation_id: str | None = None,
        containing: str = "",
        before: str | None = None,
        limit: int = 50,
    ) -> list[RunSummary]:
        """Newest first; `before` is the last run id of the page before.

        `owner`'s own and those that ask one of `who`, who may answer what is put to them alone;
        None: all of them. `containing`: words that the title has, all, whatever their case.
        """
        query = _SUMMARIES
        if owner is not None:
            asked = sa.select(addressees.c.run_id).where(addressees.c.who.in_(who or ()))
            query = query.where((runs.c.owner == owner) | runs.c.run_id.in_(asked))
        for column, value in (
            (runs.c.workflow, workflow),
            (runs.c.status, status),
            (runs.c.conversation_id, conversation_id),
        ):
            if value is not None:
                query = query.where(column == value)
        for word in containing.split()[:MOST_WORDS]:
            query = query.where(runs.c.title.icontains(word, autoescape=True))
        if before is not None:
            query = query.where(runs.c.run_id < before)
        # Run ids begin with their time, so their order is the order of creation.
        query = query.order_by(runs.c.run_id.desc()).limit(limit)
        with self.database.read() as connection:
            rows = connection.execute(query).mappings().all()
            open_ids = [row["run_id"] for row in rows if row["status"] not in _FINAL]
            asked_of = _open_questions(connection, open_ids) if open_ids else {}
        return [
            RunSummary.model_validate(dict(row) | _waiting(asked_of.get(row["run_id"], []), who))
            for row in rows
        ]

    def delete(self, run_ids: Sequence[str]) -> None:
        """Removes these runs with everything that belongs to them in the database."""
        with self.database.write() as connection:
            deletion = sa.delete(runs).where(runs.c.run_id.in_(run_ids))
            connection.execute(deletion.returning(TELLING_GONE) if self._telling else deletion)
        self._held.forget(run_ids)


class _Open(NamedTuple):
    """An open question as far as the database knows it."""

    due_at: float | None
    who: set[str]

    def is_for(self, who: Collection[str] | None) -> bool:
        asked = {each for each in self.who if not each.startswith("not:")}
        if who is None:
            return True
        is_asked = not asked or not asked.isdisjoint(who)
        return is_asked and not any(
            each.replace("user:", "not:", 1) in self.who - asked for each in who
        )


def _open_questions(connection: Connection, run_ids: Sequence[str]) -> dict[str, list[_Open]]:
    query = (
        sa.select(
            interactions.c.run_id,
            interactions.c.interaction_id,
            interactions.c.due_at,
            addressees.c.who,
        )
        .join(
            addressees,
            (addressees.c.run_id == interactions.c.run_id)
            & (addressees.c.interaction_id == interactions.c.interaction_id),
            isouter=True,
        )
        .where(interactions.c.run_id.in_(run_ids), interactions.c.answered_seq.is_(None))
    )
    found: dict[str, dict[str, _Open]] = {}
    for row in connection.execute(query):
        of_run = found.setdefault(row.run_id, {})
        question = of_run.setdefault(row.interaction_id, _Open(row.due_at, set()))
        if row.who:
            question.who.add(row.who)
    return {run_id: [*questions.values()] for run_id, questions in found.items()}


def _waiting(questions: Sequence[_Open], who: Collection[str] | None) -> dict[str, object]:
    due = [each.due_at for each in questions if each.due_at is not None]
    people = {who for each in questions for who in each.who if not who.startswith("not:")}
    return {
        "due_at": min(due, default=None),
        "waits_for": sorted(each.partition(":")[2] for each in people),
        "for_me": not questions or any(each.is_for(who) for each in questions),
    }


def payload_of(text: Payload | str) -> Payload:
    """What is large in it was checked when it was stored; to check it again holds everyone up."""
    if not isinstance(text, str):
        return text
    if len(text) < LARGE:
        return _payloads.validate_json(text)
    data: JsonObject = from_json(text)
    large = {name: data.pop(name) for name in ("result", "outputs") if name in data}
    return _payloads.validate_json(to_json(data)).model_copy(update=large)


def _within(limit_bytes: int, rows: Iterable[Any]) -> list[Any]:
    taken: list[Any] = []
    for row in rows:
        taken.append(row)
        limit_bytes -= len(row.payload)
        if limit_bytes < 0:
            break
    return taken


def recorded(run_id: str, seq: int | None, path: Path, payload: Payload) -> Event:
    """A new event as it will be stored: with every secret masked."""
    payload, text = masked(payload)
    return numbered(run_id, seq, path, payload, text=text).event


def masked(payload: Payload) -> tuple[Payload, str]:
    """The payload with every secret masked, and the same as JSON."""
    text = payload.model_dump_json()
    redacted = redact_json(text)
    if redacted == text:
        return payload, text
    payload = _payloads.validate_json(redacted)
    if isinstance(payload, NodeComplete):
        payload = payload.model_copy(update={"masked": True})
        redacted = payload.model_dump_json()
    return payload, redacted


def numbered(
    run_id: str,
    seq: int | None,
    path: Path,
    payload: Payload,
    *,
    text: str,
    size: int = 0,
    time: datetime | None = None,
) -> Line:
    time = time or datetime.now(UTC)
    event = Event.trusted(run_id=run_id, seq=seq, time=time, path=path, payload=payload)
    return Line(event, text, size)


def line_of(event: Event, kept: Kept = lambda payload: payload) -> Line:
    part = kept(event.payload)
    if part is event.payload:
        return Line(event, part.model_dump_json())
    return Line(event, part.model_dump_json(), len(event.payload.model_dump_json()))


def _insert(cursor: Any, dialect: Dialect, new: Sequence[Line], epoch: int) -> None:
    rows = [
        {
            "run_id": event.run_id,
            "seq": event.seq,
            "time": event.time.timestamp(),
            "epoch": epoch,
            "path": orjson.dumps(event.path).decode(),
            "payload": payload,
        }
        for event, payload, _ in new
    ]
    _INSERT.execute_many(cursor, dialect, rows)
    for event, *_ in new:
        match event.payload:
            case InteractionOpen(interaction=opened):
                asked = {
                    "run_id": event.run_id,
                    "interaction_id": opened.interaction_id,
                    "opened_seq": event.seq,
                    "answered_seq": None,
                    "due_at": _seconds(opened.due_at),
                    "remind_at": _seconds(opened.remind_at or opened.due_at),
                    "notify_at": event.time.timestamp() + NOTIFY_SECONDS,
                }
                _ASK.execute(cursor, dialect, asked)
                for who in dict.fromkeys(opened.addressees):
                    place = {"run_id": event.run_id, "interaction_id": opened.interaction_id}
                    _ADDRESS.execute(cursor, dialect, place | {"who": who})
            case InteractionAnswered(interaction_id=interaction_id) if epoch != 0:
                # Copied from the run that is replayed.
                answered = {
                    "run": event.run_id,
                    "question": interaction_id,
                    "answered": event.seq,
                }
                _ANSWER.execute(cursor, dialect, answered)
            case _:
                pass


def _seconds(moment: datetime | None) -> float | None:
    return None if moment is None else moment.timestamp()
