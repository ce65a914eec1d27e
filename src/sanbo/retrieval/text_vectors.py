"""The characters and words of many texts as sparse vectors, all of them at once."""

import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from sanbo.kernel.text import matching_form
from sanbo.retrieval.tokens import without_english, words
from sanbo.retrieval.vectors import AVERAGE_GRAMS, AVERAGE_WORDS, K1, B

_BYTES = np.array([zlib.crc32(bytes([byte])) ^ zlib.crc32(b"\0") for byte in range(256)], np.uint32)
"""CRC-32 is taken of all characters at once: what a byte makes of a state of nothing."""
Numbers = NDArray[np.uint32]


Weighed = tuple[Numbers, NDArray[np.float32]]
"""The places of a text's terms, and what each weighs."""


class _Places(dict[str, int]):
    """Of words, taken once."""

    def __missing__(self, word: str) -> int:
        place = self[word] = zlib.crc32(word.encode())
        return place


def word_vectors(texts: Sequence[str]) -> Iterator[Weighed]:
    """`document_vector(words(text))` of each."""
    place_of = _Places()
    places: list[int] = []
    lengths: list[int] = []
    for text in texts:
        found = words(text)
        places += map(place_of.__getitem__, found)
        lengths.append(len(found))
    owners = np.repeat(np.arange(len(texts)), lengths)
    return _weighed(owners, np.array(places, np.uint32), len(texts), AVERAGE_WORDS)


def gram_vectors(texts: Sequence[str]) -> Iterator[Weighed]:
    """`document_vector(grams(text))` of each, all of them at once: in a third of the time."""
    rests: list[str] = []
    stems: list[tuple[int, int]] = []
    for number, text in enumerate(texts):
        rest, english = without_english(matching_form(text))
        rests.append(rest)
        stems += [(number, zlib.crc32(word.encode())) for word in english]
    whole = "\n".join([*rests, ""])
    letters = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
    owners = np.repeat(np.arange(len(rests)), [len(rest) + 1 for rest in rests])
    in_runs = np.zeros(0x110000, np.bool_)
    in_runs[[ord(letter) for letter in set(whole) if letter.isalnum()]] = True
    single = np.flatnonzero(in_runs[letters])
    pairs = single[:-1][np.diff(single) == 1]
    alone = _fed(np.full(len(single), 0xFFFFFFFF, np.uint32), letters[single])
    firsts = np.searchsorted(single, pairs)
    both = _fed(alone[firsts], letters[pairs + 1])
    places = np.concatenate([~alone, ~both, np.array([at for _, at in stems], np.uint32)])
    of = np.concatenate([owners[single], owners[pairs], np.array([n for n, _ in stems], np.int64)])
    return _weighed(of, places, len(texts), AVERAGE_GRAMS)


def _weighed(
    owners: NDArray[np.int64], places: Numbers, count: int, average: float
) -> Iterator[Weighed]:
    """Of terms that stand at these places and whose they are, in the order of `count` texts."""
    lengths = np.bincount(owners, minlength=count)
    terms, counts = np.unique(
        owners.astype(np.uint64) << np.uint64(32) | places, return_counts=True
    )
    of_terms = (terms >> np.uint64(32)).astype(np.int64)
    norms = K1 * (1 - B + B * lengths / average)
    weights = (counts * (K1 + 1) / (counts + norms[of_terms])).astype(np.float32)
    places_of = terms.astype(np.uint32)
    ends = np.searchsorted(of_terms, np.arange(count + 1)).tolist()
    for begin, end in pairwise(ends):
        yield places_of[begin:end], weights[begin:end]


def _fed(states: Numbers, letters: Numbers) -> Numbers:
    """CRC-32 one character further, each in the bytes of its UTF-8."""
    sizes = 1 + (letters > 0x7F) + (letters > 0x7FF) + (letters > 0xFFFF)
    heads = np.array([0, 0, 0xC0, 0xE0, 0xF0], np.uint32)[sizes]
    for place in range(3, -1, -1):
        there = sizes > place
        is_head = sizes == place + 1
        bits = letters >> np.uint32(6 * place)
        byte = np.where(is_head, heads | bits, 0x80 | (bits & 0x3F))
        further = _BYTES[(states ^ byte) & 0xFF] ^ (states >> np.uint32(8))
        states = np.where(there, further, states)
    return states
