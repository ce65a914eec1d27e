"""Thinking with a language model: it plans, words and judges itself; code checks what it says."""

import math
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, Field

from sanbo.agents.grace import prompts
from sanbo.agents.grace.model_requests import (
    answer_asked,
    plan_asked,
    replan_asked,
    search_asked,
)
from sanbo.agents.grace.schemas import Action, PlanStep
from sanbo.agents.grace.settings import GraceSettings
from sanbo.agents.grace.thinking import (
    Answer,
    AnswerRequest,
    DraftPlan,
    PlanRequest,
    ReplanRequest,
    SearchTurn,
)
from sanbo.evidence.model import Part, Passage, Quoted
from sanbo.evidence.questions import plain
from sanbo.kernel.markdown import one_line
from sanbo.kernel.messages import Language
from sanbo.llm.model import HumanMessage, Model, SystemMessage
from sanbo.llm.shown_data import as_data
from sanbo.retrieval.tokens import letters

MOST_SENTENCES = 8
MOST_QUOTES = 6
LONGEST_SENTENCE = 1_000
LONGEST_QUOTE = 4_000
"""Longer than any passage: what is more need not be looked up."""
LONGEST_QUERY = 300
MOST_STEPS = 100
"""Of a draft that is looked at at all; a plan's own limit is checked later."""


class Estimated(BaseModel):
    complexity: float


class StepGiven(BaseModel):
    step_id: int = Field(ge=1)
    action: Action
    description: str
    query: str
    collection: str | None
    depends_on: list[int]
    fallback: Action | None


class PlanGiven(BaseModel):
    steps: list[StepGiven]
    requires_confirmation: bool


class QuoteGiven(BaseModel):
    passage: str
    quote: str


class SentenceGiven(BaseModel):
    section: Literal["finding", "disagreement", "nearest"]
    quotes: list[QuoteGiven]
    text: str


class SelfEvaluation(BaseModel):
    accuracy: float
    completeness: float


class AnswerGiven(BaseModel):
    sentences: list[SentenceGiven]
    self_evaluation: SelfEvaluation


class TurnGiven(BaseModel):
    thought: str
    query: str


class ModelThinking:
    def __init__(self, model: Model, language: Language, settings: GraceSettings) -> None:
        self._model = model
        self._language: Language = language
        self._settings = settings

    async def complexity(self, question: str) -> float:
        asked = [
            SystemMessage(prompts.COMPLEXITY),
            HumanMessage(prompts.COMPLEXITY_NOW.format(data=as_data({"question": question}))),
        ]
        estimated = await self._model.structured(asked, Estimated, purpose="grace.complexity")
        return _share(estimated.complexity)

    async def plan(self, request: PlanRequest) -> DraftPlan:
        asked = plan_asked(request, self._language)
        given = await self._model.structured(asked, PlanGiven, purpose="grace.plan")
        return _draft(given)

    async def replan(self, request: ReplanRequest) -> DraftPlan:
        asked = replan_asked(request, self._language)
        given = await self._model.structured(asked, PlanGiven, purpose="grace.replan")
        return _draft(given)

    async def answer(self, request: AnswerRequest) -> Answer:
        """Nothing to read, nothing to say."""
        if not request.passages:
            return Answer(parts=())
        asked = answer_asked(request, self._language, MOST_SENTENCES)
        given = await self._model.structured(asked, AnswerGiven, purpose="grace.answer")
        parts = tuple(_part(each) for each in given.sentences[:MOST_SENTENCES])
        own = given.self_evaluation
        # As good as its weaker side: a sure half of an answer is half an answer.
        weaker = min(_share(own.accuracy), _share(own.completeness))
        return Answer(parts=parts, self_evaluation=weaker)

    async def search_turn(
        self, question: str, searched: Sequence[str], passages: Sequence[Passage]
    ) -> SearchTurn:
        budget = self._settings.limits.passage_tokens // 2
        asked = search_asked(question, searched, passages, budget)
        given = await self._model.structured(asked, TurnGiven, purpose="grace.search_turn")
        query = one_line(given.query, LONGEST_QUERY)
        made = {letters(each) for each in searched}
        return SearchTurn(query="" if letters(query) in made else query)


def _draft(given: PlanGiven) -> DraftPlan:
    """As it was given: what is wrong with it is found by code, and told."""
    return DraftPlan(
        steps=tuple(_step(each) for each in given.steps[:MOST_STEPS]),
        requires_confirmation=given.requires_confirmation,
    )


def _step(given: StepGiven) -> PlanStep:
    return PlanStep(
        step_id=given.step_id,
        action=given.action,
        description=one_line(given.description),
        query=plain(given.query),
        collection=given.collection or None,
        depends_on=tuple(dict.fromkeys(given.depends_on)),
        fallback=given.fallback,
    )


def _part(given: SentenceGiven) -> Part:
    quotes = (
        Quoted(passage=each.passage, quote=each.quote[:LONGEST_QUOTE])
        for each in given.quotes[:MOST_QUOTES]
    )
    text = one_line(given.text, LONGEST_SENTENCE)
    return Part(section=given.section, text=text, quotes=tuple(quotes))


def _share(number: float) -> float:
    """From 0 to 1, whatever a model says; what is no number speaks for nothing."""
    return min(1.0, max(0.0, number)) if math.isfinite(number) else 0.0
