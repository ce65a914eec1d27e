"""What the journal keeps of an analysis that must not touch the disk: that it was, never a cell.

The person's own question stays, and the file's name; so do steps with their times, the engine and
what it cost, and which operations were executed. Whatever may quote the table is left out: specs
with their values, titles, answers, tables, and the words of problems.
"""

from pathlib import PurePosixPath

from sanbo.agents.analysis.export import REPORT, SPECS
from sanbo.agents.analysis.results import AnalysisResult
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
