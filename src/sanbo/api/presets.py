"""Presets: answers to a plan's forms under a name; `POST /runs` with `preset` starts from one."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.api.plans import PlanId
from sanbo.service import presets
from sanbo.service.plans import PlanSource, source_by_id
from sanbo.service.presets import PresetInfo
from sanbo.service.workbench import Workbench

router = APIRouter(prefix="/plans", tags=["plans"], route_class=StrictJsonRoute)


class NewPreset(BaseModel):
    """From what was answered in a run so far; neither files nor secrets are kept."""

    model_config = ConfigDict(extra="forbid")

    run_id: Annotated[str, Field(min_length=1, max_length=100)]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    shared: bool = False
    """Whether others may start from it."""


class PresetList(BaseModel):
    presets: list[PresetInfo]


@router.post("/presets", status_code=201)
async def save_preset(given: NewPreset, bench: Bench, who: Who) -> PresetInfo:
    """In the place of one's own of that name."""
    return await presets.save_preset(bench, who, given.run_id, given.name, shared=given.shared)


@router.get("/{plan_id:path}/presets")
async def list_presets(plan_id: PlanId, bench: Bench, who: Who) -> PresetList:
    """One's own, and those that others have shared."""
    source = await _source(bench, plan_id)
    return PresetList(presets=await presets.presets_of(bench, who, source))


@router.delete("/{plan_id:path}/presets/{name}", status_code=204)
async def remove_preset(
    plan_id: PlanId, name: Annotated[str, Path(max_length=100)], bench: Bench, who: Who
) -> None:
    await presets.remove_preset(bench, who, await _source(bench, plan_id), name)


async def _source(bench: Workbench, plan_id: str) -> PlanSource:
    return await asyncio.to_thread(source_by_id, bench.settings, plan_id, bench.plan_versions)
