"""Following: nothing missed, nothing twice, whoever writes and however slow the reader is."""

import asyncio
import gc
from collections.abc import Sequence
from contextlib import aclosing

from hypothesis import given, settings
from hypothesis import strategies as st
from typing_extensions import override

from sanbo.kernel.secrets import protect
from sanbo.runs.journal import Head, recorded
from sanbo.runs.model import Event, LoopIteration, NodeComplete, RunComplete, Status, TextDelta
from sanbo.service.feed import (
    BYTES_A_READ,
    EVENTS_A_READ,
    MAX_BACKLOG,
    MAX_BACKLOG_BYTES,
    Feed,
    Shared,
)
from tests.examples import examples
from tests.patience import PATIENCE_SECONDS


class Store:
    """A journal in memory that another process may write to as well."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.longest = 0
        """That was read at once."""
        self.reads = 0

    def add(self, *, last: bool = False) -> Event:
        payload = RunComplete(status=Status.SUCCEEDED) if last else LoopIteration(iteration=1)
        event = recorded("run", len(self.events) + 1, (), payload)
        self.events.append(event)
        return event

    async def read(self, run_id: str, after: int, most: int) -> list[Event]:
        await asyncio.sleep(0)
        self.reads += 1
        self.longest = max(self.longest, len(page := self.events[after : after + most]))
        return page

    async def heads(self, run_ids: Sequence[str]) -> dict[str, Head]:
        await asyncio.sleep(0)
        ended = bool(self.events) and isinstance(self.events[-1].payload, RunComplete)
        status = Status.SUCCEEDED if ended else Status.RUNNING
        return {"run": Head(len(self.events), status)}


@settings(max_examples=examples(60))
@given(
    st.lists(st.sampled_from(["here", "elsewhere", "told", "poll", "pause"]), max_size=40),
    st.integers(0, 10),
)
def test_every_reader_sees_every_event_once_in_order(moves: list[str], after: int) -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        for _ in range(after):
            store.add()

        async def read(since: int) -> list[int]:
            return [event.seq or 0 async for event in feed.follow("run", since)]

        readers = [asyncio.create_task(read(since)) for since in (0, after)]
        for move in moves:
            if move == "here":
                feed.publish(store.add())
            elif move == "elsewhere":
                store.add()
            elif move == "told":
                store.add()
                feed.hear("run", len(store.events))
            elif move == "poll":
                await feed.poll()
            else:
                await asyncio.sleep(0)
        store.add(last=True)
        for _ in range(3):
            await asyncio.sleep(0)
            await feed.poll()
        seen = await asyncio.wait_for(asyncio.gather(*readers), PATIENCE_SECONDS)
        everything = list(range(1, len(store.events) + 1))
        assert seen == [everything, everything[after:]]

    asyncio.run(work())


def test_what_others_tell_is_read_once_for_all_readers_and_never_looked_for() -> None:
    async def work() -> None:
        store, announced = Store(), list[str]()
        store.add()

        async def announce(run_id: str) -> None:
            await asyncio.sleep(0)
            announced.append(run_id)

        feed = Feed(store.read, store.heads, announce)

        async def read() -> list[int]:
            return [event.seq or 0 async for event in feed.follow("run")]

        readers = [asyncio.create_task(read()) for _ in range(20)]
        await asyncio.sleep(0.1)
        store.add()
        feed.hear("run", 2)  # where they stand is not yet known: each looks once
        await asyncio.sleep(0.1)
        store.reads = 0
        for number in range(10):
            store.add(last=number == 9)
            feed.hear("run", len(store.events))
            await asyncio.sleep(0.03)
        seen = await asyncio.wait_for(asyncio.gather(*readers), PATIENCE_SECONDS)
        assert seen == [list(range(1, 13))] * 20
        assert announced == ["run"]
        assert store.reads <= 10

    asyncio.run(work())


def test_a_reader_that_falls_behind_still_gets_every_stored_event() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        stream = feed.follow("run")
        feed.publish(store.add())
        first = await anext(stream)
        for _ in range(MAX_BACKLOG * 2):
            feed.publish(store.add())
        feed.publish(store.add(last=True))
        rest = [event.seq async for event in stream]
        assert [first.seq, *rest] == list(range(1, len(store.events) + 1))

    asyncio.run(work())


def test_live_text_reaches_those_who_follow_now_and_is_not_kept() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        feed.publish(store.add())
        stream = feed.follow("run")
        assert (await anext(stream)).seq == 1
        feed.publish(recorded("run", None, (), TextDelta(text="途中")))
        live = await anext(stream)
        assert (live.seq, live.payload) == (None, TextDelta(text="途中"))
        await stream.aclose()  # type: ignore[attr-defined]
        feed.publish(store.add(last=True))
        assert [event.seq async for event in feed.follow("run")] == [1, 2]

    asyncio.run(work())


def _said(text: str) -> Event:
    return recorded("run", None, ("answer",), TextDelta(text=text))


def test_who_comes_in_the_middle_gets_first_all_that_was_said_so_far() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        feed.publish(store.add())
        for text in ("調査", "報告"):
            feed.publish(_said(text))
        stream = feed.follow("run", 1)
        first = asyncio.ensure_future(anext(stream))
        await asyncio.sleep(0)  # begins to follow
        feed.publish(_said("です。"))
        assert (await first).payload == TextDelta(text="調査報告", so_far=True)
        assert (await anext(stream)).payload == TextDelta(text="です。")
        await stream.aclose()

    asyncio.run(work())


def test_a_reader_who_was_too_slow_for_the_text_gets_it_whole() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        feed.publish(store.add())
        stream = feed.follow("run")
        assert (await anext(stream)).seq == 1
        for _ in range(MAX_BACKLOG + 5):
            feed.publish(_said("あ"))
        seen = ""
        while len(seen) < MAX_BACKLOG + 5:
            payload = (await anext(stream)).payload
            assert isinstance(payload, TextDelta)
            seen = payload.text if payload.so_far else seen + payload.text
        assert seen == "あ" * (MAX_BACKLOG + 5)
        await stream.aclose()

    asyncio.run(work())


def test_what_a_step_said_is_forgotten_when_it_has_ended() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        feed.publish(_said("途中"))
        feed.publish(recorded("run", 1, ("answer",), NodeComplete(key="k")))
        store.add()
        store.add(last=True)
        assert [event.seq async for event in feed.follow("run")] == [1, 2]

    asyncio.run(work())


def test_following_a_run_that_is_deleted_ends() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        store.add()
        gone = False

        async def heads(run_ids: Sequence[str]) -> dict[str, Head]:
            return {} if gone else await store.heads(run_ids)

        feed = Feed(store.read, heads)
        stream = feed.follow("run")
        await anext(stream)
        waiting = asyncio.ensure_future(anext(stream, None))
        await asyncio.sleep(0.01)
        await feed.poll()
        gone = True
        await feed.poll()
        assert await asyncio.wait_for(waiting, PATIENCE_SECONDS) is None

    asyncio.run(work())


def test_a_long_journal_is_read_a_part_at_a_time() -> None:
    async def work() -> None:
        store = Store()
        for number in range(2 * EVENTS_A_READ):
            store.add(last=number == 2 * EVENTS_A_READ - 1)
        feed = Feed(store.read, store.heads)
        seen = [event.seq async for event in feed.follow("run")]
        assert seen == list(range(1, 2 * EVENTS_A_READ + 1))
        assert store.longest == EVENTS_A_READ

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_a_secret_that_was_said_in_pieces_is_masked_for_who_comes_later() -> None:
    async def work() -> None:
        protect("himitsu-no-kagi-77")
        store = Store()
        feed = Feed(store.read, store.heads)
        for piece in ("鍵は himitsu-no", "-kagi-77 です"):
            feed.publish(recorded("run", None, ("say",), TextDelta(text=piece)))
        store.add()
        async with aclosing(feed.follow("run")) as following:
            said = [await anext(following) for _ in range(2)][1].payload
        assert isinstance(said, TextDelta)
        assert (said.so_far, said.text) == (True, "鍵は **** です")

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_what_readers_do_not_take_is_held_once_and_within_limits() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        feed.publish(store.add())
        stuck = [feed.batches("run") for _ in range(12)]
        for stream in stuck:
            assert [shared.event.seq for shared in await anext(stream)] == [1]
        reads = store.reads
        large = "長" * 10_000
        for _ in range(300):
            feed.publish(store.add())
            feed.publish(_said(large))
        gc.collect()
        held = [each for each in gc.get_objects() if isinstance(each, Shared)]
        assert sum(len(shared.json) for shared in held) <= MAX_BACKLOG_BYTES + len(large) * 4
        assert store.reads == reads  # who takes nothing asks for nothing
        feed.publish(store.add(last=True))
        for stream in stuck:
            rest = [shared.event.seq async for batch in stream for shared in batch]
            assert [seq for seq in rest if seq] == list(range(2, 303))

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_readers_at_the_same_place_of_a_journal_read_it_together() -> None:
    async def work() -> None:
        store = Store()
        for number in range(5 * EVENTS_A_READ):
            store.add(last=number == 5 * EVENTS_A_READ - 1)
        feed = Feed(store.read, store.heads)

        async def read() -> list[int | None]:
            return [event.seq async for event in feed.follow("run")]

        for seen in await asyncio.gather(*(read() for _ in range(20))):
            assert seen == list(range(1, 5 * EVENTS_A_READ + 1))
        assert store.reads == 5

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_silence_is_told_to_whoever_wants_to_know() -> None:
    async def work() -> None:
        store = Store()
        feed = Feed(store.read, store.heads)
        feed.publish(store.add())
        stream = feed.batches("run", 1, silence=0.01)
        assert [list(await anext(stream)), list(await anext(stream))] == [[], []]
        await stream.aclose()

    asyncio.run(asyncio.wait_for(work(), PATIENCE_SECONDS))


def test_what_was_read_in_the_journal_hides_nothing_that_came_behind_it() -> None:
    """More than one look takes was published while the first page was read, and is on it."""

    class Slow(Store):
        @override
        async def read(self, run_id: str, after: int, most: int) -> list[Event]:
            if not after:
                for _ in range(10):
                    feed.publish(self.large())
            return await super().read(run_id, after, most)

        def large(self) -> Event:
            payload = NodeComplete(key="", outputs={"text": "x" * BYTES_A_READ})
            event = recorded("run", len(self.events) + 1, ("step",), payload)
            self.events.append(event)
            return event

    async def work() -> None:
        store.add()
        async with aclosing(feed.batches("run", 0)) as batches:
            page = await anext(batches)
            feed.publish(store.large())
            behind = await asyncio.wait_for(anext(batches), PATIENCE_SECONDS)
        assert [shared.event.seq for shared in (*page, *behind)] == list(range(1, 13))

    store = Slow()
    feed = Feed(store.read, store.heads)
    asyncio.run(work())
