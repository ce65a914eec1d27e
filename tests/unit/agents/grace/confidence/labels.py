"""Answers that people judged, made by hand."""

import random

from sanbo.agents.grace.confidence import Label


def label(score: float, good: bool) -> Label:
    return Label(features={}, score=score, good=good)


def honest_labels(many: int, seed: int = 1) -> list[Label]:
    """Good as often as their scores say."""
    chance = random.Random(seed)
    scores = [chance.random() for _ in range(many)]
    return [label(score, chance.random() < score) for score in scores]


def boastful_labels(many: int, seed: int = 2) -> list[Label]:
    """Good half as often as their scores say."""
    chance = random.Random(seed)
    scores = [chance.random() for _ in range(many)]
    return [label(score, chance.random() < score / 2) for score in scores]
