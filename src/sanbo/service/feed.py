"""Following runs live: every reader sees every stored event once and in order, from any point."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable

from sanbo.runs.journal import Head
from sanbo.runs.model import Event, RunComplete
from sanbo.service.said import Said

MAX_BACKLOG = 1000
EVENTS_A_READ = 1000
"""A slow reader of a long journal holds no more than this of it."""

ReadEvents = Callable[[str, int, int], Awaitable[list[Event]]]
"""Of a run, after a number, at most so many."""
ReadHeads = Callable[[list[str]], Awaitable[dict[str, Head]]]


class _Reader:
    """One reader's mailbox; when it overflows, stored events are read from the journal again."""

    def __init__(self, run_id: str, said: Said) -> None:
        self.mailbox: asyncio.Queue[Event | None] = asyncio.Queue(MAX_BACKLOG)
        self._run_id = run_id
        self._said = said
        self.missed: list[Event] = said.so_far(run_id)
        """What steps had said before the first text that is in the mailbox."""

    def deliver(self, event: Event | None) -> None:
        """None: look into the journal."""
        try:
            self.mailbox.put_nowait(event)
        except asyncio.QueueFull:
            while not self.mailbox.empty():
                self.mailbox.get_nowait()
            self.mailbox.put_nowait(None)
            self.missed = self._said.so_far(self._run_id)

    def take_missed(self) -> list[Event]:
        """Only of steps that are still at work: what the others said is over."""
        missed, self.missed = self.missed, []
        return [event for event in missed if self._said.is_speaking(self._run_id, event.path)]


class Feed:
    """Hands on what this process writes, and looks for what other processes write."""

    def __init__(self, read_events: ReadEvents, read_heads: ReadHeads) -> None:
        self._read_events = read_events
        self._read_heads = read_heads
        self._readers: defaultdict[str, set[_Reader]] = defaultdict(set)
        self._heads: dict[str, int] = {}
        self._said = Said()

    def publish(self, event: Event) -> None:
        self._said.hear(event)
        if event.seq is not None and event.run_id in self._readers:
            self._heads[event.run_id] = event.seq
        for reader in self._readers.get(event.run_id, ()):
            reader.deliver(event)

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[Event]:
        """Events after `after`, then what comes, until the run has completed or is deleted."""
        reader = _Reader(run_id, self._said)
        self._readers[run_id].add(reader)  # before the first look, so that nothing falls between
        last = after
        try:
            reader.deliver(None)
            while True:
                event = await reader.mailbox.get()
                if event is not None and event.seq is None:
                    yield event
                    continue
                if event is not None and (event.seq or 0) <= last:
                    continue
                due = (
                    [event]
                    if event is not None and event.seq == last + 1
                    else await self._read_events(run_id, last, EVENTS_A_READ)
                )
                for stored in due:
                    last = stored.seq or last
                    yield stored
                if len(due) == EVENTS_A_READ:
                    reader.deliver(None)  # there may be more
                    continue
                for text in reader.take_missed():
                    yield text
                if due and not isinstance(due[-1].payload, RunComplete):
                    continue
                # A completed run may have been taken up again since: its journal tells.
                head = (await self._read_heads([run_id])).get(run_id)
                if head is None or (head.status.is_final and head.last_seq <= last):
                    return
        finally:
            self._readers[run_id].discard(reader)
            if not self._readers[run_id]:
                del self._readers[run_id]
                self._heads.pop(run_id, None)

    async def poll(self) -> None:
        """Wakes readers of runs that another process has advanced or deleted."""
        followed = list(self._readers)
        if not followed:
            return
        heads = await self._read_heads(followed)
        for run_id in followed:
            last_seq = heads[run_id].last_seq if run_id in heads else -1
            if last_seq != self._heads.get(run_id):
                self._heads[run_id] = last_seq
                for reader in self._readers.get(run_id, ()):
                    reader.deliver(None)
