"""Plans: which there are, what is wrong with one, how it would run, and its picture.

To run one is to start a run like every other: `POST /runs` with the workflow `plan`.
"""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import BaseModel, ConfigDict, Field

from sanbo.api.bodies import StrictJsonRoute
from sanbo.api.dependencies import Bench, Who
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Run
from sanbo.runs.parts import Parts
from sanbo.service import plan_pictures, plans
from sanbo.service.dry_runs import DryRunReport, dry_run_of
from sanbo.service.plan_list import DesignInfo, list_designs
from sanbo.service.plan_pictures import MEDIA_TYPES, Direction, PictureFormat, Theme
from sanbo.service.plan_trial import start_trial
from sanbo.service.plans import (
    DesignDetail,
    Grouped,
    PlanSource,
    PlanText,
    Validation,
)
from sanbo.service.workbench import Workbench

router = APIRouter(prefix="/plans", tags=["plans"], route_class=StrictJsonRoute)

MOST_CALLED = 100
PlanId = Annotated[str, Path(min_length=1, max_length=1000)]
Name = Annotated[str, Field(max_length=1000)]
Text = Annotated[str, Field(max_length=plans.MOST_CHARACTERS)]
# A picture holds words that anybody may have written: it runs nothing and fetches nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"


class _Given(BaseModel):
    model_config = ConfigDict(extra="forbid")


class DesignList(BaseModel):
    plans: list[DesignInfo]


class PlanParts(BaseModel):
    parts: Parts


class GivenPlan(_Given):
    """Either a plan that is there, by its id or as `id@version`, or its text."""

    plan_id: Name = ""
    text: Text = ""
    called: dict[Name, Text] = Field(default_factory=dict[str, str], max_length=MOST_CALLED)
    """The texts of plans that it calls, by the id it calls them by; others are looked up."""

    def source(self, bench: Workbench) -> PlanSource:
        settings = bench.settings
        if bool(self.plan_id) == bool(self.text):
            raise InvalidInput("plan_id_or_text")
        if self.plan_id:
            return plans.source_by_id(settings, self.plan_id, bench.plan_versions)
        return plans.source_of_text(
            settings,
            self.text,
            called={name: PlanText(text=text, file=name) for name, text in self.called.items()},
            versions=bench.plan_versions,
        )


class NewDesign(_Given):
    text: Annotated[str, Field(min_length=1, max_length=plans.MOST_CHARACTERS)]
    plan_id: Name = ""
    """Where it is saved: `designs/{plan_id}.yaml`; without it, under the plan's own id."""
    replace: bool = False


class Migrated(BaseModel):
    text: str
    forms: tuple[str, ...]
    """The ids of the new forms; none: nothing was to be done."""
    left: list[str]
    """What stays as it is, and why."""


class Renaming(GivenPlan):
    node: Annotated[str, Field(min_length=1, max_length=1000)]
    """Ids from the plan down, `/` between them."""
    to: Annotated[str, Field(min_length=1, max_length=200)]


class Grouping(GivenPlan):
    nodes: Annotated[list[Name], Field(min_length=1, max_length=200)]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    """Of the node that takes their place."""
    over: Name = ""
    """For a loop: `node.key` of the list; without it, they become a plan that is called."""
    called_id: Annotated[str, Field(max_length=200)] = ""
    """The id of that plan; without it, as the node is called."""


class PlanTextShown(BaseModel):
    text: str


class Look(BaseModel):
    """Of a picture."""

    format: PictureFormat = "svg"
    direction: Direction = "down"
    theme: Theme = "auto"


@router.get("")
async def list_plans(bench: Bench, who: Who) -> DesignList:
    _ = who
    return DesignList(
        plans=await asyncio.to_thread(list_designs, bench.settings, bench.plan_versions)
    )


@router.post("", status_code=201)
async def save_plan(given: NewDesign, bench: Bench, who: Who) -> DesignDetail:
    """It is saved as it is; `findings` says what is wrong with it."""
    return await asyncio.to_thread(
        plans.save_design,
        bench.settings,
        given.text,
        given.plan_id,
        replace=given.replace,
        caller=who,
    )


@router.post("/validate")
async def validate_plan(given: GivenPlan, bench: Bench, who: Who) -> Validation:
    _ = who
    return await asyncio.to_thread(lambda: plans.validation_of(bench.settings, given.source(bench)))


@router.post("/dry-run")
async def dry_run_plan(given: GivenPlan, bench: Bench, who: Who) -> DryRunReport:
    """On declared samples alone: no real data, no model, no network."""
    _ = who
    return await asyncio.to_thread(lambda: dry_run_of(bench.settings, given.source(bench)))


@router.get("/runs/{run_id}/graph", response_class=Response)
async def draw_run(
    run_id: str,
    bench: Bench,
    who: Who,
    look: Annotated[Look, Query()],
) -> Response:
    """The plan as it was when the run began, with how far each node has come."""
    drawn = await plan_pictures.picture_of_run(
        bench, who, run_id, kind=look.format, direction=look.direction, theme=look.theme
    )
    return picture_response(drawn, look.format)


@router.post("/rename")
async def rename_node(given: Renaming, bench: Bench, who: Who) -> PlanTextShown:
    """The plan with another id for a node, wherever that is named; nothing is saved."""
    _ = who

    def rename() -> str:
        return plans.renamed_node(bench.settings, given.source(bench), given.node, given.to)

    return PlanTextShown(text=await asyncio.to_thread(rename))


@router.post("/group")
async def group_nodes(given: Grouping, bench: Bench, who: Who) -> Grouped:
    """Nodes put together into a loop, or into a plan of their own, which `called` is then; nothing
    is saved."""
    _ = who

    def group() -> Grouped:
        return plans.grouped_nodes(
            bench.settings,
            given.source(bench),
            given.nodes,
            given.name,
            over=given.over,
            plan_id=given.called_id or given.name,
        )

    return await asyncio.to_thread(group)


@router.post("/migrate")
async def migrate_plan(given: GivenPlan, bench: Bench, who: Who) -> Migrated:
    """The same with `ui.interactive_input` in the place of earlier blocks; nothing is saved."""
    _ = who
    made = await asyncio.to_thread(lambda: plans.migration_of(bench.settings, given.source(bench)))
    left = [each.sentence for each in made.left]
    return Migrated(text=made.text, forms=made.forms, left=left)


@router.get("/{plan_id:path}/graph", response_class=Response)
async def draw_plan(
    plan_id: PlanId,
    bench: Bench,
    who: Who,
    look: Annotated[Look, Query()],
) -> Response:
    _ = who

    def draw() -> bytes:
        source = plans.source_by_id(bench.settings, plan_id, bench.plan_versions)
        return plan_pictures.picture(
            source, kind=look.format, direction=look.direction, theme=look.theme
        )

    return picture_response(await plan_pictures.picture_apart(draw), look.format)


@router.get("/{plan_id:path}/parts")
async def show_plan_parts(plan_id: PlanId, bench: Bench, who: Who) -> PlanParts:
    """What a person is shown of it before it runs: its nodes and how they depend on each other."""
    _ = who
    return await asyncio.to_thread(
        lambda: PlanParts(
            parts=plan_pictures.plan_parts(
                plans.source_by_id(bench.settings, plan_id, bench.plan_versions)
            )
        )
    )


@router.post("/{plan_id:path}/sample", status_code=201)
async def run_plan_sample(plan_id: PlanId, bench: Bench, who: Who) -> Run:
    """A run whose forms for files are answered with the files that Sanbo ships for the plan."""
    source = await asyncio.to_thread(
        plans.source_by_id, bench.settings, plan_id, bench.plan_versions
    )
    return await start_trial(bench, who, source, {}, current_language())


@router.get("/{plan_id:path}")
async def show_plan(plan_id: PlanId, bench: Bench, who: Who) -> DesignDetail:
    _ = who
    return await asyncio.to_thread(plans.read_design, bench.settings, plan_id, bench.plan_versions)


def picture_response(drawn: bytes, kind: PictureFormat) -> Response:
    return Response(
        drawn,
        media_type=MEDIA_TYPES[kind],
        headers={"Content-Security-Policy": POLICY, "Cache-Control": "no-store"},
    )
