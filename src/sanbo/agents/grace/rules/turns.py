"""What the plain search agent looks for next, until something answers or there is nothing new."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sanbo.agents.grace.thinking import SearchTurn
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.lexicon import synonyms
from sanbo.evidence.rules.queries import by_terms, different, expand
from sanbo.evidence.rules.terms import key_terms
from sanbo.evidence.rules.wordings import wordings

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
