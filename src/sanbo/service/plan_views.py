"""Plans to look at: pictures, what differs between two, and how one would run on samples."""

from collections.abc import Callable, Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from sanbo.blocks.contract.catalog import Catalog
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import NotFound
from sanbo.plans.diff import (
    PlanChange,
    changes_between,
    diff_parts,
    marked,
    name_of,
    sentence,
    sign,
)
from sanbo.plans.drawing.figure import NodeState, figure_of
from sanbo.plans.drawing.layout import Direction, Theme
from sanbo.plans.drawing.pictures import Drawing, draw_mermaid
from sanbo.plans.dry_running import DryRunReport, dry_run
from sanbo.plans.dry_running.report import Case as DryRunCase
from sanbo.plans.dry_running.report import NodeReport
from sanbo.plans.model import PlanSource
from sanbo.plans.present import graph_of
from sanbo.plans.progress import figure_of_source, loaded_plans, source_of, states_of
from sanbo.runs.model import Path, Run
from sanbo.runs.parts import Parts
from sanbo.sandbox.client import StoppableThreads
from sanbo.service.access import Caller
from sanbo.service.plans import PLAN
from sanbo.service.workbench import Workbench
from sanbo.settings import Settings

__all__ = ["DryRunCase", "DryRunReport", "NodeReport", "dry_run_of"]


def dry_run_of(settings: Settings, source: PlanSource) -> DryRunReport:
    return dry_run(source, Catalog.load(settings.workspace), settings.plans)


PictureFormat = Literal["svg", "png", "mermaid"]
MEDIA_TYPES: dict[PictureFormat, str] = {
    "svg": "image/svg+xml",
    "png": "image/png",
    "mermaid": "text/plain",
}

DRAWN_HERE = 100
"""Nodes: their picture takes about a tenth of a second. A PNG takes more at any size."""
States = Mapping[Path, NodeState]
"""By path of node ids, loop items left out."""

_THREADS = StoppableThreads(4, "pictures")


def picture(
    source: PlanSource,
    states: States | None = None,
    *,
    kind: PictureFormat = "svg",
    direction: Direction = "down",
    theme: Theme = "auto",
) -> bytes:
    """In the current language; of a plan that has no form at all there is no picture.

    Blocks, but without holding the interpreter for long: what takes seconds is drawn elsewhere.
    """
    plan, called = loaded_plans(source)
    if kind == "mermaid":
        return draw_mermaid(plan, states, called=called, direction=direction).encode()
    drawing = Drawing(kind, plan, called, states, current_language(), direction, theme)
    if kind == "svg" and sum(1 for _ in figure_of(plan, called).everything()) <= DRAWN_HERE:
        return drawing.drawn()
    return drawing.drawn_apart()


def plan_parts(source: PlanSource) -> Parts:
    """What a person is shown of a plan before it runs, in the current language."""
    return (graph_of(source, current_language()).model_copy(update={"is_aside": False}),)


async def picture_apart(draw: Callable[[], bytes]) -> bytes:
    """What calls `picture`, in threads of its own: others do not wait for those who wait here."""
    return await _THREADS.run(draw)


async def plan_run(workbench: Workbench, caller: Caller, run_id: str) -> Run:
    """This run; a run of another workflow is none."""
    run = await workbench.get(caller, run_id)
    if run.workflow != PLAN:
        raise NotFound("run_not_found", run_id=run_id)
    return run


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
    return await picture_apart(lambda: picture_of(run, kind=kind, direction=direction, theme=theme))


class ToldChange(PlanChange):
    sign: str
    sentence: str
    """In the language of who asks."""


class PlanDiff(BaseModel):
    model_config = ConfigDict(frozen=True)

    old: str
    new: str
    changes: tuple[ToldChange, ...]
    parts: Parts


def diff_of(old: PlanSource, new: PlanSource) -> PlanDiff:
    changes = changes_between(old, new)
    return PlanDiff(
        old=name_of(old),
        new=name_of(new),
        changes=tuple(
            ToldChange(**dict(each), sign=sign(each), sentence=sentence(each)) for each in changes
        ),
        parts=diff_parts(old, new, changes, current_language()),
    )


def diff_picture(
    old: PlanSource,
    new: PlanSource,
    *,
    kind: PictureFormat = "svg",
    direction: Direction = "down",
    theme: Theme = "auto",
) -> bytes:
    plan, called, marks = marked(old, new, changes_between(old, new))
    if kind == "mermaid":
        return draw_mermaid(plan, marks, called=called, direction=direction).encode()
    return Drawing(kind, plan, called, marks, current_language(), direction, theme).drawn_apart()
