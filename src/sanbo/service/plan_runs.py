"""Runs of plans: the plan as it was when the run began, and how far its nodes have come."""

import asyncio

from pydantic import ValidationError

from sanbo.blocks.spec import text_of
from sanbo.kernel.problems import NotFound
from sanbo.plans.drawing import Direction, Figure, NodeState, Theme
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.runs.model import Path, Run
from sanbo.service.access import Caller
from sanbo.service.plan_pictures import PictureFormat, figure_of_source, picture, states_of
from sanbo.service.plans import PLAN
from sanbo.service.workbench import Workbench

__all__ = ["picture_of", "picture_of_run", "plan_run", "source_of", "states_of_run", "title_of"]


async def plan_run(workbench: Workbench, caller: Caller, run_id: str) -> Run:
    """This run; a run of another workflow is none."""
    run = await workbench.get(caller, run_id)
    if run.workflow != PLAN:
        raise NotFound("run_not_found", run_id=run_id)
    return run


def source_of(run: Run) -> PlanSource:
    """The run's own copy: what has become of the file since does not matter."""
    try:
        return PlanSource.model_validate(run.input.get("source"))
    except ValidationError:  # recorded by a later version of Sanbo
        raise NotFound("run_not_found", run_id=run.run_id) from None


def title_of(run: Run) -> str:
    """In the current language; the plan's id where it has none."""
    plan = load(source_of(run).plan).plan
    return str(run.input.get("plan_id", "")) if plan is None else text_of(plan.title) or plan.id


def states_of_run(run: Run) -> tuple[Figure, dict[Path, NodeState]]:
    """The plan's nodes with their titles, and how far each has come."""
    figure = figure_of_source(source_of(run))
    return figure, states_of(run, figure)


def picture_of(
    run: Run,
    *,
    kind: PictureFormat = "svg",
    direction: Direction = "down",
    theme: Theme = "auto",
) -> bytes:
    source = source_of(run)
    states = states_of(run, figure_of_source(source))
    return picture(source, states, kind=kind, direction=direction, theme=theme)


async def picture_of_run(
    workbench: Workbench,
    caller: Caller,
    run_id: str,
    *,
    kind: PictureFormat = "svg",
    direction: Direction = "down",
    theme: Theme = "auto",
) -> bytes:
    run = await plan_run(workbench, caller, run_id)
    return await asyncio.to_thread(picture_of, run, kind=kind, direction=direction, theme=theme)
