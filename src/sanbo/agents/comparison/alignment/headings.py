"""Rows of a table by themselves have no parents: they stand under words, 章 and 区分."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sanbo.agents.comparison.alignment.candidates import Pairs
from sanbo.agents.comparison.alignment.ngrams import Vectors, vectors_of
from sanbo.agents.comparison.alignment.outline import Outline
from sanbo.agents.comparison.alignment.similarity import cosines

_DIFFERENT = 2


@dataclass(frozen=True, slots=True)
class Headings:
    """Each heading once; for each chunk which one it is."""

    old: NDArray[np.int64]
    new: NDArray[np.int64]
    vectors: Vectors

    def likeness(self, pairs: Pairs) -> NDArray[np.float64]:
        """Of the words under which the two chunks of each pair stand; 0 where there are none."""
        here, there = self.old[pairs.old], self.new[pairs.new]
        return cosines(self.vectors.old, self.vectors.new, Pairs(here, there))


def headings_of(old: Outline, new: Outline) -> Headings | None:
    """None where they tell nothing apart."""
    if any(len(set(side.headings) - {""}) < _DIFFERENT for side in (old, new)):
        return None
    here, old_words = _numbered(old.headings)
    there, new_words = _numbered(new.headings)
    return Headings(here, there, vectors_of(old_words, new_words))


def _numbered(headings: Sequence[str]) -> tuple[NDArray[np.int64], list[str]]:
    number: dict[str, int] = {}
    places = [number.setdefault(each, len(number)) for each in headings]
    return np.array(places, dtype=np.int64), list(number)
