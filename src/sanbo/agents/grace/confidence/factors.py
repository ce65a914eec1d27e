"""What a score rests on, normalised and in words. Pure functions."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from sanbo.agents.grace.confidence.model import Fitted
from sanbo.agents.grace.schemas import Factor
from sanbo.agents.grace.settings import GraceWeights
from sanbo.kernel.messages import Language, tell

_STRONG, _FAIR = 0.75, 0.4


@dataclass(frozen=True)
class _Told:
    """Features that a person reads as one factor."""

    name: str
    features: tuple[str, ...]
    bar: Callable[[Mapping[str, float]], float]
    """What is shown, from 0 to 1."""


_TOLD = (
    _Told("relevance", ("relevance", "doubt"), lambda known: _share(known["relevance"], -4.0, 4.0)),
    _Told(
        "ahead",
        ("ahead_here", "ahead_elsewhere"),
        lambda known: _share(min(known["ahead_here"], known["ahead_elsewhere"]), -0.5, 3.0),
    ),
    _Told("words", ("words", "brief"), lambda known: _share(known["words"], 0.2, 1.4)),
    _Told(
        "kind",
        ("kind_held", "kind_missing", "name", "name_missing", "thing", "thing_and_topic"),
        lambda known: _either(
            known["kind_held"] or known["name"], known["kind_missing"] or known["name_missing"]
        ),
    ),
    _Told(
        "whole",
        ("points_back", "led", "elsewhere", "leads_on", "subject"),
        lambda known: _either(
            1.0 - max(known["points_back"] - known["led"], known["elsewhere"]), known["leads_on"]
        ),
    ),
)


def calibrated_factors(
    features: Mapping[str, float], fitted: Fitted, language: Language
) -> tuple[Factor, ...]:
    """The effect is how far each moves the log odds from those of a typical answer."""
    known = defaultdict[str, float](float, features)
    return tuple(
        _factor(
            told.name,
            told.bar(known),
            sum(_effect(name, known, fitted) for name in told.features),
            language,
        )
        for told in _TOLD
    )


def _either(speaks_for: float, speaks_against: float) -> float:
    if speaks_for:
        return 0.6 if speaks_against else 1.0
    return 0.0 if speaks_against else 0.5


def weighted_factors(
    values: Mapping[str, float], weights: GraceWeights, language: Language
) -> tuple[Factor, ...]:
    """Those that are known; the effect is their share of the score."""
    counted = {name: getattr(weights, name) for name in values}
    total = sum(counted.values())
    return tuple(
        _factor(name, value, counted[name] * value / total if total else 0.0, language)
        for name, value in values.items()
        if counted[name] > 0
    )


def part_factors(
    scores: Sequence[float], effects: Sequence[float], language: Language
) -> tuple[Factor, ...]:
    return tuple(
        _factor("part", score, effect, language, number=number)
        for number, (score, effect) in enumerate(zip(scores, effects, strict=True), 1)
    )


def _effect(name: str, features: Mapping[str, float], fitted: Fitted) -> float:
    return fitted.weights.get(name, 0.0) * (features.get(name, 0.0) - fitted.typical.get(name, 0.0))


def _share(value: float, low: float, high: float) -> float:
    return max(0.0, min(1.0, (value - low) / (high - low)))


def _factor(name: str, value: float, effect: float, language: Language, **params: object) -> Factor:
    told = tell(
        f"grace_confidence.factor.{name}.{_strength(value)}",
        language,
        percent=round(100 * value),
        **params,
    )
    return Factor(name=name, value=value, effect=round(effect, 4), told=told)


def _strength(value: float) -> Literal["strong", "fair", "weak"]:
    if value >= _STRONG:
        return "strong"
    return "fair" if value >= _FAIR else "weak"
