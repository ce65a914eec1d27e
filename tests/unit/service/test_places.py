"""Who is next: owners in turn, and first of all what somebody waits for."""

import asyncio
from contextlib import suppress

from sanbo.service.run_queue import Places


async def _take(places: Places, order: list[str], name: str, *, is_urgent: bool = False) -> None:
    owner = name.partition(" ")[0]
    async with places.one(owner, is_urgent=is_urgent):
        order.append(name)
        await asyncio.sleep(0)


def test_someone_with_many_runs_keeps_nobody_else_waiting() -> None:
    async def work() -> list[str]:
        places, order = Places(0), list[str]()
        async with asyncio.TaskGroup() as group:
            for number in range(4):
                group.create_task(_take(places, order, f"many {number}"))
            group.create_task(_take(places, order, "one 0"))
            group.create_task(_take(places, order, "two 0"))
            await asyncio.sleep(0)
            places.resize(1)
        return order

    assert asyncio.run(work()) == ["many 0", "one 0", "two 0", "many 1", "many 2", "many 3"]


def test_what_a_person_waits_for_comes_first() -> None:
    async def work() -> list[str]:
        places, order = Places(0), list[str]()
        async with asyncio.TaskGroup() as group:
            for number in range(3):
                group.create_task(_take(places, order, f"batch {number}"))
            group.create_task(_take(places, order, "batch answered", is_urgent=True))
            await asyncio.sleep(0)
            places.resize(1)
        return order

    assert asyncio.run(work()) == ["batch answered", "batch 0", "batch 1", "batch 2"]


def test_who_gives_up_leaves_no_place_taken() -> None:
    async def work() -> Places:
        places, order = Places(0), list[str]()
        first = asyncio.create_task(_take(places, order, "a 0"))
        second = asyncio.create_task(_take(places, order, "b 0"))
        await asyncio.sleep(0)
        assert places.waiting == 2
        first.cancel()
        with suppress(asyncio.CancelledError):
            await first
        places.resize(1)  # and one that is cancelled when it has just been given a place
        second.cancel()
        with suppress(asyncio.CancelledError):
            await second
        assert order == []
        await _take(places, order, "c 0")
        assert order == ["c 0"]
        return places

    places = asyncio.run(work())
    assert (places.taken, places.waiting) == (0, 0)


def test_fewer_places_are_kept_to_once_those_that_are_taken_become_free() -> None:
    async def work() -> int:
        places, most = Places(3), 0

        async def hold() -> None:
            nonlocal most
            async with places.one("a"):
                await asyncio.sleep(0.01)
                if places.number == 1:
                    most = max(most, places.taken)

        async with asyncio.TaskGroup() as group:
            for _ in range(3):
                group.create_task(hold())
            await asyncio.sleep(0)
            for _ in range(5):
                group.create_task(hold())
            await asyncio.sleep(0.005)
            places.resize(1)
        async with places.one("a"):
            most = places.taken
        return most

    assert asyncio.run(work()) == 1
