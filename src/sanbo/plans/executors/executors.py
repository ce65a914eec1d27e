"""Where a node's block computes: one way in for threads, processes and clusters."""

import asyncio
import logging
import time
from collections.abc import Mapping
from concurrent.futures import CancelledError as Cancelled
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from sanbo.kernel.messages import Language, use_language
from sanbo.kernel.problems import MissingDependency, Problem, SanboError
from sanbo.kernel.secrets import redact, redact_json
from sanbo.plans.executors.call import BlockCall, Performed, for_a_process, perform
from sanbo.plans.executors.killable_processes import KillableProcesses, failed
from sanbo.plans.executors.threads import DaemonThreads, printed_to_log
from sanbo.plans.settings import PlanSettings
from sanbo.runs.fields import holds_files
from sanbo.sandbox.calls import is_serving

if TYPE_CHECKING:
    from sanbo.plans.executors.cluster import Cluster

logger = logging.getLogger(__name__)


QUICK_SECONDS = 0.0005
TURN_SECONDS = 0.01
"""As long as quick blocks, one after the other, may keep the loop from everybody else."""


STEADY_SECONDS = 120.0
AGAIN_SECONDS = 1.0
_AWAY = frozenset({"cluster_lost", "cluster_unreachable", "cluster_without_workers"})


class Executors:
    """Of one process, for all its runs; what is not used is not started."""

    def __init__(
        self,
        settings: PlanSettings,
        steady: str = "",
        needs: Mapping[str, float] | None = None,
    ) -> None:
        """`steady`: a cluster that is waited for when it is away, as the run itself would be;
        `needs`: what its workers must offer."""
        self._settings = settings
        self._needs = needs or {}
        self._steady = steady
        self._threads = DaemonThreads(settings.max_workers, "block")
        self._processes = KillableProcesses(settings.max_workers)
        self._clusters: dict[str, asyncio.Task[Cluster]] = {}
        self._is_closed = False
        self._at_work = 0
        self._turn_ends = 0.0

    async def run(
        self, call: BlockCall, *, executor: str = "", timeout_ms: int | None = None
    ) -> Performed:
        """What came of the call. Cancelled, it stops what can be stopped and drops the rest.

        A limit can only be kept by killing: with one, threads are not enough.
        """
        place = executor or self._settings.executor
        if place == "threads" and is_serving() and holds_files(call.inputs):
            place = "processes"  # what is in a file must not keep a server's other callers waiting
        if place == "threads" and timeout_ms is None:
            # Nothing is sent, so secrets were masked where the problem was made.
            performed = await self._run_here(call)
        else:
            with use_language(call.language):
                try:
                    performed = await self._run_elsewhere(call, place, timeout_ms)
                except Exception as error:  # noqa: BLE001 - told as the node's problem
                    performed = failed(call, error, timeout_ms)
            performed = _received(performed, call.language)
        if performed.defect:
            logger.error("block %s failed\n%s", call.block, redact(performed.defect))
        return performed

    def close(self) -> None:
        """Stops everything; a block in a thread goes on until it ends, and nobody waits for it."""
        self._is_closed = True
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._processes.shutdown(wait=True, cancel_futures=True)
        clusters, self._clusters = self._clusters, {}
        for connecting in clusters.values():
            if (cluster := _made(connecting)) is not None:
                cluster.close()

    async def _run_here(self, call: BlockCall) -> Performed:
        future = self._threads.submit(_perform_in_thread, call)
        try:
            # Alone, as in a chain: to wait for it right here takes half as long as to hear of its
            # end through the loop, and keeps the loop from others no longer than this.
            if self._at_work == 0:
                await self._let_others()
                with suppress(TimeoutError, Cancelled):
                    return future.result(QUICK_SECONDS)
            self._at_work += 1
            try:
                return await asyncio.wrap_future(future)
            finally:
                self._at_work -= 1
        except asyncio.CancelledError:
            self._threads.abandon(future)
            raise

    async def _let_others(self) -> None:
        if time.monotonic() > self._turn_ends:
            await asyncio.sleep(0)
            self._turn_ends = time.monotonic() + TURN_SECONDS

    async def _run_elsewhere(self, call: BlockCall, place: str, limit_ms: int | None) -> Performed:
        if place.startswith("dask"):
            return await self._run_on_cluster(call, place, limit_ms)
        # In a thread: the inputs may be large, and files are looked up.
        sent = await asyncio.to_thread(for_a_process, call)
        seconds = None if limit_ms is None else limit_ms / 1000
        return await asyncio.wrap_future(self._processes.submit_within(seconds, perform, sent))

    async def _run_on_cluster(self, call: BlockCall, place: str, limit_ms: int | None) -> Performed:
        until = time.monotonic() + (STEADY_SECONDS if place == self._steady else 0)
        while True:
            try:
                cluster = await self._cluster(place)
                return await cluster.run(call, limit_ms)
            except SanboError as error:
                if error.problem.text_id not in _AWAY or time.monotonic() > until:
                    raise
                logger.warning("%s is sent again: %s", call.node, error)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _cluster(self, name: str) -> "Cluster":
        connecting = self._clusters.get(name)
        if connecting is None or _is_over(connecting):
            made = asyncio.to_thread(self._connect, name)
            connecting = self._clusters[name] = asyncio.create_task(made)
        return await asyncio.shield(connecting)  # others wait for it too

    def _connect(self, name: str) -> "Cluster":
        try:
            from sanbo.plans.executors.cluster import Cluster  # noqa: PLC0415 - an extra, and slow
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] in ("dask", "distributed"):
                raise MissingDependency("cluster_not_installed") from None
            raise
        needs = self._needs if name == self._steady else {}
        cluster = Cluster(name, self._settings.max_workers, needs)
        if self._is_closed:
            cluster.close()
        return cluster


def _perform_in_thread(call: BlockCall) -> Performed:
    with printed_to_log(call.block):
        return perform(call)


def _made(connecting: "asyncio.Task[Cluster]") -> "Cluster | None":
    if not connecting.done() or connecting.cancelled() or connecting.exception() is not None:
        return None
    return connecting.result()


def _is_over(connecting: "asyncio.Task[Cluster]") -> bool:
    """It failed, or the connection has ended since: the next call tries again."""
    if not connecting.done():
        return False
    cluster = _made(connecting)
    return cluster is None or not cluster.is_connected


def _received(performed: Performed, language: Language) -> Performed:
    """The process that made the problem did not know our secrets, nor perhaps our language."""
    if performed.problem is None:
        return performed
    text = performed.problem.in_language(language).model_dump_json()
    return replace(performed, problem=Problem.model_validate_json(redact_json(text)))
