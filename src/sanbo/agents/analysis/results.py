"""What an analysis gives: a report, a question back, or that it is out of its scope.

What the journal keeps of an analysis that must not touch the disk: that it was, never a cell.

The person's own question stays, and the file's name; so do steps with their times, the engine and
what it cost, and which operations were executed. Whatever may quote the table is left out: specs
with their values, titles, answers, tables, and the words of problems.
"""

from pathlib import PurePosixPath
from typing import Literal

from pydantic import BaseModel

from sanbo.agents.analysis.export import REPORT, SPECS
from sanbo.agents.analysis.outcome import CellKind, JsonCell
from sanbo.agents.analysis.spec.chips import ReadingChip
from sanbo.kernel.messages import tell
from sanbo.kernel.problems import Problem
from sanbo.runs.model import (
    Artifact,
    ArtifactMade,
    JsonObject,
    NodeComplete,
    NodeError,
    Payload,
    RunComplete,
    RunStart,
)


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


NOT_KEPT = "analysis_not_kept"
_SHAPE = ("result_id", "type", "op", "kind", "input")
"""Of a spec: words of ours."""


def without_cells(payload: Payload) -> Payload:
    """Itself, where it has none."""
    part = _part(payload)
    return payload if part == payload else part


def _part(payload: Payload) -> Payload:
    match payload:
        case RunStart():
            return payload.model_copy(update={"input": {**payload.input, "specs": []}})
        case ArtifactMade():
            return payload.model_copy(update={"artifact": _unnamed(payload.artifact)})
        case NodeComplete():
            return payload.model_copy(update={"outputs": None, "warnings": ()})
        case NodeError():
            return payload.model_copy(update={"error": _untold(payload.error)})
        case RunComplete():
            problem = None if payload.problem is None else _untold(payload.problem)
            result = None if payload.result is None else _outline(payload.result)
            return payload.model_copy(update={"result": result, "problem": problem})
        case _:
            return payload


def _unnamed(artifact: Artifact) -> Artifact:
    """Titles of tables and charts name what was looked for."""
    if artifact.name in (REPORT, SPECS):
        return artifact
    ending = "".join(PurePosixPath(artifact.name).suffixes[-1:])
    name = f"{artifact.artifact_id[:12]}{ending}"
    return artifact.model_copy(update={"name": name, "title": ""})


def _untold(problem: Problem) -> Problem:
    """Its kind; the catalogue's name of it says what it was about."""
    return Problem(
        code=problem.code,
        message=tell(f"{NOT_KEPT}.message"),
        hint=tell(f"{NOT_KEPT}.hint"),
        details={"text_id": problem.text_id},
        recoverable=problem.recoverable,
        text_id=NOT_KEPT,
    )


def _outline(result: JsonObject) -> JsonObject:
    whole = AnalysisResult.model_validate(result)
    outline = AnalysisResult(
        is_whole=False,
        kind=whole.kind,
        answer_md=tell("analysis_not_kept.result"),
        report_md="",
        specs=[{name: spec[name] for name in _SHAPE if name in spec} for spec in whole.specs],
        tables=[],
        figures=[],
        assumptions=[],
        suggestions=[],
    )
    return outline.model_dump(mode="json")
