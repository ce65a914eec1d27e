"""What a search found, in the figures that its score needs. Pure functions."""

from collections.abc import Sequence
from statistics import fmean, pvariance

from sanbo.agents.grace.confidence.chances import log_odds
from sanbo.agents.grace.schemas import SearchStatistics
from sanbo.evidence.model import Passage
from sanbo.evidence.rules.asked import holds_what
from sanbo.evidence.rules.choosing import Wanted, wanted
from sanbo.evidence.rules.sentences import sentences
from sanbo.evidence.rules.terms import content_words
from sanbo.evidence.rules.values import values
from sanbo.language.numerals import narrow

BEST = 3
"""So many passages are looked at for the question's words."""
_GOOD = 0.5
"""At least so probable beside the best: it may say something about the question."""


def statistics_of(question: str, passages: Sequence[Passage]) -> SearchStatistics:
    if not passages:
        return SearchStatistics()
    ordered = sorted(passages, key=lambda passage: -passage.relevance)
    chances = [passage.relevance for passage in ordered]
    want = wanted(question, passages)
    return SearchStatistics(
        hits=len(passages),
        best=chances[0],
        mean=fmean(chances),
        variance=pvariance(chances),
        margin=chances[0] - (chances[1] if len(chances) > 1 else 0.0),
        coverage=_coverage(want, ordered[:BEST]),
        agreement=_agreement(question, ordered),
    )


def searched(found: SearchStatistics) -> dict[str, float]:
    """What the chance that a search found the answer is told from."""
    return {
        "best": log_odds(found.best),
        "margin": found.margin,
        "coverage": found.coverage,
    }


def _coverage(want: Wanted, passages: Sequence[Passage]) -> float:
    """Words that few passages have weigh more."""
    texts = " ".join(f"{each.context}\n{each.text}" for each in passages)
    said = frozenset(content_words(texts))
    said |= frozenset[str]().union(*(word for word, other in want.otherwise if other <= said))
    total = sum(want.weights.values())
    if not total:
        return 0.0
    return sum(weight for word, weight in want.weights.items() if word in said) / total


def compares(passages: Sequence[Passage]) -> bool:
    """Whether another document may confirm what the best passage says."""
    return bool(passages and _good_others(sorted(passages, key=lambda each: -each.relevance)))


def _good_others(ordered: Sequence[Passage]) -> list[Passage]:
    best, *others = ordered
    return [
        each
        for each in others
        if each.document_id != best.document_id and each.relevance >= _GOOD * best.relevance
    ]


def _agreement(question: str, ordered: Sequence[Passage]) -> float:
    """Of the good passages of other documents, how many have a figure of the best one.

    Where no figure is asked for: how probable they are.
    """
    good = _good_others(ordered)
    if not good:
        return 0.0
    if holds_what(question) is None:
        return fmean(each.relevance for each in good)
    figures = _figures(ordered[0])
    return sum(not figures.isdisjoint(_figures(each)) for each in good) / len(good)


def _figures(passage: Passage) -> frozenset[tuple[str, str]]:
    return frozenset(
        (value.unit, value.meaning)
        for sentence in sentences(passage.text)
        for value in values(narrow(sentence.text))
    )
