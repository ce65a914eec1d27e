"""BM25 as sparse vectors, the fusion of several rankings into one, and what is lifted in it."""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, TypeVar

from sanbo.retrieval.model import Candidate
from sanbo.retrieval.tokens import letters

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
