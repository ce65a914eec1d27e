"""A cluster on paper: what it gets done and how long runs wait, from what a run costs.

    python benchmarks/cluster_simulation.py             sizes for 1,000 to 10,000,000 runs a day
    python benchmarks/cluster_simulation.py --check     beside the real small cluster

`--check` starts a real one (PostgreSQL, a Dask scheduler, three workers, two servers), measures
what a run costs there alone, then sends runs at a steady rate, at random moments, with and without
a worker that is killed in the middle, and compares what happened with what the simulation says of
the same arrivals: runs a minute and the longest waiting time of 99 in 100 must agree within 20 %.
"""

import argparse
import asyncio
import heapq
import json
import math
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from statistics import mean, median
from typing import Any

import httpx
import psutil
from plan_runner import node, plan
from small_cluster import SmallCluster, small_cluster

WITHIN = 0.2
DAY = 86_400


@dataclass(frozen=True)
class Costs:
    """Of one run of one segment, measured; seconds."""

    server: float
    """Processor time: to take it in, to place it, to tell of its end."""
    worker: float
    database: float
    scheduler: float
    latency: float
    """From the request until a worker has begun, when nobody else is there."""
    ending: float
    """After its last step, until its place is free."""


@dataclass(frozen=True)
class Shape:
    workers: int
    places: int
    cores: int
    """Of the one machine that all of it runs on; of each machine where there are several."""
    machines: int = 1
    lease_seconds: float = 30.0
    sweep_seconds: float = 3.0


@dataclass
class Predicted:
    waits: list[float] = field(default_factory=list[float])
    """From the request until it was first begun."""
    ends: list[float] = field(default_factory=list[float])

    @property
    def runs_a_minute(self) -> float:
        return 60 * len(self.ends) / max(self.ends) if self.ends else 0.0

    @property
    def p99(self) -> float:
        return quantile(self.waits, 0.99)


def quantile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)]


@dataclass
class _Run:
    arrived: float
    seconds: float
    """That its step takes without a processor: a model, a person's system, a sleep."""
    attempt: int = 0
    began: float | None = None


class Simulation:
    """Events in the order of their times; processors and places are taken in turn."""

    def __init__(self, shape: Shape, costs: Costs, chance: random.Random) -> None:
        self._shape = shape
        self._costs = costs
        self._chance = chance
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._now = 0.0
        self._processors = shape.cores * shape.machines
        self._at_work = 0
        self._for_processor: deque[tuple[float, Callable[[], None]]] = deque()
        self._free = [shape.places] * shape.workers
        self._alive = [True] * shape.workers
        self._held: list[set[int]] = [set() for _ in range(shape.workers)]
        self._for_place: deque[_Run] = deque()
        self._runs: dict[int, _Run] = {}
        self._found = Predicted()

    def run(
        self,
        arrivals: list[float],
        seconds: Callable[[], float],
        deaths: list[tuple[float, int, float]],
    ) -> Predicted:
        """`deaths`: when, which worker, and for how long it is away."""
        for at in arrivals:
            self._at(at, partial(self._arrive, _Run(at, seconds())))
        for at, worker, away in deaths:
            self._at(at, partial(self._die, worker))
            self._at(at + away, partial(self._return, worker))
        while self._events:
            self._now, _, happens = heapq.heappop(self._events)
            happens()
        return self._found

    def _at(self, moment: float, happens: Callable[[], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (moment, self._number, happens))

    # ---- processors: so many at once, the others one after the other ----

    def _compute(self, seconds: float, then: Callable[[], None]) -> None:
        if self._at_work >= self._processors:
            self._for_processor.append((seconds, then))
            return
        self._at_work += 1
        self._at(self._now + seconds, lambda: self._computed(then))

    def _computed(self, then: Callable[[], None]) -> None:
        self._at_work -= 1
        if self._for_processor:
            self._compute(*self._for_processor.popleft())
        then()

    # ---- a run's way ----

    def _arrive(self, run: _Run) -> None:
        costs = self._costs
        # What takes no processor of what it takes to begin: disk, network, turns of loops.
        idle = max(0.0, costs.latency - costs.server - costs.database - costs.scheduler)
        busy = costs.server + costs.database + costs.scheduler
        self._compute(busy, lambda: self._at(self._now + idle, lambda: self._queue(run)))

    def _queue(self, run: _Run) -> None:
        self._for_place.append(run)
        self._place()

    def _place(self) -> None:
        while self._for_place:
            free = [n for n, count in enumerate(self._free) if count and self._alive[n]]
            if not free:
                return
            worker = max(free, key=lambda n: self._free[n])
            self._begin(self._for_place.popleft(), worker)

    def _begin(self, run: _Run, worker: int) -> None:
        self._free[worker] -= 1
        if run.began is None:
            run.began = self._now
            self._found.waits.append(self._now - run.arrived)
        run.attempt += 1
        attempt, key = run.attempt, id(run)
        self._held[worker].add(key)
        self._runs[key] = run

        def end() -> None:
            if run.attempt != attempt or key not in self._held[worker]:
                return  # it was lost with its worker
            self._held[worker].discard(key)
            self._found.ends.append(self._now)
            self._free[worker] += 1
            self._place()

        def work() -> None:
            rest = self._now + run.seconds + self._costs.ending
            self._at(rest, lambda: self._compute(self._costs.worker / 2, end))

        self._compute(self._costs.worker / 2, work)

    # ---- failures ----

    def _die(self, worker: int) -> None:
        self._alive[worker] = False
        lost, self._held[worker] = self._held[worker], set()
        shape = self._shape
        for key in lost:
            run = self._runs[key]
            run.attempt += 1
            # The last sign of life was up to a third of the lease ago.
            age = self._chance.uniform(0, shape.lease_seconds / 3)
            seen = shape.lease_seconds - age + self._chance.uniform(0, shape.sweep_seconds)
            self._at(self._now + seen, partial(self._queue, run))

    def _return(self, worker: int) -> None:
        self._alive[worker] = True
        self._free[worker] = self._shape.places
        self._place()


def poisson(rate: float, count: int, chance: random.Random) -> list[float]:
    at, found = 0.0, list[float]()
    for _ in range(count):
        at += chance.expovariate(rate)
        found.append(at)
    return found


# ---- the real one ---------------------------------------------------------------------------


class Real:
    def __init__(self, cluster: SmallCluster) -> None:
        self.cluster = cluster
        self.client = httpx.AsyncClient(timeout=120, limits=httpx.Limits(max_connections=500))

    async def start(self, number: int, seconds: float) -> str:
        made = plan([node("waits", block="Sleep", value=1, seconds=seconds)])
        body = {"workflow": "plan", "input": {"source": {"plan": {"text": json.dumps(made)}}}}
        url = self.cluster.urls[number % len(self.cluster.urls)]
        return (await self.client.post(f"{url}/api/v1/runs", json=body)).json()["run_id"]

    async def ended(self, run_id: str) -> Any:
        while True:
            answer = await self.client.get(f"{self.cluster.urls[0]}/api/v1/runs/{run_id}")
            run = answer.json()
            if run["status"] in ("succeeded", "failed", "cancelled"):
                if run["status"] != "succeeded":
                    sys.exit(f"{run_id}: {run['status']} {run['problem']}")
                return run
            await asyncio.sleep(0.5)

    async def moments(self, run_id: str) -> tuple[float, float, float]:
        """When it was asked for, first begun, and ended."""
        url = f"{self.cluster.urls[0]}/api/v1/runs/{run_id}/journal"
        lines = (await self.client.get(url)).text.splitlines()
        events = [json.loads(line) for line in lines]
        begun = next(each for each in events if each["path"] == ["waits"])
        return _moment(events[0]), _moment(begun), _moment(events[-1])

    def processor_seconds(self) -> dict[str, float]:
        """By what it was used for, children and all."""
        cluster = self.cluster
        postmaster = psutil.Process(cluster.postgres.get_pid())
        return {
            "server": sum(_used(each.process) for each in cluster.servers),
            "worker": sum(_used(each.process) for each in cluster.workers),
            "scheduler": _used(cluster.scheduler.process),
            "database": _used(postmaster),
        }

    async def costs(self, runs: int) -> Costs:
        """One at a time, so that nobody waits."""
        for number in range(6):
            await self.ended(await self.start(number, 0))
        idle_from, idle = time.monotonic(), self.processor_seconds()
        await asyncio.sleep(5)
        idle_seconds = time.monotonic() - idle_from
        after = self.processor_seconds()
        rest = {name: (after[name] - idle[name]) / idle_seconds for name in idle}
        before, began = self.processor_seconds(), time.monotonic()
        spans: list[tuple[float, float, float]] = []
        for number in range(runs):
            run_id = await self.start(number, 0.2)
            await asyncio.sleep(0.35)
            await self.ended(run_id)
            spans.append(await self.moments(run_id))
        took = time.monotonic() - began
        after = self.processor_seconds()
        each = {n: max(0.0, after[n] - before[n] - rest[n] * took) / runs for n in before}
        return Costs(
            **each,
            latency=median(begun - asked for asked, begun, _ in spans),
            ending=median(max(0.0, end - begun - 0.2) for _, begun, end in spans),
        )


def _used(process: psutil.Process | None) -> float:
    assert process is not None
    total = 0.0
    for each in (process, *process.children(recursive=True)):
        try:
            times = each.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system
    return total


def _moment(event: Any) -> float:
    return datetime.fromisoformat(event["time"]).timestamp()


async def check(cluster: SmallCluster, given: argparse.Namespace, shape: Shape) -> bool:
    real = Real(cluster)
    costs = await real.costs(30)
    print("one run, in ms:", {name: round(value * 1000, 1) for name, value in vars(costs).items()})
    is_met = True
    for what, dies in (("in peace", False), ("a worker is killed", True)):
        arrivals = poisson(given.rate, given.runs, random.Random(given.seed))
        middle = arrivals[len(arrivals) // 2]
        deaths = [(middle, 0, given.away)] if dies else []
        happened, away = await drive(real, arrivals, given.seconds, deaths)
        # How long it takes to start again is a cost of the machine, not of the cluster.
        deaths = [(middle, 0, seconds) for seconds in away]
        paper = [
            Simulation(shape, costs, random.Random(each)).run(
                arrivals, lambda: given.seconds, deaths
            )
            for each in range(20)
        ]
        if away:
            print(f"the worker was away for {away[0]:.1f} s")
        for name, said, was in (
            ("runs a minute", mean(p.runs_a_minute for p in paper), happened.runs_a_minute),
            ("p99 of waiting, s", mean(p.p99 for p in paper), happened.p99),
        ):
            off = said / was - 1
            is_met &= abs(off) <= WITHIN
            print(f"{what}: {name}: {said:.2f} on paper, {was:.2f} in fact: {off:+.0%}")
    return is_met


async def drive(
    real: Real, arrivals: list[float], seconds: float, deaths: list[tuple[float, int, float]]
) -> tuple[Predicted, list[float]]:
    """And how long each worker that was killed was away."""
    began = time.monotonic()

    async def one(number: int, at: float) -> tuple[float, float, float]:
        await asyncio.sleep(at - (time.monotonic() - began))
        run_id = await real.start(number, seconds)
        await real.ended(run_id)
        return await real.moments(run_id)

    async def kill(at: float, worker: int, away: float) -> float:
        await asyncio.sleep(at - (time.monotonic() - began))
        await asyncio.to_thread(real.cluster.workers[worker].kill)
        gone = time.monotonic()
        await asyncio.sleep(away)
        real.cluster.workers[worker].start()
        await asyncio.to_thread(real.cluster.await_workers, len(real.cluster.workers))
        return time.monotonic() - gone

    zero = time.time()
    spans, away = await asyncio.gather(
        asyncio.gather(*(one(number, at) for number, at in enumerate(arrivals))),
        asyncio.gather(*(kill(*each) for each in deaths)),
    )
    happened = Predicted(
        waits=[begun - asked for asked, begun, _ in spans], ends=[end - zero for *_, end in spans]
    )
    return happened, away


# ---- sizes ----------------------------------------------------------------------------------


def sizes(costs: Costs, seconds: float) -> None:
    """A day's runs come in ten hours; the busiest minute has three times the mean."""
    print("runs a day  a second  machines of 8 cores  workers of 16 places  p99 of waiting, s")
    for a_day in (1_000, 100_000, 10_000_000):
        rate = 3 * a_day / (10 * 3600)
        processor = costs.server + costs.worker + costs.database + costs.scheduler
        machines = max(1, math.ceil(rate * processor / (8 * 0.6)))
        places = rate * (seconds + costs.latency + costs.ending) / 0.7
        workers = max(2, math.ceil(places / 16))
        chance = random.Random(1)
        shape = Shape(workers=workers, places=16, cores=8, machines=machines)
        arrivals = poisson(rate, min(20_000, max(500, int(rate * 120))), chance)
        # Each worker dies once a day, and is back after a minute.
        span = arrivals[-1]
        often = max(1, round(workers * span / DAY))
        deaths = [(chance.uniform(0, span), chance.randrange(workers), 60.0) for _ in range(often)]
        found = Simulation(shape, costs, chance).run(
            arrivals, partial(chance.expovariate, 1 / seconds), deaths
        )
        print(f"{a_day:10,}  {rate:8.1f}  {machines:19}  {workers:20}  {found.p99:17.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--rate", type=float, default=2.4, help="runs a second")
    parser.add_argument("--seconds", type=float, default=2.0, help="that a run's step waits")
    parser.add_argument("--away", type=float, default=15.0, help="of a worker that was killed")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    # As measured by --check on two cores; see docs/operations/scale.md.
    costs = Costs(
        server=0.030, worker=0.024, database=0.010, scheduler=0.006, latency=0.018, ending=0.004
    )
    if not given.check:
        sizes(costs, seconds=10.0)
        return
    shape = Shape(workers=3, places=2, cores=psutil.cpu_count() or 1, lease_seconds=6)
    with tempfile.TemporaryDirectory(prefix="sanbo-simulation-") as name:
        made = SmallCluster(
            Path(name),
            workers=shape.workers,
            servers=2,
            places=shape.places,
            environment={"SANBO_RUNS__LEASE_SECONDS": str(shape.lease_seconds)},
        )
        with small_cluster(made) as cluster:
            is_met = asyncio.run(check(cluster, given, replace(shape)))
    print(f"within {WITHIN:.0%}: {'met' if is_met else 'MISSED'}")
    sys.exit(not is_met)


if __name__ == "__main__":
    main()
