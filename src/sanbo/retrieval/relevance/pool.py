"""Which of a question's words stand where, and how common they are among the passages."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sanbo.retrieval.relevance.passage import Passage
from sanbo.retrieval.relevance.question import Question
from sanbo.retrieval.relevance.spelling import is_written

# Few passages say little about how rare a word is.
_FEW = 10


@dataclass(frozen=True, slots=True)
class Match:
    """Which of the question's words and pieces stand where."""

    passage: Passage
    above: tuple[bool, ...]
    sentences: tuple[tuple[bool, ...], ...]
    anywhere: tuple[bool, ...]
    pieces: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """What the passages have in common."""

    evidence: tuple[float, ...]
    rarity: tuple[float, ...]
    rare_evidence: tuple[float, ...]
    for_it: tuple[float, ...]
    """What a word's presence says for a passage, as a logarithm of odds."""
    against_it: tuple[float, ...]
    piece_rarity: tuple[float, ...]
    absent: float
    named: frozenset[str]
    """Titles that the question names."""


def match(question: Question, passage: Passage) -> Match:
    words = [word.forms for word in question.words]
    above = tuple(is_written(word, passage.context.form, passage.context.latin) for word in words)
    inside = tuple(
        tuple(is_written(word, sentence.form, sentence.latin) for word in words)
        for sentence in passage.sentences
    )
    return Match(
        passage=passage,
        above=above,
        sentences=inside,
        anywhere=tuple(any(column) for column in zip(above, *inside, strict=True)),
        pieces=tuple(
            piece in passage.form or piece in passage.context.form for piece in question.pieces
        ),
    )


def pool_of(question: Question, matches: Sequence[Match]) -> Pool:
    many = max(len(matches), _FEW)
    having = [sum(column) for column in zip(*(match.anywhere for match in matches), strict=True)]
    spelling = [sum(column) for column in zip(*(match.pieces for match in matches), strict=True)]
    evidence = tuple(word.evidence for word in question.words)
    rarity = tuple(_rarity(count, many) for count in having)
    shares = [(count + 0.5) / (many + 1) for count in having]
    expected = [word.presence for word in question.words]
    titles = {title for match in matches for title in match.passage.titles}
    return Pool(
        evidence=evidence,
        rarity=rarity,
        rare_evidence=tuple(a * b for a, b in zip(evidence, rarity, strict=True)),
        for_it=tuple(math.log(e / s) for e, s in zip(expected, shares, strict=True)),
        against_it=tuple(
            math.log((1 - e) / (1 - s)) for e, s in zip(expected, shares, strict=True)
        ),
        piece_rarity=tuple(_rarity(count, many) for count in spelling),
        absent=sum(e for e, count in zip(evidence, having, strict=True) if not count),
        named=frozenset(title for title in titles if title in question.letters),
    )


def _rarity(having: int, many: int) -> float:
    return math.log(1 + (many - having + 0.5) / (having + 0.5))
