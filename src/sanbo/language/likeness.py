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
    rows: dict[str, int]
    table: NDArray[np.int8]


@cache
def _vectors() -> _Vectors:
    with (
        as_file(files("sanbo.language").joinpath("word_vectors.npz")) as path,
        np.load(path) as kept,
    ):
        words = kept["words"].tobytes().decode().split("\n")
        return _Vectors(dict(zip(words, kept["rows"].tolist(), strict=True)), kept["vectors"])


def _unit(rows: NDArray[np.int8]) -> Floats:
    """Each of length 1."""
    found = rows.astype(np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", found, found))
    return np.asarray(found / np.maximum(lengths, 1.0)[:, None], np.float32)


@lru_cache(maxsize=_LONGEST)
def _vector(word: str) -> Floats:
    """Of length 1; nothing but zeros for a word that is not known."""
    rows, table = _vectors()
    row = rows.get(word)
    if row is None:
        return np.zeros(int(table.shape[1]), np.float32)
    found: Floats = _unit(table[row : row + 1])[0]
    return found


@lru_cache(maxsize=4096)
def vectors_of(words: tuple[str, ...]) -> Floats:
    """A row each."""
    return np.stack([_vector(word) for word in words]) if words else np.zeros((0, 1), np.float32)


@cache
def _words_by_row() -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for word, row in _vectors().rows.items():
        found.setdefault(row, []).append(word)
    return found


@cache
def _own_table(*, english: bool) -> tuple[int, Floats]:
    """Where the rows of a language begin, and the rows: Japanese ones stand first."""
    rows, table = _vectors()
    first = min(row for word, row in rows.items() if word.isascii())
    return (first, _unit(table[first:])) if english else (0, _unit(table[:first]))


def neighbours(word: str, most: int = 12) -> tuple[tuple[str, float], ...]:
    """Words that mean about the same, the most alike first, with how alike they are."""
    if word not in _vectors().rows:
        return ()
    first, table = _own_table(english=word.isascii())
    # Not `@`: its threads wait for each other on a busy machine, ten times as long as this takes.
    alike: Floats = np.einsum("ij,j->i", table, _vector(word))
    nearest = np.flatnonzero(alike > _LEAST)  # a few hundred: sorting them takes no time
    nearest = nearest[np.argsort(-alike[nearest])][:most]
    return tuple(
        (other, (float(alike[row]) - _LEAST) / (1 - _LEAST))
        for row in nearest.tolist()
        for other in _words_by_row()[first + row]
        if other != word
    )


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
