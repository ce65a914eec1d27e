"""Versions of plans: kept, decided on, looked at, and as files with their history."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.api.plans import GivenPlan, Look, PlanId, picture_response
from sanbo.service import plan_versions
from sanbo.service.plan_diffs import PlanDiff, diff_of, diff_picture
from sanbo.service.plan_pictures import picture_apart
from sanbo.service.plan_versions import Decision, VersionDetail, VersionInfo

router = APIRouter(prefix="/plans", tags=["plans"], route_class=StrictJsonRoute)

VersionName = Annotated[str, Path(min_length=1, max_length=64)]
Comment = Annotated[str, Field(max_length=2000)]


class VersionList(BaseModel):
    versions: list[VersionInfo]


class Imported(VersionList):
    taken: int
    """How many are new here."""


class NewVersion(GivenPlan):
    """By the id of a plan in `designs/`, or as text; under the id and version that it has."""

    comment: Comment = ""


class GivenDecision(BaseModel):
    decision: Decision
    comment: Comment = ""
    """Who returns one says why."""


class TwoPlans(BaseModel):
    old: GivenPlan
    new: GivenPlan


@router.post("/versions", status_code=201)
async def save_plan_version(given: NewVersion, bench: Bench, who: Who) -> VersionDetail:
    """As a draft; what is wrong with it is told, and it is kept."""
    return await asyncio.to_thread(
        lambda: plan_versions.save_version(
            bench.settings, bench.plan_versions, given.source(bench), who, given.comment
        )
    )


@router.post("/versions/import", status_code=201)
async def import_plan_versions(request: Request, bench: Bench, who: Who) -> Imported:
    """A file of `/export`, as it is."""
    content = await request.body()
    versions, taken = await asyncio.to_thread(
        plan_versions.import_versions, bench.settings, bench.plan_versions, content, who
    )
    return Imported(versions=versions, taken=taken)


@router.post("/diff")
async def compare_plans(given: TwoPlans, bench: Bench, who: Who) -> PlanDiff:
    """What differs in meaning: as data, in words, and as parts with a graph."""
    _ = who
    return await asyncio.to_thread(
        lambda: diff_of(given.old.source(bench), given.new.source(bench))
    )


@router.post("/diff/graph", response_class=Response)
async def draw_plan_diff(
    given: TwoPlans, bench: Bench, who: Who, look: Annotated[Look, Query()]
) -> Response:
    """Both plans as one picture: what was added, removed and changed."""
    _ = who

    def draw() -> bytes:
        plans = given.old.source(bench), given.new.source(bench)
        return diff_picture(*plans, kind=look.format, direction=look.direction, theme=look.theme)

    return picture_response(await picture_apart(draw), look.format)


@router.get("/{plan_id:path}/versions")
async def list_plan_versions(plan_id: PlanId, bench: Bench, who: Who) -> VersionList:
    _ = who
    return VersionList(versions=await asyncio.to_thread(bench.plan_versions.list, plan_id))


@router.get("/{plan_id:path}/versions/export", response_class=Response)
async def export_plan_versions(plan_id: PlanId, bench: Bench, who: Who) -> Response:
    """All versions with their history, as one file of JSON."""
    _ = who
    made = await asyncio.to_thread(plan_versions.export_versions, bench.plan_versions, plan_id)
    headers = {"Content-Disposition": 'attachment; filename="plan-versions.json"'}
    return Response(made, media_type="application/json", headers=headers)


@router.get("/{plan_id:path}/versions/{version}")
async def show_plan_version(
    plan_id: PlanId, version: VersionName, bench: Bench, who: Who
) -> VersionDetail:
    _ = who

    def look() -> VersionDetail:
        found = bench.plan_versions.get(plan_id, version)
        return plan_versions.detail_of(bench.settings, found)

    return await asyncio.to_thread(look)


@router.post("/{plan_id:path}/versions/{version}/decisions")
async def decide_plan_version(
    plan_id: PlanId, version: VersionName, given: GivenDecision, bench: Bench, who: Who
) -> VersionDetail:
    """Submit, approve, return or retire it."""
    return await asyncio.to_thread(
        lambda: plan_versions.decide(
            bench.settings,
            bench.plan_versions,
            f"{plan_id}@{version}",
            given.decision,
            caller=who,
            comment=given.comment,
        )
    )
