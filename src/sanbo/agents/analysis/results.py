"""What an analysis gives: a report, a question back, or that it is out of its scope."""

from typing import Literal

from pydantic import BaseModel

from sanbo.agents.analysis.outcome import CellKind, JsonCell
from sanbo.agents.analysis.spec.chips import ReadingChip
from sanbo.runs.model import JsonObject


class AnswerTable(BaseModel):
    title: str
    columns: list[str]
    """Names by which specs know them: 売上_sum."""
    labels: list[str]
    """As a person reads them: 売上（合計）."""
    kinds: list[CellKind]
    """How each column is shown: `share` as a percentage."""
    units: list[str]
    rows: list[list[JsonCell]]
    row_count: int
    result_id: str
    name: str = ""
    """Of the artifact that holds it as CSV; empty where these are the numbers of a figure."""


class AnswerFigure(BaseModel):
    title: str
    name: str
    """Of the picture, which is made when it is asked for."""
    alt: str
    result_id: str
    vega: JsonObject | None = None
    """The chart in Vega-Lite, where it is small; else it is the artifact that `name` is made of."""


class OfferedReading(BaseModel):
    """One way to take the question; answering with its number, or with its specs, chooses it."""

    text: str
    specs: list[JsonObject]
    unread: list[str]


class AnalysisResult(BaseModel):
    is_whole: bool = True
    """Else only that there was one: what it said was in the memory of a process that is gone."""
    kind: Literal["report", "question", "out_of_scope"]
    answer_md: str
    reading: list[ReadingChip] = []
    """How the question was read, in the person's words."""
    readings: list[OfferedReading] = []
    """Where it can be taken in more than one way, or was not understood as a whole."""
    unread: list[str] = []
    """Words that were not understood."""
    report_md: str
    specs: list[JsonObject]
    tables: list[AnswerTable]
    figures: list[AnswerFigure]
    assumptions: list[str]
    suggestions: list[str]
    cautions: list[str] = []
    """What to heed before the numbers are used."""
    recipe_md: str = ""
    """What it takes to come to the same numbers again."""
    preparations: list[str] = []
    """What was done to make the table ready, a line each."""
