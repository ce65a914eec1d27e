"""What words mean, as the reader knows it: Japanese by the vectors that ship with Sanbo, English by
its own, made of what a sentence encoder makes of each word (docs/adr/0024-reader-of-passages.md).
"""

from functools import cache, lru_cache
from importlib.resources import as_file, files

import numpy as np
from numpy.typing import NDArray

from sanbo.language.likeness import Floats, vectors_of

_JAPANESE, _ENGLISH = 80, 128
DIMENSIONS = _JAPANESE + _ENGLISH
"""Beside each other: a word is of one of them."""


@lru_cache(maxsize=4096)
def meanings_of(words: tuple[str, ...]) -> Floats:
    """A row each, of length 1; nothing but zeros for a word that is not known."""
    made = np.zeros((len(words), DIMENSIONS), np.float32)
    rows, table = _english()
    english = [(at, rows[word]) for at, word in enumerate(words) if word in rows]
    if english:
        places, found = (list(each) for each in zip(*english, strict=True))
        vectors = table[found].astype(np.float32)
        made[places, _JAPANESE:] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    others = [at for at, word in enumerate(words) if not word.isascii()]
    if others:
        made[others, :_JAPANESE] = vectors_of(tuple(words[at] for at in others))
    return made


@cache
def _english() -> tuple[dict[str, int], NDArray[np.int8]]:
    """Of each stem its row."""
    path = files("sanbo.evidence.reader").joinpath("english_vectors.npz")
    with as_file(path) as source, np.load(source) as kept:
        words = kept["words"].tobytes().decode().split("\n")
        return {word: at for at, word in enumerate(words)}, kept["vectors"]
