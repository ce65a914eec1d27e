"""The writer: events go together into few transactions, in order, and none is lost or doubled."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.exc import OperationalError
from typing_extensions import override

from sanbo.kernel.problems import StorageUnavailable
from sanbo.kernel.secrets import MASK, protect
from sanbo.runs.fold import RunFold
from sanbo.runs.journal import Journal, Lease, LeaseLost, Line
from sanbo.runs.leases import Leases
from sanbo.runs.model import (
    Event,
    InteractionAnswered,
    NodeComplete,
    NodeStart,
    RunComplete,
    Status,
)
from sanbo.runs.writer import SOON_SECONDS, RunEnded, RunWriter
from sanbo.settings import load_settings
from sanbo.storage.database import open_database
from tests.patience import PATIENCE_SECONDS
from tests.unit.runs.test_fold import asks, journal, starts

ANSWERED = InteractionAnswered(interaction_id="a", answer={"approved": True}, by="local")


class Counting(Journal):
    """Knows how many events each transaction held."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.batches: list[int] = []
        self.fails = False

    @override
    def append(self, lease: Lease, lines: Sequence[Line], status: Status, warned: int = 0) -> None:
        if self.fails:
            raise OperationalError("INSERT", {}, Exception("connection lost"))
        super().append(lease, lines, status, warned)
        self.batches.append(len(lines))


class Opened:
    def __init__(self, writer: RunWriter, store: Counting, leases: Leases) -> None:
        self.writer = writer
        self.store = store
        self.leases = leases
        self.published: list[Event] = []

    @property
    def stored(self) -> list[Event]:
        return self.store.read("run_1")


def on_writer(tmp_path: Path, work: Callable[[Opened], Awaitable[None]]) -> None:
    async def opened() -> None:
        database = open_database(load_settings(tmp_path, {}))
        leases = Leases(database, tmp_path / "processes", 60)
        store = Counting(database)
        lease = leases.for_new_run("run_1")
        opening = journal(starts("a"), asks("a"))
        store.create(lease, leases.until, opening, Status.WAITING)
        with ThreadPoolExecutor(2) as executor:
            published: list[Event] = []
            writer = RunWriter(
                store, lease, RunFold.of(opening), publish=published.append, executor=executor
            )
            there = Opened(writer, store, leases)
            there.published = published
            await asyncio.wait_for(work(there), PATIENCE_SECONDS)
        leases.close()
        database.close()

    asyncio.run(opened())


def test_what_is_appended_meanwhile_goes_together_and_in_order(tmp_path: Path) -> None:
    async def work(there: Opened) -> None:
        writer = there.writer
        names = [f"s{number}" for number in range(50)]

        async def one(name: str) -> None:
            writer.append_soon((name,), NodeStart(key=name))
            await writer.append((name,), NodeComplete(key=name, outputs=name))

        await asyncio.gather(*map(one, names))
        assert sum(there.store.batches) == 100
        assert len(there.store.batches) < 20
        events = there.stored[3:]
        assert [event.seq for event in events] == list(range(4, 104))
        for name in names:
            kinds = [event.payload.event for event in events if event.path == (name,)]
            assert kinds == ["node_start", "node_complete"]
        assert there.published == events
        assert RunFold.of(there.stored).run == writer.fold.run

    on_writer(tmp_path, work)


def test_what_is_appended_soon_is_stored_after_a_moment(tmp_path: Path) -> None:
    async def work(there: Opened) -> None:
        there.writer.append_soon(("b",), NodeStart(key="b"))
        assert len(there.stored) == 3
        await asyncio.sleep(SOON_SECONDS * 10)
        assert len(there.stored) == 4
        there.writer.append_soon(("c",), NodeStart(key="c"))
        await there.writer.catch_up()
        assert len(there.stored) == 5
        there.writer.append_behind(("c",), NodeComplete(key="c"))
        await there.writer.settle()
        assert len(there.stored) == 6

    on_writer(tmp_path, work)


def test_an_answer_that_comes_in_between_is_read_and_the_rest_numbered_after_it(
    tmp_path: Path,
) -> None:
    async def work(there: Opened) -> None:
        heard: list[str] = []
        copied: list[int | None] = []
        there.writer.hears = lambda event: heard.append(event.payload.event)
        there.writer.copies = lambda events: copied.extend(event.seq for event in events)
        await asyncio.to_thread(there.store.answer, "run_1", ANSWERED)
        there.writer.append_soon(("b",), NodeStart(key="b"))
        event = await there.writer.append(("b",), NodeComplete(key="b"))
        assert event.seq == 6
        assert heard == ["interaction_answered"]
        assert there.writer.fold.answers["a"] == ANSWERED
        assert [each.seq for each in there.stored] == [1, 2, 3, 4, 5, 6]
        assert copied == [4, 5, 6]
        assert RunFold.of(there.stored).run == there.writer.fold.run

    on_writer(tmp_path, work)


def test_told_to_look_the_writer_hears_of_an_answer_without_writing(tmp_path: Path) -> None:
    async def work(there: Opened) -> None:
        heard: list[str] = []
        there.writer.hears = lambda event: heard.append(event.payload.event)
        await asyncio.to_thread(there.store.answer, "run_1", ANSWERED)
        there.writer.look()
        await there.writer.settle()
        assert heard == ["interaction_answered"]
        assert there.store.batches == []
        assert there.writer.stored_seq == 4

    on_writer(tmp_path, work)


def test_whoever_lost_the_lease_or_the_database_is_told_and_nothing_is_written(
    tmp_path: Path,
) -> None:
    async def away(there: Opened) -> None:
        there.store.fails = True
        there.writer.append_soon(("b",), NodeStart(key="b"))
        with pytest.raises(StorageUnavailable):
            await there.writer.append(("b",), NodeComplete(key="b"))
        with pytest.raises(StorageUnavailable):
            there.writer.append_soon(("c",), NodeStart(key="c"))
        assert len(there.stored) == 3

    async def lost(there: Opened) -> None:
        there.leases.release(there.writer.lease)
        there.leases.acquire("run_1")
        waiting = [there.writer.append((f"s{n}",), NodeStart(key=f"s{n}")) for n in range(3)]
        outcomes = await asyncio.gather(*waiting, return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {LeaseLost}
        assert len(there.stored) == 3

    on_writer(tmp_path / "away", away)
    on_writer(tmp_path / "lost", lost)


def test_nothing_follows_the_end_of_a_run(tmp_path: Path) -> None:
    async def work(there: Opened) -> None:
        end = there.writer.append((), RunComplete(status=Status.CANCELLED))
        late = there.writer.append(("b",), NodeStart(key="b"))
        ended, refused = await asyncio.gather(end, late, return_exceptions=True)
        assert isinstance(ended, Event)
        assert isinstance(refused, RunEnded)
        with pytest.raises(RunEnded):
            await there.writer.append(("c",), NodeStart(key="c"))
        assert there.stored[-1].payload.event == "run_complete"

    on_writer(tmp_path, work)


def test_cancelled_in_the_middle_of_an_append_the_event_is_written_and_folded(
    tmp_path: Path,
) -> None:
    async def work(there: Opened) -> None:
        task = asyncio.create_task(there.writer.append(("b",), NodeStart(key="b")))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await there.writer.append(("b",), NodeComplete(key="b"))
        assert [event.payload.event for event in there.stored[3:]] == [
            "node_start",
            "node_complete",
        ]
        assert RunFold.of(there.stored).run == there.writer.fold.run

    on_writer(tmp_path, work)


def test_outputs_that_were_masked_say_so(tmp_path: Path) -> None:
    protect("matsu-no-ki-42")

    async def work(there: Opened) -> None:
        there.writer.append_soon(("b",), NodeStart(key="b"))
        plain: Any = {"text": "key matsu-no-ki-42"}
        event = await there.writer.append(("b",), NodeComplete(key="b", outputs=plain))
        assert isinstance(event.payload, NodeComplete)
        assert event.payload.masked
        assert event.payload.outputs == {"text": f"key {MASK}"}
        assert there.writer.fold.masked == {(("b",), "b")}

    on_writer(tmp_path, work)
