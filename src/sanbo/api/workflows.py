"""Workflows: what can be run, and the form of its input."""

from fastapi import APIRouter
from pydantic import BaseModel

from sanbo.api.dependencies import Bench, Who
from sanbo.service.catalog import WorkflowInfo

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
