"""How well scores tell good answers from bad ones, and how true they are. Pure functions."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from sanbo.agents.grace.confidence.model import Bin, Label, Point

BINS = 10


def reliability(labels: Sequence[Label], bins: int = BINS) -> tuple[Bin, ...]:
    """Bins of the same width, lowest first; those without an answer are left out."""
    inside: defaultdict[int, list[Label]] = defaultdict(list)
    for label in labels:
        inside[min(int(label.score * bins), bins - 1)].append(label)
    return tuple(
        Bin(
            low=nth / bins,
            high=(nth + 1) / bins,
            answers=len(found),
            said=sum(label.score for label in found) / len(found),
            true=_share_good(found),
        )
        for nth, found in sorted(inside.items())
    )


def expected_calibration_error(labels: Sequence[Label], bins: int = BINS) -> float | None:
    """How far what scores say is from what is true, on average; None without labels."""
    if not labels:
        return None
    found = reliability(labels, bins)
    return sum(each.answers * abs(each.said - each.true) for each in found) / len(labels)


def auroc(labels: Sequence[Label]) -> float | None:
    """How often a good answer scores above a bad one; None where one of the two is missing."""
    good = sum(label.good for label in labels)
    bad = len(labels) - good
    if not good or not bad:
        return None
    wins = 0.0
    bad_below = 0
    for level in _levels(labels):
        bad_here = sum(not label.good for label in level)
        wins += (len(level) - bad_here) * (bad_below + bad_here / 2)
        bad_below += bad_here
    return wins / (good * bad)


def coverage(labels: Sequence[Label]) -> tuple[Point, ...]:
    """For every score that was given, the lowest first."""
    points: list[Point] = []
    reached = good = 0
    for level in reversed(list(_levels(labels))):
        reached += len(level)
        good += sum(label.good for label in level)
        points.append(
            Point(
                threshold=level[0].score,
                answers=reached,
                coverage=reached / len(labels),
                precision=good / reached,
            )
        )
    return tuple(reversed(points))


def brier(labels: Sequence[Label]) -> float | None:
    """The mean square of how far scores are from what was true; None without labels."""
    if not labels:
        return None
    return sum((label.score - label.good) ** 2 for label in labels) / len(labels)


def _levels(labels: Sequence[Label]) -> Iterator[list[Label]]:
    """Labels of the same score together, the lowest first."""
    level: list[Label] = []
    for label in sorted(labels, key=lambda each: each.score):
        if level and label.score != level[0].score:
            yield level
            level = []
        level.append(label)
    if level:
        yield level


def _share_good(labels: Sequence[Label]) -> float:
    return sum(label.good for label in labels) / len(labels)
