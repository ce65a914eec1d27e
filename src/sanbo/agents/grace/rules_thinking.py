"""Thinking without a model: deterministic, offline, in both languages."""

import asyncio
from collections.abc import Sequence

from sanbo.agents.grace.rules import turns
from sanbo.agents.grace.rules.answering import extract
from sanbo.agents.grace.rules.complexity import estimate_complexity
from sanbo.agents.grace.rules.joining import joined, joins
from sanbo.agents.grace.rules.planning import plan
from sanbo.agents.grace.rules.replanning import replan
from sanbo.agents.grace.thinking import (
    Answer,
    AnswerRequest,
    DraftPlan,
    PlanRequest,
    ReplanRequest,
    SearchTurn,
)
from sanbo.evidence.model import Passage
from sanbo.kernel.messages import Language


class RulesThinking:
    """`language` is what steps are told in; questions are read in either."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    async def complexity(self, question: str) -> float:
        return await asyncio.to_thread(estimate_complexity, question)

    async def plan(self, request: PlanRequest) -> DraftPlan:
        return await asyncio.to_thread(plan, request, self._language)

    async def replan(self, request: ReplanRequest) -> DraftPlan:
        return await asyncio.to_thread(replan, request, self._language)

    async def answer(self, request: AnswerRequest) -> Answer:
        return await asyncio.to_thread(self._answer, request)

    def _answer(self, request: AnswerRequest) -> Answer:
        if joins(request) and (parts := joined(request, self._language)):
            return Answer(parts=parts)
        found = extract(request.question, request.passages, self._language)
        return Answer(parts=found.parts, span=found.span)

    async def search_turn(
        self, question: str, searched: Sequence[str], passages: Sequence[Passage]
    ) -> SearchTurn:
        return await asyncio.to_thread(turns.search_turn, question, searched, passages)
