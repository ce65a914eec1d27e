"""What texts are found by, as sparse vectors; a portion of them is made in a process apart.

Taking texts to words is most of what indexing costs, and holds the GIL. `packed` is a function of
plain texts that gives plain bytes: a guarded child runs it, or a worker on another machine.
"""

from array import array
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from sanbo.kernel.problems import Unexpected
from sanbo.retrieval.ranking import SparseVector
from sanbo.sandbox.calls import Calls

_NUMBER = 4
"""Bytes of each number: all have the same, so the whole is one row of them."""


class TextVectors(NamedTuple):
    grams: SparseVector
    words: SparseVector


def vectors_of(texts: Sequence[str]) -> list[TextVectors]:
    return unpacked(memoryview(b"".join(packed(texts))), len(texts))


def vectors_apart(texts: Sequence[str], calls: Calls) -> list[TextVectors]:
    """Blocks, and leaves the GIL to others."""
    made = calls.pieces(packed, list(texts))
    if made is None:
        return []
    with made:
        try:
            return unpacked(made.view(), len(texts))
        except ValueError:
            raise Unexpected("sandbox_defect") from None


def warm_up() -> None:
    """A child finds the dictionary loaded; it could not open it."""
    vectors_of(["辞書"])


def packed(texts: Sequence[str]) -> Iterator[bytes]:
    from sanbo.retrieval.text_vectors import (  # noqa: PLC0415 - NumPy, for this alone
        gram_vectors,
        word_vectors,
    )

    for grams, words in zip(gram_vectors(texts), word_vectors(texts), strict=True):
        sizes = array("I", [len(grams[0]), len(words[0])])
        rows = [each.tobytes() for places, weights in (grams, words) for each in (places, weights)]
        yield b"".join((sizes.tobytes(), *rows))


def unpacked(data: memoryview, count: int) -> list[TextVectors]:
    """ValueError where it is not what `packed` gives for so many texts."""
    if len(data) % _NUMBER:
        raise ValueError("half a number")
    indices, values = data.cast("I"), data.cast("f")
    found: list[TextVectors] = []
    at = 0
    while at < len(indices):
        sizes = indices[at : at + 2].tolist()
        at += 2
        vectors: list[SparseVector] = []
        for size in sizes:
            middle, end = at + size, at + 2 * size
            if end > len(indices):
                raise ValueError("a vector without its end")
            weights = cast("list[float]", values[middle:end].tolist())
            vectors.append(SparseVector(indices[at:middle].tolist(), weights))
            at = end
        if len(vectors) != 2:
            raise ValueError("one vector alone")
        found.append(TextVectors(*vectors))
    if len(found) != count:
        raise ValueError("other texts")
    return found
