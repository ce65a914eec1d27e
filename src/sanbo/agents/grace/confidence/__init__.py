"""How sure an answer is: a calibrated chance that it is right, or a weighted score."""

from sanbo.agents.grace.confidence.model import (
    FITTED,
    Bin,
    Fitted,
    Judged,
    Label,
    Origin,
    Point,
    refit,
)
from sanbo.agents.grace.confidence.scoring import Scorer
from sanbo.agents.grace.confidence.thresholds import (
    adjusted,
    auroc,
    brier,
    coverage,
    expected_calibration_error,
    level,
    most_wrong_at,
    reliability,
    silent_threshold,
)

__all__ = [
    "FITTED",
    "Bin",
    "Fitted",
    "Judged",
    "Label",
    "Origin",
    "Point",
    "Scorer",
    "adjusted",
    "auroc",
    "brier",
    "coverage",
    "expected_calibration_error",
    "level",
    "most_wrong_at",
    "refit",
    "reliability",
    "silent_threshold",
]
