"""What is taken as a link: by its lead over every other reading, not by its score alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.comparison.alignment.candidates import Pairs

STRICT, _LOOSE = 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Judged:
    """Chosen pairs with what speaks for each."""

    chosen: NDArray[np.int64]
    score: NDArray[np.float64]
    margin: NDArray[np.float64]
    """Lead over the best other reading of either chunk."""


def judge(pairs: Pairs, weights: NDArray[np.float64], chosen: NDArray[np.int64]) -> Judged:
    """An alternative that is better off where it is counts for less."""
    own_old = np.zeros(int(pairs.old.max(initial=-1)) + 1)
    own_new = np.zeros(int(pairs.new.max(initial=-1)) + 1)
    own_old[pairs.old[chosen]] = weights[chosen]
    own_new[pairs.new[chosen]] = weights[chosen]
    is_chosen = np.zeros(len(pairs), dtype=bool)
    is_chosen[chosen] = True
    others = ~is_chosen
    rival_of_old = np.zeros_like(own_old)
    rival_of_new = np.zeros_like(own_new)
    as_new = weights - np.maximum(0.0, own_new[pairs.new] - weights)
    as_old = weights - np.maximum(0.0, own_old[pairs.old] - weights)
    np.maximum.at(rival_of_old, pairs.old[others], as_new[others])
    np.maximum.at(rival_of_new, pairs.new[others], as_old[others])
    rival = np.maximum(rival_of_old[pairs.old[chosen]], rival_of_new[pairs.new[chosen]])
    return Judged(chosen, weights[chosen], weights[chosen] - rival)


def firm(judged: Judged) -> NDArray[np.bool_]:
    """Good enough to judge others by."""
    return (judged.score >= STRICT) & (judged.margin >= 0.15)


def least_score(links: NDArray[np.float64]) -> float:
    """What a link must reach: learned from how freely the linked chunks were rewritten."""
    if not len(links):
        return STRICT
    freely = float(np.quantile(links, 0.2))
    return float(np.clip(freely - 0.36, _LOOSE, STRICT))


def accepted(judged: Judged, least: float) -> NDArray[np.bool_]:
    """The less two chunks have in common, the more they must lead."""
    return judged.score + 0.5 * judged.margin >= least


def confidences(judged: Judged, least: float | None) -> NDArray[np.float64]:
    """A clear lead makes sure; what just reaches what was asked for is about a half."""
    over = judged.score - (STRICT if least is None else least)
    strength = -0.2 + 5.0 * over + 15.0 * np.clip(judged.margin, -0.2, 0.3)
    return np.clip(1 / (1 + np.exp(-strength)), 0.05, 0.98)
