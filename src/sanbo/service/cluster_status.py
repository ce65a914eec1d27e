"""How a cluster stands: who works, who waits and for how long, and how much gets done."""

import asyncio
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from sanbo.kernel.problems import MissingDependency, Problem, ProviderFailed, SanboError
from sanbo.plans.settings import BLOCK
from sanbo.service.run_queue import RECENT_SECONDS, QueueLine, RunQueue

PLACE = "segment"
"""What a worker has as many of as it advances runs at once, as Dask counts it."""
CONNECT_SECONDS = 5


class WorkerSeen(BaseModel):
    name: str
    address: str
    places: int
    blocks: int
    labels: dict[str, float]
    """What else it offers: memory, a sandbox, a network, a GPU, as its operator calls it."""
    busy: int
    memory_mb: int
    cpu_percent: float
    silent_seconds: float
    """Since it was last heard of, beside the one that was heard of last."""


async def workers_of(name: str) -> list[WorkerSeen]:
    """Those that advance runs; a problem where no scheduler answers."""
    try:
        from sanbo.plans.executors.cluster import identity  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in ("dask", "distributed"):
            raise MissingDependency("cluster_not_installed") from None
        raise
    try:
        told = await identity(name, workers=-1)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        raise unreachable(name) from error
    every: dict[str, Mapping[str, Any]] = {
        str(each.get("name", "")): each for each in told["workers"].values()
    }
    heard = max((float(each.get("last_seen", 0)) for each in every.values()), default=0.0)
    found: list[WorkerSeen] = []
    for full_name, each in every.items():
        process, _, what = full_name.rpartition("/")
        if what == PLACE:
            blocks = every.get(worker_name(process, BLOCK), {}).get("nthreads", 0)
            found.append(_seen(each, process, blocks, heard))
    return found


def worker_name(process: str, what: str) -> str:
    """Of a process's part that has places for runs, or for blocks."""
    return f"{process}/{what}"


class ClusterStatus(BaseModel):
    address: str
    """Empty: servers advance their runs themselves."""
    problem: Problem | None
    """Why nothing is placed now."""
    workers: list[WorkerSeen]
    places: int
    busy: int
    missing: dict[str, list[str]]
    """By workflow, what it needs and no worker offers; its runs wait."""
    queue: list[QueueLine]
    runs_a_minute: float
    """That have ended, of those that began in the last ten minutes."""


async def cluster_status(
    address: str,
    needs: dict[str, dict[str, float]],
    queue: RunQueue,
    problem: SanboError | None = None,
) -> ClusterStatus:
    """`problem`: what a server that places runs there knows of it."""
    workers: list[WorkerSeen] = []
    if address:
        try:
            workers = await workers_of(address)
            if not workers:
                problem = MissingDependency("cluster_idle", address=address, recoverable=True)
        except SanboError as error:
            problem = error
    return ClusterStatus(
        address=address,
        problem=problem.problem if problem else None,
        workers=sorted(workers, key=lambda worker: worker.name),
        places=sum(worker.places for worker in workers),
        busy=sum(worker.busy for worker in workers),
        missing={name: _told(wanted) for name, wanted in needs.items() if not met(wanted, workers)}
        if workers
        else {},
        queue=await asyncio.to_thread(queue.lines),
        runs_a_minute=round(await asyncio.to_thread(queue.ended_recently) * 60 / RECENT_SECONDS, 1),
    )


def met(wanted: Mapping[str, float], workers: Iterable[WorkerSeen]) -> bool:
    """Whether one of them offers all of it."""
    return any(
        all(worker.labels.get(name, 0) >= amount for name, amount in wanted.items())
        for worker in workers
    )


def _told(wanted: Mapping[str, float]) -> list[str]:
    return [f"{name}={amount:g}" for name, amount in wanted.items()]


def unreachable(name: str) -> ProviderFailed:
    return ProviderFailed("cluster_unreachable", address=name, seconds=CONNECT_SECONDS)


def _seen(told: Mapping[str, Any], process: str, blocks: int, heard: float) -> WorkerSeen:
    """As the scheduler tells it."""
    offered: dict[str, float] = told.get("resources") or {}
    measured: Mapping[str, Any] = told.get("metrics") or {}
    counts: Mapping[str, int] = measured.get("task_counts") or {}
    labels = {name: amount for name, amount in offered.items() if name != PLACE}
    return WorkerSeen(
        name=process,
        address=str(told.get("host", "")),
        places=int(offered.get(PLACE, 0)),
        blocks=blocks,
        labels=labels,
        busy=counts.get("executing", 0),
        memory_mb=int(measured.get("memory", 0)) >> 20,
        cpu_percent=float(measured.get("cpu", 0.0)),
        silent_seconds=round(heard - float(told.get("last_seen", heard)), 1),
    )
