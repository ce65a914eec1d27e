"""How probable it is that a passage answers a question, and each of its sentences: what its words
say, and what the network makes of it.
"""

import math
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict

from sanbo.documents.model import Position
from sanbo.evidence.model import Passage
from sanbo.evidence.reader.features import text_of
from sanbo.evidence.reader.network import sentence_odds
from sanbo.evidence.rules.choices import of_clauses
from sanbo.evidence.rules.queries import wordings
from sanbo.evidence.rules.terms import is_japanese
from sanbo.retrieval.model import Hit
from sanbo.retrieval.relevance import relevances

PASSAGES = 32
"""So many are read, those first whose words say most."""
UNREAD = -6.0
"""Log odds of what is not read, or has no sentence."""
_SUREST = 6.0
_MOSTLY = 0.9
_FIRST = 5.0
"""A passage is never further before the others."""


class Reading(NamedTuple):
    """Of a passage."""

    by_words: float
    """Log odds."""
    odds: float
    """The network's, of all its sentences together."""
    sentences: Mapping[int, float]
    """The network's log odds of each, by where it begins in the text."""
    relevance: float


def warm_up() -> None:
    """Weights and dictionaries, once."""
    place = Position(start=0, end=1)
    told = {"id": "", "chunk_id": "", "document_id": "", "document": "", "format": "text"}
    read("?", (Passage(**told, position=place, text="規程", score=0, relevance=0, cycle=0),))


class Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    weights: Mapping[str, float]
    intercept: float


class Weights(BaseModel):
    """What the words and the network count (`benchmarks/fit_passages.py`)."""

    model_config = ConfigDict(frozen=True)

    ja: Line
    prose: Line
    """Of Japanese running text: words tell more there."""
    en: Line

    def line_for(self, question: str, passages: Sequence[Passage]) -> Line:
        if not is_japanese(question):
            return self.en
        running = sum(not of_clauses(passage) for passage in passages)
        return self.prose if running >= _MOSTLY * len(passages) else self.ja


@cache
def _weights() -> Weights:
    path = files("sanbo.evidence.reader").joinpath("coefficients.json")
    return Weights.model_validate_json(path.read_text("utf-8"))


def relevances_for(question: str, passages: Sequence[Passage]) -> list[float]:
    """Beside each other."""
    return [each.relevance for each in read(question, passages)]


def read(question: str, passages: Sequence[Passage]) -> tuple[Reading, ...]:
    """In the order of the passages."""
    order = sorted(range(len(passages)), key=lambda at: passages[at].chunk_id)
    found = _read(question, tuple(_as_found(passages[at]) for at in order))
    by_place = dict(zip(order, found, strict=True))
    return tuple(by_place[at] for at in range(len(passages)))


def signs_of(readings: Sequence[Reading]) -> list[dict[str, float]]:
    """What the relevance of each is told from."""
    first, second = (*sorted((each.odds for each in readings), reverse=True), UNREAD, UNREAD)[:2]
    return [
        {
            "by_words": each.by_words,
            "odds": each.odds,
            "ahead": max(
                -_FIRST, min(_FIRST, each.odds - (second if each.odds == first else first))
            ),
            "best": float(each.odds == first),
        }
        for each in readings
    ]


def _as_found(passage: Passage) -> Passage:
    """Without what differs from one search to the next, so that it is read once."""
    plain = {"id": "", "score": 0.0, "relevance": 0.0, "relevances": (), "cycle": 0}
    return passage.model_copy(update=plain)


@lru_cache(maxsize=32)
def _read(question: str, passages: tuple[Passage, ...]) -> tuple[Reading, ...]:
    if not passages:
        return ()
    words = by_words(question, passages)
    chosen = sorted(range(len(passages)), key=lambda at: -words[at])[:PASSAGES]
    texts = [text_of(passages[at]) for at in chosen]
    found = sentence_odds(question, texts, [words[at] for at in chosen])
    made = [Reading(each, UNREAD, {}, 0.0) for each in words]
    for at, text, odds in zip(chosen, texts, found, strict=True):
        if text.lines:
            starts = [line.start for line in text.lines]
            sentences = dict(zip(starts, odds.tolist(), strict=True))
            made[at] = Reading(words[at], float(np.logaddexp.reduce(odds)), sentences, 0.0)
    line = _weights().line_for(question, passages)
    return tuple(
        each._replace(relevance=_chance(line, signs))
        for each, signs in zip(made, signs_of(made), strict=True)
    )


def by_words(question: str, passages: Sequence[Passage]) -> list[float]:
    """Log odds, in whichever words of the question a passage answers it best."""
    hits = [hit_of(passage) for passage in passages]
    by_wording = [relevances(wording, hits) for wording in wordings(question)]
    return [_odds(max(each)) for each in zip(*by_wording, strict=True)]


def _odds(chance: float) -> float:
    chance = min(max(chance, 1e-9), 1 - 1e-9)
    return max(-_SUREST, min(_SUREST, math.log(chance / (1 - chance))))


def _chance(line: Line, signs: Mapping[str, float]) -> float:
    odds = line.intercept + sum(weight * signs[name] for name, weight in line.weights.items())
    return 1.0 / (1.0 + math.exp(-max(-2 * _SUREST, min(2 * _SUREST, odds))))


def hit_of(passage: Passage) -> Hit:
    return Hit(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document_name=passage.document,
        format=passage.format,
        text=passage.text,
        context=passage.context,
        position=passage.position,
        score=passage.score,
    )
