"""How alike two words are in meaning: ホテル and 宿泊, boss and manager. Vectors that ship with it.

Words in the dictionary's normal form (Japanese) or as stems (English). The vectors are small ones
made of others': docs/adr/0020-word-vectors.md says of which, and how.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from importlib.resources import as_file, files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_LEAST = 0.3
"""Below it two words have nothing to do with each other."""
_LONGEST = 20_000


class _Vectors(NamedTuple):
    words: list[str]
    """In the order of their rows; several that are nearly the same have one."""
    rows: dict[str, int]
    begins: list[int]
    """Where the words of each row begin."""
    table: NDArray[np.int8]
    near: NDArray[np.uint16]
    """Of each row the rows most like it, in its own language, the most alike first."""
    alike: NDArray[np.uint16]
    """How alike those are, of 65,535."""


@cache
def _vectors() -> _Vectors:
    with (
        as_file(files("sanbo.language").joinpath("word_vectors.npz")) as path,
        np.load(path) as kept,
    ):
        words = kept["words"].tobytes().decode().split("\n")
        rows, table = kept["rows"], kept["vectors"]
        begins = np.searchsorted(rows, np.arange(len(table) + 1)).tolist()
        by_word = dict(zip(words, rows.tolist(), strict=True))
        return _Vectors(words, by_word, begins, table, kept["near"], kept["alike"])


def _unit(rows: NDArray[np.int8]) -> Floats:
    """Each of length 1."""
    found = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    return np.asarray(found / np.maximum(lengths, 1.0)[:, None], np.float32)


@lru_cache(maxsize=_LONGEST)
def _vector(word: str) -> Floats:
    """Of length 1; nothing but zeros for a word that is not known."""
    known = _vectors()
    row = known.rows.get(word)
    if row is None:
        return np.zeros(int(known.table.shape[1]), np.float32)
    found: Floats = _unit(known.table[row : row + 1])[0]
    return found


@lru_cache(maxsize=4096)
def vectors_of(words: tuple[str, ...]) -> Floats:
    """A row each."""
    return np.stack([_vector(word) for word in words]) if words else np.zeros((0, 1), np.float32)


def neighbours(word: str) -> list[tuple[str, float]]:
    """Words that mean about the same, the most alike first, with how alike they are."""
    known = _vectors()
    row = known.rows.get(word)
    if row is None:
        return []
    found = [(other, 1.0) for other in _words_of(row) if other != word]
    for near, alike in zip(known.near[row].tolist(), known.alike[row].tolist(), strict=True):
        if alike:
            found += [(other, alike / 65535) for other in _words_of(near)]
    return found


def _words_of(row: int) -> list[str]:
    known = _vectors()
    return known.words[known.begins[row] : known.begins[row + 1]]


def likeness(asked: tuple[str, ...], said: tuple[str, ...]) -> list[float]:
    """For each word of one text how like the nearest of the other is: 1 is the same, 0 nothing."""
    if not asked or not said:
        return [0.0] * len(asked)
    nearest = (vectors_of(asked) @ vectors_of(said).T).max(axis=1)
    spread = np.clip((nearest - _LEAST) / (1 - _LEAST), 0.0, 1.0)
    there = frozenset(said)
    return [
        1.0 if word in there else float(value) for word, value in zip(asked, spread, strict=True)
    ]


def mean_likeness(weights: Sequence[float], found: Sequence[float]) -> float:
    total = sum(weights)
    return sum(w * f for w, f in zip(weights, found, strict=True)) / total if total else 0.0
