"""What a report is made of."""

from typing import Annotated

from pydantic import Field

from sanbo.agents.analysis.outcome import Made, Note, ResultTable
from sanbo.agents.analysis.profile import DatasetProfile
from sanbo.agents.analysis.spec.operations import AnalysisSpec
from sanbo.agents.analysis.spec.plots import PlotSpec
from sanbo.kernel.messages import Language

FileName = Annotated[str, Field(pattern=r"^[^/\\:\x00-\x1f.][^/\\:\x00-\x1f]*$", max_length=200)]
"""Never a path."""


class ReportTable(Made):
    name: FileName
    """Of its file: 表1_店舗別の売上.csv."""
    table: ResultTable


class ReportFigure(Made):
    name: FileName
    """Of its file: 図1_月別の売上.png."""
    title: str
    alt: str
    table: ResultTable
    """The numbers behind the picture."""


class ReportResult(Made):
    """A spec that was executed, and what came of it."""

    result_id: str
    spec: AnalysisSpec | PlotSpec
    tables: tuple[ReportTable, ...] = ()
    figures: tuple[ReportFigure, ...] = ()
    notes: tuple[Note, ...] = ()
    input_rows: int
    used_rows: int


class Version(Made):
    name: str
    version: str


class ReportContent(Made):
    language: Language
    question: str
    conclusion: str
    """Markdown of a few sentences, by rules or by a model."""
    results: tuple[ReportResult, ...]
    """In the order of their execution."""
    dataset: DatasetProfile
    assumptions: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()
    """Beside those of the results' notes."""
    suggestions: tuple[str, ...] = ()
    limit_reached: bool = False
    """The turn ended because no more acts were left."""
    most_acts: int = 8
    """That a turn has."""
    refused_numbers: tuple[str, ...] = ()
    """Stated by the model without grounds; its text was replaced."""
    engine: str
    """rules, or provider and model."""
    sandbox: str
    """The level in force, in words."""
    versions: tuple[Version, ...] = ()
