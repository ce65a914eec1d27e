"""Searches overlap, and are made once a session for as long as the collection stays as it is."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from typing import cast

import pytest
from typing_extensions import override

from sanbo.documents.model import Position
from sanbo.evidence.finding import LONGEST_REMEMBERED, WORKING, Edition, Searched, Searches
from sanbo.kernel.problems import ProviderFailed
from sanbo.retrieval.collection import Collection
from sanbo.retrieval.model import Hit
from tests.patience import PATIENCE_SECONDS

EDITION = Edition("規程", "1")


class SlowCollection:
    """Finds always the same, in its own time."""

    def __init__(self, seconds: float = 0.2, *, in_process: bool = False) -> None:
        self.seconds = seconds
        self.in_process = in_process
        self.asked: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self.fails = False
        self.finds: list[Hit] = []
        self._lock = threading.Lock()

    def search(self, query: str, *, limit: int) -> list[Hit]:
        assert limit
        with self._lock:
            self.asked.append(query)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)
        time.sleep(self.seconds)
        with self._lock:
            self._at_once -= 1
        if self.fails:
            raise ProviderFailed("llm_malformed_reply", provider="x", model="y")
        return self.finds


class WaitingCollection(SlowCollection):
    """Searches for as long as the wait lasts."""

    def __init__(self, wait: Callable[[float], object]) -> None:
        super().__init__()
        self._wait = wait

    @override
    def search(self, query: str, *, limit: int) -> list[Hit]:
        self._wait(PATIENCE_SECONDS)
        return self.finds


@pytest.fixture
def searches() -> Iterator[Searches]:
    made = Searches(most_remembered=20)
    yield made
    made.close()


def searching(
    searches: Searches,
    collection: SlowCollection,
    query: str,
    *,
    session: str = "s",
    edition: Edition = EDITION,
    limit: int = 10,
) -> "asyncio.Future[Searched]":
    return asyncio.ensure_future(
        searches.search(session, cast("Collection", collection), edition, query, limit)
    )


def test_the_queries_of_a_run_are_searched_all_at_once_also_while_fifty_others_search(
    searches: Searches,
) -> None:
    others_end, all_are_there = threading.Event(), threading.Barrier(5)
    busy, mine = WaitingCollection(others_end.wait), WaitingCollection(all_are_there.wait)

    async def work() -> None:
        others = [
            searching(searches, busy, f"他{number}", session=f"other{run}")
            for run in range(50)
            for number in range(5)
        ]
        await asyncio.gather(*(searching(searches, mine, f"問{number}") for number in range(5)))
        others_end.set()
        await asyncio.gather(*others)

    asyncio.run(work())


def test_searches_in_this_process_are_few_at_once_so_that_the_loop_gets_its_turn(
    searches: Searches,
) -> None:
    collection = SlowCollection(0.01, in_process=True)

    async def work() -> None:
        await asyncio.gather(
            *(searching(searches, collection, f"問{number}") for number in range(100))
        )

    asyncio.run(work())
    assert collection.most_at_once == WORKING


def test_the_same_query_is_searched_once_in_a_session_however_it_is_written(
    searches: Searches,
) -> None:
    collection = SlowCollection(0.05)

    async def work() -> list[bool]:
        at_once = await asyncio.gather(
            *(searching(searches, collection, query) for query in ("ＡＢＣの手当", "abcの手当"))
        )
        later = await searching(searches, collection, " ABCの手当 ")
        return [each.remembered for each in (*at_once, later)]

    assert asyncio.run(work()) == [False, True, True]
    assert collection.asked == ["ＡＢＣの手当"]


def test_another_session_another_limit_and_a_changed_collection_are_searched_anew(
    searches: Searches,
) -> None:
    collection = SlowCollection(0)

    async def work() -> None:
        await searching(searches, collection, "手当")
        await searching(searches, collection, "手当", session="t")
        await searching(searches, collection, "手当", limit=20)
        await searching(searches, collection, "手当", edition=Edition("規程", "2"))
        searches.forget("s")
        await searching(searches, collection, "手当")

    asyncio.run(work())
    assert len(collection.asked) == 5


def test_a_search_that_failed_is_tried_again_and_its_problem_met_by_all_who_waited(
    searches: Searches,
) -> None:
    collection = SlowCollection(0.02)
    collection.fails = True

    async def work() -> None:
        outcomes = await asyncio.gather(
            *(searching(searches, collection, "手当") for _ in range(2)), return_exceptions=True
        )
        assert [type(each) for each in outcomes] == [ProviderFailed, ProviderFailed]
        collection.fails = False
        assert not (await searching(searches, collection, "手当")).remembered

    asyncio.run(work())
    assert len(collection.asked) == 2


def test_a_run_that_is_cancelled_does_not_take_the_search_from_another(searches: Searches) -> None:
    collection = SlowCollection(0.1)

    async def work() -> Searched:
        first = searching(searches, collection, "手当")
        second = searching(searches, collection, "手当")
        await asyncio.sleep(0.02)
        first.cancel()
        return await second

    assert asyncio.run(work()).hits == ()
    assert len(collection.asked) == 1


def test_what_is_remembered_is_bounded_and_the_session_used_last_stays(searches: Searches) -> None:
    collection = SlowCollection(0)

    async def work() -> bool:
        for number in range(10):
            await searching(searches, collection, f"問{number}", session="old")
        for number in range(10):
            await searching(searches, collection, f"問{number}", session="busy")
        await searching(searches, collection, "問0", session="old")
        await searching(searches, collection, "新しい問", session="old")
        kept = await searching(searches, collection, "問1", session="old")
        gone = await searching(searches, collection, "問1", session="busy")
        for number in range(30):
            await searching(searches, collection, f"長い{number}", session="long")
        return kept.remembered and not gone.remembered

    assert asyncio.run(work())
    held = searches._sessions
    assert sum(len(each) for each in held.values()) <= 20


def test_passages_of_enormous_length_are_not_kept_in_memory(searches: Searches) -> None:
    collection = SlowCollection(0)
    book = Hit(
        chunk_id="a.0",
        document_id="a",
        document_name="全集.txt",
        format="text",
        text="あ" * (LONGEST_REMEMBERED + 1),
        position=Position(start=0, end=LONGEST_REMEMBERED + 1),
        score=1,
    )
    collection.finds = [book]

    async def work() -> list[Searched]:
        return [await searching(searches, collection, "手当") for _ in range(2)]

    assert [(each.hits, each.remembered) for each in asyncio.run(work())] == [((book,), False)] * 2


def test_searches_go_on_in_another_loop_and_after_closing(searches: Searches) -> None:
    collection = SlowCollection(0)

    async def work() -> bool:
        return (await searching(searches, collection, "手当")).remembered

    assert asyncio.run(work()) is False
    assert asyncio.run(work()) is True
    searches.close()
    assert asyncio.run(work()) is False
