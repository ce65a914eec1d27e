"""What chunks mean that have no counterpart yet: the same in other words, found by what the words
mean."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.comparison.alignment.candidates import Pairs, pairs_of
from sanbo.agents.comparison.alignment.context import Surroundings
from sanbo.agents.comparison.alignment.outline import Outline
from sanbo.language.likeness import vectors_of
from sanbo.retrieval.tokens import words

Floats = NDArray[np.float32]
Known = NDArray[np.bool_]
_MOST_PAIRS = 100_000
_MOST_BESIDE = 300
_MOST_WORDS = 80
"""Of a chunk, the rarest: a page in one paragraph is told by them as well."""
_RIVALS = 10
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
    return np.sort(table, axis=0)[-_RIVALS:].mean(axis=0, keepdims=True)


def _row(old: _Said, new: _Said, row: NDArray[np.int64], same: Known) -> NDArray[np.float64]:
    """Of one old text with each new one: the share of the words of either, by weight, that the
    other says. A word itself counts in full, also where nobody knows what it means."""
    alike = (old.vectors[row] @ new.vectors.T - _LEAST) / (1 - _LEAST)
    near = np.where(same, 1.0, np.clip(alike, 0.0, 1.0))
    there = old.weights[row] @ np.maximum.reduceat(near, new.begins, axis=1)
    here = np.add.reduceat(new.weights * near.max(axis=0), new.begins)
    both: NDArray[np.float64] = 2 * there * here / np.maximum(there + here, 1e-9)
    return both
