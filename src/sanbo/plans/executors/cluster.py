"""Blocks on a Dask cluster: one that is there (`dask://host:port`), or one on this machine.

Dask does what a cluster needs: a worker that dies has its work done elsewhere, up to three times.
What Dask itself loses on the way (a worker that dies with a result nobody has fetched yet) is sent
again, as often.
"""

import asyncio
import logging
import os
import signal
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from typing import Any, cast

import dask.config
from distributed import Client, LocalCluster, Security
from distributed.core import rpc
from distributed.scheduler import KilledWorker

from sanbo import __version__
from sanbo.kernel.problems import LimitExceeded, MissingDependency, ProviderFailed, Unexpected
from sanbo.plans.executors.call import BlockCall, Performed, for_a_process, for_another_machine
from sanbo.plans.executors.killable_processes import perform_sent
from sanbo.plans.executors.worker import pack
from sanbo.plans.settings import BLOCK

logger = logging.getLogger(__name__)

SCHEME = "dask://"
CONNECT_SECONDS = 5.0
MOST_SENT_BYTES = 256 * 1024 * 1024

_CONFIG: dict[str, object] = {
    # Large inputs are meant to be sent: what is too large has a limit and a problem of its own.
    "distributed.admin.large-graph-warning-threshold": MOST_SENT_BYTES * 2,
    # A cluster on this machine shows nobody what it is working on.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # A result on a worker that has just died is asked for no longer than this.
    "distributed.comm.timeouts.connect": "5s",
}

WORKERS_SECONDS = 15.0
"""How long a cluster may be without workers; some come up later than their scheduler."""
LOOK_SECONDS = 5.0
TRIES = 3
_MEBIBYTE = 1024 * 1024


def prepare_dask() -> None:
    """Once a process is enough, more do no harm."""
    cast("Any", dask.config).set(_CONFIG)
    # Dask writes to the screen by itself: its words belong into the log.
    for name in logging.root.manager.loggerDict:
        if name.partition(".")[0] == "distributed":
            logging.getLogger(name).handlers.clear()
            logging.getLogger(name).propagate = True


def scheduler_address(name: str) -> str:
    """With the certificates of Dask's own configuration where there are some."""
    secure = cast("Any", Security()).tls_client_cert is not None
    return f"{'tls' if secure else 'tcp'}://{name.removeprefix(SCHEME)}"


async def identity(name: str, workers: int = 0) -> dict[str, Any]:
    """What a scheduler says of itself and of so many workers (-1: all); OSError where none answers.

    A `Client` of one that does not answer would hang, also at its end.
    """
    arguments = cast("Any", Security()).get_connection_args("client")
    scheduler: Any = cast("Any", rpc)(scheduler_address(name), connection_args=arguments)
    try:
        async with asyncio.timeout(CONNECT_SECONDS):
            return await scheduler.identity(n_workers=workers)
    finally:
        await scheduler.close_rpc()


class Cluster:
    """A connection to a scheduler; made and closed in a thread, used from the event loop."""

    def __init__(
        self, name: str, max_workers: int, needs: Mapping[str, float] | None = None
    ) -> None:
        """`name` is `dask` or `dask://host:port`."""
        prepare_dask()
        self._name = name
        self._local: Any = _local_cluster(max_workers) if name == "dask" else None
        try:
            self._client: Any = _connect(name, self._local)
        except BaseException:
            if self._local is not None:
                self._local.close()
            raise
        self._needs = dict(needs or {})
        self._executor: Executor = self._client.get_executor(pure=False, **self._needed())
        self._seen_workers = time.monotonic()
        self._looked = time.monotonic()
        self._looking = threading.Lock()
        self._is_closed = False

    @property
    def is_connected(self) -> bool:
        return not self._is_closed and self._client.status == "running"

    @property
    def client(self) -> Any:
        return self._client

    async def run(self, call: BlockCall, timeout_ms: int | None) -> Performed:
        try:
            for tried in range(1, TRIES + 1):
                future = await asyncio.to_thread(self._send, call, timeout_ms)
                performed = await self._answer(future)
                if performed is not None:
                    return performed
                logger.warning("%s: the cluster lost the work %d times", call.node, tried)
            raise self._lost()
        except KilledWorker:
            raise Unexpected("block_ends_workers", node=call.node, block=call.block) from None
        except ModuleNotFoundError as error:
            raise MissingDependency(
                "cluster_module_missing", address=self._name, module=error.name or str(error)
            ) from None

    def close(self) -> None:
        """Also when the cluster does not answer any more; nothing of it stays on this machine."""
        self._is_closed = True
        with suppress(Exception):
            self._executor.shutdown(wait=False)
        with suppress(Exception):
            self._client.close(timeout=CONNECT_SECONDS)
        if self._local is not None:
            pids = [nanny.pid for nanny in self._local.workers.values()]
            try:
                self._local.close(timeout=CONNECT_SECONDS)
            except Exception:  # noqa: BLE001 - a busy machine is slow to say goodbye
                _kill(pids)

    def _needed(self) -> dict[str, Any]:
        """Where workers have places for blocks beside those for runs, one of these."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"].values()
        has_places = any(BLOCK in worker["resources"] for worker in workers)
        return {"resources": {BLOCK: 1, **self._needs}} if has_places else {}

    def _send(self, call: BlockCall, timeout_ms: int | None) -> Future[Performed]:
        packed = self._packed(call)
        try:
            return self._executor.submit(perform_sent, packed, __version__, timeout_ms)
        except Exception as error:
            if self.is_connected:
                raise
            raise self._lost() from error

    def _packed(self, call: BlockCall) -> bytes:
        packed = pack(for_another_machine(call) if self._local is None else for_a_process(call))
        if len(packed) > MOST_SENT_BYTES:
            raise LimitExceeded(
                "block_too_large_to_send",
                node=call.node,
                size_mb=len(packed) // _MEBIBYTE,
                limit_mb=MOST_SENT_BYTES // _MEBIBYTE,
            )
        return packed

    async def _answer(self, future: Future[Performed]) -> Performed | None:
        """None when the cluster is there, but has lost this work."""
        answer = asyncio.wrap_future(future)
        self._expect_workers()
        try:
            while not (await asyncio.wait({answer}, timeout=LOOK_SECONDS))[0]:
                await asyncio.to_thread(self._look_for_workers)
        except BaseException:
            # In a thread: Dask asks the scheduler and waits for its reply.
            asyncio.get_running_loop().run_in_executor(None, future.cancel)
            raise
        if answer.cancelled():  # by Dask, not by us: whoever cancels us never comes here
            if not self.is_connected:
                raise self._lost()
            return None
        return answer.result()

    def _expect_workers(self) -> None:
        """Nobody looks while nothing is asked for: what was seen long ago says nothing."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS * 2 and self.is_connected:
            self._looked = self._seen_workers = now

    def _look_for_workers(self) -> None:
        """One call looks for all that wait; none waits for ever on a cluster without workers."""
        with self._looking:
            now = time.monotonic()
            if now - self._looked > LOOK_SECONDS / 2 and self.is_connected:
                self._looked = now
                if self._client.scheduler_info(n_workers=0)["n_workers"]:
                    self._seen_workers = now
        if now - self._seen_workers > WORKERS_SECONDS + LOOK_SECONDS:
            raise MissingDependency("cluster_without_workers", address=self._name, recoverable=True)

    def _lost(self) -> ProviderFailed:
        return ProviderFailed("cluster_lost", address=self._name)


def _kill(pids: Sequence[int | None]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            if pid:
                os.kill(pid, signal.SIGKILL)


def _local_cluster(max_workers: int) -> Any:
    """Processes on this machine; nobody without its own certificate can send it work."""
    return cast("Any", LocalCluster)(
        n_workers=max(2, min(max_workers, os.cpu_count() or 1)),
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
        silence_logs=logging.CRITICAL,  # its processes share our screen
        security=cast("Any", Security).temporary(),
    )


def _connect(name: str, local: Any) -> Any:
    try:
        if local is None:
            asyncio.run(identity(name))
        client: Any = Client(
            local or scheduler_address(name), timeout=CONNECT_SECONDS, set_as_default=False
        )
    except (OSError, ValueError, TypeError) as error:
        raise ProviderFailed(
            "cluster_unreachable", address=name, seconds=int(CONNECT_SECONDS)
        ) from error
    try:
        client.wait_for_workers(1, timeout=WORKERS_SECONDS)
    except TimeoutError as error:
        client.close()
        raise MissingDependency(
            "cluster_without_workers", address=name, recoverable=True
        ) from error
    return client
