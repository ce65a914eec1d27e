"""What to search for: the question, its parts, its terms, and other words for them."""

from collections.abc import Iterable, Iterator, Sequence

from sanbo.evidence.model import Expansion
from sanbo.evidence.rules.lexicon import reworded
from sanbo.evidence.rules.sub_questions import sub_questions
from sanbo.evidence.rules.terms import key_terms
from sanbo.language.questions import without_asking
from sanbo.retrieval.tokens import letters

QUERIES = 5
"""Of one cycle, where nobody says otherwise."""
_TERMS = 12


def expand(question: str, most: int = QUERIES) -> Expansion:
    whole = " ".join(question.split())
    parts = sub_questions(question)
    return Expansion(sub_questions=parts, queries=different(_first(whole, parts), (), most))


def _first(question: str, parts: Sequence[str]) -> Iterator[str]:
    yield question
    yield from parts
    yield by_terms(question)
    for part in parts:
        yield from _other_words(part)
    if len(parts) > 1:
        yield from (by_terms(part) for part in parts)


def by_terms(question: str) -> str:
    """The question's terms alone; a pasted text has more of them than a search can use."""
    return " ".join(key_terms(question)[:_TERMS])


def _other_words(question: str) -> Iterator[str]:
    """The question without what makes it one, an office word put otherwise."""
    yield from reworded(by_terms(question) or without_asking(question))


def different(queries: Iterable[str], asked: Iterable[str], most: int) -> tuple[str, ...]:
    """The first ones that differ in their letters from each other and from what was asked."""
    seen = {letters(query) for query in asked}
    kept: list[str] = []
    for query in queries:
        form = letters(query)
        if form and form not in seen and len(kept) < most:
            seen.add(form)
            kept.append(" ".join(query.split()))
    return tuple(kept)
