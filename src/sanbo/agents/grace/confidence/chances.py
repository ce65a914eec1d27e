"""From features to a chance: the logistic model, and what feedback made of it. Pure functions."""

import math
from bisect import bisect_right
from collections.abc import Mapping

from sanbo.agents.grace.confidence.model import Fitted, Recalibration, Slope, Stairs

SUREST = 12.0
"""Log odds: never quite sure, so that a logarithm of it can be taken again."""


def chance(features: Mapping[str, float], fitted: Fitted) -> float:
    """That the answer is right."""
    first = uncorrected(features, fitted)
    return first if fitted.recalibration is None else corrected(first, fitted.recalibration)


def uncorrected(features: Mapping[str, float], fitted: Fitted) -> float:
    """The chance before feedback had its say."""
    odds = sum(weight * features.get(name, 0.0) for name, weight in fitted.weights.items())
    return fitted.most * probability(fitted.intercept + odds)


def corrected(first: float, by: Recalibration) -> float:
    if isinstance(by, Slope):
        return probability(by.slope * log_odds(first) + by.intercept)
    return _between(first, by)


def probability(odds: float) -> float:
    """Of log odds."""
    return 1.0 / (1.0 + math.exp(-max(-SUREST, min(SUREST, odds))))


def log_odds(chance: float) -> float:
    least = 1.0 / (1.0 + math.exp(SUREST))
    kept = max(least, min(1.0 - least, chance))
    return math.log(kept / (1.0 - kept))


def _between(score: float, stairs: Stairs) -> float:
    after = bisect_right(stairs.scores, score)
    if after == 0:
        return stairs.chances[0]
    if after == len(stairs.scores):
        return stairs.chances[-1]
    low, high = stairs.scores[after - 1], stairs.scores[after]
    share = (score - low) / (high - low)
    return stairs.chances[after - 1] * (1 - share) + stairs.chances[after] * share
