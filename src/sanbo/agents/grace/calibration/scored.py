"""An answer with the score it had, and what a version of the numbers would say of it now."""

from collections.abc import Mapping
from math import isfinite
from typing import Literal

from sanbo.agents.grace.confidence.chances import chance
from sanbo.agents.grace.confidence.model import Fitted
from sanbo.agents.grace.schemas import ExecutionResult, Level
from sanbo.evidence.model import Frozen

Method = Literal["calibrated", "weighted"]


class Scored(Frozen):
    score: float
    """The answer's confidence, as it was said."""
    level: Level
    """What that meant then."""
    answered: bool
    """A verdict on "not found" tells nothing of the score of an answer."""
    features: dict[str, float]
    method: Method
    calibration: str
    """The version that scored it."""


def scored(result: ExecutionResult) -> Scored:
    return Scored(
        score=result.confidence,
        level=result.decision,
        answered=result.answered and not result.cancelled,
        features={name: value for name, value in result.features.items() if isfinite(value)},
        method=result.method,
        calibration=result.calibration,
    )


def score_now(
    answer: Scored, fitted: Fitted, versions: Mapping[str, Fitted], method: Method
) -> float | None:
    """What the version in use would say of it; None where that can't be known."""
    if method == "weighted":
        return answer.score if answer.method == "weighted" else None
    if answer.method == "calibrated" and answer.calibration == fitted.version:
        return answer.score
    if not can_be_scored(answer, fitted):
        return None
    now = chance(answer.features, fitted)
    then = versions.get(answer.calibration) if answer.method == "calibrated" else None
    if then is None:
        return now
    # What was taken off for a flaw of the answer stays off.
    return max(0.0, now - max(0.0, chance(answer.features, then) - answer.score))


def can_be_scored(answer: Scored, fitted: Fitted) -> bool:
    """All that the numbers weigh is known of it: what another Sanbo noted may be something else."""
    return answer.features.keys() >= fitted.weights.keys() > set[str]()
