"""What was rewritten: candidates, how similar they are, the best matching, and what is accepted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from scipy.sparse import csr_array

from sanbo.agents.comparison.alignment.acceptance import (
    accepted,
    confidences,
    firm,
    judge,
    least_score,
)
from sanbo.agents.comparison.alignment.candidates import Pairs, candidate_pairs, nearest, pairs_of
from sanbo.agents.comparison.alignment.context import Surroundings, support
from sanbo.agents.comparison.alignment.duplicates import link_duplicates
from sanbo.agents.comparison.alignment.hierarchy import family_pairs, link_parents
from sanbo.agents.comparison.alignment.matching import best_matching
from sanbo.agents.comparison.alignment.ngrams import Vectors
from sanbo.agents.comparison.alignment.similarity import similarities

_KEEP = 10
_CONTEXT = 0.25
_FIRM_ROUNDS = 2
_NEAR_COPY = 85.0
_RIVALS, _NEARLY, _EQUAL = 5, 0.15, 0.999


@dataclass(frozen=True, slots=True)
class Weighed:
    """Candidate pairs with what speaks for each: what they say, and what stands around them."""

    pairs: Pairs
    weights: NDArray[np.float64]


def link_rewritten(around: Surroundings, vectors: Vectors) -> float:
    """Firm links first, for others to be judged by; gives the least score that was asked for."""
    for _ in range(_FIRM_ROUNDS):
        before = len(around.matches.confidence)
        _link_best(around, vectors, least=None)
        link_duplicates(around.old, around.new, around.matches)
        if len(around.matches.confidence) == before:
            break
    least = least_score(_linked(around, vectors)[1])
    _link_best(around, vectors, least=least)
    link_parents(around.old, around.new, around.matches)
    link_duplicates(around.old, around.new, around.matches)
    return least


def _link_best(around: Surroundings, vectors: Vectors, *, least: float | None) -> None:
    weighed = weighed_free(around, vectors)
    pairs = weighed.pairs
    judged = judge(pairs, weighed.weights, best_matching(pairs, weighed.weights))
    good = firm(judged) if least is None else accepted(judged, least)
    sure = confidences(judged, least)
    for index, confidence in zip(judged.chosen[good].tolist(), sure[good].tolist(), strict=True):
        around.matches.link(int(pairs.old[index]), int(pairs.new[index]), confidence)


def link_near_copies(around: Surroundings, vectors: Vectors) -> None:
    """Of what has no counterpart yet, those that say nearly the same, letter for letter."""
    pairs = weighed_free(around, vectors).pairs
    alike = process.cpdist(
        [around.old.keys[int(one)] for one in pairs.old],
        [around.new.keys[int(other)] for other in pairs.new],
        scorer=fuzz.ratio,
    )
    for index in np.argsort(-alike, kind="stable").tolist():
        one, other, ratio = int(pairs.old[index]), int(pairs.new[index]), float(alike[index])
        if ratio >= _NEAR_COPY and around.matches.free(one, other):
            around.matches.link(one, other, ratio / 100)


def weighed_free(around: Surroundings, vectors: Vectors) -> Weighed:
    """Of what has no counterpart yet, the likeliest pairs."""
    olds = np.array(around.matches.free_old(), dtype=np.int64)
    news = np.array(around.matches.free_new(), dtype=np.int64)
    near = candidate_pairs(vectors.old[olds], vectors.new[news], _KEEP)
    family = family_pairs(around.old, around.new, around.matches)
    pairs = pairs_of(
        np.concatenate([olds[near.old], family.old]),
        np.concatenate([news[near.new], family.new]),
        max(1, len(around.new)),
    )
    similar = similarities(around.old.keys, around.new.keys, vectors, pairs)
    weights = similar + _CONTEXT * support(pairs, around) * np.minimum(1.0, 0.3 + similar)
    return Weighed(pairs, weights)


def weighed_rivals(around: Surroundings, vectors: Vectors) -> Weighed:
    """Of what has no counterpart, what would do if it were not linked nearly as well elsewhere."""
    matches = around.matches
    olds = np.array(matches.free_old(), dtype=np.int64)
    news = np.array(matches.free_new(), dtype=np.int64)
    old_rows, new_found = nearest(csr_array(vectors.old[olds]), vectors.new, _RIVALS)
    new_rows, old_found = nearest(csr_array(vectors.new[news]), vectors.old, _RIVALS)
    width = max(1, len(around.new))
    pairs = pairs_of(
        np.concatenate([olds[old_rows], old_found]),
        np.concatenate([new_found, news[new_rows]]),
        width,
    )
    similar = similarities(around.old.keys, around.new.keys, vectors, pairs)
    linked, linked_similar = _linked(around, vectors)
    of_old, of_new = np.zeros(len(around.old)), np.zeros(len(around.new))
    of_old[linked.old] = linked_similar
    of_new[linked.new] = linked_similar
    taken = np.maximum(of_old[pairs.old], of_new[pairs.new])
    good = (taken > 0) & (taken < _EQUAL) & (similar >= taken - _NEARLY)
    return Weighed(Pairs(pairs.old[good], pairs.new[good]), similar[good])


def _linked(around: Surroundings, vectors: Vectors) -> tuple[Pairs, NDArray[np.float64]]:
    linked = list(around.matches.pairs())
    pairs = Pairs(
        np.array([one for one, _ in linked], dtype=np.int64),
        np.array([other for _, other in linked], dtype=np.int64),
    )
    return pairs, similarities(around.old.keys, around.new.keys, vectors, pairs)
