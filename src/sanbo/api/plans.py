"""Plans: which there are, what is wrong with one, its picture; their versions, presets and blocks.

To run one is to start a run like every other: `POST /runs` with the workflow `plan`.
"""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from sanbo.api.requests import Bench, StrictJsonRoute, Who
from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import InvalidInput
from sanbo.runs.model import Run
from sanbo.runs.parts import Parts
from sanbo.service import blocks, plan_versions, plan_views, plans, presets
from sanbo.service.blocks import BlockDetail
from sanbo.service.plan_list import DesignInfo, list_designs
from sanbo.service.plan_versions import Decision, VersionDetail, VersionInfo
from sanbo.service.plan_views import (
    MEDIA_TYPES,
    Direction,
    DryRunReport,
    PictureFormat,
    PlanDiff,
    Theme,
    diff_of,
    diff_picture,
    dry_run_of,
    picture_apart,
)
from sanbo.service.plans import (
    DesignDetail,
    Grouped,
    PlanSource,
    PlanText,
    Validation,
    source_by_id,
)
from sanbo.service.presets import PresetInfo
from sanbo.service.sample_runs import start_trial
from sanbo.service.workbench import Workbench

blocks_router = APIRouter(prefix="/blocks", tags=["plans"])


class BlockCatalogue(BaseModel):
    blocks: tuple[BlockDetail, ...]
    env: tuple[str, ...]
    """The environment variables that a plan may read; names alone."""


@blocks_router.get("")
async def list_blocks(bench: Bench, who: Who) -> BlockCatalogue:
    """All, each in its newest version."""
    _ = who
    settings = bench.settings
    found = await asyncio.to_thread(blocks.describe_blocks, settings.workspace)
    return BlockCatalogue(blocks=found, env=settings.plans.env)


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
    drawn = await plan_views.picture_of_run(
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
        return plan_views.picture(
            source, kind=look.format, direction=look.direction, theme=look.theme
        )

    return picture_response(await plan_views.picture_apart(draw), look.format)


@router.get("/{plan_id:path}/parts")
async def show_plan_parts(plan_id: PlanId, bench: Bench, who: Who) -> PlanParts:
    """What a person is shown of it before it runs: its nodes and how they depend on each other."""
    _ = who
    return await asyncio.to_thread(
        lambda: PlanParts(
            parts=plan_views.plan_parts(
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


presets_router = APIRouter(prefix="/plans", tags=["plans"], route_class=StrictJsonRoute)


class NewPreset(BaseModel):
    """From what was answered in a run so far; neither files nor secrets are kept."""

    model_config = ConfigDict(extra="forbid")

    run_id: Annotated[str, Field(min_length=1, max_length=100)]
    name: Annotated[str, Field(min_length=1, max_length=100)]
    shared: bool = False
    """Whether others may start from it."""


class PresetList(BaseModel):
    presets: list[PresetInfo]


@presets_router.post("/presets", status_code=201)
async def save_preset(given: NewPreset, bench: Bench, who: Who) -> PresetInfo:
    """In the place of one's own of that name."""
    return await presets.save_preset(bench, who, given.run_id, given.name, shared=given.shared)


@presets_router.get("/{plan_id:path}/presets")
async def list_presets(plan_id: PlanId, bench: Bench, who: Who) -> PresetList:
    """One's own, and those that others have shared."""
    source = await _source(bench, plan_id)
    return PresetList(presets=await presets.presets_of(bench, who, source))


@presets_router.delete("/{plan_id:path}/presets/{name}", status_code=204)
async def remove_preset(
    plan_id: PlanId, name: Annotated[str, Path(max_length=100)], bench: Bench, who: Who
) -> None:
    await presets.remove_preset(bench, who, await _source(bench, plan_id), name)


async def _source(bench: Workbench, plan_id: str) -> PlanSource:
    return await asyncio.to_thread(source_by_id, bench.settings, plan_id, bench.plan_versions)


versions_router = APIRouter(prefix="/plans", tags=["plans"], route_class=StrictJsonRoute)

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


@versions_router.post("/versions", status_code=201)
async def save_plan_version(given: NewVersion, bench: Bench, who: Who) -> VersionDetail:
    """As a draft; what is wrong with it is told, and it is kept."""
    return await asyncio.to_thread(
        lambda: plan_versions.save_version(
            bench.settings, bench.plan_versions, given.source(bench), who, given.comment
        )
    )


@versions_router.post("/versions/import", status_code=201)
async def import_plan_versions(request: Request, bench: Bench, who: Who) -> Imported:
    """A file of `/export`, as it is."""
    content = await request.body()
    versions, taken = await asyncio.to_thread(
        plan_versions.import_versions, bench.settings, bench.plan_versions, content, who
    )
    return Imported(versions=versions, taken=taken)


@versions_router.post("/diff")
async def compare_plans(given: TwoPlans, bench: Bench, who: Who) -> PlanDiff:
    """What differs in meaning: as data, in words, and as parts with a graph."""
    _ = who
    return await asyncio.to_thread(
        lambda: diff_of(given.old.source(bench), given.new.source(bench))
    )


@versions_router.post("/diff/graph", response_class=Response)
async def draw_plan_diff(
    given: TwoPlans, bench: Bench, who: Who, look: Annotated[Look, Query()]
) -> Response:
    """Both plans as one picture: what was added, removed and changed."""
    _ = who

    def draw() -> bytes:
        plans = given.old.source(bench), given.new.source(bench)
        return diff_picture(*plans, kind=look.format, direction=look.direction, theme=look.theme)

    return picture_response(await picture_apart(draw), look.format)


@versions_router.get("/{plan_id:path}/versions")
async def list_plan_versions(plan_id: PlanId, bench: Bench, who: Who) -> VersionList:
    _ = who
    return VersionList(versions=await asyncio.to_thread(bench.plan_versions.list, plan_id))


@versions_router.get("/{plan_id:path}/versions/export", response_class=Response)
async def export_plan_versions(plan_id: PlanId, bench: Bench, who: Who) -> Response:
    """All versions with their history, as one file of JSON."""
    _ = who
    made = await asyncio.to_thread(plan_versions.export_versions, bench.plan_versions, plan_id)
    headers = {"Content-Disposition": 'attachment; filename="plan-versions.json"'}
    return Response(made, media_type="application/json", headers=headers)


@versions_router.get("/{plan_id:path}/versions/{version}")
async def show_plan_version(
    plan_id: PlanId, version: VersionName, bench: Bench, who: Who
) -> VersionDetail:
    _ = who

    def look() -> VersionDetail:
        found = bench.plan_versions.get(plan_id, version)
        return plan_versions.detail_of(bench.settings, found)

    return await asyncio.to_thread(look)


@versions_router.post("/{plan_id:path}/versions/{version}/decisions")
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
