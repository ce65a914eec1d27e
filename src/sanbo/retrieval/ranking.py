"""BM25 as sparse vectors, and the fusion of several rankings into one."""

import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple, TypeVar

# Found by measuring on Japanese questions; see benchmarks/retrieval.py.
K1 = 0.4
B = 0.9
# Lengths that count as average. Chunks are cut to a size, so their mean is known beforehand, and
# a fixed one keeps the vectors of a growing collection comparable.
AVERAGE_GRAMS = 650.0
AVERAGE_WORDS = 124.0


Id = TypeVar("Id", int, str)


class SparseVector(NamedTuple):
    indices: list[int]
    values: list[float]


def document_vector(tokens: Iterable[str], average: float) -> SparseVector:
    """BM25's weight of each term in a text; the engine multiplies the term's rarity in."""
    counts = Counter(map(_index_of, tokens))
    norm = K1 * (1 - B + B * counts.total() / average)
    weights = [count * (K1 + 1) / (count + norm) for count in counts.values()]
    return SparseVector(list(counts), weights)


def query_vector(tokens: Iterable[str]) -> SparseVector:
    """Each term once: a word said twice in a question does not matter twice."""
    indices = list(dict.fromkeys(map(_index_of, tokens)))
    return SparseVector(indices, [1.0] * len(indices))


def fuse(rankings: Mapping[str, Mapping[Id, float]]) -> list[tuple[Id, float]]:
    """Sum of scores, each ranking's divided by its best; ids best first, ties by id."""
    total: defaultdict[Id, float] = defaultdict(float)
    for scores in rankings.values():
        best = max(scores.values(), default=0.0)
        if best > 0:
            for name, score in scores.items():
                total[name] += score / best
    return sorted(total.items(), key=lambda pair: (-pair[1], pair[0]))


def _index_of(token: str) -> int:
    """A term's place in the vector space. 32 bits: a million terms share a hundred places."""
    return zlib.crc32(token.encode())
