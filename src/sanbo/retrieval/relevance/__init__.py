"""How probable it is that a passage answers a question: the same on every engine.

A logistic model over a few features of the texts. How it was fitted, and how well it holds,
stands in `coefficients.json`; `benchmarks/fit_relevance.py` makes that anew.
"""

import math
from collections.abc import Sequence

from sanbo.retrieval.model import Hit
from sanbo.retrieval.relevance.features import Features, features
from sanbo.retrieval.relevance.question import COEFFICIENTS, Coefficients, Line

__all__ = [
    "COEFFICIENTS",
    "Coefficients",
    "Features",
    "Line",
    "features",
    "probabilities",
    "relevances",
]

# Never quite sure: what follows may take a logarithm.
_SUREST = 12.0


def relevances(question: str, hits: Sequence[Hit]) -> list[float]:
    """The probability that each passage answers the question; in the order of the hits."""
    return probabilities(features(question, hits), COEFFICIENTS.line_for(question))


def probabilities(found: Sequence[Features], by: Line) -> list[float]:
    """Of passages that were found together."""
    odds = [
        by.intercept + sum(weight * getattr(each, name) for name, weight in by.weights.items())
        for each in found
    ]
    best = max(odds, default=0.0)
    return [_probability(each + (by.best if each == best else 0.0)) for each in odds]


def _probability(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-_SUREST, min(_SUREST, odds))))
