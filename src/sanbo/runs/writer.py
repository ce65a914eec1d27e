"""The writer of one run: appends events under its lease and keeps the fold of all of them."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor

from sanbo.llm.usage import Call
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal, JournalMoved, Lease, recorded
from sanbo.runs.model import Event, Path, Payload, TextDelta

Publish = Callable[[Event], None]


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
        self._calls: list[Call] = []

    def record_call(self, call: Call) -> None:
        """Goes into the journal with the next event."""
        self._calls.append(call)

    def stream(self, path: Path, text: str) -> None:
        """Shown live to whoever follows, never stored."""
        self._publish(recorded(self.lease.run_id, None, path, TextDelta(text=text)))

    async def append(self, path: Path, payload: Payload) -> Event:
        # Shielded: when a run is cancelled in the middle of an append, the event is either
        # written and folded or not written, and the next append waits its turn.
        return await asyncio.shield(asyncio.ensure_future(self._append(path, payload)))

    async def _append(self, path: Path, payload: Payload) -> Event:
        async with self._turn:
            if self._calls:
                payload = payload.model_copy(update={"calls": tuple(self._calls)})
                self._calls = []
            loop = asyncio.get_running_loop()
            while True:
                event = recorded(self.lease.run_id, self.fold.last_seq + 1, path, payload)
                self.fold.apply(event)
                try:
                    await loop.run_in_executor(
                        self._executor, self._journal.append, self.lease, event, self.fold.status
                    )
                except JournalMoved:
                    await self.catch_up()
                else:
                    self._publish(event)
                    return event

    async def catch_up(self) -> None:
        """Reads what others have appended: people's answers."""
        loop = asyncio.get_running_loop()
        history = await loop.run_in_executor(self._executor, self._journal.read, self.lease.run_id)
        self.fold = RunFold.of(history)
