"""What texts are found by: BM25 as sparse vectors, and the fusion of several rankings into one.

Taking texts to words is most of what indexing costs, and holds the GIL. `packed` is a function of
plain texts that gives plain bytes: a guarded child runs it, or a worker on another machine.
"""

import zlib
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar, cast

from sanbo.kernel.problems import Unexpected
from sanbo.retrieval.model import Candidate
from sanbo.retrieval.tokens import letters
from sanbo.sandbox.calls import Calls

# Found by measuring on Japanese questions; see benchmarks/retrieval.py.
K1 = 0.4
B = 0.9
# Lengths that count as average. Chunks are cut to a size, so their mean is known beforehand, and
# a fixed one keeps the vectors of a growing collection comparable.
AVERAGE_GRAMS = 650.0
AVERAGE_WORDS = 124.0
VERBATIM = 0.25
ALIKE = 0.5
"""What a word of about the same meaning counts beside the word itself."""


Id = TypeVar("Id", int, str)


class SparseVector(NamedTuple):
    indices: list[int]
    values: list[float]


def document_vector(tokens: Iterable[str], average: float) -> SparseVector:
    """BM25's weight of each term in a text; the engine multiplies the term's rarity in."""
    counts: dict[int, int] = {}
    for token, count in Counter(tokens).items():  # counted first: few terms for many tokens
        place = _index_of(token)
        counts[place] = counts.get(place, 0) + count
    norm = K1 * (1 - B + B * sum(counts.values()) / average)
    weights = [count * (K1 + 1) / (count + norm) for count in counts.values()]
    return SparseVector(list(counts), weights)


def query_vector(tokens: Iterable[str]) -> SparseVector:
    """Each term once: a word said twice in a question does not matter twice."""
    indices = list(dict.fromkeys(map(_index_of, tokens)))
    return SparseVector(indices, [1.0] * len(indices))


def meaning_vector(words: Iterable[str]) -> SparseVector:
    """The words, and by less whatever means about the same: boss finds the manager."""
    weights: dict[int, float] = {}
    for word in words:
        alike = _alike(word)
        both = {at: max(weights[at], alike[at]) for at in weights.keys() & alike.keys()}
        weights |= alike
        weights |= both
    for word in words:
        weights[_index_of(word)] = 1.0
    return SparseVector(list(weights), list(weights.values()))


@lru_cache(maxsize=4096)
def _alike(word: str) -> dict[int, float]:
    """What means about the same, a hundred spellings of it, and what each counts."""
    from sanbo.language.likeness import neighbours  # noqa: PLC0415 - NumPy, for searches alone

    # The other way round: of two at one place, the more alike stays.
    return {_index_of(other): ALIKE * alike for other, alike in reversed(neighbours(word))}


def fuse(rankings: Mapping[str, Mapping[Id, float]]) -> list[tuple[Id, float]]:
    """Sum of scores, each ranking's divided by its best; ids best first, ties by id."""
    total: defaultdict[Id, float] = defaultdict(float)
    for scores in rankings.values():
        best = max(scores.values(), default=0.0)
        if best > 0:
            for name, score in scores.items():
                total[name] += score / best
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))


def with_verbatim(query: str, found: list[Candidate]) -> list[Candidate]:
    """Lifts what has the query's words as they stand: a phrase finds its own passage first.

    Measured beside the fused score alone: more first hits on both question sets.
    """
    asked = letters(query)
    lifted = [
        Candidate(
            chunk=candidate.chunk,
            score=(candidate.score + VERBATIM * share) / (1 + VERBATIM),
            signals={**candidate.signals, "verbatim": share},
        )
        for candidate in found
        for share in [_longest_run(asked, letters(candidate.chunk.text)) / max(len(asked), 1)]
    ]
    return sorted(lifted, key=lambda candidate: -candidate.score)


def _longest_run(asked: str, text: str) -> int:
    """The length of the longest piece of `asked` that stands in `text` in one piece."""
    start = longest = 0
    while start + longest < len(asked):
        if asked[start : start + longest + 1] in text:
            longest += 1
        else:
            start += 1
    return longest


def _index_of(token: str) -> int:
    """A term's place in the vector space. 32 bits: a million terms share a hundred places."""
    return zlib.crc32(token.encode())


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
