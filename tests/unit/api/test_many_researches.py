"""Many researches at once on one process: all end, nothing is lost, and memory has a bound."""

import asyncio
import gc
import json
from typing import Any

import httpx
import psutil

from sanbo.service.feed import MAX_BACKLOG
from tests.examples import is_thorough
from tests.patience import PATIENCE_SECONDS
from tests.unit.api.researching import COLLECTION
from tests.unit.api.serving import Server, wait_until
from tests.unit.api.streams import messages

MANY = 50 if is_thorough() else 10
MOST_MB = 200
ANSWERS = {
    "在宅勤務手当はいくらですか": "5,000円",
    "国内出張の日当はいくらですか": "2,500円",
    "結婚祝金はいくらですか": "30,000円",
}


async def _research(client: httpx.AsyncClient, number: int) -> list[dict[str, Any]]:
    """The stored events of one, as its reader got them live; its answer is its own."""
    question, answer = list(ANSWERS.items())[number % 3]
    given = {"question": f"{question}（{number}）", "collection": COLLECTION}
    started = await client.post("/api/v1/runs", json={"workflow": "research", "input": given})
    assert started.status_code == 201, started.text
    address = f"/api/v1/runs/{started.json()['run_id']}/events"
    seen: list[dict[str, Any]] = []
    last = ""
    async with client.stream("GET", address) as stream:
        async for message in messages(stream):
            if message.id is not None:
                seen.append({"seq": int(message.id), "event": message.event})
                last = message.data
    assert answer in json.loads(last)["payload"]["result"]["report_md"]
    return seen


async def _all_at_once(server: Server) -> list[list[dict[str, Any]]]:
    headers = {"Authorization": f"Bearer {server.tokens['aoki']}"}
    limits = httpx.Limits(max_connections=2 * MANY)
    async with httpx.AsyncClient(
        base_url=server.url, headers=headers, timeout=PATIENCE_SECONDS, limits=limits
    ) as client:
        return await asyncio.gather(*(_research(client, number) for number in range(MANY)))


def _memory_mb() -> float:
    gc.collect()
    return psutil.Process().memory_info().rss / (1 << 20)


def test_many_researches_at_once_all_end_and_no_event_is_lost(researching: Server) -> None:
    before = _memory_mb()
    journals = asyncio.run(_all_at_once(researching))
    grown = _memory_mb() - before
    assert len(journals) == MANY
    for events in journals:
        assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
        assert events[-1]["event"] == "run_complete"
        assert len(events) < MAX_BACKLOG
    with researching.client("aoki") as client:
        listed = client.get("/api/v1/runs?workflow=research&limit=200").json()["runs"]
    assert len([run for run in listed if run["status"] == "succeeded"]) >= MANY
    wait_until(lambda: researching.readers() == 0)
    assert not researching.workbench._runner.tasks
    assert grown < MOST_MB, f"{grown:.0f} MB"
