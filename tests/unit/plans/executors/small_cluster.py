"""A Dask scheduler with its workers inside the test's own process, on a port of its own."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

from distributed import LocalCluster


@contextmanager
def small_cluster(workers: int) -> Generator[Any]:
    made: Any = cast("Any", LocalCluster)(
        n_workers=workers,
        threads_per_worker=2,
        processes=False,
        host="127.0.0.1",
        protocol="tcp",
        dashboard_address=None,
        scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
    )
    try:
        yield made
    finally:
        made.close()


def name_of(made: Any) -> str:
    """As a plan names it: `dask://127.0.0.1:40123`."""
    return made.scheduler_address.replace("tcp://", "dask://")
