"""Workflows: what can be run, the form of its input, and its sample."""

from fastapi import APIRouter
from pydantic import BaseModel

from sanbo.api.dependencies import Bench, Who
from sanbo.runs.model import Run
from sanbo.service.catalog import WorkflowInfo
from sanbo.service.sample_start import start_sample

router = APIRouter(tags=["workflows"])


class WorkflowList(BaseModel):
    workflows: list[WorkflowInfo]


@router.get("/workflows")
async def list_workflows(bench: Bench, who: Who) -> WorkflowList:
    _ = who
    return WorkflowList(workflows=bench.workflows())


@router.get("/workflows/{name}")
async def show_workflow(name: str, bench: Bench, who: Who) -> WorkflowInfo:
    _ = who
    return bench.workflow(name)


@router.post("/workflows/{name}/sample", status_code=201)
async def run_sample(name: str, bench: Bench, who: Who) -> Run:
    """A run on the sample that Sanbo ships, with its files and documents."""
    return await start_sample(bench, who, name)
