"""A process of a cluster that advances runs and computes blocks where servers place them."""

import asyncio
import logging
import signal
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, cast

from distributed import Worker

from sanbo.kernel.problems import InvalidInput
from sanbo.plans.executors.scheduler import identity, prepare_dask, scheduler_address
from sanbo.plans.settings import BLOCK
from sanbo.service import segments
from sanbo.service.bootstrap import open_workbench, thinking_apart
from sanbo.service.catalog import WORKFLOWS, Workflows
from sanbo.service.cluster_status import PLACE
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings

logger = logging.getLogger(__name__)

AGAIN_SECONDS = 1.0


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
    segments.provide(workbench)
    try:
        await _serve(workbench.settings, offer, workbench.runner.leases.holder)
    finally:
        segments.provide(None)


async def _serve(settings: Settings, offer: Offer, name: str) -> None:
    address = settings.runs.cluster
    while True:
        try:
            await identity(address)
            worker: Any = cast("Any", Worker)(
                scheduler_address(address),
                name=name,
                nthreads=offer.places + offer.blocks,
                resources={PLACE: offer.places, BLOCK: offer.blocks, **offer.labels},
                local_directory=str(settings.workspace / "cache" / "dask"),
                memory_limit=None,
                dashboard=False,
            )
            async with worker:
                logger.info("at work for %s", address)
                await worker.finished()
            logger.warning("the scheduler %s is gone", address)
        except (OSError, TimeoutError, ValueError, TypeError) as error:
            logger.warning("the scheduler %s does not answer: %s", address, error)
        await asyncio.sleep(AGAIN_SECONDS)
