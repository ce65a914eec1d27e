"""Following runs live: every reader sees every stored event once, and what steps say meanwhile."""

import asyncio
from collections import Counter, OrderedDict, deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Hashable, Sequence
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from functools import cached_property, partial

from sanbo.kernel.problems import StorageFailure
from sanbo.kernel.secrets import redact
from sanbo.runs.journal import Head
from sanbo.runs.model import (
    Event,
    NodeComplete,
    NodeError,
    NodeSkipped,
    NodeStart,
    Path,
    RunComplete,
    RunStart,
    TextDelta,
)
from sanbo.storage.postgresql import FOLLOWED_SECONDS, GONE

MOST_RUNS = 512
MOST_CHARACTERS = 400_000
MOST_PIECES = 1000
"""Then they are joined, and cut to their end where they are too long."""


class Said:
    """Of this process's runs, for as long as their steps are at work."""

    def __init__(self) -> None:
        self._runs: OrderedDict[str, dict[Path, list[str]]] = OrderedDict()

    def hear(self, event: Event) -> None:
        match event.payload:
            case TextDelta(text=text):
                self._add(event.run_id, event.path, text)
            case NodeStart() | NodeComplete() | NodeError() | NodeSkipped():
                self._runs.get(event.run_id, {}).pop(event.path, None)
            case RunStart() | RunComplete():
                self._runs.pop(event.run_id, None)
            case _:
                pass

    def so_far(self, run_id: str) -> list[Event]:
        """One event a step that is at work and has said something."""
        now = datetime.now(UTC)
        return [
            Event(
                run_id=run_id,
                seq=None,
                time=now,
                path=path,
                payload=TextDelta(text=redact("".join(pieces)), so_far=True),
            )
            for path, pieces in self._runs.get(run_id, {}).items()
        ]

    def is_speaking(self, run_id: str, path: Path) -> bool:
        return path in self._runs.get(run_id, {})

    def _add(self, run_id: str, path: Path, text: str) -> None:
        steps = self._runs.setdefault(run_id, {})
        self._runs.move_to_end(run_id)
        while len(self._runs) > MOST_RUNS:  # taken over by another process, perhaps
            self._runs.popitem(last=False)
        pieces = steps.setdefault(path, [])
        pieces.append(text)
        if len(pieces) > MOST_PIECES:
            pieces[:] = ["".join(pieces)[-MOST_CHARACTERS:]]


MAX_BACKLOG = 1000
MAX_BACKLOG_BYTES = 4 << 20
"""Of what is new in a run; the last event alone may be larger."""
EVENTS_A_READ = 200
BYTES_A_READ = 1 << 16
"""A reader that takes nothing holds no more of a run than this, or one event."""
PAGES_KEPT = 8
PAUSE_A_READER, LONGEST_PAUSE = 0.001, 0.25
"""The more read along, the longer they wait together: their turns never crowd out the run's."""

ReadEvents = Callable[[str, int, int], Awaitable[list[Event]]]
"""Of a run, after a number, at most so many; none only where there are no more."""
ReadHeads = Callable[[list[str]], Awaitable[dict[str, Head]]]
Announce = Callable[[str], Awaitable[None]]
"""That a run is followed here: other processes then tell what they append to it."""
ANNOUNCED_SECONDS = FOLLOWED_SECONDS / 2


class Shared:
    """An event for many readers: written out once in every form, whoever reads it."""

    def __init__(self, event: Event) -> None:
        self.event = event
        self._forms: dict[Hashable, bytes] = {}

    @cached_property
    def json(self) -> bytes:
        return self.event.json_text().encode()

    def in_form(self, form: Hashable, write: "Callable[[Shared], bytes]") -> bytes:
        if form not in self._forms:
            self._forms[form] = write(self)
        return self._forms[form]


class _Channel:
    """What is new in a run, for as long as somebody reads along."""

    def __init__(
        self,
        read: Callable[[int], Awaitable[list[Event]]],
        read_head: Callable[[], Awaitable[Head | None]],
    ) -> None:
        self.readers: set[_Reader] = set()
        self.end = 0
        """How much was ever added; readers count from the same beginning."""
        self._read = read
        self._read_head = read_head
        self._asking = asyncio.Lock()
        self._next_head: asyncio.Future[Head | None] | None = None
        self._recent: deque[Shared | None] = deque()
        self._bytes = 0
        self._news = asyncio.Event()
        self._telling: asyncio.TimerHandle | None = None
        self._pages: OrderedDict[int, asyncio.Future[list[Shared]]] = OrderedDict()
        self.announced: asyncio.Future[None] | None = None
        """Whether others have been asked to tell what they write."""
        self.announced_at = 0.0
        self.fetching: asyncio.Task[None] | None = None

    def add(self, event: Shared | None) -> None:
        """None: look into the journal."""
        self._recent.append(event)
        self._bytes += len(event.json) if event else 0
        self.end += 1
        while len(self._recent) > 1 and (
            len(self._recent) > MAX_BACKLOG or self._bytes > MAX_BACKLOG_BYTES
        ):
            oldest = self._recent.popleft()
            self._bytes -= len(oldest.json) if oldest else 0
        if self._telling is None:
            pause = min(LONGEST_PAUSE, PAUSE_A_READER * len(self.readers))
            self._telling = asyncio.get_running_loop().call_later(pause, self._tell)

    def _tell(self) -> None:
        self._telling = None
        self._news.set()
        self._news = asyncio.Event()

    async def news(self, seconds: float | None) -> bool:
        """True when there is something new, False when nothing was for so long."""
        try:
            async with asyncio.timeout(seconds):
                return await self._news.wait()
        except TimeoutError:
            return False

    def since(self, place: int) -> list[Shared | None] | None:
        """The next few after a place; None where some of it is no longer here."""
        begin = place - (self.end - len(self._recent))
        if begin < 0:
            return None
        taken: list[Shared | None] = []
        size = 0
        while begin < len(self._recent) and size < BYTES_A_READ and len(taken) < EVENTS_A_READ:
            taken.append(event := self._recent[begin])
            size += len(event.json) if event else 0
            begin += 1
        return taken

    async def head(self) -> Head | None:
        """How far the run has come by now; whoever asks while others wait for their turn asks
        together with them."""
        if self._next_head is None:
            self._next_head = asyncio.ensure_future(self._ask())
        return await asyncio.shield(self._next_head)

    async def _ask(self) -> Head | None:
        async with self._asking:
            self._next_head = None  # who comes from now on may know of something later
            return await self._read_head()

    async def page(self, after: int) -> list[Shared]:
        """Of the journal; readers who stand at the same place read it together."""
        if (reading := self._pages.get(after)) is not None:
            if page := await asyncio.shield(reading):
                return page
            # It may have been read before we asked. One that was begun since will do.
            reading = self._pages.get(after)
        if reading is None:
            reading = self._pages[after] = asyncio.ensure_future(self._read_page(after))
            while len(self._pages) > PAGES_KEPT:
                self._pages.popitem(last=False)
        return await asyncio.shield(reading)

    async def _read_page(self, after: int) -> list[Shared]:
        page: list[Shared] = []
        try:
            page = [Shared(event) for event in await self._read(after)]
        finally:
            if not page:
                self._pages.pop(after, None)
        return page


class _Reader:
    """One reader's place in a run."""

    def __init__(self, run_id: str, after: int, channel: _Channel, said: Said) -> None:
        self.last = after
        self._run_id = run_id
        self._channel = channel
        self._said = said
        self.catch_up()

    def catch_up(self) -> None:
        """From here on, what is new; what was before is in the journal, or was said so far."""
        self._place = self._channel.end
        self._missed = self._said.so_far(self._run_id)
        self.must_look = True

    def take(self) -> list[Shared]:
        """What has come since; afterwards it may be that the journal must be looked into."""
        due: list[Shared] = []
        # However much of it was read in the journal before: what stands behind it has come, too.
        while not due and not self.must_look and self._place < self._channel.end:
            news = self._channel.since(self._place)
            if news is None:
                self.catch_up()
                return []
            due = self._due(news)
        return due

    def _due(self, news: Sequence[Shared | None]) -> list[Shared]:
        due: list[Shared] = []
        for shared in news:
            self._place += 1
            seq = shared.event.seq if shared else None
            if shared is None or (seq is not None and seq > self.last + 1):
                self.must_look = True  # another process has written
                break
            if seq is None or seq > self.last:
                due.append(shared)
                self.last = seq or self.last
            if isinstance(shared.event.payload, RunComplete):
                self.must_look = True  # whether that was all
                break
        return due

    async def page(self) -> list[Shared]:
        """The next stored events."""
        page = await self._channel.page(self.last)
        if page:
            self.last = page[-1].event.seq or self.last
        return page

    def take_missed(self) -> list[Shared]:
        """Only of steps that are still at work: what the others said is over."""
        missed, self._missed = self._missed, []
        return [
            Shared(event) for event in missed if self._said.is_speaking(self._run_id, event.path)
        ]


class Feed:
    """Hands on what this process writes, and what other processes write: as they tell it, or
    where nobody tells, as it is looked for."""

    def __init__(
        self, read_events: ReadEvents, read_heads: ReadHeads, announce: Announce | None = None
    ) -> None:
        self._read_events = read_events
        self._read_heads = read_heads
        self._announce = announce
        self._channels: dict[str, _Channel] = {}
        self._heads: dict[str, int] = {}
        """How far runs that are followed have come, as far as their readers know or are told."""
        self._told: dict[str, int] = {}
        """How far they have come in other processes."""
        self._said = Said()

    def newest(self, run_id: str) -> int:
        """The last event of a run that is followed, as far as is known here."""
        return max(self._heads.get(run_id, 0), self._told.get(run_id, 0))

    def readers(self) -> int:
        return sum(len(channel.readers) for channel in self._channels.values())

    def publish(self, event: Event) -> None:
        self._said.hear(event)
        if channel := self._channels.get(event.run_id):
            if event.seq is not None:
                self._heads[event.run_id] = event.seq
            channel.add(Shared(event))

    async def follow(self, run_id: str, after: int = 0) -> AsyncGenerator[Event]:
        """Events after `after`, then what comes, until the run has completed or is deleted."""
        async with aclosing(self.batches(run_id, after)) as batches:
            async for batch in batches:
                for shared in batch:
                    yield shared.event

    async def batches(
        self, run_id: str, after: int = 0, silence: float | None = None
    ) -> AsyncGenerator[Sequence[Shared]]:
        """The same, a few at a time; an empty batch where nothing has come for so long."""
        channel = self._channels.get(run_id)
        if channel is None:

            def read(last: int) -> Awaitable[list[Event]]:
                return self._read_events(run_id, last, EVENTS_A_READ)

            channel = self._channels[run_id] = _Channel(read, partial(self._head, run_id))
        reader = _Reader(run_id, after, channel, self._said)
        channel.readers.add(reader)  # before the first look, so that nothing falls between
        try:
            await self._announced(run_id, channel)  # likewise
            while True:
                if reader.must_look:
                    reader.must_look = False
                    head = await channel.head()
                    while head is not None and reader.last < head.last_seq:
                        if not (page := await reader.page()):
                            break  # it is being deleted
                        yield page
                        if reader.last >= head.last_seq and head.status.is_final:
                            # It may have been taken up again since: its journal tells.
                            head = await channel.head()
                    if head is None or head.status.is_final:
                        return
                    if missed := reader.take_missed():
                        yield missed
                elif batch := reader.take():
                    yield batch
                elif not reader.must_look and not await channel.news(silence):
                    yield ()
        finally:
            channel.readers.discard(reader)
            if not channel.readers and self._channels.get(run_id) is channel:
                del self._channels[run_id]
                self._heads.pop(run_id, None)
                self._told.pop(run_id, None)

    async def _head(self, run_id: str) -> Head | None:
        return (await self._read_heads([run_id])).get(run_id)

    async def _announced(self, run_id: str, channel: _Channel) -> None:
        """All readers wait for it: what is written before can be read, what comes later is told."""
        if self._announce is None:
            return
        if channel.announced is None:
            channel.announced_at = asyncio.get_running_loop().time()
            channel.announced = asyncio.ensure_future(self._announce(run_id))
        try:
            await asyncio.shield(channel.announced)
        except BaseException:
            channel.announced = None  # whoever comes next tries again
            raise

    def hear(self, run_id: str, last_seq: int) -> None:
        """Another process has appended, or deleted the run."""
        channel = self._channels.get(run_id)
        if channel is None:
            return
        if last_seq == GONE or run_id not in self._heads:
            self._heads[run_id] = last_seq
            channel.add(None)
        elif last_seq > self._heads[run_id]:
            self._told[run_id] = max(last_seq, self._told.get(run_id, 0))
            if channel.fetching is None:  # else it goes on
                channel.fetching = asyncio.create_task(self._fetch(run_id, channel))

    async def _fetch(self, run_id: str, channel: _Channel) -> None:
        """Once for all readers, and what was told meanwhile at once."""
        try:
            while 0 < self._heads.get(run_id, 0) < self._told.get(run_id, 0):
                page = await self._read_events(run_id, self._heads[run_id], EVENTS_A_READ)
                if not page or self._channels.get(run_id) is not channel:
                    return
                for event in page:
                    if event.seq == self._heads.get(run_id, 0) + 1:
                        self.publish(event)
        except StorageFailure:
            channel.add(None)  # readers look for themselves, and say so
        finally:
            channel.fetching = None

    async def poll(self) -> None:
        """Wakes readers of runs that another process has advanced or deleted."""
        followed = list(self._channels)
        if not followed:
            return
        await self._announce_again()
        heads = await self._read_heads(followed)
        for run_id in followed:
            last_seq = heads[run_id].last_seq if run_id in heads else -1
            if last_seq != self._heads.get(run_id) and (channel := self._channels.get(run_id)):
                self._heads[run_id] = last_seq
                channel.add(None)

    async def _announce_again(self) -> None:
        now = asyncio.get_running_loop().time()
        for run_id, channel in list(self._channels.items()):
            if channel.announced is not None and now - channel.announced_at > ANNOUNCED_SECONDS:
                channel.announced = None
                await self._announced(run_id, channel)


CALLERS_AT_THEIR_LIMIT = 5
"""So many may have all the streams that one caller may have; beyond, nobody gets another."""


class Streams:
    """By caller, of one process."""

    def __init__(self, most_of_one: int) -> None:
        self.most_of_one = most_of_one
        self._open: Counter[str] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    @contextmanager
    def one_more(self, owner: str) -> Generator[bool]:
        """False where there are as many as there may be."""
        most = self.most_of_one
        if len(self) >= CALLERS_AT_THEIR_LIMIT * most or self._open[owner] >= most:
            yield False
            return
        self._open[owner] += 1
        try:
            yield True
        finally:
            self._open[owner] -= 1
            if not self._open[owner]:
                del self._open[owner]
