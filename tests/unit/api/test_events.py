"""Event streams: nothing missed and nothing twice, however often the connection breaks."""

import asyncio
import json
import random
from typing import Any

import httpx
import pytest

from tests.examples import is_thorough
from tests.unit.api.serving import PATIENCE, Server, journal, settled, start, wait_until
from tests.unit.api.streams import Message, messages

CLIENTS = 50 if is_thorough() else 10
ENTRIES = 40


async def _follow_with_cuts(server: Server, run_id: str, seed: int) -> tuple[list[Message], int]:
    """Reads all stored events of a run, cutting the connection at random points."""
    chance = random.Random(seed)
    taken: list[Message] = []
    connections = 0
    async with httpx.AsyncClient(base_url=server.url, timeout=PATIENCE) as client:
        while not taken or taken[-1].event != "run_complete":
            headers = {"Last-Event-ID": taken[-1].id or ""} if taken else {}
            patience = chance.randint(1, 20) if connections < 5 else 100_000
            connections += 1
            async with client.stream(
                "GET", f"/api/v1/runs/{run_id}/events", headers=headers
            ) as response:
                assert response.status_code == 200
                async for message in messages(response):
                    if message.id is not None:
                        taken.append(message)
                    patience -= 1
                    if patience == 0:
                        break
    return taken, connections


def test_clients_that_reconnect_miss_nothing_and_see_nothing_twice(local: Server) -> None:
    with local.client() as client:
        run_id = start(client, "ledger", entries=ENTRIES, step_seconds=0.005)["run_id"]

        async def all_clients() -> list[tuple[list[Message], int]]:
            follow = (_follow_with_cuts(local, run_id, seed) for seed in range(CLIENTS))
            return await asyncio.gather(*follow)

        followed = asyncio.run(all_clients())
        recorded = [json.loads(line) for line in journal(client, run_id)]
    assert len(recorded) == 2 * ENTRIES + 2
    for taken, connections in followed:
        assert [json.loads(message.data) for message in taken] == recorded
        assert [message.id for message in taken] == [str(each["seq"]) for each in recorded]
        assert connections > 3
    wait_until(lambda: local.readers() == 0)


def test_each_message_has_number_name_and_event(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "ledger", entries=1)["run_id"])["run_id"]
        response = client.get(f"/api/v1/runs/{run_id}/events")
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["x-accel-buffering"] == "no"
        assert response.headers["cache-control"] == "no-store"
        lines = [line for line in response.text.splitlines() if line.startswith(("id", "event"))]
    assert lines == [
        "id: 1", "event: run_start", "id: 2", "event: node_start",
        "id: 3", "event: node_complete", "id: 4", "event: run_complete",
    ]  # fmt: skip


def test_a_stream_goes_on_after_a_number_given_in_the_query(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "ledger", entries=1)["run_id"])["run_id"]
        address = f"/api/v1/runs/{run_id}/events"
        assert "id: 3" not in client.get(address, params={"after": 3}).text
        assert "id: 4" in client.get(address, params={"after": 3}).text
        # A browser keeps its URL when it reconnects: the header counts.
        resumed = client.get(address, params={"after": 1}, headers={"Last-Event-ID": "3"})
        assert "id: 3" not in resumed.text
        journaled = client.get(f"/api/v1/runs/{run_id}/journal", params={"after": 3})
        assert journaled.headers["content-type"] == "application/x-ndjson"
        assert [json.loads(line)["seq"] for line in journaled.text.splitlines()] == [4]


def test_a_browser_that_has_everything_is_told_not_to_come_back(local: Server) -> None:
    with local.client() as client:
        run_id = settled(client, start(client, "ledger", entries=1)["run_id"])["run_id"]
        response = client.get(f"/api/v1/runs/{run_id}/events", headers={"Last-Event-ID": "4"})
    assert (response.status_code, response.content) == (204, b"")


@pytest.mark.parametrize(
    ("last", "status"),
    [
        ("five", 422),
        ("-1", 422),
        ("９", 422),
        ("99999", 422),
        (str((1 << 63) - 1), 422),
        (str(1 << 63), 400),
        ("1" * 40, 400),
        ("1" * 5000, 400),
    ],
)
def test_a_number_that_no_event_has_is_refused(
    local: Server, waiting_run: Any, last: str, status: int
) -> None:
    with local.client() as client:
        address = f"/api/v1/runs/{waiting_run['run_id']}/events"
        response = client.get(address, headers={b"Last-Event-ID": last.encode()})
    assert (response.status_code, response.json()["code"]) == (status, "INPUT_VALIDATION_FAILED")


def test_a_waiting_stream_has_heartbeats_and_gets_the_events_of_the_answer(
    local: Server, waiting_run: Any
) -> None:
    run_id = waiting_run["run_id"]
    with local.client() as client:
        with client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
            lines = response.iter_lines()
            assert next(line for line in lines if line.startswith(": ping"))
            assert next(line for line in lines if line.startswith(": ping"))
            answered = client.post(f"/api/v1/runs/{run_id}/answer", json={"approved": True})
            assert answered.status_code == 200
            rest = list(lines)
        names = [line.removeprefix("event: ") for line in rest if line.startswith("event: ")]
        assert names[0] == "interaction_answered"
        assert names[-1] == "run_complete"
        assert "text_delta" in names
        deltas = [rest[index - 1] for index, line in enumerate(rest) if line == "event: text_delta"]
        assert not any(line.startswith("id:") for line in deltas)


def test_a_client_that_leaves_frees_its_stream(local: Server, waiting_run: Any) -> None:
    with local.client() as client:
        address = f"/api/v1/runs/{waiting_run['run_id']}/events"
        wait_until(lambda: local.readers() == 0)
        with client.stream("GET", address) as response:
            lines = response.iter_lines()
            assert next(lines)
            wait_until(lambda: local.readers() == 1)
        wait_until(lambda: local.readers() == 0)


def test_a_stream_ends_when_its_run_is_deleted(local: Server, waiting_run: Any) -> None:
    with local.client() as client:
        run_id = waiting_run["run_id"]
        with client.stream("GET", f"/api/v1/runs/{run_id}/events") as response:
            lines = response.iter_lines()
            assert next(lines)
            assert client.delete(f"/api/v1/runs/{run_id}").status_code == 204
            assert any(line == "event: run_complete" for line in lines)


def test_problems_in_a_stream_are_in_the_language_of_the_reader(local: Server) -> None:
    with local.client() as client:
        given = {"title": "出張", "fail_at": "add"}
        run_id = settled(client, start(client, "expenses", **given)["run_id"])["run_id"]
        address = f"/api/v1/runs/{run_id}/events"
        japanese = client.get(address, headers={"Accept-Language": "ja"})
        assert "入力が正しくありません" in japanese.text
        assert "入力が正しくありません" not in client.get(address).text
