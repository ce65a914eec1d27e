"""The writer of one run: appends events under its lease and keeps the fold of all of them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from typing import TypeVar

from sqlalchemy.exc import SQLAlchemyError

from sanbo.llm.usage import Call, Usage
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal, JournalMoved, Lease, StoreAway, recorded
from sanbo.runs.model import Event, Path, Payload, Run, Status, TextDelta

MOST_EARLIER_TURNS = 20

Publish = Callable[[Event], None]
T = TypeVar("T")


class RunEnded(Exception):
    """Something wanted to append after the run's end, for example a cancel that came late."""


class RunWriter:
    def __init__(
        self,
        journal: Journal,
        lease: Lease,
        fold: RunFold,
        *,
        publish: Publish,
        executor: Executor,
    ) -> None:
        self.lease = lease
        self.fold = fold
        self._journal = journal
        self._publish = publish
        self._executor = executor
        self._turn = asyncio.Lock()
        self._loop = asyncio.get_running_loop()
        self._calls: list[Call] = []

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
        return [RunFold.of(self._journal.read(turn.run_id)).run for turn in reversed(found)]

    def record_call(self, call: Call) -> None:
        """Goes into the journal with the next event."""
        self._calls.append(call)

    @property
    def usage(self) -> Usage:
        """Also of calls that no event has told yet."""
        return self.fold.usage.plus(Usage.of(self._calls))

    def stream(self, path: Path, text: str) -> None:
        """Shown live to whoever follows, never stored."""
        event = recorded(self.lease.run_id, None, path, TextDelta(text=text))
        self._loop.call_soon_threadsafe(self._publish, event)  # a plain function runs in a thread

    async def append(self, path: Path, payload: Payload) -> Event:
        # Shielded: when a run is cancelled in the middle of an append, the event is either
        # written and folded or not written, and the next append waits its turn.
        return await asyncio.shield(asyncio.ensure_future(self._append(path, payload)))

    async def _append(self, path: Path, payload: Payload) -> Event:
        async with self._turn:
            if self.fold.completion is not None:
                raise RunEnded(self.lease.run_id)
            if self._calls:
                payload = payload.model_copy(update={"calls": tuple(self._calls)})
                self._calls = []
            while True:
                event = recorded(self.lease.run_id, self.fold.last_seq + 1, path, payload)
                self.fold.apply(event)
                try:
                    await self._io(self._journal.append, self.lease, event, self.fold.status)
                except JournalMoved:
                    await self.catch_up()
                else:
                    self._publish(event)
                    return event

    async def catch_up(self) -> None:
        """Reads what others have appended: people's answers."""
        self.fold = RunFold.of(await self._io(self._journal.read, self.lease.run_id))

    async def check_lease(self) -> None:
        """Raises `LeaseLost` unless this process may still write for the run."""
        await self._io(self._journal.check, self.lease)

    async def _io(self, work: Callable[..., T], *args: object) -> T:
        try:
            return await self._loop.run_in_executor(self._executor, work, *args)
        except SQLAlchemyError as error:
            raise StoreAway(str(error)) from error
