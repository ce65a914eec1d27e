"""The types of the schema: what `sanbo.service.research` gives, field by field."""

from datetime import datetime
from typing import Annotated, TypeVar

import strawberry
from pydantic import BaseModel, TypeAdapter

from sanbo.kernel.messages import current_language
from sanbo.kernel.problems import Problem
from sanbo.runs.model import Run, Status
from sanbo.service.collections import CitationPlace
from sanbo.service.research import Note, report_file, result_of

S = TypeVar("S")

strawberry.enum(Status, name="RunStatus")


def shaped(shape: type[S], model: BaseModel) -> S:
    """A model in the type of the schema that has its fields."""
    return TypeAdapter(shape).validate_python(model.model_dump())


@strawberry.type(name="Problem")
class ShownProblem:
    code: str
    message: str
    hint: str
    recoverable: bool

    @classmethod
    def of(cls, problem: Problem) -> "ShownProblem":
        return shaped(cls, problem.in_language(current_language()))


@strawberry.type(name="SearchedQuery")
class ShownQuery:
    text: str
    cycle: int
    hits: int
    new: int
    cached: bool


@strawberry.type(name="Citation")
class ShownCitation:
    id: int
    document: str
    document_id: strawberry.ID
    format: str
    page: int | None
    sheet: str | None
    row: int | None
    headings: list[str]
    chunk_id: strawberry.ID
    quote: str
    score: float
    verified: bool


@strawberry.type(name="Sentence")
class ShownSentence:
    text: str
    citations: list[int]
    problem: str


@strawberry.type(name="Finding")
class ShownFinding:
    sub_question: str
    sentences: list[ShownSentence]


@strawberry.type(name="ResearchResult")
class ShownResult:
    report_md: str
    answered: bool
    summary: list[ShownSentence]
    findings: list[ShownFinding]
    disagreements: list[ShownSentence]
    gaps: list[str]
    nearest: list[ShownSentence]
    citations: list[ShownCitation]
    cycles: int
    stop_reason: str
    queries: list[ShownQuery]
    partial: bool
    partial_reason: str
    refused: int
    marked: int


@strawberry.type(name="ResearchRun")
class ShownRun:
    id: strawberry.ID
    session: strawberry.ID
    status: Status
    question: str
    collection: str
    language: str
    engine: str
    created_at: datetime
    updated_at: datetime
    last_seq: int
    result: ShownResult | None
    report_url: str | None
    """Where the report can be downloaded."""
    problem: ShownProblem | None

    @classmethod
    def of(cls, run: Run) -> "ShownRun":
        file = report_file(run)
        url = f"/api/v1/runs/{run.run_id}/artifacts/{file.artifact_id}" if file else None
        return cls(
            id=strawberry.ID(run.run_id),
            session=strawberry.ID(run.conversation_id),
            status=run.status,
            question=str(run.input.get("question", "")),
            collection=str(run.input.get("collection", "")),
            language=run.language,
            engine=" ".join(part for part in (run.engine.provider, run.engine.model) if part),
            created_at=run.created_at,
            updated_at=run.updated_at,
            last_seq=run.last_seq,
            result=None if run.result is None else shaped(ShownResult, result_of(run)),
            report_url=url,
            problem=ShownProblem.of(run.problem) if run.problem else None,
        )


@strawberry.type(name="NotedPassage")
class ShownNotedPassage:
    chunk_id: strawberry.ID
    document: str
    score: float
    relevance: float


@strawberry.type(name="Note")
class ShownNote:
    session: strawberry.ID
    run_id: strawberry.ID
    node_name: str
    cycle_no: int
    queries: list[str]
    retrieved_docs: list[ShownNotedPassage]
    decision_reason: str
    final_report: str
    time: datetime

    @classmethod
    def of(cls, note: Note) -> "ShownNote":
        return shaped(cls, note)


@strawberry.type(name="Collection")
class ShownCollection:
    name: str
    documents: int
    chunks: int
    updated_at: datetime


@strawberry.type(name="CitationPlace")
class ShownPlace:
    citation: ShownCitation
    before: str
    text: str
    after: str
    start: int
    end: int
    problem: ShownProblem | None

    @classmethod
    def of(cls, place: CitationPlace) -> "ShownPlace":
        return shaped(cls, place)


# ---- what the subscription streams ---------------------------------------------------------


@strawberry.type(name="FoundPassage")
class ShownPassage:
    id: strawberry.ID
    chunk_id: strawberry.ID
    document: str
    page: int | None
    sheet: str | None
    relevance: float
    beginning: str


@strawberry.type(name="RetrieveStep")
class ShownRetrieve:
    cycle: int
    sub_questions: list[str]
    queries: list[ShownQuery]
    passages: list[ShownPassage]
    passages_in_all: int


@strawberry.type(name="DecideStep")
class ShownDecide:
    cycle: int
    enough: bool
    reason: str
    missing: list[str]
    next_queries: list[str]
    stop_reason: str | None
    decided_by: str


@strawberry.type(name="AnswerStep")
class ShownAnswer:
    answered: bool
    partial: bool
    partial_reason: str
    citations: int
    refused: int
    marked: int
    characters: int


AnyShownStep = Annotated[ShownRetrieve | ShownDecide | ShownAnswer, strawberry.union("Step")]


@strawberry.type
class StepBegun:
    """A step is at work."""

    seq: int
    name: str
    title: str


@strawberry.type
class StepDone:
    seq: int
    step: AnyShownStep


@strawberry.type
class StepFailed:
    seq: int
    name: str
    problem: ShownProblem


@strawberry.type
class ReportText:
    """A piece of the report."""

    text: str
    so_far: bool
    """Whether it is all that was written until now, in place of what came before."""


@strawberry.type
class ReportDone:
    """The last update: the run as it ended."""

    seq: int
    run: ShownRun


ReportUpdate = Annotated[
    StepBegun | StepDone | StepFailed | ReportText | ReportDone, strawberry.union("ReportUpdate")
]
