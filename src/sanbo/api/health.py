"""Whether the server lives and can store, and whether it is ready for runs; both without a token.

Who is not let in learns no more than that: where the storage is and what it has stands in the log
and in the problems of other requests.
"""

from typing import TYPE_CHECKING, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from sanbo import __version__
from sanbo.api.dependencies import Bench
from sanbo.api.problems import STORAGE_RETRY_SECONDS
from sanbo.service.storage_check import Part

if TYPE_CHECKING:
    from sanbo.service.cluster import Cluster

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: Literal["ok", "unavailable"]
    version: str
    database: Literal["ok", "unreachable"]
    blobs: Literal["ok", "unreachable"]


class Readiness(BaseModel):
    status: Literal["ready", "not_ready"]
    version: str
    storage: Literal["ok", "unavailable"]
    unavailable: list[Part]
    """Which parts of the storage."""
    tables: Literal["ok", "of_another_version"]
    runs: Literal["accepted", "refused"]
    cluster: Literal["none", "ok", "unavailable"]
    """Whether there are workers that advance runs; without any, runs are accepted, and wait."""


@router.head("/health", include_in_schema=False)
@router.get("/health", responses={503: {"model": Health}})
async def check_health(bench: Bench, response: Response) -> Health:
    """Something is really written before it says so, once a second at most."""
    failures = (await bench.storage.look()).failures
    if failures:
        _refuse(response)
    return Health(
        status="unavailable" if failures else "ok",
        version=__version__,
        database="unreachable" if failures.keys() - {"blobs"} else "ok",
        blobs="unreachable" if "blobs" in failures else "ok",
    )


@router.head("/ready", include_in_schema=False)
@router.get("/ready", responses={503: {"model": Readiness}})
async def check_readiness(bench: Bench, response: Response) -> Readiness:
    """Whether runs can be started here now."""
    found = await bench.storage.look()
    readiness = Readiness(
        status="ready",
        version=__version__,
        storage="unavailable" if found.failures else "ok",
        unavailable=sorted(found.failures),
        tables="ok" if found.is_migrated or found.failures else "of_another_version",
        runs="accepted" if bench.accepts_runs else "refused",
        cluster=_stands(bench.runner.cluster),
    )
    if (readiness.storage, readiness.tables, readiness.runs) == ("ok", "ok", "accepted"):
        return readiness
    _refuse(response)
    return readiness.model_copy(update={"status": "not_ready"})


def _stands(cluster: "Cluster | None") -> Literal["none", "ok", "unavailable"]:
    if cluster is None:
        return "none"
    return "ok" if cluster.failure is None else "unavailable"


def _refuse(response: Response) -> None:
    response.status_code = 503
    response.headers["Retry-After"] = str(STORAGE_RETRY_SECONDS)
