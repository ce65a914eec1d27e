"""The thresholds of the levels, and how well scores tell good answers from bad ones. Pure."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sanbo.agents.grace.confidence.model import Bin, Label, Point
from sanbo.agents.grace.schemas import Level, ThresholdsUsed
from sanbo.agents.grace.settings import GraceThresholds
from sanbo.kernel.messages import Language, tell

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


DOUBT = 0.05
"""How probable it may be that the threshold only seems to keep the risk."""
RAISE = 0.01
"""For every bad answer that was given without asking."""
LOWER = 0.005
GOOD_IN_A_ROW = 5
"""So many good answers of the level below, and no bad one above, lower a threshold."""
_APART = 0.01
_BOUNDARIES: tuple[tuple[Literal["silent", "notify", "confirm"], Level, Level], ...] = (
    ("silent", "silent", "notify"),
    ("notify", "notify", "confirm"),
    ("confirm", "confirm", "escalate"),
)
"""Each threshold between the level above it and the one below."""


def level(score: float, thresholds: ThresholdsUsed | GraceThresholds) -> Level:
    if score >= thresholds.silent:
        return "silent"
    if score >= thresholds.notify:
        return "notify"
    return "confirm" if score >= thresholds.confirm else "escalate"


def silent_threshold(labels: Sequence[Label], most_wrong: float) -> float | None:
    """The lowest score from which on hardly more than this share is wrong.

    None where the labels can't show it: so few wrong ones would be no surprise if more were.
    """
    for point in coverage(labels):
        wrong = round(point.answers * (1 - point.precision))
        if wrong > most_wrong * point.answers:
            continue  # even what was seen is too much: no sum over thousands to see that
        if _at_most(wrong, point.answers, most_wrong) <= DOUBT:
            return point.threshold
    return None


def most_wrong_at(labels: Sequence[Label], threshold: float) -> float:
    """What share of the answers from this score on may be wrong, at worst (Clopper-Pearson)."""
    reached = [label.good for label in labels if label.score >= threshold]
    wrong = reached.count(False)
    low, high = 0.0, 1.0
    for _ in range(40):
        middle = (low + high) / 2
        if _at_most(wrong, len(reached), middle) > DOUBT:
            low = middle
        else:
            high = middle
    return high


def _at_most(wrong: int, answers: int, share: float) -> float:
    """How probable so few wrong ones or fewer are where this share of all is wrong."""
    if wrong >= answers or share <= 0:
        return 1.0
    if share >= 1:
        return 0.0
    yes, no = math.log(share), math.log1p(-share)
    return sum(
        math.exp(
            math.lgamma(answers + 1)
            - math.lgamma(count + 1)
            - math.lgamma(answers - count + 1)
            + count * yes
            + (answers - count) * no
        )
        for count in range(wrong + 1)
    )


# ---- feedback --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Move:
    name: Literal["silent", "notify", "confirm"]
    by: float
    bad: int
    good: int


def adjusted(
    thresholds: ThresholdsUsed,
    configured: GraceThresholds,
    labels: Sequence[Label],
    most: float,
    language: Language,
) -> ThresholdsUsed:
    """The thresholds after what was said since they last changed; the same where that is nothing.

    Never further than `most` from what is configured, and always in their order.
    """
    moves = [
        move for boundary in _BOUNDARIES if (move := _move(*boundary, thresholds, labels)).by != 0
    ]
    moved = _kept_in_order({move.name: move.by for move in moves}, thresholds, configured, most)
    told = [
        _told(move, thresholds, moved, language)
        for move in moves
        if getattr(moved, move.name) != getattr(thresholds, move.name)
    ]
    if not told:
        return thresholds
    return moved.model_copy(update={"told": " ".join(told)})


def _move(
    name: Literal["silent", "notify", "confirm"],
    above: Level,
    below: Level,
    thresholds: ThresholdsUsed,
    labels: Sequence[Label],
) -> _Move:
    bad = sum(not label.good and level(label.score, thresholds) == above for label in labels)
    good = sum(label.good and level(label.score, thresholds) == below for label in labels)
    if bad:
        return _Move(name, RAISE * bad, bad, good)
    return _Move(name, -LOWER * (good // GOOD_IN_A_ROW), bad, good)


def _kept_in_order(
    moves: dict[Literal["silent", "notify", "confirm"], float],
    thresholds: ThresholdsUsed,
    configured: GraceThresholds,
    most: float,
) -> ThresholdsUsed:
    silent = _within(thresholds.silent + moves.get("silent", 0.0), configured.silent, most)
    notify = _within(thresholds.notify + moves.get("notify", 0.0), configured.notify, most)
    confirm = _within(thresholds.confirm + moves.get("confirm", 0.0), configured.confirm, most)
    in_order = confirm + _APART <= notify and notify + _APART <= silent
    if not in_order:
        return thresholds
    return thresholds.model_copy(update={"silent": silent, "notify": notify, "confirm": confirm})


def _within(value: float, configured: float, most: float) -> float:
    kept = max(configured - most, min(configured + most, value))
    return round(max(_APART, min(1.0, kept)), 4)


def _told(move: _Move, before: ThresholdsUsed, after: ThresholdsUsed, language: Language) -> str:
    raised = move.by > 0
    return tell(
        f"grace_confidence.adjusted.{'raised' if raised else 'lowered'}",
        language,
        level=tell(f"grace_confidence.level.{move.name}", language),
        old=f"{getattr(before, move.name):.3f}",
        new=f"{getattr(after, move.name):.3f}",
        count=move.bad if raised else move.good,
    )
