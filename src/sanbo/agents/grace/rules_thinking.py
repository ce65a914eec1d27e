"""Thinking without a model: deterministic, offline, in both languages."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sanbo.agents.grace.rules.answers import extract, joined, joins
from sanbo.agents.grace.rules.planning import plan
from sanbo.agents.grace.rules.replanning import replan
from sanbo.agents.grace.thinking import (
    Answer,
    AnswerRequest,
    DraftPlan,
    KnownCollection,
    PlanRequest,
    ReplanRequest,
    SearchTurn,
)
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.lexicon import synonyms
from sanbo.evidence.rules.queries import by_terms, different, expand, wordings
from sanbo.evidence.rules.terms import key_terms
from sanbo.kernel.messages import Language
from sanbo.sandbox.calls import apart

ANSWERS = 0.7
"""A passage of this relevance is taken to answer."""


def search_turn(question: str, searched: Sequence[str], passages: Sequence[Passage]) -> SearchTurn:
    if searched and any(passage.relevance >= ANSWERS for passage in passages):
        return SearchTurn()
    return SearchTurn(query="".join(different(_queries(question), searched, 1)))


def _queries(question: str) -> Iterator[str]:
    yield question
    yield by_terms(question)
    yield from wordings(question)
    yield from expand(question, 8).queries
    terms = key_terms(question)
    yield from (" ".join(pair) for pair in pairwise(terms))
    for term in sorted(terms, key=len, reverse=True):
        yield term
        yield from synonyms(term)


def warm_up() -> None:
    """Dictionaries and word lists, once: they take longer to load than most questions to read."""
    known = KnownCollection(name="規程", documents=1)
    plan(PlanRequest(question="出張の日当はいくらですか。", collections=(known,)), "ja")


def answer(request: AnswerRequest, language: Language) -> Answer:
    if joins(request) and (parts := joined(request, language)):
        return Answer(parts=parts)
    found = extract(request.question, request.passages, language)
    return Answer(parts=found.parts, span=found.span)


class RulesThinking:
    """`language` is what steps are told in; questions are read in either."""

    def __init__(self, language: Language) -> None:
        self._language: Language = language

    async def plan(self, request: PlanRequest) -> DraftPlan:
        return await apart(plan, request, self._language)

    async def replan(self, request: ReplanRequest) -> DraftPlan:
        return await apart(replan, request, self._language)

    async def answer(self, request: AnswerRequest) -> Answer:
        return await apart(answer, request, self._language)

    async def search_turn(
        self, question: str, searched: Sequence[str], passages: Sequence[Passage]
    ) -> SearchTurn:
        return await apart(search_turn, question, searched, passages)
