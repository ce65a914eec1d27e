"""Answers of GRACE with the score that a test wants, and a workflow that gives them."""

from typing import ClassVar, Literal

from pydantic import BaseModel
from typing_extensions import override

from sanbo.agents.grace.confidence.model import FITTED, log_odds
from sanbo.agents.grace.confidence.thresholds import level
from sanbo.agents.grace.schemas import (
    AnswerSentence,
    ExecutionPlan,
    ExecutionResult,
    PlanStep,
    Source,
    ThresholdsUsed,
)
from sanbo.runs.model import Question, Requirement
from sanbo.runs.workflow import Finished, RunContext, Waiting, Workflow

THRESHOLDS = ThresholdsUsed(silent=0.9, notify=0.7, confirm=0.4)
QUOTE = "在宅勤務手当は、月額5,000円とする。"


def features(chance: float) -> dict[str, float]:
    """Such that the shipped numbers say this chance."""
    name, weight = max(FITTED.weights.items(), key=lambda pair: abs(pair[1]))
    others = dict.fromkeys(FITTED.weights, 0.0)
    return others | {name: (log_odds(chance) - FITTED.intercept) / weight}


def answered(
    score: float,
    *,
    question: str = "在宅勤務手当はいくらですか",
    found: bool = True,
    calibration: str = FITTED.version,
    chance: float | None = None,
    sources: tuple[Source, ...] = (),
) -> ExecutionResult:
    """`chance`: before anything was taken off for a flaw."""
    plan = ExecutionPlan(
        plan_id="plan-1",
        original_query=question,
        complexity=0.1,
        steps=(PlanStep(step_id=1, action="rag_search", description="検索", query=question),),
        made_by="template",
    )
    return ExecutionResult(
        question=question,
        collections=("規程",),
        answer_md=QUOTE if found else "コレクション「規程」には見つかりませんでした。",
        answered=found,
        sentences=(AnswerSentence(text=QUOTE, sources=(1,)),) if found else (),
        confidence=score,
        decision=level(score, THRESHOLDS),
        factors=(),
        features=features(score if chance is None else chance),
        method="calibrated",
        calibration=calibration,
        thresholds=THRESHOLDS,
        plan=plan,
        steps=(),
        sources=sources,
        replans=(),
        interventions=(),
    )


class AnswersInput(BaseModel):
    question: str = "在宅勤務手当はいくらですか"
    score: float = 0.95
    found: bool = True
    asks: bool = False
    document_id: str = ""
    collection: str = "規程"
    kind: Literal["collection", "web", "person"] = "collection"


class Answers(Workflow[AnswersInput, ExecutionResult]):
    """In GRACE's place: what is kept and shown of answers does not depend on how they came."""

    name = "grace"
    titles: ClassVar = {"ja": "回答", "en": "Answers"}
    descriptions: ClassVar = {"ja": "決まった回答", "en": "Answers as told"}
    input_model = AnswersInput
    result_model = ExecutionResult

    @override
    async def advance(
        self, context: RunContext[AnswersInput]
    ) -> Finished[ExecutionResult] | Waiting:
        given = context.input
        if given.asks:
            field = Requirement(id="action", type="text", label="操作")
            asked = Question(mode="collect", message="よろしいですか", requirements=(field,))
            if await context.ask("ask", asked) is None:
                return Waiting()
        source = Source(
            id=1,
            document="在宅勤務規程.txt",
            document_id=given.document_id,
            format="text",
            page=None,
            chunk_id=f"{given.document_id}.0",
            quote=QUOTE,
            start=0,
            end=len(QUOTE),
            score=0.9,
            verified=given.kind == "collection",
            kind=given.kind,
            collection=given.collection,
        )
        return Finished(
            answered(given.score, question=given.question, found=given.found, sources=(source,))
        )
