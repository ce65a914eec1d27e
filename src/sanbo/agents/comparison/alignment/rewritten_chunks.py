"""What was rewritten: candidates, the best matching of all, and what is accepted as a link.

Chunks that have no counterpart yet are also compared by what their words mean.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, min_weight_full_bipartite_matching

from sanbo.agents.comparison.alignment.candidates import (
    Pairs,
    Part,
    Vectors,
    candidate_pairs,
    nearest,
    pairs_of,
    similarities,
)
from sanbo.agents.comparison.alignment.context import (
    Surroundings,
    family_pairs,
    link_parents,
    release_headings,
    support,
)
from sanbo.agents.comparison.alignment.matches import Outline, link_duplicates
from sanbo.language.likeness import vectors_of
from sanbo.retrieval.tokens import words

Floats = NDArray[np.float32]
Known = NDArray[np.bool_]
_MOST_PAIRS = 100_000
_MOST_BESIDE = 300
_MOST_WORDS = 80
"""Of a chunk, the rarest: a page in one paragraph is told by them as well."""
_MOST_ALIKE = 10
_RELATED = 0.96
_LEAST = 0.1
"""Below it two words have nothing to do with each other."""


def meant(around: Surroundings, taken: Collection[tuple[bool, int]] = ()) -> "Meanings | None":
    """Of what has no counterpart yet; None where that is too much to look at, or where texts are
    nearer to others of their own side than to any of the other: those are about something else.
    `taken`: what is not looked at, the new ones with True."""
    olds = _telling_places(around.old, around.matches.free_old())
    news = _telling_places(around.new, around.matches.free_new())
    olds = [place for place in olds if (False, place) not in taken]
    news = [place for place in news if (True, place) not in taken]
    if not 0 < len(olds) * len(news) <= _MOST_PAIRS:
        return None
    meanings = Meanings(
        _Texts(olds, _texts(around.old, olds), _beside(around.old, olds)),
        _Texts(news, _texts(around.new, news), _beside(around.new, news)),
    )
    return meanings if meanings.are_related else None


def _telling_places(outline: Outline, free: list[int]) -> list[int]:
    return [place for place in free if outline.kinds[place] != "heading"]


def _texts(outline: Outline, places: Iterable[int]) -> list[str]:
    """Each with the heading it stands under."""
    return [f"{_above(outline, place)} {outline.keys[place]}" for place in places]


def _beside(outline: Outline, places: list[int]) -> list[str]:
    """What else stands in the same document, as far as it is short."""
    own = frozenset(places)
    others = [
        place for place in _telling_places(outline, [*range(len(outline))]) if place not in own
    ]
    return _texts(outline, others) if len(others) <= _MOST_BESIDE else []


def _above(outline: Outline, place: int) -> str:
    parent = outline.parents[place]
    return outline.keys[parent] if parent >= 0 and outline.kinds[parent] == "heading" else ""


class _Texts(NamedTuple):
    places: list[int]
    texts: list[str]
    beside: list[str]


class _Said(NamedTuple):
    """Of several texts, one after the other."""

    words: list[str]
    vectors: Floats
    weights: Floats
    """Of the words; those of a text are one together."""
    begins: NDArray[np.int64]


class Meanings:
    """Of some chunks of both sides, by their places."""

    def __init__(self, old: _Texts, new: _Texts) -> None:
        here, there, beside, beside_there = (
            [words(text) for text in texts]
            for texts in (old.texts, new.texts, old.beside, new.beside)
        )
        rarity = _rarity((*here, *there, *beside, *beside_there))
        self._old = np.array(old.places, dtype=np.int64)
        self._new = np.array(new.places, dtype=np.int64)
        table = _table(_said(here, rarity), _said(there, rarity))
        self._table = table - (_nearest(table) + _nearest(table.T).T) / 2
        across = np.concatenate([table.max(axis=0), table.max(axis=1)])
        own = [_own(here, beside, rarity), _own(there, beside_there, rarity)]
        self.are_related = bool(across.mean() >= _RELATED * np.concatenate(own).mean())

    def pairs(self, width: int) -> Pairs:
        """Every one with every other."""
        olds, news = np.meshgrid(self._old, self._new, indexing="ij")
        return pairs_of(olds.ravel(), news.ravel(), width)

    def likeness(self, pairs: Pairs) -> NDArray[np.float64]:
        """How much more of what each says the other says too, in whatever words, than its nearest
        do: texts on one subject are all alike. Nothing for chunks that are not among these."""
        rows, is_old = _places(self._old, pairs.old)
        columns, is_new = _places(self._new, pairs.new)
        return np.where(is_old & is_new, self._table[rows, columns], 0.0)


def _places(known: NDArray[np.int64], asked: NDArray[np.int64]) -> tuple[NDArray[np.int64], Known]:
    found = np.minimum(np.searchsorted(known, asked), len(known) - 1)
    return found, known[found] == asked


def _rarity(texts: Iterable[Sequence[str]]) -> dict[str, float]:
    every = [set(text) for text in texts]
    found_in = Counter(word for each in every for word in each)
    return {
        word: max(log((1 + len(every)) / (0.5 + often)), 0.2) ** 2
        for word, often in found_in.items()
    }


def _said(texts: Sequence[Sequence[str]], rarity: dict[str, float]) -> _Said:
    telling = [
        sorted(dict.fromkeys(text), key=lambda word: -rarity[word])[:_MOST_WORDS] or [""]
        for text in texts
    ]
    flat = [word for text in telling for word in text]
    begins = np.cumsum([0, *map(len, telling)])[:-1]
    weights = np.array([rarity.get(word, 1.0) for word in flat], np.float32)
    totals = np.repeat(np.add.reduceat(weights, begins), list(map(len, telling)))
    return _Said(flat, vectors_of(tuple(flat)), (weights / totals).astype(np.float32), begins)


def _own(
    texts: Sequence[Sequence[str]], beside: Sequence[Sequence[str]], rarity: dict[str, float]
) -> NDArray[np.float64]:
    """How near each text is to the nearest other of its side."""
    table = _table(_said(texts, rarity), _said([*texts, *beside], rarity))
    np.fill_diagonal(table, 0.0)
    return table.max(axis=1)


def _table(old: _Said, new: _Said) -> NDArray[np.float64]:
    place = {word: at for at, word in enumerate(new.words)}
    number = np.array([place.get(word, -1) for word in old.words])
    numbers = np.array([place[word] for word in new.words])
    rows = np.split(np.arange(len(old.words)), old.begins[1:])
    return np.array([_row(old, new, row, number[row][:, None] == numbers) for row in rows])


def _nearest(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of each column the mean of its greatest: the more there are, the nearer the nearest is."""
    return np.sort(table, axis=0)[-_MOST_ALIKE:].mean(axis=0, keepdims=True)


def _row(old: _Said, new: _Said, row: NDArray[np.int64], same: Known) -> NDArray[np.float64]:
    """Of one old text with each new one: the share of the words of either, by weight, that the
    other says. A word itself counts in full, also where nobody knows what it means."""
    alike = (old.vectors[row] @ new.vectors.T - _LEAST) / (1 - _LEAST)
    near = np.where(same, 1.0, np.clip(alike, 0.0, 1.0))
    there = old.weights[row] @ np.maximum.reduceat(near, new.begins, axis=1)
    here = np.add.reduceat(new.weights * near.max(axis=0), new.begins)
    both: NDArray[np.float64] = 2 * there * here / np.maximum(there + here, 1e-9)
    return both


STRICT, _LOOSE = 0.5, 0.2
UNSURE = 0.65
"""Below it a model or a person should look."""


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


def meant_confidences(judged: Judged, least: float | None) -> NDArray[np.float64]:
    """Where only the words' meaning speaks for it: four of five are right, but never so surely that
    nobody need look."""
    over = judged.score + 0.5 * judged.margin - (least or 0.0)
    return np.clip(0.5 + 0.1 * over, 0.5, UNSURE - 0.01)


_SMALL = 64
"""Chunks of a component that is solved as a small full table."""


def best_matching(pairs: Pairs, weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """Indices of the chosen pairs; a pair with no weight is never chosen."""
    wanted = np.flatnonzero(weights > 0)
    if not len(wanted):
        return wanted
    ones, one_of = np.unique(pairs.old[wanted], return_inverse=True)
    others, other_of = np.unique(pairs.new[wanted], return_inverse=True)
    size = len(ones) + len(others)
    graph = csr_array((np.ones(len(wanted)), (one_of, other_of + len(ones))), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    chosen: list[NDArray[np.int64]] = []
    of_pair = component[one_of]
    order = np.argsort(of_pair, kind="stable")
    for group in np.split(order, np.flatnonzero(np.diff(of_pair[order])) + 1):
        chosen.append(wanted[group[_solve(one_of[group], other_of[group], weights[wanted[group]])]])
    return np.sort(np.concatenate(chosen))


def _solve(
    ones: NDArray[np.int64], others: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.int64]:
    if len(ones) == 1:
        return np.zeros(1, dtype=np.int64)
    rows, row_of = np.unique(ones, return_inverse=True)
    columns, column_of = np.unique(others, return_inverse=True)
    if max(len(rows), len(columns)) <= _SMALL:
        table = np.zeros((len(rows), len(columns)))
        table[row_of, column_of] = weights
        chosen_rows, chosen_columns = linear_sum_assignment(table, maximize=True)
    else:
        chosen_rows, chosen_columns = _solve_sparse(row_of, column_of, weights)
    place = {code: at for at, code in enumerate((row_of * len(columns) + column_of).tolist())}
    codes = (chosen_rows * len(columns) + chosen_columns).tolist()
    return np.array([place[code] for code in codes if code in place], dtype=np.int64)


def _solve_sparse(
    rows: NDArray[np.int64], columns: NDArray[np.int64], weights: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Each row may also stay alone: a column of its own, at a cost worse than any pair."""
    count, width = int(rows.max()) + 1, int(columns.max()) + 1
    alone = np.arange(count)
    # A cost of 0 would be read as no edge, so every cost is at least 1.
    costs = np.concatenate([1.0 + weights.max() - weights, np.full(count, 1.0 + weights.max())])
    graph = csr_array(
        (costs, (np.concatenate([rows, alone]), np.concatenate([columns, width + alone]))),
        shape=(count, width + count),
    )
    chosen_rows, chosen_columns = min_weight_full_bipartite_matching(graph)
    paired = chosen_columns < width
    return chosen_rows[paired].astype(np.int64), chosen_columns[paired].astype(np.int64)


_KEEP = 10
_CONTEXT = 0.25
_MEANING = 6.0
_MEANT, _SETTLED = 0.2, 0.9
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
    _link_families(around)
    return least


def link_meant(around: Surroundings, vectors: Vectors, parts: Iterable[Part]) -> None:
    """What says the same in other words, among what is left and is no part of something."""
    parts = tuple(parts)
    taken = {(part.is_new, part.part) for part in parts}
    taken |= {(not part.is_new, part.whole) for part in parts}
    meanings = meant(around, taken)
    if meanings is None:
        return
    # Where nearly all have counterparts, what is left is new or gone rather than reworded.
    settled = len(around.matches.confidence) / min(len(around.old), len(around.new))
    _link_best(around, vectors, least=_MEANT + _SETTLED * settled, meanings=meanings)
    _link_families(around)


def _link_families(around: Surroundings) -> None:
    release_headings(around.old, around.new, around.matches)
    link_parents(around.old, around.new, around.matches)
    link_duplicates(around.old, around.new, around.matches)


def _link_best(
    around: Surroundings,
    vectors: Vectors,
    *,
    least: float | None,
    meanings: Meanings | None = None,
) -> None:
    weighed = weighed_free(around, vectors, meanings)
    pairs = weighed.pairs
    judged = judge(pairs, weighed.weights, best_matching(pairs, weighed.weights))
    good = firm(judged) if least is None else accepted(judged, least)
    sure = confidences(judged, least) if meanings is None else meant_confidences(judged, least)
    for index, confidence in zip(judged.chosen[good].tolist(), sure[good].tolist(), strict=True):
        around.matches.link(int(pairs.old[index]), int(pairs.new[index]), confidence)


def link_near_copies(around: Surroundings, vectors: Vectors) -> None:
    """Of what has no counterpart yet, those that say nearly the same, letter for letter."""
    pairs = weighed_free(around, vectors).pairs
    # pyrefly: ignore[no-matching-overload]
    alike = process.cpdist(
        [around.old.keys[int(one)] for one in pairs.old],
        [around.new.keys[int(other)] for other in pairs.new],
        scorer=fuzz.ratio,
    )
    for index in np.argsort(-alike, kind="stable").tolist():
        one, other, ratio = int(pairs.old[index]), int(pairs.new[index]), float(alike[index])
        if ratio >= _NEAR_COPY and around.matches.free(one, other):
            around.matches.link(one, other, ratio / 100)


def weighed_free(
    around: Surroundings, vectors: Vectors, meanings: Meanings | None = None
) -> Weighed:
    """Of what has no counterpart yet, the likeliest pairs; with `meanings`, all of them."""
    olds = np.array(around.matches.free_old(), dtype=np.int64)
    news = np.array(around.matches.free_new(), dtype=np.int64)
    near = candidate_pairs(vectors.old[olds], vectors.new[news], _KEEP)
    family = family_pairs(around.old, around.new, around.matches)
    pairs = pairs_of(
        np.concatenate([olds[near.old], family.old]),
        np.concatenate([news[near.new], family.new]),
        max(1, len(around.new)),
    )
    if meanings is not None:
        every = meanings.pairs(len(around.new))
        pairs = pairs_of(
            np.concatenate([pairs.old, every.old]),
            np.concatenate([pairs.new, every.new]),
            max(1, len(around.new)),
        )
    similar = similarities(around.old.keys, around.new.keys, vectors, pairs)
    if meanings is not None:
        similar = similar + _MEANING * meanings.likeness(pairs)
    weights = similar + _CONTEXT * support(pairs, around) * np.clip(0.3 + similar, 0.0, 1.0)
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
