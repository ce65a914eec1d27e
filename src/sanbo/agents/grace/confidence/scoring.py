"""Scores searches and answers: calibrated or weighted, with what it rests on and what is taken off
for what must not be.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from sanbo.agents.grace.confidence.features import (
    calibrated_factors,
    compares,
    features,
    part_factors,
    searched,
    statistics_of,
    supports_itself,
    weighted_factors,
)
from sanbo.agents.grace.confidence.model import OWN, Fitted, Judged, chance, own, probability
from sanbo.agents.grace.confidence.thresholds import level
from sanbo.agents.grace.schemas import (
    Confidence,
    Factor,
    Level,
    Penalty,
    SearchStatistics,
    ThresholdsUsed,
)
from sanbo.agents.grace.settings import GracePenalties, GraceSettings, GraceWeights
from sanbo.evidence.model import Passage
from sanbo.kernel.messages import Language, tell

# A sentence with a doubt is half without support.
_MARKED = 0.5
# A model that doubts its answer takes off so much of the difference.
_OWN_DOUBT = 0.5
_LEAST_TOLD = 0.005


def of_search(
    settings: GracePenalties, *, hits: int, failed: bool, language: Language
) -> list[Penalty]:
    found: list[Penalty] = []
    if not hits:
        told = tell("grace_confidence.penalty.no_hits", language)
        found.append(Penalty(name="no_hits", amount=settings.no_hits, told=told))
    if failed:
        found.append(_failed(settings, 1, language))
    return found


def of_answer(settings: GracePenalties, judged: Judged, language: Language) -> list[Penalty]:
    found: list[Penalty] = []
    if judged.failures:
        found.append(_failed(settings, judged.failures, language))
    doubtful = judged.refused + judged.marked
    if doubtful or not judged.sentences:
        share = unsupported_share(judged)
        told = (
            tell("grace_confidence.penalty.unsupported", language, count=doubtful)
            if doubtful
            else tell("grace_confidence.penalty.no_answer", language)
        )
        found.append(Penalty(name="unsupported", amount=settings.unsupported * share, told=told))
    if judged.contradictions:
        told = tell("grace_confidence.penalty.contradiction", language, count=judged.contradictions)
        found.append(Penalty(name="contradiction", amount=settings.contradiction, told=told))
    return found


def own_doubt(score: float, self_evaluation: float | None, language: Language) -> list[Penalty]:
    """A model's own evaluation takes off, it never adds."""
    if self_evaluation is None or _OWN_DOUBT * (score - self_evaluation) < _LEAST_TOLD:
        return []
    told = tell(
        "grace_confidence.penalty.self_evaluation", language, percent=round(100 * self_evaluation)
    )
    amount = _OWN_DOUBT * (score - self_evaluation)
    return [Penalty(name="self_evaluation", amount=round(amount, 4), told=told)]


def unsupported_share(judged: Judged) -> float:
    if not judged.sentences:
        return 1.0
    total = len(judged.sentences) + judged.refused
    return min(1.0, (judged.refused + _MARKED * judged.marked) / total)


def taken_off(score: float, penalties: Sequence[Penalty]) -> float:
    return max(0.0, min(1.0, score - sum(penalty.amount for penalty in penalties)))


def _failed(settings: GracePenalties, count: int, language: Language) -> Penalty:
    told = tell("grace_confidence.penalty.tool_failure", language, count=count)
    return Penalty(name="tool_failure", amount=settings.tool_failure, told=told)


WEIGHTS_VERSION = "settings"
REASONS = 3
"""So many factors are told in the explanation."""
# Where there is nothing to go by.
_NOTHING = 0.02
_BELOW = 0.01


@dataclass(frozen=True)
class _First:
    """A score before anything is taken off, and what it rests on."""

    score: float
    factors: tuple[Factor, ...] = ()
    features: dict[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True)
class Scorer:
    settings: GraceSettings
    thresholds: ThresholdsUsed
    fitted: Fitted
    language: Language

    def level(self, score: float) -> Level:
        return level(score, self.thresholds)

    def search(
        self, question: str, passages: Sequence[Passage], *, failed: bool = False
    ) -> tuple[SearchStatistics, Confidence]:
        """How probable it is that the answer is in what was found."""
        found = statistics_of(question, passages)
        taken = of_search(
            self.settings.penalties, hits=found.hits, failed=failed, language=self.language
        )
        factors = self._weighted(passages, found, self.settings.search_weights, {})
        score = self._searched(found) if self._is_calibrated else _mean(factors)
        first = _First(score, factors if found.hits else ())
        return found, self._confidence(first, taken, self._said(first.score, taken, first.factors))

    def answer(self, question: str, passages: Sequence[Passage], judged: Judged) -> Confidence:
        """How probable it is that the answer is right."""
        first = (
            self._calibrated_answer(question, passages, judged)
            if self._is_calibrated
            else self._weighted_answer(question, passages, judged)
        )
        taken = of_answer(self.settings.penalties, judged, self.language)
        if not passages:
            taken += of_search(
                self.settings.penalties, hits=0, failed=False, language=self.language
            )
        if self._is_calibrated and OWN not in first.features:
            taken += own_doubt(first.score, judged.self_evaluation, self.language)
        told = self._said(first.score, taken, first.factors)
        return self._confidence(first, taken, told, supported=bool(judged.sentences))

    def joined(self, confidences: Sequence[Confidence], judged: Judged) -> Confidence:
        """Of an answer of several parts: that all of them are right."""
        scores = [confidence.score for confidence in confidences]
        effects = [math.log(max(score, 1e-6)) for score in scores]
        factors = part_factors(scores, effects, self.language)
        first = _First(math.prod(scores) if scores else _NOTHING, factors)
        taken = of_answer(self.settings.penalties, judged, self.language)
        told = tell("grace_confidence.said.parts", self.language, count=len(scores))
        return self._confidence(first, taken, told, supported=bool(judged.sentences))

    # ---- calibrated ----

    @property
    def _is_calibrated(self) -> bool:
        return self.settings.score == "calibrated"

    def _searched(self, found: SearchStatistics) -> float:
        if not found.hits:
            return _NOTHING
        by, known = self.fitted.search, searched(found)
        odds = sum(weight * known.get(name, 0.0) for name, weight in by.weights.items())
        return probability(by.intercept + odds)

    def _calibrated_answer(
        self, question: str, passages: Sequence[Passage], judged: Judged
    ) -> _First:
        found = features(question, passages, judged)
        if found is None:
            return _First(_NOTHING)
        known = found.by_name()
        if judged.self_evaluation is not None and self.fitted.model is not None:
            known[OWN] = own(judged.self_evaluation)
        factors = calibrated_factors(known, self.fitted, self.language)
        return _First(chance(known, self.fitted), factors, known)

    # ---- weighted ----

    def _weighted_answer(
        self, question: str, passages: Sequence[Passage], judged: Judged
    ) -> _First:
        own = {"support": 1.0 - unsupported_share(judged)}
        if judged.self_evaluation is not None:
            own["self_evaluation"] = judged.self_evaluation
        found = statistics_of(question, passages)
        weights = self.settings.reasoning_weights
        factors = self._weighted(passages, found, weights, own)
        # What a later fit learns from, whichever way is in use now.
        known = features(question, passages, judged)
        return _First(_mean(factors), factors, known.by_name() if known else {})

    def _weighted(
        self,
        passages: Sequence[Passage],
        found: SearchStatistics,
        weights: GraceWeights,
        own: dict[str, float],
    ) -> tuple[Factor, ...]:
        values = {"search_quality": found.best, "coverage": found.coverage}
        if compares(passages):
            values["source_agreement"] = found.agreement
        return weighted_factors({**values, **own}, weights, self.language)

    # ---- what is said of it ----

    def _confidence(
        self, first: _First, taken: Sequence[Penalty], told: str, *, supported: bool = True
    ) -> Confidence:
        score = taken_off(first.score, taken)
        if not supported:
            # Nothing that is said stands in a source: no self-evaluation makes up for that.
            score = min(score, self.thresholds.confirm - _BELOW)
        score = round(max(0.0, score), 4)
        telling = [factor for factor in first.factors if supports_itself(factor)]
        strongest = sorted(telling, key=lambda factor: -abs(factor.effect))[:REASONS]
        reasons = [*(each.told for each in taken), *(each.told for each in strongest)]
        return Confidence(
            score=score,
            level=self.level(score),
            method=self.settings.score,
            version=self.fitted.version if self._is_calibrated else WEIGHTS_VERSION,
            factors=first.factors,
            penalties=tuple(taken),
            explanation=(told, *dict.fromkeys(reasons)),
            features=first.features,
        )

    def _said(self, first: float, taken: Sequence[Penalty], factors: Sequence[Factor]) -> str:
        if not factors:
            return tell("grace_confidence.said.nothing", self.language)
        percent = round(100 * taken_off(first, taken))
        return tell(f"grace_confidence.said.{self.settings.score}", self.language, percent=percent)


def _mean(factors: Sequence[Factor]) -> float:
    """The effects are shares of it already."""
    return sum(factor.effect for factor in factors)
