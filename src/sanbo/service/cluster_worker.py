"""A process of a cluster that advances runs and computes blocks where servers place them."""

import asyncio
import logging
import signal
import socket
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import count
from typing import Any, cast
from urllib.parse import urlsplit

from distributed import Worker

from sanbo.kernel.problems import InvalidInput
from sanbo.plans.executors.cluster import identity, prepare_dask, scheduler_address
from sanbo.plans.settings import BLOCK
from sanbo.service import cluster
from sanbo.service.bootstrap import open_workbench, thinking_apart
from sanbo.service.catalog import WORKFLOWS, Workflows
from sanbo.service.cluster_status import PLACE, worker_name
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0
CLOSE_SECONDS = 5.0


@dataclass(frozen=True)
class Offer:
    """What a worker has."""

    places: int
    """Runs that it advances at once; most of them wait for something."""
    blocks: int
    """Blocks that it computes at once, each in a process of its own."""
    labels: Mapping[str, float]


async def work(
    settings: Settings,
    offer: Offer,
    beside: Callable[[Workbench], AbstractAsyncContextManager[None]],
) -> None:
    """Until it is told to stop; what it has in hand then is taken up elsewhere."""
    if settings.database_url is None:
        raise InvalidInput("cluster_needs_postgresql")
    most = max(offer.places, settings.runs.max_concurrent)
    runs = settings.runs.model_copy(update={"max_concurrent": most})
    settings = settings.model_copy(update={"runs": runs})
    workflows = Workflows.of(WORKFLOWS)
    workflows.load()
    index_beside = settings.retrieval.engine == "embedded"
    async with (
        thinking_apart(workflows, index_beside=index_beside),
        open_workbench(settings, workflows, takes_up_orphans=False) as workbench,
        beside(workbench),
    ):
        working = asyncio.create_task(work_on(workbench, offer))
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, working.cancel)
        try:
            await working
        except asyncio.CancelledError:
            logger.info("the worker stops")


async def work_on(workbench: Workbench, offer: Offer) -> None:
    """For ever; what was begun goes on while there is no scheduler."""
    prepare_dask()
    cluster.provide(workbench)
    try:
        await _serve(workbench.settings, offer, workbench.runner.leases.holder)
    finally:
        cluster.provide(None)


async def _serve(settings: Settings, offer: Offer, holder: str) -> None:
    address = settings.runs.cluster
    for number in count():
        # Of a connection that was lost, the scheduler may still have the name.
        name = f"{holder}-{number}"
        workers: list[Any] = []
        try:
            await identity(address)
            # Two, so that Dask spreads runs by places and blocks by theirs, and a run that waits
            # for the blocks of its loop never stands in their way.
            for what, amount in ((PLACE, offer.places), (BLOCK, offer.blocks)):
                worker: Any = cast("Any", Worker)(
                    scheduler_address(address),
                    name=worker_name(name, what),
                    host=host_towards(address),
                    nthreads=amount,
                    resources={what: amount, **offer.labels},
                    local_directory=str(settings.workspace / "cache" / "dask"),
                    memory_limit=None,
                    dashboard=False,
                )
                workers.append(worker)
                await worker
            logger.info("at work for %s", address)
            ends = [asyncio.ensure_future(worker.finished()) for worker in workers]
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
            logger.warning("the scheduler %s is gone", address)
        except (OSError, TimeoutError, ValueError, TypeError, RuntimeError) as error:
            logger.warning("the scheduler %s does not answer: %s", address, error)
        finally:
            for worker in workers:
                await _close(worker)
        await asyncio.sleep(AGAIN_SECONDS)


async def _close(worker: Any) -> None:
    """Blocks that are at work are not waited for: their processes end with this one."""
    try:
        async with asyncio.timeout(CLOSE_SECONDS):
            await worker.close(timeout=1, executor_wait=False)
    except Exception as error:  # noqa: BLE001 - one that never started has little to close
        logger.info("a connection of this worker was not closed in order: %s", error)


def host_towards(address: str) -> str:
    """This machine's address as the scheduler sees it: on no other does it listen. Whoever reaches
    a Dask worker can have it run code."""
    parts = urlsplit(address)
    target = (parts.hostname or "", parts.port or 0)
    family = socket.getaddrinfo(*target, type=socket.SOCK_DGRAM)[0][0]
    with socket.socket(family, socket.SOCK_DGRAM) as probe:  # nothing is sent
        probe.connect(target)
        return probe.getsockname()[0]
