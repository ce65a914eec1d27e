"""Runs of plans: the plan as it was when the run began, and how far its nodes have come."""

from pydantic import ValidationError

from sanbo.blocks.spec import text_of
from sanbo.kernel.problems import NotFound
from sanbo.plans.dependencies import dependencies
from sanbo.plans.drawing import Direction, Figure, NodeState, Theme
from sanbo.plans.load import load
from sanbo.plans.model import PlanSource
from sanbo.runs.model import Artifact, Path, Run, Step
from sanbo.service.access import Caller
from sanbo.service.plan_pictures import (
    PictureFormat,
    figure_of_source,
    picture,
    picture_apart,
    states_of,
)
from sanbo.service.plan_values import file_ids
from sanbo.service.plans import PLAN
from sanbo.service.workbench import Workbench

__all__ = [
    "failed_node",
    "files_given_out",
    "picture_of",
    "picture_of_run",
    "plan_run",
    "source_of",
    "states_of_run",
    "title_of",
]


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


def files_given_out(run: Run) -> tuple[Artifact, ...]:
    """The files that a plan was run for: those it exports, each once.

    A plan without `exports` does not say: there it is what its last nodes made, those that nothing
    reads from. Files made on the way are neither.
    """
    result = run.result or {}
    plan = load(source_of(run).plan).plan
    if plan is None or plan.exports:
        wanted = set(file_ids(result.get("exports")))
    else:
        read = frozenset[str]().union(*dependencies(plan).values())
        nodes = result.get("nodes")
        ends = nodes.items() if isinstance(nodes, dict) else ()
        wanted = {file for name, node in ends if name not in read for file in file_ids(node)}
    # The same file may have passed several nodes.
    once = {(made.name, made.artifact_id): made for made in run.artifacts}
    return tuple(made for made in once.values() if made.artifact_id in wanted)


def states_of_run(run: Run) -> tuple[Figure, dict[Path, NodeState]]:
    """The plan's nodes with their titles, and how far each has come."""
    figure = figure_of_source(source_of(run))
    return figure, states_of(run, figure)


def failed_node(run: Run) -> Step | None:
    """The innermost that failed, in whichever turn of a loop."""
    failed = [step for step in run.steps if step.status == "failed" and step.path]
    return max(failed, key=lambda step: len(step.path), default=None)


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
