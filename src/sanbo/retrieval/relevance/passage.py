"""A passage as relevance sees it, read once."""

import re
from dataclasses import dataclass
from functools import lru_cache

from sanbo.kernel.text import matching_form
from sanbo.retrieval.relevance.spelling import latin_words
from sanbo.retrieval.tokens import letters

# Chunks are far shorter; whatever else comes must not cost more than they do.
_LONGEST = 6_000
_SENTENCE = re.compile(r"(?:[^。！？!?\n.]|\.(?!\s))+[。！？!?\n.]*")
_BETWEEN_TITLES = re.compile(r"[\n>›»|]| / ")


@dataclass(frozen=True)
class Sentence:
    form: str
    latin: frozenset[str]
    letters: str


@dataclass(frozen=True)
class Passage:
    sentences: tuple[Sentence, ...]
    form: str
    letters: str
    context: Sentence
    """Title and headings: they say what the passage is about without being part of it."""
    titles: tuple[str, ...]


@lru_cache(maxsize=2048)
def read_passage(text: str, context: str) -> Passage:
    context = context.replace("_", " ")[:_LONGEST]
    sentences = tuple(_sentence(part) for part in _SENTENCE.findall(text[:_LONGEST]))
    sentences = tuple(each for each in sentences if each.letters) or (_sentence(""),)
    titles = (letters(part) for part in _BETWEEN_TITLES.split(context))
    return Passage(
        sentences=sentences,
        form=" ".join(sentence.form for sentence in sentences),
        letters="".join(sentence.letters for sentence in sentences),
        context=_sentence(context),
        titles=tuple(title for title in titles if len(title) > 1),
    )


def _sentence(text: str) -> Sentence:
    form = matching_form(text)
    return Sentence(form, latin_words(form), letters(form))
