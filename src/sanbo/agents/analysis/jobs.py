"""What the sandbox is asked to do, and what it says. Light: the parent loads no pandas."""

from pydantic import BaseModel, ConfigDict

from sanbo.agents.analysis.outcome import Outcome
from sanbo.agents.analysis.profile import PreparationKind, TableProfile
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec

WORKER = "sanbo.agents.analysis.worker"
"""The module that does them."""


class Todo(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class LoadJob(Todo):
    """A file becomes a table."""

    name: str
    sheet: str = ""
    sha256: str
    as_written: tuple[PreparationKind, ...] = ()
    """What is not made ready, but left as the file has it."""


class ExecuteJob(Todo):
    spec: AnalysisSpec | PlotSpec


class CsvJob(Todo):
    labels: tuple[str, ...]
    rows: int
    """The first of them."""


class Job(Todo):
    """One of the three."""

    load: LoadJob | None = None
    execute: ExecuteJob | None = None
    csv: CsvJob | None = None


class Executed(BaseModel):
    """Of one spec: what came of it, and what later specs may know of its first table."""

    model_config = ConfigDict(frozen=True)

    outcome: Outcome
    profile: TableProfile
