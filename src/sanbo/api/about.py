"""What there is to know of this server: version and checks, health, who thinks, the cluster.

Health and readiness are told without a token, and who is not let in learns no more than that: where
the storage is and what it has stands in the log and in the problems of other requests.
"""

import asyncio
from typing import TYPE_CHECKING, Literal

from fastapi import APIRouter, Response
from pydantic import BaseModel

from sanbo import __version__
from sanbo.api.problems import STORAGE_RETRY_SECONDS
from sanbo.api.requests import Bench, StrictJsonRoute, Who
from sanbo.kernel.messages import Language, current_language
from sanbo.kernel.problems import PermissionDenied, Problem, SanboError
from sanbo.service import engine_choice
from sanbo.service.access import OPERATOR_ROLE
from sanbo.service.cluster_status import ClusterStatus
from sanbo.service.doctor import Check, examine
from sanbo.service.engine_choice import EngineChoice, EngineReport, EngineTest
from sanbo.service.health import Part

if TYPE_CHECKING:
    from sanbo.service.cluster import Cluster


health_router = APIRouter(tags=["health"])


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


@health_router.head("/health", include_in_schema=False)
@health_router.get("/health", responses={503: {"model": Health}})
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


@health_router.head("/ready", include_in_schema=False)
@health_router.get("/ready", responses={503: {"model": Readiness}})
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


cluster_router = APIRouter(tags=["cluster"])


@cluster_router.get("/cluster")
async def show_cluster(bench: Bench, who: Who) -> ClusterStatus:
    """Workers, the queue by owner and workflow, and how much gets done. Without a cluster, the
    queue alone."""
    if not who.operates:
        raise PermissionDenied("cluster_refused", role=OPERATOR_ROLE)
    return await bench.cluster_status()


engine_router = APIRouter(prefix="/engine", tags=["about"], route_class=StrictJsonRoute)
"""A key that comes this way lives in memory until the process ends; nothing writes it."""


@engine_router.get("")
async def show_engine(bench: Bench, who: Who) -> EngineReport:
    return _told(engine_choice.engine_report(bench, who))


@engine_router.put("")
async def choose_engine(choice: EngineChoice, bench: Bench, who: Who) -> EngineReport:
    """For runs that start from now on, until the server stops."""
    return _told(engine_choice.choose(bench, who, choice))


@engine_router.post("/test")
async def test_engine(choice: EngineChoice, bench: Bench, who: Who) -> EngineTest:
    """Asks the model one small question; nothing is chosen."""
    tried = await engine_choice.try_choice(bench, who, choice)
    return tried.model_copy(update={"problem": _in_language(tried.problem)})


def _told(report: EngineReport) -> EngineReport:
    return report.model_copy(update={"problem": _in_language(report.problem)})


def _in_language(problem: Problem | None) -> Problem | None:
    return None if problem is None else problem.in_language(current_language())


router = APIRouter(tags=["about"])


class About(BaseModel):
    version: str
    language: Language
    """Of this workspace, where nobody has chosen another."""
    max_upload_mb: int
    provider: str = ""
    """Who would think in a run that starts now: `rules`, or a provider of models."""
    model: str = ""
    problem: Problem | None = None
    """Why nobody would."""


class Checks(BaseModel):
    checks: list[Check]
    """Empty for tokens: where this machine keeps what is nobody else's business."""


@router.get("/about/checks")
async def show_checks(bench: Bench, who: Who) -> Checks:
    """Whether everything that Sanbo needs is in place, as `sanbo doctor` says it."""
    if not who.is_local:
        return Checks(checks=[])
    found = await asyncio.to_thread(examine, bench.settings)
    # That the port is taken is no news: this server has it.
    return Checks(checks=[check for check in found if check.name != "port"])


@router.get("/about")
async def show_about(bench: Bench, who: Who) -> About:
    _ = who
    settings = bench.settings
    about = About(
        version=__version__,
        language=settings.language,
        max_upload_mb=settings.server.max_upload_mb,
    )
    try:
        engine = bench.engine()
    except SanboError as refusal:
        return about.model_copy(update={"problem": refusal.problem})
    return about.model_copy(update={"provider": engine.provider, "model": engine.model or ""})
