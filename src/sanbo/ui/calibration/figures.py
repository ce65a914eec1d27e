"""Figures as people read them, and how far a share of few answers can be trusted."""

import math
from typing import NamedTuple

from sanbo.kernel.messages import tell

Z = 1.96
"""95 of 100 such ranges hold the true share."""


class Range(NamedTuple):
    low: float
    high: float


def likely_range(share: float, count: int) -> Range:
    """Where the true share may well be (Wilson's interval)."""
    if count <= 0:
        return Range(0.0, 1.0)
    weight = Z * Z / count
    middle = (share + weight / 2) / (1 + weight)
    half = Z * math.sqrt(share * (1 - share) / count + weight / (4 * count)) / (1 + weight)
    return Range(max(0.0, middle - half), min(1.0, middle + half))


def share_of(value: float | None) -> str:
    return tell("ui.calibration.unknown") if value is None else f"{value:.0%}"


def figure_of(value: float | None) -> str:
    return tell("ui.calibration.unknown") if value is None else f"{value:.3f}"
