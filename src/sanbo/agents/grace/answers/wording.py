"""Whether a sentence says what its sources say, as far as words can tell. Pure functions.

A quote that holds proves that the source says something, not that the sentence says the same.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

from sanbo.evidence.rules.sameness import statement
from sanbo.evidence.rules.terms import content_words, is_japanese

Departure = Literal["denial", "unrelated", "words"]
"""It says no where the source says yes, or yes for no; has nothing of it; uses other words."""

MOST_NEW = 0.25
"""The share of a sentence's words that may stand neither in its sources nor in the question."""
_END = re.compile(r"[。．！？!?\n]|(?<=[a-z)])\.(?=\s|$)")


def departure(text: str, sources: Sequence[str], beside: Iterable[str]) -> Departure | None:
    """None where nothing speaks against it; `beside`: what else a reader knows it is about."""
    if statement(text).denies not in {
        statement(each).denies for source in sources for each in _sentences(source)
    }:
        return "denial"
    said = set(content_words(text))
    in_sources = {word for each in sources for word in content_words(each)}
    in_one_language = {is_japanese(each) for each in sources} == {is_japanese(text)}
    if in_one_language and not said & in_sources:
        return "unrelated"
    known = in_sources | {word for each in beside for word in content_words(each)}
    return "words" if len(said - known) > MOST_NEW * len(said) else None


def sentences_around(text: str, start: int, end: int) -> str:
    """The whole sentences that a quote stands in: what follows it may take it back."""
    begins = [found.end() for found in _END.finditer(text, 0, start)]
    # A quote that ends with its sentence is not made longer by the next one.
    closing = _END.search(text, max(start, end - 1))
    return text[begins[-1] if begins else 0 : closing.end() if closing else len(text)].strip()


def strays(question: str, told: Iterable[str]) -> bool:
    """Whether most of what a question is about is not spoken of at all."""
    asked = set(content_words(question))
    spoken = {word for each in told for word in content_words(each)}
    return len(asked & spoken) * 2 < len(asked)


def _sentences(text: str) -> list[str]:
    return [piece for piece in _END.split(text) if piece.strip()]
