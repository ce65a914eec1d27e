"""What a conversation about a table knows. The table itself is in the registry, by its id."""

import operator
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from langchain_core.messages import BaseMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from sanbo.agents.analysis.decision import NextAction, OutOfScope
from sanbo.runs.model import JsonObject


class ArtifactEntry(TypedDict):
    """Something that a turn has made; its bytes are with the run's files."""

    artifact_id: str
    kind: Literal["table", "figure", "text"]
    title: str
    description: str
    payload: Any
    """A table's first rows, a figure's file name, a text."""


class ResultEntry(TypedDict):
    """An executed spec, as plain JSON: checkpoints hold no classes of ours."""

    result_id: str
    dataset_id: str
    spec: JsonObject
    report: JsonObject
    """A `ReportResult`: its tables and figures, with the names of their files."""
    profile: JsonObject
    turn: int
    """The last turn that used it."""


class AnalysisState(TypedDict, total=False):
    messages: Annotated[Sequence[BaseMessage], add_messages]
    logs: Annotated[list[str], operator.add]

    dataset_id: str | None
    dataset_summary: JsonObject | None

    next_action: NextAction | None
    rationale: str | None
    clarifying_questions: list[str]
    assumptions: list[str]
    analysis_spec: JsonObject | None
    plot_spec: JsonObject | None

    artifacts: list[ArtifactEntry]
    last_error: JsonObject | None
    final_report_md: str | None

    # One turn, one invoke: how far it has come.
    file: JsonObject | None
    sheet: str
    turn: Annotated[int, operator.add]
    acts: int
    results: list[ResultEntry]
    """Of the whole conversation, oldest first, also those of other tables."""
    failed_spec: JsonObject | None
    scope: OutOfScope | None
    refused: bool
    limit_reached: bool
    suggestions: list[str]
    conclusion: str
