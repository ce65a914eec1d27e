"""The writer of one run: appends events under its lease, keeps the fold of all of them, and counts.

What is appended while a transaction is under way goes, in order, into the next one; so a run
whose steps end faster than the database commits pays for few transactions.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any, TypeVar

from sqlalchemy.exc import SQLAlchemyError

from sanbo.kernel.metrics import Counter, Histogram
from sanbo.llm.engine import Call, Usage
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import (
    Journal,
    JournalMoved,
    Kept,
    Lease,
    Line,
    masked,
    numbered,
    recorded,
)
from sanbo.runs.kept_folds import KeptFolds
from sanbo.runs.model import Event, Path, Payload, Run, RunComplete, Status, TextDelta

QUICK = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5)
LONG = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)

STARTED = Counter("sanbo_runs_started_total", "Runs that began here.", "workflow")
ENDED = Counter("sanbo_runs_ended_total", "Runs that ended here.", "workflow", "status")
SEGMENTS = Counter(
    "sanbo_segments_total", "Stretches in which a run advanced here, by their end.", "outcome"
)
PLACEMENT = Histogram(
    "sanbo_placement_seconds",
    "From giving a run to the cluster until a worker has it.",
    QUICK,
)
LEASES_LOST = Counter(
    "sanbo_leases_lost_total", "Runs that another process took over while they advanced here."
)
TAKEN_UP = Counter("sanbo_runs_taken_up_total", "Runs that nobody alive advanced, taken up here.")
EVENTS = Counter("sanbo_journal_events_total", "Events that were stored by those who advance runs.")
APPEND = Histogram("sanbo_journal_append_seconds", "How long it takes to store events.", QUICK)
CALLS = Counter("sanbo_model_calls_total", "Requests to models.", "provider", "model", "outcome")
TOKENS = Counter(
    "sanbo_model_tokens_total", "Tokens read and written.", "provider", "model", "kind"
)
COST = Counter("sanbo_model_cost_usd_total", "What is known of the cost.", "provider", "model")
CALL_SECONDS = Histogram("sanbo_model_call_seconds", "How long models take.", LONG)


def count_call(call: Call) -> None:
    CALLS.add(call.provider, call.model, call.outcome)
    TOKENS.add(call.provider, call.model, "input", by=call.input_tokens)
    TOKENS.add(call.provider, call.model, "output", by=call.output_tokens)
    if call.cost_usd is not None:
        COST.add(call.provider, call.model, by=call.cost_usd)
    CALL_SECONDS.observe(call.duration_ms / 1000)


MOST_EARLIER_TURNS = 20
MOST_TOGETHER = 500
"""Events in one transaction: others want to write too."""
SOON_SECONDS = 0.01

Publish = Callable[[Event], None]
T = TypeVar("T")


class RunEnded(Exception):
    """Something wanted to append after the run's end, for example a cancel that came late."""


@dataclass(slots=True)
class _Entry:
    path: Path
    payload: Payload
    text: str
    time: datetime
    size: int
    """Of the whole payload, where `text` is only what of it may be written."""
    written: "asyncio.Future[Event] | None"
    """Of one that somebody waits for."""
    is_stored: bool = False

    def settle(self, event: Event) -> None:
        self.is_stored = True
        if self.written is not None and not self.written.done():
            self.written.set_result(event)

    def fail(self, error: BaseException) -> None:
        if self.written is not None and not self.written.done():
            self.written.set_exception(error)


class RunWriter:
    def __init__(
        self,
        journal: Journal,
        lease: Lease,
        fold: RunFold,
        *,
        publish: Publish,
        executor: Executor,
        folds: KeptFolds | None = None,
    ) -> None:
        """`folds`: where one for viewing is kept of a long run."""
        self.lease = lease
        self._folds = folds or KeptFolds(journal)
        self.fold = fold
        self.hears: Callable[[Event], None] | None = None
        """Is told of every event that others have appended: people's answers."""
        self.kept: Kept = lambda payload: payload
        """What of an event may be written to disk."""
        self.copies: Callable[[Sequence[Event]], None] | None = None
        """Gets all events in order once they are stored, in the journal's thread."""
        self._journal = journal
        self._publish = publish
        self._executor = executor
        self._loop = asyncio.get_running_loop()
        self._calls: list[Call] = []
        self._queue: deque[_Entry] = deque()
        self._last: _Entry | None = None
        self._stored_seq = fold.last_seq
        self._must_look = False
        self._is_busy = False
        self._recovering: asyncio.Task[None] | None = None
        self._settled: asyncio.Future[None] | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._failure: BaseException | None = None

    async def earlier_turns(self) -> list[Run]:
        """The successful runs of this conversation before this one, oldest first."""
        return await self._loop.run_in_executor(self._executor, self._read_earlier)

    def _read_earlier(self) -> list[Run]:
        run = self.fold.run
        found = self._journal.list(
            owner=run.owner,
            workflow=run.workflow,
            status=Status.SUCCEEDED,
            conversation_id=run.conversation_id,
            before=run.run_id,
            limit=MOST_EARLIER_TURNS,
        )
        return [self._folds.whole(turn.run_id, for_viewing=False).run for turn in reversed(found)]

    def history(self, last: int | None) -> Iterator[Event]:
        """The events that are stored, all or up to `last`; not for the loop's thread."""
        return self._journal.scan(self.lease.run_id, last)

    def record_call(self, call: Call) -> None:
        """Goes into the journal with the next event."""
        count_call(call)
        self._calls.append(call)

    @property
    def usage(self) -> Usage:
        """Also of calls that no event has told yet."""
        return self.fold.usage.plus(Usage.of(self._calls))

    def stream(self, path: Path, text: str) -> None:
        """Shown live to whoever follows, never stored."""
        event = recorded(self.lease.run_id, None, path, TextDelta(text=text))
        self._loop.call_soon_threadsafe(self._publish, event)  # a plain function runs in a thread

    # ---- appending ----

    async def append(self, path: Path, payload: Payload) -> Event:
        """Returns when the event is stored.

        When a run is cancelled in the middle of an append, the event is still either written and
        folded or not written: whoever waits may go, the entry stays in the queue.
        """
        return await self._append(path, payload, None)

    async def append_large(self, path: Path, payload: Payload) -> Event:
        """As `append`; what is to be masked in it is looked for off the loop."""
        payload, text = await asyncio.to_thread(masked, payload)
        return await self._append(path, payload, text)

    async def _append(self, path: Path, payload: Payload, text: str | None) -> Event:
        written: asyncio.Future[Event] = self._loop.create_future()
        self._put(path, payload, written, text)
        self._start()
        return await written

    def append_soon(self, path: Path, payload: Payload) -> Payload:
        """Stored with the next event that somebody waits for, or a moment later; in order.

        Returns it as it will be written, with every secret masked.
        """
        written = self._put(path, payload, None)
        if not self._is_busy and self._soon is None:
            self._soon = self._loop.call_later(SOON_SECONDS, self._start)
        return written

    def append_behind(self, path: Path, payload: Payload) -> Payload:
        """Stored at once, but nobody waits for it: who must not go on before calls `catch_up`."""
        written = self._put(path, payload, None)
        self._start()
        return written

    async def catch_up(self) -> None:
        """Returns when what was appended until now is stored."""
        last = self._last
        if self._failure is not None:
            raise self._failure
        if last is not None and not last.is_stored:
            if last.written is None or last.written.cancelled():
                last.written = self._loop.create_future()
            self._start()
            await asyncio.shield(last.written)

    async def settle(self) -> None:
        """Returns when all that was appended is stored."""
        while (self._queue or self._is_busy) and self._failure is None:
            self._settled = self._settled or self._loop.create_future()
            self._start()
            await asyncio.shield(self._settled)
        if self._failure is not None:
            raise self._failure

    def _put(
        self,
        path: Path,
        payload: Payload,
        written: "asyncio.Future[Event] | None",
        text: str | None = None,
    ) -> Payload:
        """`text`: the payload as JSON, where it was masked before."""
        if self._failure is not None:
            raise self._failure
        if self.fold.completion is not None:
            raise RunEnded(self.lease.run_id)
        if self._calls:
            payload = payload.model_copy(update={"calls": tuple(self._calls)})
            self._calls = []
            text = None
        if text is None:
            payload, text = masked(payload)
        size, part = 0, self.kept(payload)
        if part is not payload:
            size, (_, text) = len(text), masked(part)
        self._last = _Entry(path, payload, text, datetime.now(UTC), size, written)
        self._queue.append(self._last)
        return payload

    # Callbacks, not a task: what every event passes costs as few turns of the loop as can be.

    def _start(self) -> None:
        if self._soon is not None:
            self._soon.cancel()
            self._soon = None
        if not self._is_busy and self._failure is None:
            self._is_busy = True
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        """Writes what is there; what comes meanwhile is written next."""
        try:
            if self._must_look:
                self._must_look = False
                self._recovering = self._loop.create_task(self._recover(self._read_on(), []))
                return
            batch = self._next_batch()
            if not batch:
                self._rest()
                return
            lines = self._number(batch)
            status = self.fold.status
            # Counted where it stops for a person: at every event it would cost too much.
            warned = len(list(self.fold.warnings())) if status is Status.WAITING else 0
            storing = self._executor.submit(self._store, lines, status, warned)
        except BaseException as error:  # noqa: BLE001 - it belongs to whoever appended
            self._fail(error, [])
            return
        storing.add_done_callback(
            lambda done: self._loop.call_soon_threadsafe(self._stored, batch, lines, done)
        )

    def _next_batch(self) -> list[_Entry]:
        while self._queue:
            count = min(MOST_TOGETHER, len(self._queue))
            batch = self._before_the_end([self._queue.popleft() for _ in range(count)])
            if batch:
                return batch
        return []

    def _stored(self, batch: list[_Entry], lines: list[Line], done: Future[None]) -> None:
        error = done.exception()
        if isinstance(error, JournalMoved):
            self._recovering = self._loop.create_task(self._recover(self._fold_again(), batch))
            return
        if error is not None:
            self._fail(self._as_away(error), batch)
            return
        self._stored_seq = self.fold.last_seq
        for entry, line in zip(batch, lines, strict=True):
            self._publish(line.event)
            entry.settle(line.event)
        if self._folds.is_due(self.fold):
            self._executor.submit(self._folds.packing(self.fold))
        if self._queue or self._must_look:
            self._loop.call_soon(self._go_on)
        else:
            self._rest()

    async def _recover(self, reading: Coroutine[Any, Any, None], batch: list[_Entry]) -> None:
        """Reads what others have appended, then writes `batch` and the rest."""
        try:
            await reading
        except BaseException as error:
            self._fail(error, batch)
            if isinstance(error, asyncio.CancelledError):
                raise
            return
        self._queue.extendleft(reversed(batch))
        self._go_on()

    def _rest(self) -> None:
        self._is_busy = False
        if self._settled is not None:
            self._settled.set_result(None)
            self._settled = None

    def _fail(self, error: BaseException, batch: Sequence[_Entry]) -> None:
        self._failure = error
        for entry in (*batch, *self._queue):
            entry.fail(error)
        self._queue.clear()
        self._rest()

    def _before_the_end(self, batch: list[_Entry]) -> list[_Entry]:
        has_ended = self.fold.completion is not None
        standing: list[_Entry] = []
        for entry in batch:
            if has_ended:
                entry.fail(RunEnded(self.lease.run_id))
            else:
                standing.append(entry)
                has_ended = isinstance(entry.payload, RunComplete)
        return standing

    def _number(self, batch: Sequence[_Entry]) -> list[Line]:
        lines: list[Line] = []
        for entry in batch:
            seq = self.fold.last_seq + 1
            line = numbered(
                self.lease.run_id,
                seq,
                entry.path,
                entry.payload,
                text=entry.text,
                size=entry.size,
                time=entry.time,
            )
            self.fold.apply(line.event)
            self.fold.is_as_stored &= not line.size
            lines.append(line)
        return lines

    def _store(self, lines: Sequence[Line], status: Status, warned: int) -> None:
        began = perf_counter()
        self._journal.append(self.lease, lines, status, warned)
        APPEND.observe(perf_counter() - began)
        EVENTS.add(by=len(lines))
        if self.copies is not None:
            self.copies([line.event for line in lines])

    # ---- what others append ----

    def look(self) -> None:
        """Somebody else has appended, or may have: it is read before the next event is written."""
        self._must_look = True
        self._start()

    @property
    def stored_seq(self) -> int:
        """How far the journal had come when this writer last saw it."""
        return self._stored_seq

    async def _read_on(self) -> None:
        for event in await self._io(self._read_after, self._stored_seq):
            self.fold.apply(event)
            self._hear(event)
        self._stored_seq = self.fold.last_seq

    async def _fold_again(self) -> None:
        """The fold has already taken events that were not written: it is made anew."""
        self.fold, new = await self._io(self._read_all)
        self._stored_seq = self.fold.last_seq
        for event in new:
            self._hear(event)

    def _read_after(self, seq: int) -> list[Event]:
        new = self._journal.read(self.lease.run_id, seq)
        if new and self.copies is not None:
            self.copies(new)
        return new

    def _read_all(self) -> tuple[RunFold, list[Event]]:
        """With the events that are new to this writer."""
        run_id = self.lease.run_id
        fold = self._folds.begin(run_id, for_viewing=False, last=self._stored_seq)
        fold.is_as_stored = self.fold.is_as_stored
        new: list[Event] = []
        for event in self._journal.scan(run_id, after=fold.last_seq):
            fold.apply(event)
            if (event.seq or 0) > self._stored_seq:
                new.append(event)
        if new and self.copies is not None:
            self.copies(new)
        return fold, new

    def _hear(self, event: Event) -> None:
        if self.hears is not None:
            self.hears(event)

    async def check_lease(self) -> None:
        """Raises `LeaseLost` unless this process may still write for the run."""
        await self._io(self._journal.check, self.lease)

    async def _io(self, work: Callable[..., T], *args: object) -> T:
        try:
            return await self._loop.run_in_executor(self._executor, work, *args)
        except SQLAlchemyError as error:
            raise self._as_away(error) from error

    def _as_away(self, error: BaseException) -> BaseException:
        """Whatever else the database may have: the run is taken up again when it is over."""
        if not isinstance(error, SQLAlchemyError):
            return error
        away = self._journal.database.failure(error)
        away.__cause__ = error
        return away
