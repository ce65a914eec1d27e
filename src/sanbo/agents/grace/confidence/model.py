"""What a score is made of: what was judged, the fitted numbers, answers that people judged.

From features to a chance: the logistic model, what feedback made of it, a fit anew. The shipped
numbers stand in `coefficients.json` (`benchmarks/fit_confidence.py` makes them anew).
"""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from datetime import date
from importlib.resources import files
from typing import Annotated, Literal

from pydantic import Field

from sanbo.evidence.model import Frozen

Chance = Annotated[float, Field(ge=0, le=1)]


class Judged(Frozen):
    """An answer, after its citations were looked up."""

    sentences: tuple[str, ...]
    """The first is what answers best; only those whose support stands in a source."""
    passages: tuple[str, ...]
    """The ids of the passages that hold the citations, those of the first sentence first."""
    refused: int = 0
    """Sentences that were left out because nothing supports them."""
    marked: int = 0
    """Sentences with a doubt: a figure that no source states."""
    contradictions: int = 0
    """Places that say otherwise."""
    self_evaluation: float | None = None
    failures: int = 0
    """Steps before it that failed."""


# ---- the fitted numbers ----------------------------------------------------------------------


class Slope(Frozen):
    """The log odds stretched and shifted, so that they say what was observed."""

    kind: Literal["logistic"] = "logistic"
    slope: float
    intercept: float


class Stairs(Frozen):
    """Chances that rise with the score; between two points in a straight line."""

    kind: Literal["isotonic"] = "isotonic"
    scores: tuple[Chance, ...]
    chances: tuple[Chance, ...]


Recalibration = Annotated[Slope | Stairs, Field(discriminator="kind")]


class Origin(Frozen):
    """How the numbers came about."""

    made_on: str
    data: str
    how: str
    questions: int
    answerable: Chance
    """The share of the questions whose answer was there: the mixture that the score is true for."""
    held_out: dict[str, dict[str, float]] = Field(default_factory=dict[str, dict[str, float]])


class Line(Frozen):
    weights: dict[str, float]
    intercept: float


class Fitted(Frozen):
    """`line_for`: what the features of an answer count."""

    version: str
    weights: dict[str, float]
    """By feature; their sum with the intercept is the logarithm of the odds."""
    intercept: float
    most: float = Field(default=1.0, gt=0, le=1)
    """No chance is above it: how often the surest answers hold where nothing was fitted."""
    recalibration: Recalibration | None = None
    """From feedback: what people said of answers with such scores."""
    typical: dict[str, float] = Field(default_factory=dict[str, float])
    """The features' means: what a factor's effect is told against."""
    clauses: Line | None = None
    """The same for answers out of clauses, list items and rows: words tell less there."""
    model: Line | None = None
    """Of an answer that a model has written, beside what its words say (`words`, as log odds): its
    own evaluation (`self_evaluation`, likewise)."""
    search: Line
    """That a search found the answer, from its statistics."""
    origin: Origin

    def line_for(self, features: Mapping[str, float]) -> Line:
        if self.clauses is not None and features.get("clauses"):
            return self.clauses
        return Line(weights=self.weights, intercept=self.intercept)


# ---- what people said ------------------------------------------------------------------------


class Label(Frozen):
    """An answer that somebody judged."""

    features: dict[str, float]
    score: Chance
    good: bool


class Bin(Frozen):
    """Answers of about the same score: what it said, and what was true."""

    low: float
    high: float
    answers: int
    said: float
    """Their mean score."""
    true: float
    """The share that was good."""


class Point(Frozen):
    """What would come of answering alone from this score on."""

    threshold: float
    answers: int
    coverage: float
    """The share of all answers that reach it."""
    precision: float
    """The share of those that was good."""


OWN = "self_evaluation"
"""The feature that only an answer of a model has."""
_LEAST_OWN = 0.02
SUREST = 12.0
"""Log odds: never quite sure, so that a logarithm of it can be taken again."""


def chance(features: Mapping[str, float], fitted: Fitted) -> float:
    """That the answer is right."""
    first = uncorrected(features, fitted)
    return first if fitted.recalibration is None else corrected(first, fitted.recalibration)


def uncorrected(features: Mapping[str, float], fitted: Fitted) -> float:
    """The chance before feedback had its say."""
    line = fitted.line_for(features)
    odds = sum(weight * features.get(name, 0.0) for name, weight in line.weights.items())
    by_words = fitted.most * probability(line.intercept + odds)
    if fitted.model is None or OWN not in features:
        return by_words
    by = fitted.model.weights
    both = by["words"] * log_odds(by_words) + by[OWN] * features[OWN]
    return fitted.most * probability(fitted.model.intercept + both)


def own(self_evaluation: float) -> float:
    """Of a model, as log odds: nobody is quite sure of itself."""
    return log_odds(max(_LEAST_OWN, min(1.0 - _LEAST_OWN, self_evaluation)))


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


FitKind = Literal["logistic", "isotonic"]

# How far the slope and the shift may well be from 1 and 0 before anything was seen.
_SLOPE_SPREAD = 0.35
_SHIFT_SPREAD = 0.7
_LEAST_SLOPE = 0.05
_ROUNDS = 50
# Answers that are thought of at every tenth, as good as their score says.
_THOUGHT_OF = 2.0
_TENTHS = tuple((2 * nth + 1) / 20 for nth in range(10))


def refit(labels: Sequence[Label], kind: FitKind, base: Fitted, version: str) -> Fitted:
    """The base with a correction in place of the one it had."""
    seen = [(first_score(label, base), label.good) for label in labels]
    correction = _slope(seen) if kind == "logistic" else _stairs(seen)
    origin = Origin(
        made_on=date.today().isoformat(),
        data="feedback",
        how=f"{kind} correction of version {_first_version(base)}",
        questions=len(labels),
        answerable=sum(label.good for label in labels) / len(labels) if labels else 0.0,
    )
    return base.model_copy(
        update={"version": version, "recalibration": correction, "origin": origin}
    )


def first_score(label: Label, base: Fitted) -> float:
    """As the numbers say without a correction; of an answer without features, its score."""
    known = label.features.keys() & base.weights.keys()
    return uncorrected(label.features, base) if known else label.score


def _first_version(base: Fitted) -> str:
    return base.version.partition("+")[0]


def _slope(seen: Sequence[tuple[float, bool]]) -> Slope:
    """Newton's method: the most probable slope and shift."""
    odds = [(log_odds(score), good) for score, good in seen]
    slope, shift = 1.0, 0.0
    for _ in range(_ROUNDS):
        by_slope, by_shift = (slope - 1) / _SLOPE_SPREAD**2, shift / _SHIFT_SPREAD**2
        slopes, shifts, both = 1 / _SLOPE_SPREAD**2, 1 / _SHIFT_SPREAD**2, 0.0
        for x, good in odds:
            chance = probability(slope * x + shift)
            wrong, weight = chance - good, chance * (1 - chance)
            by_slope += wrong * x
            by_shift += wrong
            slopes += weight * x * x
            shifts += weight
            both += weight * x
        size = slopes * shifts - both * both
        change = (
            (shifts * by_slope - both * by_shift) / size,
            (slopes * by_shift - both * by_slope) / size,
        )
        slope = max(_LEAST_SLOPE, slope - change[0])
        shift -= change[1]
        if abs(change[0]) + abs(change[1]) < 1e-9:
            break
    return Slope(slope=slope, intercept=shift)


def _stairs(seen: Sequence[tuple[float, bool]]) -> Stairs:
    """Neighbours whose chances would fall are pooled: what scores more is never less probable."""
    points = [(score, float(good), 1.0) for score, good in seen]
    points += [(tenth, tenth, _THOUGHT_OF) for tenth in _TENTHS]
    pools: list[tuple[float, float, float]] = []
    """Sums: of scores, of good ones, of weights."""
    for score, good, weight in sorted(points):
        pools.append((score * weight, good * weight, weight))
        while len(pools) > 1 and _mean(pools[-2]) >= _mean(pools[-1]):
            last, before = pools.pop(), pools.pop()
            pools.append((last[0] + before[0], last[1] + before[1], last[2] + before[2]))
    scores = [pool[0] / pool[2] for pool in pools]
    # Two pools of one score differ in nothing that a score could tell.
    kept = [nth for nth in range(len(pools)) if nth == 0 or scores[nth] > scores[nth - 1]]
    return Stairs(
        scores=tuple(scores[nth] for nth in kept),
        chances=tuple(min(1.0, max(0.0, _mean(pools[nth]))) for nth in kept),
    )


def _mean(pool: tuple[float, float, float]) -> float:
    return pool[1] / pool[2]


FITTED = Fitted.model_validate_json(
    files(__package__ or "sanbo.agents.grace.confidence")
    .joinpath("coefficients.json")
    .read_text("utf-8")
)
