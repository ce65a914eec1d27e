"""A Dask scheduler that is there: how it is named, reached and asked who works for it."""

import asyncio
import logging
from typing import Any, cast

import dask.config
from distributed import Security
from distributed.core import rpc

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
