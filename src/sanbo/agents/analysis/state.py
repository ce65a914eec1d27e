"""What a conversation about a table knows, and how its thinker sees it; the table stands apart."""

import operator
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from sanbo.agents.analysis.datasets import Spec, Step
from sanbo.agents.analysis.decision import NextAction, Offered, OutOfScope, ResultView, Turn, View
from sanbo.agents.analysis.profile import DatasetProfile, PreparationKind, TableProfile
from sanbo.agents.analysis.report.content import ReportResult
from sanbo.agents.analysis.spec.reading import read_spec
from sanbo.agents.analysis.spec.words import DATASET
from sanbo.kernel.messages import Language
from sanbo.kernel.problems import Problem
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
    """The last analysis of the decision, and its last chart: what the answer will show."""
    plot_spec: JsonObject | None
    pipeline: list[JsonObject]
    """All that the decision executes, in its order."""

    artifacts: list[ArtifactEntry]
    last_error: JsonObject | None
    final_report_md: str | None
    recipe_md: str
    cautions: list[str]

    # One turn, one invoke: how far it has come.
    file: JsonObject | None
    sheet: str
    as_written: list[PreparationKind]
    turn: Annotated[int, operator.add]
    acts: int
    calls: int
    """Of a model, in this turn."""
    results: list[ResultEntry]
    """Of the whole conversation, oldest first, also those of other tables."""
    failed_spec: JsonObject | None
    scope: OutOfScope | None
    refused: bool
    limit_reached: bool
    suggestions: list[str]
    readings: list[JsonObject]
    """Offered by this turn (`Offered`); by the turn before while the next one is thought about."""
    unread: list[str]
    chosen: list[JsonObject]
    """Specs that the person gave instead of words."""
    conclusion: str


ASKED = "question"
"""The name of a message that asks back."""
MOST_ACTS = 8
"""In one turn."""


def own_results(state: AnalysisState, dataset_id: str | None) -> list[ResultEntry]:
    """Of this table: a conversation may go on with another one."""
    return [entry for entry in state.get("results", []) if entry["dataset_id"] == dataset_id]


def view_of(state: AnalysisState, dataset: DatasetProfile | None, language: Language) -> View:
    results = own_results(state, dataset.dataset_id if dataset else None)
    error = state.get("last_error")
    failed = state.get("failed_spec")
    return View(
        language=language,
        turns=tuple(_turn(message) for message in state.get("messages", ())),
        dataset=dataset,
        results=tuple(result_view(entry, state.get("turn", 1)) for entry in results),
        last_error=None if error is None else Problem.model_validate(error),
        failed_spec=None if failed is None else read_spec(failed),
        calls=state.get("calls", 0),
        acts_left=max(0, MOST_ACTS - state.get("acts", 0)),
        refused=state.get("refused", False),
        next_result_id=next_result_id(state.get("results", [])),
        offered=tuple(Offered.model_validate(one) for one in state.get("readings", [])),
    )


def _turn(message: BaseMessage) -> Turn:
    role = "user" if isinstance(message, HumanMessage) else "assistant"
    return Turn(role=role, text=message.text, is_question=message.name == ASKED)


def result_view(entry: ResultEntry, turn: int) -> ResultView:
    made = ReportResult.model_validate(entry["report"])
    return ResultView(
        result_id=made.result_id,
        spec=made.spec,
        tables=(
            *(table.table for table in made.tables),
            *(figure.table for figure in made.figures),
        ),
        figure_titles=tuple(figure.title for figure in made.figures),
        notes=tuple(note.text for note in made.notes if note.kind != "finding"),
        findings=tuple(note.text for note in made.notes if note.kind == "finding"),
        profile=TableProfile.model_validate(entry["profile"]),
        is_of_this_turn=entry["turn"] == turn,
    )


def next_result_id(results: Sequence[ResultEntry]) -> str:
    return f"r{len(results) + 1}"


def steps_of(results: Sequence[ResultEntry]) -> list[Step]:
    return [Step(entry["result_id"], read_spec(entry["spec"])) for entry in results]


def tables_of(
    dataset: DatasetProfile, results: Sequence[ResultEntry]
) -> Mapping[str, TableProfile]:
    """What a spec may name as its input."""
    return {DATASET: dataset} | {
        entry["result_id"]: TableProfile.model_validate(entry["profile"]) for entry in results
    }


def same_result(results: Sequence[ResultEntry], spec: Spec) -> ResultEntry | None:
    """The result of an identical spec: it is not executed twice."""
    wanted = spec.model_dump(mode="json")
    return next((entry for entry in results if entry["spec"] == wanted), None)


def with_result(results: Sequence[ResultEntry], new: ResultEntry) -> list[ResultEntry]:
    """In the place of the one with its id, else at the end."""
    others = [entry for entry in results if entry["result_id"] != new["result_id"]]
    return sorted([*others, new], key=lambda entry: int(entry["result_id"][1:]))
