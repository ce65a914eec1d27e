"""A comparison as pages show it: what it came to in short, and its side-by-side view."""

import threading
from functools import cache
from importlib import import_module

from pydantic import BaseModel, ConfigDict

from sanbo.agents.comparison.model import ComparedPair, Summary
from sanbo.agents.comparison.outputs.wording import OutputFormat, download_name, output_of
from sanbo.documents.file_formats import format_by_name
from sanbo.kernel.problems import NotFound
from sanbo.runs.model import Artifact, Run
from sanbo.service.access import Caller
from sanbo.service.catalog import COMPARISON
from sanbo.service.files import Content
from sanbo.service.workbench import Workbench

__all__ = ["Overview", "has_columns", "output_of", "overview_of", "prepare", "side_by_side"]


class Overview(BaseModel):
    """A result without its changes, which may be thousands: those are in its files."""

    model_config = ConfigDict(frozen=True)

    summary: Summary
    pairs: tuple[ComparedPair, ...]


@cache
def prepare() -> None:
    """Loads beside the caller, once, what compares: the first comparison then waits less."""
    threading.Thread(target=_load, name="comparison-loading", daemon=True).start()


def _load() -> None:
    for part in ("alignment.align", "results"):
        import_module(f"sanbo.agents.comparison.{part}")


def overview_of(run: Run) -> Overview | None:
    return None if run.result is None else Overview.model_validate(run.result)


def has_columns(file: str) -> bool:
    """Whether files of this name are tables, whose columns can be chosen."""
    known = format_by_name(file)
    return known is not None and known.is_table


def file_name(run: Run, output: OutputFormat) -> str:
    """Of the artifact that holds a run's result in this format."""
    return download_name(output, run.language)


async def side_by_side(
    workbench: Workbench, caller: Caller, run_id: str
) -> tuple[Artifact, Content]:
    """The page that this comparison wrote. Of other workflows none: their HTML is a stranger's."""
    run = await workbench.get(caller, run_id)
    for artifact in run.artifacts:
        if run.workflow == COMPARISON and artifact.name == file_name(run, "html"):
            return await workbench.content(caller, run_id, artifact.artifact_id)
    raise NotFound("comparison_view_missing")
